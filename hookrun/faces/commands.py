"""The commands that plugins contribute: which there are, and running one."""

from __future__ import annotations

from hookrun.faces.report import milliseconds
from hookrun.words import names
from hookrun.words.errors import UsageError
from hookrun.words.model import Event
from hookrun.words.nearest import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookrun.library import HookRunner
    from hookrun.words.model import Hook, Outcome

EXIT_TIMED_OUT = 124  # as timeout(1) has it


def command_hooks(runner: HookRunner) -> list[Hook]:
    """Return the commands that can be run, in registry order; of one name the first counts."""
    hook_by_name: dict[str, Hook] = {}
    for hook in runner.loaded.registry.in_force:
        if hook.kind == names.COMMAND:
            hook_by_name.setdefault(_plain(hook.command), hook)
    return list(hook_by_name.values())


def find_command(runner: HookRunner, name: str) -> Hook:
    """Return the command *name*, with or without its slash. Raises UsageError when there is none."""
    hooks = command_hooks(runner)
    for hook in hooks:
        if _plain(hook.command) == _plain(name):
            return hook
    for entry in runner.loaded.registry.entries:
        if entry.hook.kind == names.COMMAND and _plain(entry.hook.command) == _plain(name):
            raise UsageError(
                f"the command {name!r} is {entry.state}: {entry.reason}",
                where=entry.hook.file,
                hint="`hookrun list` shows every hook and its state",
            )
    near = nearest(_plain(name), [_plain(hook.command) for hook in hooks])
    hint = f"did you mean {near}?" if near else "`hookrun run` lists the commands"
    raise UsageError(f"no plugin has a command {name!r}", hint=hint)


def run_command(runner: HookRunner, hook: Hook, arguments: Sequence[str]) -> Outcome:
    """Run *hook* with *arguments*, which it gets as one text, quoted so that a shell would split it again."""
    import shlex

    config = runner.config
    event = Event(
        event="",
        cwd=config.cwd,
        project_dir=config.root,
        fields={"command_name": hook.command, "command_args": shlex.join(arguments)},
    )
    (outcome,) = runner.run_together([hook], event)
    return outcome


def exit_code(outcome: Outcome) -> int:
    """Return the command's own exit code; 128 + n for signal n, 124 out of time, 1 when it never ran."""
    if outcome.exit_code is not None:
        return outcome.exit_code
    if outcome.signal is not None:
        return 128 + outcome.signal
    return EXIT_TIMED_OUT if outcome.status == names.TIMED_OUT else names.EXIT_FOUND_WRONG


def command_document(hook: Hook) -> dict[str, Any]:
    """Return a command as a JSON-ready mapping."""
    return {
        "name": hook.command,
        "description": hook.description,
        "plugin": hook.plugin,
        "hook": hook.id,
        "file": hook.file,
    }


def run_document(hook: Hook, outcome: Outcome) -> dict[str, Any]:
    """Return what a command did as a JSON-ready mapping."""
    return {
        "name": hook.command,
        "hook": hook.id,
        "status": names.RAN if outcome.exit_code is not None else outcome.status,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "cause": outcome.cause,
        "duration_ms": milliseconds(outcome.seconds),
        "stdout": outcome.stdout.strip(),
        "stderr": outcome.stderr,
    }


def _plain(name: str) -> str:
    return name.removeprefix("/")
