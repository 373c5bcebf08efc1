"""Values from which the tests of answers and decisions are made."""

from __future__ import annotations

from typing import Any

from hookrun.answers.answer import read_answer
from hookrun.model.values import Answer, Event, Hook, Outcome, Program, Verdict, Widget


def a_hook(**changes: Any) -> Hook:
    values: dict[str, Any] = {
        "id": "h1",
        "title": "bash.sh",
        "kind": "script",
        "source": "hookrun",
        "order": 100,
        "level": "project",
        "place": "/project",
        "file": "/project/.hookrun/hooks/pre/bash.sh",
        "dialect": "xbot",
        "program": Program(words=("/project/.hookrun/hooks/pre/bash.sh",), folder="/project"),
        "role": "guard",
    }
    return Hook(**(values | changes))


def a_trigger(slot: str = "toolHint", **changes: Any) -> Hook:
    priority = changes.pop("priority", 100)
    widget = Widget(id="w", slot=slot, priority=priority, sync=True)
    return a_hook(**({"kind": "ui", "role": "observer", "widget": widget} | changes))


def an_event(name: str = "PreToolUse", **changes: Any) -> Event:
    tool = {"tool_name": "Shell", "tool_input": {"command": "ls"}} if "ToolUse" in name else {}
    return Event(**({"event": name, "event_id": "e1", "dialect": "xbot"} | tool | changes))


def ended(exit_code: int = 0, stdout: str = "", stderr: str = "", **more: Any) -> Outcome:
    return Outcome(status="ended", exit_code=exit_code, stdout=stdout, stderr=stderr, **more)


def printed(stdout: str, stderr: str = "", *, event: str = "PreToolUse", **hook: Any) -> Answer:
    """Return the answer of a hook that ended with 0 after it had printed this."""
    return read_answer(a_hook(**hook), ended(0, stdout, stderr), an_event(event))


def an_answer(verdict: Verdict = Verdict.NO_OPINION, title: str = "bash.sh", **changes: Any) -> Answer:
    hook = changes.pop("hook", None) or a_hook(title=title, id=title)
    decided_by = changes.pop("decided_by", "guard" if verdict else None)
    return Answer(
        hook=hook,
        outcome=changes.pop("outcome", ended()),
        status="ran",
        verdict=verdict,
        decided_by=decided_by,
        **changes,
    )
