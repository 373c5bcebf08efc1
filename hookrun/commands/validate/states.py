"""The state of every hook as things are now, and the files that look like hooks but that nothing reads.

`list`, `explain`, `validate`, `doctor` and `watch` all ask here. Reads files; runs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from hookrun.agents.settings import settings_of
from hookrun.commands.validate.declared import matcher_flaw_of_manifest
from hookrun.commands.validate.finding import ERROR, WARNING, Finding
from hookrun.commands.validate.settings_keys import check_skips, matcher_flaw_of_settings
from hookrun.commands.validate.settings_scripts import named_scripts, obstacle_of
from hookrun.commands.validate.strays import find_strays
from hookrun.commands.validate.subject import subject_without_text, text_of
from hookrun.config.config import Config
from hookrun.model import constants
from hookrun.model.events import EVENTS
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook
from hookrun.programs.command import Launch, Obstacle
from hookrun.programs.interpreters import is_python
from hookrun.programs.python_text import python_flaw
from hookrun.runner import HookRunner
from hookrun.sources.registry import Entry
from hookrun.sources.script_folder import ANY_EVENT

BROKEN = (constants.DENIES, constants.CANNOT_START, constants.NEVER_FIRES)
_TRUST = "`hookrun trust`"
ASKED_ABOUT = " is asked about"
_EFFECT_OF_FAILURE = {"deny": " is denied", "ask": ASKED_ABOUT}


class States(Frozen):
    """The state of every hook, and of the files around them."""

    entries: tuple[Entry, ...]  # in registry order
    unread: tuple[Finding, ...]  # files that look like hooks
    switched_off: tuple[Finding, ...]  # hooks that settings switch off


def find_states(runner: HookRunner) -> States:
    """Return the state of each hook of *runner*'s place, and the files there that look like hooks."""
    entries = tuple(entry_as_it_is(runner, entry) for entry in runner.loaded.registry.entries)
    hooks = [entry.hook for entry in entries]
    return States(
        entries=entries, unread=tuple(_unread(runner, hooks)), switched_off=tuple(check_skips(runner.loaded.skips, {}))
    )


def levels_of(config: Config) -> tuple[str, ...]:
    """Return the folders in which misplaced files are looked for: the project's levels, and the home."""
    return tuple(dict.fromkeys((*config.levels, *((config.home,) if config.home else ()))))


def entry_as_it_is(runner: HookRunner, entry: Entry) -> Entry:
    """Return *entry* with its state as things are now. The hook of one that cannot start has that as flaw."""
    if entry.state not in (constants.IN_FORCE, constants.UNTRUSTED):
        return entry
    by_trust = _by_trust(runner, entry)
    if by_trust is not None:
        return by_trust
    return entry_by_its_files(entry, runner.launch(entry.hook), runner.config)


def entry_by_its_files(entry: Entry, start: Launch | Obstacle, config: Config) -> Entry:
    """Return *entry*, which would run, with what its files and its matcher say of it; *start* is how its hook
    starts or why not."""
    hook = entry.hook
    obstacle = find_obstacle(hook, start, config.environ.get("PATH", os.defpath))
    if obstacle is not None:
        return entry.replace(
            hook=hook.replace(flaw=obstacle.cause),
            state=constants.CANNOT_START,
            reason=obstacle.cause + effect_of_failure(hook, config),
            hint=obstacle.hint,
        )
    flaw = matcher_flaw_of_settings(hook, config.tools) or matcher_flaw_of_manifest(hook, config.tools)
    if flaw is None:
        return entry
    state = constants.NEVER_FIRES if flaw.never_fires else entry.state
    return entry.replace(state=state, reason=flaw.message, hint=flaw.hint)


def denial(runner: HookRunner, hook: Hook) -> Finding | None:
    """Return the error that *hook* denies what it guards, since it is not what was trusted; else None."""
    standing = runner.standing(hook)
    if standing.status != constants.CHANGED:
        return None
    calls = what_it_guards(hook)
    if hook.role != constants.GUARD or not calls:
        return None
    until = f" until {_TRUST}" if _TRUST in standing.hint else ""
    return Finding(
        message=f"{constants.DENIES}: {standing.reason}; {calls} is denied{until}",
        level=ERROR,
        file=hook.file,
        hook=hook.id,
        hint=standing.hint,
        state=constants.DENIES,
    )


def of_another_branch(runner: HookRunner, hook: Hook) -> Finding | None:
    """Return the warning that this branch does not have the trusted guard *hook*; None for any other hook."""
    standing = runner.standing(hook)
    calls = what_it_guards(hook)
    if standing.status != constants.GONE or hook.role != constants.GUARD or not calls:
        return None
    effect = _EFFECT_OF_FAILURE.get(runner.config.on_missing or "ask", "")
    return Finding(
        message=f"{standing.reason}; {calls}{effect}" if effect else standing.reason,
        level=WARNING,
        file=hook.file,
        hook=hook.id,
        hint=standing.hint,
        state=constants.UNTRUSTED,
    )


def what_it_guards(hook: Hook) -> str:
    """Return the calls that a failure of *hook* stops, "every Bash call or every prompt"; "" for none."""
    if hook.kind in (constants.UI, constants.COMMAND):
        return ""
    calls: dict[str, None] = {}
    for trigger in hook.triggers:
        kinds = [kind for kind in EVENTS.values() if kind.guarded and trigger.event in (kind.name, ANY_EVENT)]
        calls |= dict.fromkeys(_calls(trigger.matcher) if kind.has_tool else "every prompt" for kind in kinds)
    return " and ".join(calls)


def effect_of_failure(hook: Hook, config: Config) -> str:
    """Return as a clause what a failure of *hook* does to the calls that it is about, "" for nothing."""
    if hook.kind == constants.SETTINGS:
        on_failure = hook.on_failure or config.settings_on_failure
        goes_on = f"; {settings_of(hook.dialect).title} goes on without it"
    else:
        on_failure, goes_on = hook.on_failure or config.on_failure, ""
    calls = what_it_guards(hook) if hook.role == constants.GUARD else ""
    effect = _EFFECT_OF_FAILURE.get(on_failure or "", "")
    return f"; {calls}{effect}" if calls and effect else goes_on


def find_obstacle(hook: Hook, start: Launch | Obstacle, path: str) -> Obstacle | None:
    """Return why *hook* cannot start as far as its files tell, else None; *path* is the PATH that it will have.
    Only Python is checked here, other languages need their own programs."""
    if isinstance(start, Obstacle):
        return start
    found = _no_python(start)
    if found is not None or hook.kind != constants.SETTINGS:
        return found
    for named in named_scripts([subject_without_text(hook)], path):
        obstacle = obstacle_of(named)
        if obstacle is None and isinstance(named.start, Launch):
            obstacle = _no_python(named.start)
        if obstacle is not None:
            return obstacle
    return None


def _no_python(start: Launch) -> Obstacle | None:
    """Return that a script for Python is not valid in this Python's syntax."""
    name = os.path.basename(start.interpreter)
    if not start.script or not is_python(name) or name.startswith("python2"):
        return None
    flaw, line = python_flaw(text_of(start.script) or "", start.script)
    cause = f"{os.path.basename(start.script)} is not valid Python: {flaw} (line {line})"
    return Obstacle(cause=cause, hint="fix it, or give it the suffix of its own language") if flaw else None


def _by_trust(runner: HookRunner, entry: Entry) -> Entry | None:
    """Return *entry* as trust has it when it does not run, None for a hook that may."""
    standing = runner.standing(entry.hook)
    if standing.status == constants.TRUSTED:
        return None
    denies = denial(runner, entry.hook)
    if denies is not None:
        reason = denies.message.removeprefix(f"{constants.DENIES}: ")
        return entry.replace(state=constants.DENIES, reason=reason, hint=denies.hint)
    missing = of_another_branch(runner, entry.hook)
    if missing is not None:  # why the guard that takes its place cannot start is no news
        hook = entry.hook.replace(flaw="")
        return entry.replace(hook=hook, state=constants.UNTRUSTED, reason=missing.message, hint=missing.hint)
    return entry.replace(state=constants.UNTRUSTED, reason=standing.reason, hint=standing.hint)


def _calls(matcher: str) -> str:
    tools = [tool.strip() for tool in matcher.split("|")]
    if matcher in ("", "*"):
        return "every tool call"
    if len(tools) <= 3 and all(tool.replace("_", "").replace("-", "").isalnum() for tool in tools):
        return f"every {' or '.join(tools)} call"
    return "every call that it matches"


def _unread(runner: HookRunner, hooks: Sequence[Hook]) -> Iterator[Finding]:
    launches = [found for hook in hooks if isinstance(found := runner.launch(hook), Launch)]
    path = runner.config.environ.get("PATH", os.defpath)
    settings = [subject_without_text(hook) for hook in hooks if hook.kind == constants.SETTINGS]
    named = [each.path for each in named_scripts(settings, path)]
    read = {hook.file for hook in hooks} | {skip.path for skip in runner.loaded.skips} | set(named)
    read |= {problem.source for problem in runner.loaded.problems}
    read |= {file for found in launches for file in found.files}
    scripts = dict.fromkeys([*(found.script for found in launches if found.script), *named])

    def texts() -> list[str]:
        return [text_of(script) or "" for script in scripts]

    config = runner.config
    yield from find_strays(levels_of(config), read, texts, user=(config.home, config.user_folder))
