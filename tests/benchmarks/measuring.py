"""Runs what is compared in turns, proves that each run did its work, and returns medians."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

Run = Callable[[], float]  # does the work once and returns what it measured: seconds, or bytes


class NotProved(Exception):
    """A run that was measured did not do what it is measured for."""


class Place:
    """A folder with a home of its own, an environment, and the file to which every script adds a line."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.home = os.path.join(folder, "home")
        self.tally = os.path.join(folder, "tally")
        os.makedirs(self.home)
        with open(self.tally, "w", encoding="utf-8"):
            pass
        self.environ = {
            "HOME": self.home,
            "TMPDIR": folder,
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "HOOKRUN_TRUST": "project",
        }

    def write(self, path: str, text: str, *, mode: int = 0o644) -> str:
        """Write a file below the folder and return its path."""
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(full, mode)
        return full

    def script(self, path: str, then: str = "") -> str:
        """Write a script that adds its line and allows; *then* is a line between the two."""
        lines = ["#!/bin/sh", f"echo ran >> '{self.tally}'", then, """echo '{"decision": "allow"}'"""]
        return self.write(path, "".join(f"{line}\n" for line in lines if line), mode=0o755)

    def count(self) -> int:
        """Return how many scripts have run so far."""
        return os.path.getsize(self.tally) // len("ran\n")

    def prove(self, scripts: int, before: int, is_right: bool, done: object) -> None:
        """Raise NotProved unless *scripts* scripts ran since the count *before* and the answer *is_right*."""
        ran = self.count() - before
        if ran != scripts or not is_right:
            raise NotProved(f"{ran} of {scripts} scripts ran: {done}")


def medians(run_by_name: dict[str, Run], rounds: int) -> dict[str, float]:
    """Run all once to warm up, then *rounds* times in turns, each round beginning with another."""
    names = list(run_by_name)
    measured: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-1, rounds):
        start = number % len(names)
        for name in names[start:] + names[:start]:
            value = run_by_name[name]()
            if number >= 0:
                measured[name].append(value)
    return {name: statistics.median(values) for name, values in measured.items()}


def command(
    words: Sequence[str], place: Place, cwd: str, *, scripts: int = 1, says: str = "", stdin: str = os.devnull
) -> Run:
    """Return a run of a command that must exit with 0, start *scripts* scripts and print *says*."""

    def run() -> float:
        before = place.count()
        with open(stdin, "rb") as given:
            start = time.perf_counter()
            done = subprocess.run(words, cwd=cwd, env=place.environ, stdin=given, capture_output=True, check=False)
            seconds = time.perf_counter() - start
        is_right = done.returncode == 0 and says.encode() in done.stdout
        place.prove(scripts, before, is_right, done)
        return seconds

    return run


# A process inherits the peak of the one it was forked from: a small interpreter in between keeps ours out.
PEAK = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024), os.waitstatus_to_exitcode(status))
"""


def peak(words: Sequence[str], place: Place, cwd: str, *, scripts: int = 1) -> Run:
    """Return a run that measures the most memory, in bytes, that a command held at one time."""

    def run() -> float:
        before = place.count()
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", PEAK, *words],
            cwd=cwd,
            env=place.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        size, code = map(int, done.stdout.split())
        place.prove(scripts, before, code == 0, done)
        return float(size)

    return run
