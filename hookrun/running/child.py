"""A process that was started, with the descriptors by which it is followed. It knows no time limit."""

from __future__ import annotations

import os
import sys
import time

from hookrun.running import spawn
from hookrun.running.streams import Stream, payload_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookrun.running.process import Job
    from hookrun.running.streams import Readiness


class Child:
    """One attempt to start a job. ``pid`` is 0 until it is started and is its session and group as well;
    ``wait_status`` is None until it has ended, ``spawn.LOST`` when the host took it; ``ended_at`` is in
    seconds of time.monotonic.
    """

    __slots__ = ("_failure_pipe", "_pidfd", "_readiness", "ended_at", "pid", "stderr", "stdout", "wait_status")

    def __init__(self, readiness: Readiness) -> None:
        self._readiness = readiness
        self._failure_pipe: int | None = None
        self._pidfd: int | None = None
        self.pid = 0
        self.wait_status: int | None = None
        self.ended_at = 0.0
        self.stdout: Stream | None = None
        self.stderr: Stream | None = None

    def start(self, argv: Sequence[str], job: Job, environment: Mapping[str, str]) -> spawn.Failure | None:
        """Start *argv* with the job's input, folder and *environment*; called once."""
        theirs: list[int] = []
        try:
            self._open(job, theirs)
            stdin, stdout, stderr = theirs
            started = spawn.spawn(argv, cwd=job.cwd, env=environment, stdin=stdin, stdout=stdout, stderr=stderr)
            return started if isinstance(started, spawn.Failure) else self._follow(started)
        except OSError as error:  # no descriptors, no memory
            return spawn.Failure(error.errno or 0, in_cwd=False)
        finally:
            for descriptor in theirs:
                os.close(descriptor)

    def look(self) -> None:
        """Reap the process if it has ended."""
        if self.is_running:
            self.wait_status = spawn.reap(self.pid)
            if self.wait_status is not None:
                self.ended_at = time.monotonic()
                self._close_pidfd()

    @property
    def is_running(self) -> bool:
        """Whether the process was started and, at the last look, had not ended."""
        return self.pid != 0 and self.wait_status is None

    @property
    def tells_its_end(self) -> bool:
        """Whether a descriptor becomes ready at the end of the process; if not it must be looked at."""
        return self._pidfd is not None

    @property
    def has_open_streams(self) -> bool:
        """Whether somebody can still write to stdout or stderr."""
        return any(stream is not None and stream.is_open for stream in (self.stdout, self.stderr))

    def read_streams(self) -> None:
        """Read what is there now."""
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.read()

    def failure(self) -> spawn.Failure | None:
        """Return why the process, which has ended, never became its program; None when it did."""
        return None if self._failure_pipe is None else spawn.read_failure(self._failure_pipe)

    def left_in_group(self) -> list[str]:
        """Name what still lives in the process group, the process itself having been reaped."""
        # A group's number is not given out again while the group has members, so asking is safe.
        if not self.signal_group(0):
            return []
        from hookrun.running.orphans import members

        return members(self.pid)

    def signal_group(self, number: int) -> bool:
        """Send a signal to all of the process group; return whether it has members."""
        if not self.pid:  # 0 would be our own group
            return False
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:  # members of another user; on macOS also one that nobody has reaped
            return sys.platform != "darwin"
        return True

    def close(self) -> None:
        """Close all descriptors; a process that could not be ended is reaped by a later call."""
        self._close_pidfd()
        if self._failure_pipe is not None:
            os.close(self._failure_pipe)
            self._failure_pipe = None
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        if self.is_running:
            spawn.reap_later(self.pid)

    def _open(self, job: Job, theirs: list[int]) -> None:
        """Open what the process reads and writes; *theirs* gets its descriptors 0, 1 and 2."""
        theirs.append(payload_file(job.stdin))
        self.stdout = self._stream(theirs, job.stream_limit)
        self.stderr = self._stream(theirs, job.stream_limit)

    def _stream(self, theirs: list[int], limit: int) -> Stream:
        read, write = os.pipe()
        theirs.append(write)
        return Stream(read, limit, self._readiness)

    def _follow(self, started: spawn.Spawned) -> spawn.Failure | None:
        """Have the loop wake up at the end of the process, where that is possible."""
        self.pid = started.pid
        self._failure_pipe = started.failure_pipe
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):  # not Linux, forbidden, no descriptors left, already gone
            return None
        self._readiness.add(self._pidfd, self.look)
        return None

    def _close_pidfd(self) -> None:
        if self._pidfd is not None:
            self._readiness.remove(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
