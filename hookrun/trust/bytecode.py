"""What Python keeps compiled of a hook's files, for programs that run with our PYTHONPYCACHEPREFIX.

Python takes it for the source when a time in seconds and a size are the same, and both can be made so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from hookrun.trust.reading import Stamp

_CHANGED = 4
_MOST_NANOSECONDS = 2_000_000_000  # between reading a source and writing what it was compiled to


def drop_bytecode(folder: str, stamps: Iterable[tuple[str, Stamp | None]], *, all_of_it: bool = False) -> None:
    """Remove from *folder* what may be compiled from what stood in the place of these files before they were
    as their stamps say; *all_of_it* when they have not stayed so."""
    names_by_place: dict[str, list[str]] = {}
    for path, stamp in stamps:
        if not folder or stamp is None or not path.endswith(".py"):
            continue
        place, name = os.path.split(folder + path)
        if place not in names_by_place:
            names_by_place[place] = _names_in(place)
        stem = name.removesuffix(".py")
        for compiled in names_by_place[place]:
            if compiled.startswith(f"{stem}."):
                oldest = None if all_of_it else stamp[_CHANGED] + _MOST_NANOSECONDS
                _drop(os.path.join(place, compiled), oldest)


def _drop(path: str, oldest: int | None) -> None:
    try:
        if oldest is None or os.lstat(path).st_ctime_ns < oldest:
            os.unlink(path)
    except OSError:  # another hookrun was faster
        pass


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
