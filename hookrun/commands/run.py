"""The commands that plugins contribute and modules register: which there are, and running one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from hookrun.commands.emit import milliseconds
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.frozen import Frozen
from hookrun.model.text import did_you_mean
from hookrun.model.values import Hook, Outcome, Problem
from hookrun.modules.values import MESSAGE, owner_of
from hookrun.runner import HookRunner, command_event
from hookrun.runner.module_backends import problems_of

EXIT_TIMED_OUT = 124  # as timeout(1) has it


class Ran(Frozen):
    """A command that was run, and what came of it. ``hook`` has its name."""

    hook: Hook
    outcome: Outcome


def command_hooks(runner: HookRunner) -> tuple[list[Hook], tuple[Problem, ...]]:
    """Return the commands that can be run, those of plugins first, and why modules are not loaded, as they
    are for that, in a child. What a plugin contributes takes its name; of a name that several modules
    register all are there, as in the module system, and the first runs."""
    hook_by_name: dict[str, Hook] = {}
    for hook in contributed_commands(runner):
        hook_by_name.setdefault(_plain(hook.command), hook)
    found = list(hook_by_name.values())
    problems: tuple[Problem, ...] = ()
    modules = runner.handlers.trusted_hooks
    if modules:
        commands, problems = runner.handlers.isolated.commands(modules)
        for command in commands:
            hook = _module(runner, command.owner)
            if _plain(command.name) not in hook_by_name:
                found.append(hook.replace(command=command.name, description=command.description))
    return found, problems


def run_command(runner: HookRunner, name: str, arguments: Sequence[str]) -> Ran:
    """Run the command *name*, with or without its slash, with *arguments*, which it gets as one text, quoted
    so that a shell would split it again. Raises UsageError when there is none."""
    import shlex

    text = shlex.join(arguments)
    for hook in contributed_commands(runner):
        if _plain(hook.command) == _plain(name):
            event = command_event(runner.config, command_name=hook.command, command_args=text)
            (outcome,) = runner.run_together([hook], event)
            if outcome.status in (constants.UNTRUSTED, constants.CHANGED, constants.GONE):
                raise _refused(name, hook, outcome.cause, outcome.hint)
            return Ran(hook=hook, outcome=outcome)
    _require_in_force(runner, name)
    return _run_of_module(runner, name, text)


def contributed_commands(runner: HookRunner) -> list[Hook]:
    """Return the commands of plugins, which are known without loading anything."""
    return [hook for hook in runner.loaded.registry.in_force if hook.kind == constants.COMMAND]


def _module(runner: HookRunner, owner: str) -> Hook:
    return next(hook for hook in runner.handlers.hooks if owner_of(hook) == owner)


def _require_in_force(runner: HookRunner, name: str) -> None:
    for entry in runner.loaded.registry.entries:
        if entry.hook.kind == constants.COMMAND and _plain(entry.hook.command) == _plain(name):
            if entry.state == constants.UNTRUSTED:
                raise _refused(name, entry.hook, entry.reason, "look at it, then `hookrun trust`")
            raise UsageError(
                f"the command {name!r} is {entry.state}: {entry.reason}",
                where=entry.hook.file,
                hint="`hookrun list` shows every hook and its state",
            )


def _refused(name: str, hook: Hook, reason: str, hint: str) -> HookrunError:
    error = HookrunError(f"the command {name!r} does not run: {reason}", where=hook.file, hint=hint)
    error.exit_code = constants.EXIT_FOUND_WRONG
    return error


def _run_of_module(runner: HookRunner, name: str, arguments: str) -> Ran:
    """Run the command of a module, in a child. Raises UsageError when none has it."""
    known = [hook.command for hook in contributed_commands(runner)]
    modules = runner.handlers.trusted_hooks
    if not modules:
        raise _unknown(name, known)
    began_at = time.monotonic()
    event = command_event(runner.config)
    run = runner.handlers.isolated.run_command(modules, name, arguments, event)
    problems = (*problems_of(run.failures), *_unseen(run.kept))
    if not run.owner:
        raise _unknown(name, (*known, *run.known), problems)
    outcome = Outcome(
        status=constants.FAILED if run.error else "ended",
        exit_code=constants.EXIT_FOUND_WRONG if run.error else constants.EXIT_OK,
        seconds=time.monotonic() - began_at,
        stdout=run.stdout,
        cause=run.error,
        problems=problems,
    )
    return Ran(hook=_module(runner, run.owner).replace(command=name), outcome=outcome)


def _unseen(kept: Sequence[tuple[str, Any]]) -> tuple[Problem, ...]:
    """Return a Problem for each message for a model: there is none that a command could tell it."""
    from hookrun.agents.reply.results import message_text

    texts = [message_text(document.get("message")) for kind, document in kept if kind == MESSAGE]
    hint = "send it from a handler of an event"
    return tuple(Problem(message=f"no model receives this message: {text}", hint=hint) for text in texts)


def _unknown(name: str, known: Iterable[str], problems: Sequence[Problem] = ()) -> UsageError:
    hint = did_you_mean(_plain(name), map(_plain, known), "`hookrun run` lists the commands")
    unread = "".join(f"; {problem.source}: {problem.message}" for problem in problems)
    return UsageError(f"unknown command {name!r}{unread}", hint=hint)


def exit_code(outcome: Outcome) -> int:
    """Return the command's own exit code; 128 + n for signal n, 124 out of time, 1 when it never ran."""
    if outcome.exit_code is not None:
        return outcome.exit_code
    if outcome.signal is not None:
        return 128 + outcome.signal
    return EXIT_TIMED_OUT if outcome.status == constants.TIMED_OUT else constants.EXIT_FOUND_WRONG


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
        "status": constants.RAN if outcome.exit_code is not None else outcome.status,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "cause": outcome.cause,
        "duration_ms": milliseconds(outcome.seconds),
        "stdout": outcome.stdout.strip(),
        "stderr": outcome.stderr,
    }


def _plain(name: str) -> str:
    return name.removeprefix("/")
