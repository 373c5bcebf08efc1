"""What a source is given and what it gives back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from zlib import crc32

from hookrun.config.paths import shown
from hookrun.matching.matchers import compile_glob
from hookrun.model.frozen import Frozen
from hookrun.model.values import Hook, Problem, Program, Trigger


class Origin(Frozen):
    """Which kind of place is read: the source's name, its order (higher first), level and dialect.

    ``place`` is the project level's folder, or the user's; paths in titles and ids are relative to it.
    """

    source: str
    order: int
    level: str
    place: str
    dialect: str


class Skip(Frozen):
    """Something that lies where hooks lie and is none, or that hookrun lists but does not run."""

    path: str
    reason: str
    source: str = ""


class Found(Frozen):
    """The hooks of a place, in order, and what was wrong or left out. ``left_to_agent`` are hooks that the
    agent which asks runs by itself: they are not gone."""

    hooks: tuple[Hook, ...] = ()
    skips: tuple[Skip, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_to_agent: tuple[Hook, ...] = ()


def joined(parts: Iterable[Found]) -> Found:
    """Return one Found of many, in their order."""
    hooks: list[Hook] = []
    skips: list[Skip] = []
    problems: list[Problem] = []
    left: list[Hook] = []
    for part in parts:
        hooks += part.hooks
        skips += part.skips
        problems += part.problems
        left += part.left_to_agent
    return Found(hooks=tuple(hooks), skips=tuple(skips), problems=tuple(problems), left_to_agent=tuple(left))


def short_id(*parts: str, after: int = 0) -> str:
    """Return a short id that is the same wherever the project is checked out: 8 hex digits.

    *after* is the sum of what comes before *parts*, for many ids that begin alike (`beginning`).
    """
    return f"{crc32('|'.join(parts).encode('utf-8', 'surrogateescape'), after):08x}"


def beginning(*parts: str) -> int:
    """Return the sum of *parts* for `short_id`, which then only adds what differs."""
    return crc32("".join(f"{part}|" for part in parts).encode("utf-8", "surrogateescape"))


def unreadable(path: str, origin: Origin, reason: str, *, where: str = "", hint: str = "") -> Found:
    """Return a guard that cannot start, in the place of hooks that nobody could read: what they would
    have guarded is not known, so every guarded event is denied until *path* is mended or disabled."""
    relative = shown(path, origin.place)
    accepts = compile_glob("")
    hook = Hook(
        id=short_id(origin.level, relative, "unreadable"),
        title=shown(path, origin.place),
        kind="hook",
        source=origin.source,
        order=origin.order,
        level=origin.level,
        place=origin.place,
        file=path,
        dialect=origin.dialect,
        program=Program(words=(), folder=os.path.dirname(path)),
        triggers=tuple(
            Trigger(event=event, matcher="", accepts=accepts) for event in ("PreToolUse", "UserPromptSubmit")
        ),
        role="guard",
        flaw=reason,
    )
    problem = Problem(message=reason, level="error", source=path, where=where, hint=hint)
    return Found(hooks=(hook,), problems=(problem,))


def entries_of(folder: str, origin: Origin, parts: list[Found]) -> list[str]:
    """Return the names in *folder* in natural order, none when it is not there.

    A folder that is there and cannot be listed may hold guards: *parts* gets one that cannot start.
    """
    try:
        return sorted(os.listdir(folder), key=natural)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        reason = f"the folder cannot be listed: {error.strerror}"
        parts.append(unreadable(folder, origin, reason, hint="give yourself the right to read it"))
        return []


def is_there(path: str) -> bool:
    """Say whether something is at *path*; also where that cannot be known, so that it is looked at."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return the key of natural order: 2-x before 10-x."""
    parts: list[tuple[int, int, str]] = []
    position = 0
    length = len(name)
    while position < length:
        end = position
        is_number = name[position].isdecimal()
        while end < length and name[end].isdecimal() == is_number:
            end += 1
        run = name[position:end]
        parts.append((0, int(run), run) if is_number and len(run) < 300 else (1, 0, run))
        position = end
    return parts
