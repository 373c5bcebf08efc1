"""A process that was started and that is talked to as long as it lives."""

from __future__ import annotations

import os
import select
from collections.abc import Callable

from hookrun.running import spawn
from hookrun.running.child import Child
from hookrun.running.plugins.streams import Lines, Log, Requests
from hookrun.running.process import Job
from hookrun.running.streams import Readiness

_EXEC_SECONDS = 5.0  # to become the program; a slow disk must not hold up everything for good


class LiveChild(Child):
    """A child that is talked to as long as it lives, through ``requests``, ``lines`` and ``log``."""

    __slots__ = ("_tell", "lines", "log", "requests")

    requests: Requests
    lines: Lines
    log: Log

    def __init__(self, readiness: Readiness, tell: Callable[[str], None] | None) -> None:
        super().__init__(readiness)
        self._tell = tell

    def close(self) -> None:
        """Close all descriptors."""
        super().close()
        if hasattr(self, "requests"):
            self.requests.close()

    def _open(self, _job: Job, theirs: list[int]) -> None:
        read, write = os.pipe()
        theirs.append(read)
        self.requests = Requests(write, self._readiness)
        read, write = os.pipe()
        theirs.append(write)
        self.stdout = self.lines = Lines(read, self._readiness)
        read, write = os.pipe()
        theirs.append(write)
        self.stderr = self.log = Log(read, self._readiness, self._tell)

    def _follow(self, started: spawn.Spawned) -> spawn.Failure | None:
        """Wait until the process has become the program, or return why it could not."""
        super()._follow(started)
        if self._failure_pipe is None:
            return None
        poll = select.poll()
        poll.register(self._failure_pipe, select.POLLIN)
        poll.poll(_EXEC_SECONDS * 1000)
        failure = self.failure()
        if failure is not None:
            self.wait_status = spawn.reap(self.pid, wait=True)
        return failure
