"""What a source reads from and what it returns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from zlib import crc32

from hookrun.config.paths import shown
from hookrun.matching.matchers import compile_glob
from hookrun.model.events import is_guarded as is_guarded_event
from hookrun.model.frozen import Frozen
from hookrun.model.values import Event, Hook, Problem, Program, Trigger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REMOVE_KEY = "remove it"  # the hint for an unknown key that resembles no other: it hides nothing
# Keys of a manifest whose flaws take no guard away.
_HARMLESS = ("name", "version", "description", "author", "homepage", "license")
_CONTRIBUTES, _GUARDS = "contributes.", ("contributes.hooks", "contributes.rules")


class Skip(Frozen):
    """Something among hooks that is not a hook, or that hookrun lists but does not run."""

    path: str
    reason: str
    source: str = ""
    where: str = ""  # its keys, "" for the whole file
    switch: str = ""  # the key with which settings switch it off


class Found(Frozen):
    """The hooks of a place, in order, and what was wrong or left out."""

    hooks: tuple[Hook, ...] = ()
    skips: tuple[Skip, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_to_agent: tuple[Hook, ...] = ()  # the agent that asks runs them itself


class Origin(Frozen):
    """The kind of place that is read."""

    source: str  # such as "hookrun", "claude-settings"
    order: int  # higher is read first
    level: str  # user, project or command line
    place: str  # the project level's folder, or the user's; titles and ids have paths relative to it
    dialect: str

    def hook(self, file: str, *id_parts: str, **values: Any) -> Hook:
        """Return a hook that was read from *file*; *id_parts* tell it from others of that file."""
        title = shown(file, self.place)
        common: dict[str, Any] = {
            "id": short_id(self.level, title, *id_parts),
            "title": title,
            "source": self.source,
            "order": self.order,
            "level": self.level,
            "place": self.place,
            "file": file,
            "dialect": self.dialect,
        }
        return Hook(**(common | values))

    def skipped(self, path: str, reason: str, *problems: Problem) -> Found:
        """Return that *path* is not read as a hook."""
        return Found(skips=(Skip(path=path, reason=reason, source=self.source),), problems=problems)


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
    """Return a guard that cannot start, in place of hooks that cannot be read: it is not known what they
    guard, so every guarded event is denied until *path* is fixed or disabled."""
    accepts = compile_glob("")
    hook = origin.hook(
        path,
        "unreadable",
        kind="hook",
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
    """Say whether something is at *path*, or may be."""
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


def that_matter(problems: Iterable[Problem], event: Event, matches: Sequence[Hook]) -> tuple[Problem, ...]:
    """Return the *problems* of a hook of *matches*, those that name *event*, and those that may hide a guard."""
    files = {hook.file for hook in matches}
    is_guarded = is_guarded_event(event.event)
    return tuple(
        problem
        for problem in problems
        if problem.source in files
        or event.event in problem.where
        or _is_about_a_whole_file(problem)
        or (is_guarded and _may_hide_a_guard(problem))
    )


def _is_about_a_whole_file(problem: Problem) -> bool:
    """Say whether a file could not be read at all: any event may be in it."""
    is_line = problem.where.startswith("line ") and problem.where.removeprefix("line ").isdecimal()
    return problem.level == "error" and (not problem.where or is_line)


def _may_hide_a_guard(problem: Problem) -> bool:
    if problem.where in _HARMLESS or problem.hint == REMOVE_KEY:
        return False
    return not problem.where.startswith(_CONTRIBUTES) or problem.where.startswith(_GUARDS)
