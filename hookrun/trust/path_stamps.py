"""Links and folders on the way to files: to exchange one and put it back leaves the files as they were."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from hookrun.model.frozen import Frozen
from hookrun.trust.reading import Stamp, stamp_of

_MOST_LINKS = 40  # as the kernel follows
_INODE, _WRITTEN, _CHANGED = 1, 3, 4


class PathStamps(Frozen):
    """Stamps by path: of links themselves, and of folders, those around them first."""

    links: dict[str, Stamp]
    folders: dict[str, Stamp]


NO_STAMPS = PathStamps(links={}, folders={})


def stamps_of_paths(paths: Iterable[str], top: str) -> PathStamps:
    """Return the ways from the folder *top* (which is on them) to *paths*, through all links that they lead
    along."""
    ways = PathStamps(links={}, folders={})
    known: set[str] = set()
    for folder in dict.fromkeys(map(os.path.dirname, paths)):
        _walk(top, folder, ways, known)
    for path in paths:
        if _note(path, ways):
            _walk(top, path, ways, known)
    return ways


def renewed(ways: PathStamps) -> PathStamps | None:
    """Return *ways* with the folders as they are now; None when they may lead elsewhere by now."""
    if any(_stamp(path) != stamp for path, stamp in ways.links.items()):
        return None
    folders = {}
    for path, stamp in ways.folders.items():
        found = _stamp(path)
        if found is None or found[: _INODE + 1] != stamp[: _INODE + 1]:
            return None
        folders[path] = found
    return PathStamps(links=ways.links, folders=folders)


def exchanged_on(ways: PathStamps) -> str:
    """Return a link that is another by now, or a folder that is or was: "" when there is none.

    Who moves a folder away and back changes it and the one around it; so does who writes into both, and that
    is told by the time of its content. Who does both stays unseen.
    """
    for path, stamp in ways.links.items():
        if _stamp(path) != stamp:
            return path
    now = {path: _stamp(path) for path in ways.folders}
    for path, stamp in ways.folders.items():
        found = now[path]
        if found is None or found[: _INODE + 1] != stamp[: _INODE + 1]:
            return path
        around = os.path.dirname(path)
        was_moved = found[_CHANGED] != stamp[_CHANGED] and found[_WRITTEN] == stamp[_WRITTEN]
        if was_moved and around in now and now[around] != ways.folders[around]:
            return path
    return ""


def _walk(top: str, path: str, ways: PathStamps, known: set[str]) -> None:
    """Note every link and folder from *top* to *path*."""
    if path in known:
        return
    known.add(path)
    inside = os.path.relpath(path, top) if path.startswith(f"{top.rstrip('/')}/") else path
    here = "/" if os.path.isabs(inside) and path != top else top
    rest = [] if path == top else inside.split("/")[::-1]
    _note(here, ways)
    links = 0
    while rest and links <= _MOST_LINKS:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            here = os.path.dirname(here)
            continue
        place = os.path.join(here, part)
        if _note(place, ways):
            links += 1
            target = _target(place)
            here = "/" if target.startswith("/") else here
            rest += target.split("/")[::-1]
        else:
            here = place


def _note(path: str, ways: PathStamps) -> bool:
    """Note what is at *path*, and say whether it is a link."""
    if path in ways.links:
        return True
    if path in ways.folders:
        return False
    stamp = _stamp(path)
    if stamp is None:
        return False
    if stat.S_ISDIR(stamp[5]):
        ways.folders[path] = stamp
    elif stat.S_ISLNK(stamp[5]):
        ways.links[path] = stamp
        return True
    return False


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def _stamp(path: str) -> Stamp | None:
    try:
        return stamp_of(os.lstat(path))
    except (OSError, ValueError):
        return None
