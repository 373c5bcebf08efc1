"""A hookrun command in a process of its own, run again and again, and how its output differs."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from collections.abc import Sequence

from hookrun.model.frozen import Frozen

# Not `-m hookrun`: that would import from the working directory, which may have a json.py of its own.
_START = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
from hookrun.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


class Run(Frozen):
    """What a command printed on both streams, as it came, and its exit code."""

    exit_code: int
    output: str


def run_hookrun(words: Sequence[str]) -> Run:
    """Run hookrun with *words* in the working directory and return what it did."""
    place = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run(
        [sys.executable, "-P", "-c", _START, place, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return Run(exit_code=done.returncode, output=done.stdout.decode("utf-8", "replace"))


def run_lines(run: Run) -> list[str]:
    """Return the output in lines, and last the exit code."""
    return [*run.output.splitlines(), f"exit {run.exit_code}"]


def difference_lines(before: Run, after: Run) -> list[str]:
    """Return how *after* differs from *before* as a unified diff without its head; [] when it does not."""
    lines = difflib.unified_diff(run_lines(before), run_lines(after), lineterm="", n=1)
    return list(lines)[2:]
