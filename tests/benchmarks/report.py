"""Rows -> the table, on the terminal and in docs/performance.md."""

from __future__ import annotations

import datetime
import os
import platform

from peers import versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cases import Row

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "performance.md")
HEADINGS = ("what", "median", "compared with", "median", "ratio", "budget", "goal", "")
ABOUT = """\
# Performance

An agent waits for its hooks at every tool call. This table is written by `nox -s bench -- --write`; it
fails when a budget is missed. Everything is run in turns and each run must prove that its script ran
and that its decision was the right one; the numbers are medians of {rounds} rounds or more. Times
differ from machine to machine: the ratios, taken within one run, are what counts.

{date}, {machine}
"""


def table(rows: list[Row]) -> str:
    """Return *rows* as a Markdown table whose columns line up."""
    lines = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    printed = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    printed.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(printed) + "\n"


def machine() -> str:
    """Return what the numbers depend on, in one line."""
    system = f"{platform.system()} {platform.release()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{os.cpu_count()} cores of {_processor()}, {system}, {python}"


def write_document(rows: list[Row], rounds: int) -> str:
    """Write docs/performance.md and return its path."""
    path = os.path.abspath(DOCUMENT)
    about = ABOUT.format(rounds=rounds, date=datetime.date.today().isoformat(), machine=machine())
    compared = ", ".join(f"{peer} {version}" for peer, version in versions().items())
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{about}{compared}.\n\n{table(rows)}")
    return path


def _cells(row: Row) -> tuple[str, ...]:
    if row.value is None or row.ratio is None:
        return (row.what, "", row.versus, "", "", _times(row.budget), _times(row.goal), "not built yet")
    digits = 1 if max(row.value, row.base) >= 1 else 3
    verdict = "" if row.budget is None else "MISSED" if row.is_missed else "ok"
    return (
        row.what,
        f"{row.value:.{digits}f} {row.unit}",
        row.versus,
        f"{row.base:.{digits}f} {row.unit}",
        f"{row.ratio:.2f}",
        _times(row.budget),
        _times(row.goal),
        verdict,
    )


def _times(factor: float | None) -> str:
    return "" if factor is None else f"{factor:g}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
