"""Each row of an agent's table of effects is what the reader makes of its examples, and what lint says."""

from __future__ import annotations

import json
import shlex

import pytest
from agent_settings import ended, group, hook_of, write

from hookrun.agents import agents_with_settings, dialect_named
from hookrun.agents.settings import Effect, installation_of, settings_of
from hookrun.answers.answer import read_answer
from hookrun.events.event import make_event
from hookrun.model.values import Verdict

AGENTS = [dialect.name for dialect in agents_with_settings()]
REFUSED = ("the tool does not run", "it does not happen", "the prompt is refused", "the run ends", "it goes on, ")
ASKED = ("the user; ", "the user, for ")
# Rows that no output shows: they are about time, about size, or about what a user has approved.
WITHOUT_EXAMPLE = {
    ("claude", "a text above 10,000 characters"),
    ("codex", "more than 1 s"),
    ("codex", "not approved in /hooks"),
    ("copilot", "a hook that takes too long"),
    ("copilot", 'lines of "type": "progress"'),
    ("droid", "a hook that takes too long or is killed"),
}

# Cline's two programs differ: hookrun reads as the stricter does.
STRICTER = {("cline", "text before or after the JSON")}


def expected(effect: Effect) -> Verdict | None:
    """Return the verdict that the row promises, None where it promises none but a deny is not one."""
    if effect.is_trap:
        return None
    if effect.becomes.startswith(REFUSED):
        return Verdict.DENY
    return Verdict.ASK if effect.becomes.startswith(ASKED) and "ask" in effect.what else None


def rows() -> list[tuple[str, Effect]]:
    return [(agent, effect) for agent in AGENTS for effect in settings_of(agent).effects]


def own_event(agent: str, event: str) -> str:
    dialect = dialect_named(agent)
    assert dialect is not None
    names = dialect.events.get(event, (event,))
    shells = [name for name in names if dialect.tool_by_event.get(name, "") in dialect.tools.get("shell", ())]
    return (shells or [*names])[0]


def test_every_row_has_an_example_or_is_about_something_that_no_output_shows() -> None:
    without = {(agent, effect.what) for agent, effect in rows() if not effect.examples}
    assert without == WITHOUT_EXAMPLE


def test_the_reader_makes_of_each_example_what_its_row_says() -> None:
    wrong = []
    for agent, effect in rows():
        dialect = dialect_named(agent)
        assert dialect is not None
        event_name = next((event for event in effect.events or ("PreToolUse",) if own_event(agent, event)), "")
        assert event_name, f"{agent}: {effect.what} is about no event that it has"
        tool = dialect.tools["shell"][0]
        call = {"tool_name": tool, "tool_input": {"command": "ls"}} if "Tool" in event_name else {}
        own = own_event(agent, event_name)
        event, _ = make_event(own, dialect=dialect, **call)
        for code, stdout, stderr in effect.examples:
            closes = "deny" if event_name in settings_of(agent).closes else None
            hook = hook_of(agent, own, on_failure=closes)
            answer = read_answer(hook, ended(stdout, code=code, stderr=stderr), event, on_failure="")
            verdict = expected(effect)
            # Where a tool has run a deny is the reason for the model.
            is_free = verdict is None and ("Post" in event_name or (agent, effect.what) in STRICTER)
            is_as_said = is_free or (answer.verdict != Verdict.DENY if verdict is None else answer.verdict == verdict)
            if not is_as_said:
                wrong.append(f"{agent} {event_name}: {effect.what}: exit {code} {stdout!r} is {answer.verdict!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("agent", AGENTS)
def test_lint_finds_the_rows_that_lose_a_refusal_and_no_other(agent, project, cli) -> None:
    wrong = []
    for effect in settings_of(agent).effects_at("PreToolUse"):
        for example in effect.examples:
            if is_refusal(example):
                found = losses(agent, example, project, cli)
                if bool(found) != effect.is_trap:
                    wrong.append(f"{effect.what}: {example}: {found}")
    assert not wrong, "\n".join(wrong)


def is_refusal(example: tuple[int, str, str]) -> bool:
    code, stdout, _ = example
    return code in (1, 2, 3) or any(word in stdout for word in ("deny", "block", "ask", "cancel", "false"))


def losses(agent, example, project, cli) -> list[str]:
    """Return what lint says is lost of a hook that ends like *example*."""
    code, stdout, stderr = example
    lines = ["#!/bin/sh", f"printf '%s' {shlex.quote(stdout)}" * bool(stdout), f"echo {stderr} >&2" * bool(stderr)]
    text = "\n".join(filter(None, [*lines, f"exit {code}\n"]))
    own, settings = own_event(agent, "PreToolUse"), settings_of(agent)
    dialect = dialect_named(agent)
    assert dialect is not None
    if settings.are_executables:
        project.script(f"{dialect.project_settings[0]}/{own}", text)
    else:
        project.script("hook.sh", text)
        handler = {settings.commands[-1]: "./hook.sh"}
        entry = handler if settings.is_flat else group({"type": "command", **handler})
        installation = installation_of(agent)
        assert installation is not None
        write(project, installation.project, json.dumps({"version": 1, "hooks": {own: [entry]}}))
    shown = json.loads(cli("validate", "--format", "json").stdout)
    assert shown["checked"]["hooks"] == 1, shown
    return [finding["message"] for finding in shown["findings"] if finding["message"].endswith("goes on")]
