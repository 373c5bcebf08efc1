"""What there is to trust in a project: shown to a person, written down, forgotten. Runs no hook."""

from __future__ import annotations

import os

from hookrun.config.git import tracked_files
from hookrun.config.paths import is_inside
from hookrun.config.project import other_work_trees
from hookrun.model import constants
from hookrun.model.errors import StoreError, UsageError
from hookrun.model.frozen import Frozen
from hookrun.model.text import did_you_mean
from hookrun.trust.entries import MARK
from hookrun.trust.reading import digest_of
from hookrun.trust.records import Unit, add_unit, is_text_of
from hookrun.trust.trust import loosening_name
from hookrun.trust.units import read_units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from hookrun.config.project import Project
    from hookrun.model.values import Hook
    from hookrun.runner import HookRunner

    One = TypeVar("One", "Candidate", "Gone")

NEW = "new"
CHANGED = "changed"
TRUSTED = "trusted"
UNREADABLE = "cannot be trusted"


class Candidate(Frozen):
    """One thing to trust, by its definition's ``name`` in the project: ``state`` is new, changed, trusted or
    cannot be trusted (``flaw`` says why). ``texts`` are the bytes of its files by their names, as they were
    hashed; ``last`` the digests that were trusted last."""

    name: str
    state: str
    project: Project
    unit: Unit
    texts: Mapping[str, bytes]
    last: Mapping[str, str] = {}
    flaw: str = ""


class Remembered(Frozen):
    """A unit of the records: what it is called, how it stands now, how many texts of it are trusted, and when
    the last of them was (seconds since 1970)."""

    name: str
    state: str
    texts: int
    at: int


class Gone(Frozen):
    """A unit of the records whose guards deny, since nothing of the project is it any more: ``hooks`` are the
    guards that it had."""

    name: str
    project: Project
    hooks: tuple[Hook, ...]


def gone(runner: HookRunner, paths: Sequence[str] = ()) -> list[Gone]:
    """Return what was trusted and is gone, by name; with *paths* only what they name. What another branch or
    another work tree has is not gone: trust is theirs as well."""
    there = {(each.project.identities, each.name) for each in candidates(runner)}
    trust = runner.loaded.trust
    found: dict[tuple[tuple[str, ...], str], Gone] = {}
    for hook in (entry.hook for entry in runner.loaded.registry.entries):
        place = trust.gone(hook)
        if place is None or (place[0].identities, place[1]) in there:
            continue
        project, name = place
        is_wanted = not paths or _names_unit(paths, name, project, runner.config.cwd)
        if _is_in_another_work_tree(project, name):
            continue
        if is_wanted and trust.check(hook).standing.status == constants.CHANGED:
            known = found.get((project.identities, name))
            hooks = (*known.hooks, hook) if known else (hook,)
            found[project.identities, name] = Gone(name=name, project=project, hooks=hooks)
    return list(found.values())


def of_other_branches(runner: HookRunner) -> list[str]:
    """Return the names of the trusted guards that this branch does not have and another one does."""
    trust, names = runner.loaded.trust, []
    for hook in (entry.hook for entry in runner.loaded.registry.entries):
        place = trust.gone(hook)
        if place is not None and trust.check(hook).standing.status == constants.GONE:
            names.append(place[1])
    return list(dict.fromkeys(names))


def _is_in_another_work_tree(project: Project, name: str) -> bool:
    file = name.rpartition(MARK)[0] or name
    return any(os.path.lexists(os.path.join(top, file)) for top in other_work_trees(project))


def forget_gone(runner: HookRunner, chosen: Sequence[Gone]) -> None:
    """Forget *chosen*. Raises StoreError."""
    for project, group in _by_project(chosen):
        _forget_units(runner, project, [each.name for each in group])


def _forget_units(runner: HookRunner, project: Project, names: Iterable[str]) -> None:
    def edit(units: dict[str, Any]) -> None:
        for name in names:
            units.pop(name, None)

    runner.loaded.trust.memory.change(project, edit)


def files_on_record(runner: HookRunner, files: Iterable[str]) -> tuple[str, ...]:
    """Return those settings *files* (paths from the root) of which entries are trusted."""
    units = [(project, runner.loaded.trust.units(project)) for project in _projects(runner)]
    known = {
        os.path.join(project.top, name.rpartition(MARK)[0])
        for project, of_project in units
        if not isinstance(of_project, StoreError)
        for name in of_project
    }
    return tuple(file for file in files if os.path.join(runner.config.root, file) in known)


def candidates(runner: HookRunner, paths: Sequence[str] = (), besides: Sequence[Gone] = ()) -> list[Candidate]:
    """Return what the project has that needs trust, in registry order; with *paths* (files, folders, ids,
    titles) only that. Raises UsageError for one that names nothing, and none of *besides* either."""
    found = [*_of_hooks(runner), *_of_configuration(runner)]
    if not paths:
        return found
    chosen: list[Candidate] = []
    for path in paths:
        named = [each for each in found if _is_named(each, path, runner.config.cwd)]
        if not named and not _names_any(path, besides, runner.config.cwd):
            elsewhere = [name for name in of_other_branches(runner) if name.partition("#")[0] == path]
            raise (_not_on_this_branch(elsewhere[0]) if elsewhere else _unknown(path, [each.name for each in found]))
        chosen += [each for each in named if each not in chosen]
    return chosen


def remember(runner: HookRunner, chosen: Sequence[Candidate]) -> list[str]:
    """Trust *chosen* as they were read, and return where broken records were moved to. Raises StoreError."""
    memory = runner.loaded.trust.memory
    moved = []
    for project, group in _by_project(chosen):
        for each in group:
            for text in each.texts.values():
                memory.keep_text(digest_of(text), text)

        def edit(units: dict[str, Any], project: Project = project, group: list[Candidate] = group) -> None:
            for each in group:
                add_unit(units, each.unit, project)

        moved.append(memory.change(project, edit))
    return [path for path in moved if path]


def remembered(runner: HookRunner) -> list[Remembered]:
    """Return what is on record for the project, by name. Raises StoreError when that cannot be read."""
    state_by_name = {each.name: each.state for each in candidates(runner)}
    found = []
    for project in _projects(runner):
        units = runner.loaded.trust.units(project)
        if isinstance(units, StoreError):
            raise units
        for name, unit in sorted(units.items()):
            texts = unit["texts"]
            at = int(texts[-1].get("at", 0)) if texts else 0
            is_elsewhere = os.path.lexists(os.path.join(project.top, name.partition("#")[0]))
            state = state_by_name.get(name) or ("not in force here" if is_elsewhere else "gone")
            found.append(Remembered(name=name, state=state, texts=len(texts), at=at))
    return found


def forget(runner: HookRunner, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Forget the units that *paths* name (all of the project's without any), also those that are gone.

    Return their names, and where broken records were moved to, of which only all can be forgotten. Raises UsageError
    for a path that names none, and StoreError."""
    forgotten: list[str] = []
    moved: list[str] = []
    unknown = set(paths)
    known: list[str] = []
    for project in _projects(runner):
        units = runner.loaded.trust.units(project)
        if isinstance(units, StoreError):
            if paths or not units.where:
                raise units
            moved.append(runner.loaded.trust.memory.change(project, lambda _: None))
            continue
        known += units
        chosen = [name for name in units if not paths or _names_unit(paths, name, project, runner.config.cwd)]
        unknown -= {path for path in paths if _names_one_of(path, units, project, runner.config.cwd)}
        if chosen:
            forgotten += chosen
            _forget_units(runner, project, chosen)
    for path in sorted(unknown):
        raise _unknown(path, known)
    return forgotten, [path for path in moved if path]


def kept_text(runner: HookRunner, digest: str) -> bytes | None:
    """Return the bytes of a text that was trusted before, for comparing; None when they are not kept."""
    return runner.loaded.trust.memory.text_of(digest)


def _of_hooks(runner: HookRunner) -> Iterator[Candidate]:
    trust = runner.loaded.trust
    environ = runner.config.environ
    hooks = [entry.hook for entry in runner.loaded.registry.entries]
    for read in read_units(hooks, trust, lambda folder: tracked_files(folder, environ)):
        yield _judged(runner, read.project, read.unit, read.texts, read.flaw)


def _judged(runner: HookRunner, project: Project, unit: Unit, texts: Mapping[str, bytes], flaw: str) -> Candidate:
    units = runner.loaded.trust.units(project)
    record = {} if isinstance(units, StoreError) else units.get(unit.name, {})
    known = record.get("texts", ())
    is_known = any(is_text_of(text, unit) for text in known)
    state = TRUSTED if is_known else CHANGED if known else NEW
    return Candidate(
        name=unit.name,
        state=UNREADABLE if flaw else state,
        project=project,
        unit=unit,
        texts=texts,
        last=known[-1]["files"] if known else {},
        flaw=flaw,
    )


def _of_configuration(runner: HookRunner) -> Iterator[Candidate]:
    trust = runner.loaded.trust
    for loosening in runner.all_loosenings:
        project = trust.project(loosening.place)
        name = loosening_name(loosening, project)
        text = loosening.text.encode()
        unit = Unit(name=name, hooks=(), digests={name: digest_of(text)}, place=loosening.place)
        yield _judged(runner, project, unit, {name: text}, "")


def _by_project(chosen: Iterable[One]) -> list[tuple[Project, list[One]]]:
    groups: dict[tuple[str, ...], tuple[Project, list[One]]] = {}
    for each in chosen:
        groups.setdefault(each.project.identities, (each.project, []))[1].append(each)
    return list(groups.values())


def _projects(runner: HookRunner) -> list[Project]:
    trust = runner.loaded.trust
    found = {trust.project(level).identities: trust.project(level) for level in runner.config.levels}
    return list(found.values())


def _is_named(candidate: Candidate, path: str, cwd: str) -> bool:
    own = {name for hook in candidate.unit.hooks for name in (hook.id, hook.plugin, hook.title) if name}
    return path in own or _names_unit([path], candidate.name, candidate.project, cwd)


def _names_any(path: str, gone: Sequence[Gone], cwd: str) -> bool:
    return any(_names_unit([path], each.name, each.project, cwd) for each in gone)


def _names_one_of(path: str, units: Iterable[str], project: Project, cwd: str) -> bool:
    return any(_names_unit([path], name, project, cwd) for name in units)


def _names_unit(paths: Sequence[str], name: str, project: Project, cwd: str) -> bool:
    """Say whether one of *paths* is the unit, its file, or a folder that it lies in."""
    file = os.path.join(project.top, name.partition("#")[0])
    return any(
        path == name or is_inside(os.path.realpath(file), os.path.realpath(os.path.join(cwd, path))) for path in paths
    )


def _not_on_this_branch(name: str) -> UsageError:
    hint = f"it stays trusted; `hookrun untrust {name.partition('#')[0]}` forgets it on all branches"
    return UsageError(f"{name} is trusted but not on this branch", where="PATH", hint=hint)


def _unknown(path: str, known: Sequence[str]) -> UsageError:
    hint = did_you_mean(path, known, "`hookrun trust --list` shows what is trusted, `hookrun list` all hooks")
    return UsageError(f"{path!r} is not a hook of this project", where="PATH", hint=hint)
