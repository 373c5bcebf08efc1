"""Waiting for files to change: the only user of watchfiles."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

from watchfiles import Change, watch

from hookrun.config.paths import is_inside
from hookrun.model.errors import HookrunError
from hookrun.model.frozen import Frozen

FIRST_LOOK = 300  # milliseconds after which a watch has begun for certain
TOGETHER = 400  # milliseconds in which changes count as one


def wait_for_changes(places: Sequence[str], folders: Sequence[str]) -> Iterator[None]:
    """Yield each time something changed at *places*, which need not exist; *folders* are the folders that are there of
    them and above them, each watched without what is below it.

    Yields once when the watch has begun as well, for what changed before, and ends when a folder went before that.
    Raises KeyboardInterrupt, and HookrunError when the system cannot watch."""

    def is_at_places(_: Change, path: str) -> bool:
        return any(is_inside(path, place) or is_inside(place, path) for place in places)

    has_begun = False
    try:
        for changes in watch(
            *folders,
            watch_filter=is_at_places,
            recursive=False,
            debounce=TOGETHER,
            rust_timeout=FIRST_LOOK,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            if changes or not has_begun:
                yield
            has_begun = True
    except FileNotFoundError:
        yield
    except (OSError, RuntimeError) as error:
        raise HookrunError(
            f"files cannot be watched: {error}", hint="set WATCHFILES_FORCE_POLLING=1 to poll them instead"
        ) from error


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
