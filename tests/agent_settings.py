"""Settings of agents as tests write them, and a runner of what is in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hookrun import HookRunner

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from command import Project

    from hookrun.model.values import Hook, Outcome

CLAUDE = ".claude/settings.json"


def write(project: Project, name: str, value: Any, *, user: bool = False) -> Path:
    """Write *value*, JSON or ready text, below the project or the home folder."""
    text = value if isinstance(value, str) else json.dumps(value)
    return project.script(name, text, mode=0o644, user=user)


def command(text: str, **others: Any) -> dict[str, Any]:
    """A handler that is a command."""
    return {"type": "command", "command": text, **others}


def group(*handlers: Any, matcher: str | None = None, **others: Any) -> dict[str, Any]:
    """Handlers under one matcher; a text is a command."""
    ready = [command(handler) if isinstance(handler, str) else handler for handler in handlers]
    return {**({} if matcher is None else {"matcher": matcher}), "hooks": ready, **others}


def before_tools(*groups: Any) -> dict[str, Any]:
    """Claude's settings with these groups before a tool."""
    return {"hooks": {"PreToolUse": list(groups)}}


def discover(project: Project, environment: Mapping[str, str], **options: Any) -> HookRunner:
    """A runner of the project as it is now."""
    return HookRunner.discover(project.path, env=environment, **options)


def commands(runner: HookRunner) -> list[str]:
    """The titles of all hooks that were found, in order."""
    return [entry.hook.title for entry in runner.loaded.registry.entries]


def wheres(runner: HookRunner) -> list[str]:
    """Where something is wrong, in order."""
    return [problem.where for problem in runner.problems]


def skipped(runner: HookRunner) -> str:
    """What was left out, a line each with the reason."""
    return "\n".join(f"{skip.path}: {skip.reason}" for skip in runner.loaded.skips)


def hook_of(agent: str, own_event: str, **fields: Any) -> Hook:
    """A handler of *agent*'s settings for *own_event*, without a file."""
    from hookrun.model.values import Hook, Program

    definition = json.dumps({"agent": agent, "event": own_event, "handler": {}, "matcher": ""})
    common: dict[str, Any] = {
        "id": "1",
        "title": "it",
        "kind": "settings",
        "source": f"{agent}-settings",
        "order": 70,
        "level": "project",
        "place": "/p",
        "file": "/p/settings",
        "dialect": agent,
        "program": Program(words=("true",), folder="/p"),
        "role": "guard",
        "entry": definition,
    }
    return Hook(**(common | fields))


def ended(stdout: Any = "", *, code: int = 0, stderr: str = "") -> Outcome:
    """A process that ended by itself; *stdout* is text, or a value to be printed as JSON."""
    from hookrun.model.values import Outcome

    printed = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return Outcome(status="ended", exit_code=code, stdout=printed, stderr=stderr)
