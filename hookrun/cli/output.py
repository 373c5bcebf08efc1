"""Writing for people and programs: stdout is for data, stderr for everything else."""

from __future__ import annotations

import os
import sys

from hookrun.config.paths import harmless as harmless
from hookrun.model.errors import HookrunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hookrun.model.values import Hint, Problem

HELD_UP = "hookrun did not end in time"
HELD_UP_HINT = "check for a stopped process, a full disk, or a reader that has stalled"
STDIN = 0
STDOUT = 1
STDERR = 2

_STYLE_BY_LEVEL = {"error": "err", "warning": "warn", "hint": "dim", "fixed": "ok"}
_STYLE_BY_SIGN = {"+": "ok", "-": "err", "@": "info"}
_is_coloured = True  # until --no-color


def occupy_closed_streams() -> None:
    """Open /dev/null in place of closed standard streams: otherwise the next file to be opened, a database
    or a pipe, would become stdout. Writing still fails, since it is opened for reading."""
    for stream in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # the lowest number that is free: this stream's


def write(text: str, stream: int = STDOUT) -> None:
    """Write all of *text* to a descriptor. Raises BrokenPipeError, and HookrunError for a full disk and
    the like: sys.stdout would raise only at exit, too late for the exit code."""
    data = text.encode("utf-8", "surrogateescape" if _is_plain(text) else "replace")
    try:
        while data:
            data = data[os.write(stream, data) :]
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "stdout" if stream == STDOUT else "stderr"
        hint = "the answer was not delivered: free disk space, or redirect the output"
        raise HookrunError(f"cannot be written: {error.strerror}", where=where, hint=hint) from error


def write_json(value: Any) -> None:
    """Write one JSON document and a newline."""
    import json

    write(json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2) + "\n")


def complain(error: HookrunError) -> None:
    """Write an error in its three parts to stderr; ignore a stderr that is closed."""
    where = f"{harmless(error.where)}: " if error.where else ""
    text = f"{label('error', STDERR)} {where}{harmless(error.message)}\n"
    if error.hint:
        text += f"{label('hint', STDERR)} {harmless(error.hint)}\n"
    _try_stderr(text)


def pass_on(text: str) -> None:
    """Write *text*, from a command's stderr, to ours."""
    _try_stderr(text)


def warn(text: str) -> None:
    """Write a warning in one line to stderr."""
    _try_stderr(f"{label('warning', STDERR)} {harmless(text)}\n")


def tell_problems(problems: Iterable[Problem], *, quiet: bool = False) -> None:
    """Write problems to stderr, errors always, warnings unless *quiet*."""
    lines = [problem_text(problem) for problem in problems if problem.level == "error" or not quiet]
    if lines:
        _try_stderr("".join(f"{line}\n" for line in lines))


def problem_text(problem: Problem) -> str:
    """Return a problem in one line, and its hint in a second."""
    place = ": ".join(part for part in (problem.source, problem.where) if part)
    text = f"{label(problem.level, STDERR)} {harmless(place + ': ' if place else '')}{harmless(problem.message)}"
    return text + (f"\n  {label('hint', STDERR)} {harmless(problem.hint)}" if problem.hint else "")


def label(word: str, stream: int = STDOUT) -> str:
    """Return error, warning, fixed or hint with its colon, in its colour."""
    return coloured(f"{word}:", _STYLE_BY_LEVEL.get(word, ""), stream)


def use_colours(wanted: bool) -> None:
    """Set whether terminals get colours; --no-color takes them away."""
    global _is_coloured
    _is_coloured = wanted


def has_colours(stream: int = STDOUT) -> bool:
    """Say whether *stream* is a terminal to colour (https://no-color.org)."""
    if not _is_coloured or not os.isatty(stream):
        return False
    environ = _environment()
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def coloured(text: str, style: str, stream: int = STDOUT) -> str:
    """Return *text* in one of the styles of hints (model/text.py) where *stream* shows colours."""
    if not has_colours(stream):
        return text
    from hookrun.model.text import painted

    return painted(text, style)


def hint_text(hint: Hint) -> str:
    """Return the text of a tool hint for stdout: in its style, a diff by its lines."""
    text = harmless(hint.text, lines=True)
    if hint.format != "diff":
        return coloured(text, hint.style)
    return "\n".join(coloured(line, _STYLE_BY_SIGN.get(line[:1], "")) for line in text.split("\n"))


def table(rows: Iterable[Sequence[str]], *, indent: int = 0) -> list[list[str]]:
    """Return the lines of each row, made harmless, in columns that line up and fit stdout's width."""
    from hookrun.model.width import in_wrapped_columns

    cells = [[harmless(cell) for cell in row] for row in rows]
    width = columns()
    wrapped = in_wrapped_columns(cells, max(width - indent, 1) if width else 0)
    return [[" " * indent + line for line in lines] for lines in wrapped]


def columns() -> int:
    """Return how many columns the terminal on stdout has (COLUMNS counts more), 0 for a file or a pipe."""
    if not os.isatty(STDOUT):
        return 0
    told = _environment().get("COLUMNS", "")
    return int(told) if told.isdecimal() else os.get_terminal_size(STDOUT).columns


def _environment() -> dict[str, str]:
    from hookrun.runner import environment

    return environment()


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
