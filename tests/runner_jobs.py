"""Jobs of one line of shell, and ways to look at processes, for the tests of the process runner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookrun.running.process import Job, run_jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookrun.model.values import Outcome

ROOT = Path(__file__).resolve().parent.parent
DEADLINE = 20.0  # seconds after which something that should happen counts as not happening
PATH = os.environ.get("PATH", os.defpath)


def shell(script: str, **fields: Any) -> Job:
    """A job that runs *script* with sh."""
    return program("/bin/sh", "-c", script, **fields)


def program(*argv: str, **fields: Any) -> Job:
    """A job with the smallest environment that finds programs."""
    env = {"PATH": PATH, **fields.pop("env", {})}
    return Job(**{"argv": argv, "cwd": "/", "env": env, "stdin": b"", "timeout": DEADLINE, **fields})


def run(job: Job, *, total_timeout: float = 60.0) -> Outcome:
    """Run one job."""
    (outcome,) = run_jobs([job], total_timeout=total_timeout)
    return outcome


def eventually(is_so: Callable[[], object], what: str = "what was waited for") -> None:
    """Wait until *is_so*; fail at the deadline."""
    give_up_at = time.monotonic() + DEADLINE
    while not is_so():
        assert time.monotonic() < give_up_at, f"{what} did not happen"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that has ended and that nobody has reaped does not."""
    return state_of(pid) not in ("Z", "X", "")


def state_of(pid: int) -> str:
    """The letter that ps shows: R runs, S sleeps, T is stopped; "" for no process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return stat.rpartition(")")[2].split()[0]


def pids_in(file: Path, count: int = 1) -> list[int]:
    """Wait until *count* process numbers, one a line, are in *file*, and return them."""

    def numbers() -> list[int]:
        text = file.read_text() if file.exists() else ""
        return [int(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    eventually(lambda: len(numbers()) >= count, f"{count} numbers in {file}")
    return numbers()


def end(*pids: int) -> None:
    """Kill what a test left alive on purpose."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def children() -> set[int]:
    """The processes whose parent is this one, ended ones that nobody reaped included."""
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                stat = Path(f"/proc/{name}/stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(stat.rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(name))
    return found


def open_descriptors() -> int:
    """How many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))


@contextmanager
def host(source: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A Python program of its own that uses the runner and these helpers; its stdout is a pipe."""
    path = [str(ROOT), str(ROOT / "tests")]
    prelude = f"import os, signal, sys, time\nsys.path[:0] = {path!r}\nfrom runner_jobs import *\n"
    words = [sys.executable, "-c", prelude + textwrap.dedent(source)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def output_of(source: str, **options: Any) -> list[str]:
    """Run a host to its end; return the lines that it printed."""
    with host(source, **options) as process:
        stdout, _ = process.communicate(timeout=3 * DEADLINE)
        assert process.returncode == 0
        return stdout.splitlines()
