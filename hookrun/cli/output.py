"""Writing for people and programs: stdout carries data and nothing else, stderr is for trouble."""

from __future__ import annotations

import os
import sys

from hookrun.readers.places import harmless as harmless
from hookrun.words.errors import HookrunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookrun.words.model import Problem

STDIN = 0
STDOUT = 1
STDERR = 2


def occupy_closed_streams() -> None:
    """Open /dev/null in place of closed standard streams: else the next file that is opened, a database
    or a pipe, would be stdout and be written to. Writing still fails, as it is opened for reading."""
    for stream in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # the lowest number that is free: this stream's


def write(text: str, stream: int = STDOUT) -> None:
    """Write *text* whole to a descriptor. Raises BrokenPipeError, and HookrunError for a full disk and
    the like: sys.stdout would tell only at exit, when the exit code can no longer say it."""
    data = text.encode("utf-8", "surrogateescape" if _is_plain(text) else "replace")
    try:
        while data:
            data = data[os.write(stream, data) :]
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "stdout" if stream == STDOUT else "stderr"
        hint = "the answer was not delivered: make room, or redirect it elsewhere"
        raise HookrunError(f"cannot be written: {error.strerror}", where=where, hint=hint) from error


def write_json(value: Any) -> None:
    """Write one JSON document and a newline."""
    import json

    write(json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2) + "\n")


def complain(error: HookrunError) -> None:
    """Write an error in its three parts to stderr; a stderr that is gone is no reason to fail again."""
    where = f"{harmless(error.where)}: " if error.where else ""
    text = f"error: {where}{harmless(error.message)}\n"
    if error.hint:
        text += f"hint: {harmless(error.hint)}\n"
    _try_stderr(text)


def pass_on(text: str) -> None:
    """Write what a command said on its stderr to ours, if there is one."""
    _try_stderr(text)


def warn(text: str) -> None:
    """Write a warning in one line to stderr, if there is one."""
    _try_stderr(f"warning: {harmless(text)}\n")


def tell_problems(problems: Iterable[Problem], *, quiet: bool = False) -> None:
    """Write problems to stderr, errors always, warnings unless *quiet*."""
    lines = [problem_text(problem) for problem in problems if problem.level == "error" or not quiet]
    if lines:
        _try_stderr("".join(f"{line}\n" for line in lines))


def problem_text(problem: Problem) -> str:
    """Return a problem in one line, and its hint in a second."""
    place = ": ".join(part for part in (problem.source, problem.where) if part)
    text = f"{problem.level}: {place + ': ' if place else ''}{problem.message}"
    return harmless(text) + (f"\n  hint: {harmless(problem.hint)}" if problem.hint else "")


def has_colour(values: dict[str, Any], environ: Any) -> bool:
    """Say whether stdout is a terminal that colours are wanted on (https://no-color.org)."""
    return not values.get("no_color") and not environ.get("NO_COLOR") and os.isatty(STDOUT)


def _is_plain(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _try_stderr(text: str) -> None:
    try:
        sys.stderr.flush()
        write(text, STDERR)
    except (OSError, HookrunError, ValueError, AttributeError):
        pass
