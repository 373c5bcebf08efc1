"""A set-up as it was seen at one moment, and what is different at a later one."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from hookrun.agents import agents_with_settings
from hookrun.agents.shape import Place
from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.states import BROKEN, find_states
from hookrun.config.config import Config
from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem
from hookrun.pipeline.fire import UNTRUSTED_NOTICE
from hookrun.programs.command import Obstacle
from hookrun.runner import HookRunner
from hookrun.sources.discovery import PLACES
from hookrun.sources.registry import Entry
from hookrun.trust.memory import FOLDER as TRUST_FOLDER

IGNORED = (".git", "node_modules", "__pycache__")


class HookState(Frozen):
    """A hook as it was seen: ``obstacle`` says why it cannot start, denies or never fires, ``digest`` is
    that of its files."""

    title: str
    file: str
    state: str
    reason: str
    obstacle: str
    digest: str


class Snapshot(Frozen):
    """A set-up as it was seen.

    ``places`` are the files and folders that count, there or not, and ``stamps`` the time and size of each file in
    them; ``failure`` says why the set-up could not be read ("" when it could)."""

    hooks: Mapping[str, HookState] = {}
    problems: tuple[Problem, ...] = ()
    places: tuple[str, ...] = ()
    stamps: Mapping[str, tuple[int, int]] = {}
    failure: str = ""

    @property
    def untrusted(self) -> int:
        """How many hooks are not trusted as they are now."""
        return sum(hook.state == constants.UNTRUSTED for hook in self.hooks.values())

    @property
    def in_force(self) -> int:
        """How many hooks are in force."""
        return sum(hook.state == constants.IN_FORCE for hook in self.hooks.values())


class Difference(Frozen):
    """One difference between two snapshots, about a hook, a file, or the set-up as a whole."""

    what: Literal["added", "lost", "broke", "mended", "changed"]
    title: str
    detail: str = ""


def take_snapshot(runner: HookRunner) -> Snapshot:
    """Return the set-up of *runner* with its files as they are now."""
    hooks = {}
    places = [*_places(runner.config)]
    states = find_states(runner)
    for entry in states.entries:
        found = runner.launch(entry.hook)
        files = (entry.hook.file, *(() if isinstance(found, Obstacle) else found.files))
        hooks[entry.hook.id] = HookState(
            title=entry.hook.title,
            file=entry.hook.file,
            state=entry.state,
            reason=entry.reason,
            obstacle=_obstacle(entry),
            digest=_digest(dict.fromkeys(files)),
        )
        places += files
    places = list(dict.fromkeys(places))
    problems = (
        *(problem for problem in runner.problems if UNTRUSTED_NOTICE not in problem.message),
        *map(_problem, (*states.unread, *states.switched_off)),
    )
    return Snapshot(hooks=hooks, problems=problems, places=tuple(places), stamps=stamps_of(places))


def _obstacle(entry: Entry) -> str:
    """Return what keeps a hook from doing its work, "" when it does."""
    if entry.state == constants.CANNOT_START:
        return entry.hook.flaw
    return entry.reason if entry.state in BROKEN else ""


def _problem(finding: Finding) -> Problem:
    return Problem(message=finding.message, level=finding.level, source=finding.file, hint=finding.hint)


def failed_snapshot(error: HookrunError, before: Snapshot) -> Snapshot:
    """Return the snapshot of a set-up that cannot be read; the places of the one *before* still count."""
    where = f"{error.where}: " if error.where else ""
    return before.replace(failure=f"{where}{error.message}", stamps=stamps_of(before.places))


def stamps_of(places: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return (time of change in ns, size in bytes) of every regular file in *places*."""
    stamps = {}
    for place in places:
        for path in _files_in(place):
            try:
                found = os.stat(path)
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode):
                stamps[path] = (found.st_mtime_ns, found.st_size)
    return stamps


def folders_to_watch(places: Iterable[str]) -> list[str]:
    """Return the folders in which something at *places* can change: those in them, the one a file lies
    in, and for what is not there the nearest above it that is."""
    folders: dict[str, None] = {}
    for place in places:
        if os.path.isdir(place):
            folders |= dict.fromkeys(folder for folder, _ in _walk(place))
        above = os.path.dirname(place)
        while not os.path.isdir(above) and above != os.path.dirname(above):
            above = os.path.dirname(above)
        folders[above] = None
    return list(folders)


def differences(before: Snapshot, after: Snapshot) -> list[Difference]:
    """Return what is different: hooks that went, hooks in the order of the registry, then problems."""
    if after.failure:
        is_known = before.failure == after.failure
        return [] if is_known else [Difference(what="broke", title="the set-up", detail=after.failure)]
    found = [Difference(what="mended", title="the set-up")] if before.failure else []
    files = {state.file for state in after.hooks.values()}
    # A guard that a branch does not have is on record under another id: it is still the same hook.
    gone = {_place_of(state): hook for hook, state in before.hooks.items() if hook not in after.hooks}
    earlier_by_hook = {
        hook: hook if hook in before.hooks else gone.pop(_place_of(state), "") for hook, state in after.hooks.items()
    }
    for hook in gone.values():
        state = before.hooks[hook]
        was_mended = state.obstacle and state.file in files
        found.append(Difference(what="mended" if was_mended else "lost", title=state.title))
    for hook, state in after.hooks.items():
        found += _of_hook(before.hooks.get(earlier_by_hook[hook]), state)
    told = {state.obstacle for state in (*before.hooks.values(), *after.hooks.values())}
    return [*found, *_of_problems(before.problems, after.problems, told)]


def _place_of(state: HookState) -> tuple[str, str]:
    """Return what a hook has in common with the guard that is made of its record where it is missing."""
    return state.title, state.file.partition("#")[0]


def _of_hook(before: HookState | None, after: HookState) -> list[Difference]:
    state = f"{after.state}: {after.reason}" if after.reason else after.state
    if after.obstacle and (before is None or before.obstacle != after.obstacle):
        return [Difference(what="broke", title=after.title, detail=state)]
    if before is None:
        return [Difference(what="added", title=after.title, detail=state)]
    if before.obstacle and not after.obstacle:
        return [Difference(what="mended", title=after.title)]
    if (before.state, before.reason) != (after.state, after.reason):
        return [Difference(what="changed", title=after.title, detail=f"now {state}")]
    return [Difference(what="changed", title=after.title)] if before.digest != after.digest else []


def _of_problems(before: Sequence[Problem], after: Sequence[Problem], told: Collection[str]) -> list[Difference]:
    """Return the problems that came and went, without those that are *told* as obstacles of hooks."""

    def difference(what: Literal["broke", "mended"], problem: Problem) -> Difference:
        where = f"{problem.where}: " if problem.where else ""
        return Difference(what=what, title=problem.source or problem.level, detail=f"{where}{problem.message}")

    gone = [problem for problem in dict.fromkeys(before) if problem not in after]
    new = [problem for problem in dict.fromkeys(after) if problem not in before]
    return [
        *(difference("mended", problem) for problem in gone if problem.message not in told),
        *(difference("broke", problem) for problem in new if problem.message not in told),
    ]


def _places(config: Config) -> Iterator[str]:
    """Yield the folders and settings of every source, the files of the configuration, and the trust records."""
    yield from _settings_places(config)
    if config.state_folder:
        yield os.path.join(config.state_folder, TRUST_FOLDER)
    for place in PLACES:
        yield from _source_places(place, config)
    if config.home:  # nothing there is read, which is worth saying
        yield os.path.join(config.home, PLACES[0].project)
    yield from (os.path.join(level, "pyproject.toml") for level in config.levels)
    yield from (path for path, _ in (*config.manifests, *config.hooks))


def _settings_places(config: Config) -> Iterator[str]:
    for dialect in agents_with_settings():
        yield from (os.path.join(config.home, path) for path in dialect.user_settings if config.home)
        for level in config.levels:
            yield from (os.path.join(level, path) for path in dialect.project_settings)


def _source_places(place: Place, config: Config) -> Iterator[str]:
    """Yield the folders of *place*: hookrun's own as a whole; an agent's also holds transcripts and the like."""
    parts = [part for part in (place.plugins, place.manifests, place.scripts) if part]
    for below in place.user:
        if not below and config.user_folder:
            yield config.user_folder
        elif below and config.home:
            yield from (os.path.join(config.home, below, part) for part in parts)
    for level in config.levels:
        own = os.path.join(level, place.project)
        yield from [own] if "" in place.user else [os.path.join(own, part) for part in parts]


def _digest(files: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for path in files:
        try:
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError:
            digest.update(b"unreadable")
    return digest.hexdigest()


def _files_in(place: str) -> Iterator[str]:
    if not os.path.isdir(place):
        yield place
    for folder, file_names in _walk(place):
        yield from (os.path.join(folder, name) for name in file_names)


def _walk(place: str) -> Iterator[tuple[str, list[str]]]:
    for folder, folder_names, file_names in os.walk(place):
        folder_names[:] = sorted(name for name in folder_names if name not in IGNORED)
        yield folder, file_names
