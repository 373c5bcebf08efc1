"""Hooks of a project -> units as they can be trusted, every file of them read once."""

from __future__ import annotations

import os

from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.frozen import Frozen
from hookrun.trust.contents import is_code, plugin_folder
from hookrun.trust.records import GONE, Unit
from hookrun.trust.trust import relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeVar

    from hookrun.config.project import Project
    from hookrun.model.values import Hook
    from hookrun.trust.reading import Reading
    from hookrun.trust.trust import Trust

    T = TypeVar("T")
    Tracked = Callable[[str], set[str] | None]

TEXT_LIMIT = constants.MIB  # bytes of a file that are kept to show later what changed


class UnitRead(Frozen):
    """A unit, its project, and the bytes of its files by name; ``flaw`` says why it cannot be trusted."""

    unit: Unit
    project: Project
    texts: Mapping[str, bytes]
    flaw: str = ""


def read_units(hooks: Iterable[Hook], trust: Trust, tracked_in: Tracked) -> list[UnitRead]:
    """Return the units of those of *hooks* that a project brings along, in their order.

    *tracked_in* gives the files below a folder that git tracks, None where there is no git.
    """
    hooks_by_unit: dict[tuple[tuple[str, ...], str], list[Hook]] = {}
    for hook in hooks:
        if hook.level == constants.PROJECT and hook.flaw != GONE:
            key = (trust.project(hook.place).identities, trust.unit_name(hook))
            hooks_by_unit.setdefault(key, []).append(hook)
    return [_unit(name, of_unit, trust, tracked_in) for (_, name), of_unit in hooks_by_unit.items()]


def _unit(name: str, hooks: list[Hook], trust: Trust, tracked_in: Tracked) -> UnitRead:
    first = hooks[0]
    project = trust.project(first.place)
    tracked = tracked_in(plugin_folder(first, project.top) or os.path.dirname(first.file))
    digests: dict[str, str] = {}
    texts: dict[str, bytes] = {}
    used_by_hook: dict[str, dict[str, Reading]] = {}
    flaw = first.flaw if os.path.isdir(first.file) else ""
    try:
        for hook in hooks:
            readings, others = trust.read(hook, project, keep=TEXT_LIMIT)
            of_hook = _that_count(readings, others, tracked)
            used_by_hook.setdefault(hook.id, {}).update(of_hook)
            for path, reading in of_hook.items():
                digests[path] = reading.digest
                if reading.digest and (reading.stamp is None or reading.stamp[2] <= TEXT_LIMIT):
                    texts[path] = reading.data
    except HookrunError as error:
        flaw = f"{error.where} {error.message}"
    missing = next((path for path, digest in digests.items() if not digest), "")
    if missing and not flaw:
        flaw = f"{relative(missing, project.top)} is not there"
    unit = Unit(
        name=name,
        hooks=tuple(hooks),
        digests=_by_name(digests, project.top),
        names_by_hook={hook_id: frozenset(_by_name(used, project.top)) for hook_id, used in used_by_hook.items()},
        in_git=tracked is not None,
        is_tracked=tracked is not None and first.file in tracked,
    )
    return UnitRead(unit=unit, project=project, texts=_by_name(texts, project.top), flaw=flaw)


def _by_name(values: Mapping[str, T], top: str) -> dict[str, T]:
    """Return *values*, by path, by their names in the project."""
    return {relative(path, top): value for path, value in values.items()}


def _that_count(
    readings: Mapping[str, Reading], others: frozenset[str], tracked: set[str] | None
) -> dict[str, Reading]:
    """Return the files that make up a hook: of *others*, which only lie in its plugin's folder, what git
    tracks and what can be run; all of them without git."""
    return {
        path: reading
        for path, reading in readings.items()
        if tracked is None or path not in others or path in tracked or is_code(path)
    }
