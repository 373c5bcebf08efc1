"""The programs that hooks are run by or need, and where they are."""

from __future__ import annotations

import os
from collections.abc import Iterable

from hookrun.model import constants
from hookrun.model.frozen import Frozen
from hookrun.model.masking import without_secrets
from hookrun.model.values import Hook
from hookrun.programs.command import Launch, Obstacle, program_path
from hookrun.programs.shebang import program_after_env, read_beginning

USUAL_PROGRAMS = ("bash", "sh", "python3", "node", "jq", "git")


class ProgramFound(Frozen):
    """A program: its path, "" when there is none, and the titles of the hooks that need it."""

    name: str
    path: str
    needed_by: tuple[str, ...] = ()


def find_programs(launches: Iterable[tuple[Hook, Launch | Obstacle]], path: str) -> tuple[ProgramFound, ...]:
    """Return the usual programs and all that the hooks need, looked for in the folders of *path*."""
    titles_by_program: dict[str, list[str]] = {name: [] for name in USUAL_PROGRAMS}
    for hook, found in launches:
        for program in dict.fromkeys([*hook.program.needs, _started_by(hook, found)]):
            if program:
                titles_by_program.setdefault(program, []).append(hook.title)
    return tuple(
        ProgramFound(name=program, path=program_path(program, path), needed_by=tuple(titles))
        for program, titles in titles_by_program.items()
    )


def _started_by(hook: Hook, found: Launch | Obstacle) -> str:
    """Return the name of the program that runs *hook*, "" when it is a program of its own, or a module."""
    if hook.kind == constants.MODULE:
        return ""
    if not isinstance(found, Obstacle) and found.interpreter:
        return os.path.basename(found.interpreter)
    first = next(iter(hook.program.words), "")
    return _shebang_program(first) if "/" in first else without_secrets(first)


def _shebang_program(file: str) -> str:
    try:
        words = read_beginning(file).words
    except OSError:
        return ""
    return os.path.basename(program_after_env(words) or words[0]) if words else ""
