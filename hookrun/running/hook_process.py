"""One hook's process from its start to its outcome, a step at a time; a step never waits."""

from __future__ import annotations

import errno

from hookrun.config.files import first_line
from hookrun.model.constants import BUSY_RETRY, DRAIN, ENV_RUN, GRACE, TIMED_OUT
from hookrun.running import outcomes, watcher
from hookrun.running.child import Child

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable

    from hookrun.model.values import Outcome
    from hookrun.running.process import Job
    from hookrun.running.spawn import Failure
    from hookrun.running.streams import Readiness
else:
    import _signal as signal

_SHELL = "/bin/sh"
_TICK = 0.01  # seconds between looks at what no descriptor tells
_QUICK_TICK = 0.002
_GROUP_DRAIN = 0.02  # seconds for the rest of an ended hook's group to end too, before it counts as left
_VANISHING = 0.8  # seconds after KILL for everything to be gone; timeout + GRACE + this is the longest run
_CLEAN_ROUNDS = 2  # what is just becoming another program shows no environment


class HookProcess:
    """A job under supervision. ``outcome`` is None until it is over.

    ``step`` does what is due, and returns when to be called again if no descriptor is ready before. It is one of
    _starting, _running, then _settling when the process ended by itself, or _ending and _vanishing when it is
    ended, and _finished.
    """

    __slots__ = (
        "_argv", "_began_at", "_child", "_clean_rounds", "_ending_as", "_job", "_kill_at",
        "_readiness", "_retry_at", "_vanished_by", "outcome", "step", "token",
    )  # fmt: skip

    def __init__(self, job: Job, readiness: Readiness) -> None:
        self.token = watcher.new_token()
        self.outcome: Outcome | None = None
        self._job = job
        self._argv = job.argv
        self._readiness = readiness
        self._child = self._new_child()
        self.step: Callable[[float], float] = self._starting
        self._began_at = 0.0
        self._retry_at = 0.0
        self._kill_at = 0.0
        self._vanished_by = 0.0
        self._clean_rounds = 0
        self._ending_as: tuple[str, str] | None = None

    def time_out(self, now: float, cause: str) -> None:
        """End the hook as one whose time is over, unless it has ended by itself."""
        self._child.look()
        if self._child.wait_status is None:
            self.end(now, grace=GRACE, status=TIMED_OUT, cause=cause)

    def end(self, now: float, *, grace: float, status: str, cause: str) -> None:
        """End everything of the hook: TERM, and KILL after *grace* seconds. The first call gives the
        reason; a later one can only bring KILL forward.
        """
        if self.outcome is not None:  # what it left behind is to stay
            return
        if self._ending_as is None:
            self._ending_as = (status, cause)
            self._kill_at = now + grace
            self._child.signal_group(signal.SIGTERM)
            self._child.signal_group(signal.SIGCONT)  # what is stopped would not see it
            self.step = self._ending
        self._kill_at = min(self._kill_at, now + grace)

    @property
    def keeps_its_time(self) -> bool:
        """Whether its own timeout alone ends the hook."""
        return self._job.keeps_its_time

    @property
    def is_vanishing(self) -> bool:
        """Whether it is to be looked for what the hook has left alive; tell the result to ``note_round``."""
        return self.outcome is None and self.step == self._vanishing

    def note_round(self, *, was_clean: bool) -> None:
        """Take note of a search for what the hook has left alive."""
        self._clean_rounds = self._clean_rounds + 1 if was_clean else 0

    def _new_child(self) -> Child:
        return Child(self._readiness)

    def _starting(self, now: float) -> float:
        if now < self._retry_at:
            return self._retry_at
        self._began_at = self._began_at or now
        self._child = self._new_child()
        watcher.watch(self.token)
        failure = self._child.start(self._argv, self._job, self._environment())
        if failure is not None:
            return self._could_not_start(failure, now)
        watcher.watch(self.token, self._child.pid)
        self.step = self._running
        return self._running(now)

    def _could_not_start(self, failure: Failure, now: float) -> float:
        self._child.close()
        program = self._argv[0]
        if failure.errno == errno.ETXTBSY and now < self._began_at + BUSY_RETRY:
            return self._start_again(now + _TICK)
        if failure.errno == errno.ENOEXEC and program != _SHELL and not _is_binary(program):
            self._argv = (_SHELL, *self._argv)  # what every shell does with a script that has no shebang
            return self._start_again(now)
        return self._finish(outcomes.not_started(failure, program, self._job, now - self._began_at))

    def _start_again(self, at: float) -> float:
        self._retry_at = at
        self.step = self._starting
        return at

    def _running(self, now: float) -> float:
        child = self._child
        if not child.tells_its_end:
            child.look()
        if child.wait_status is not None:
            return self._after_its_end(now)
        deadline = self._began_at + self._job.timeout
        if now >= deadline:
            self.time_out(now, f"timed out after {self._job.timeout:g} s")
            return now
        return deadline if child.tells_its_end else min(deadline, now + _QUICK_TICK)

    def _after_its_end(self, now: float) -> float:
        failure = self._child.failure()
        if failure is not None:
            return self._could_not_start(failure, now)
        self.step = self._settling
        return self._settling(now)

    def _settling(self, now: float) -> float:
        child = self._child
        child.read_streams()
        limit = child.ended_at + (DRAIN if child.has_open_streams else _GROUP_DRAIN)
        if now < limit and child.has_open_streams:
            return limit
        left_running = child.left_in_group()
        if now < limit and left_running:
            return min(limit, now + _TICK)
        seconds = child.ended_at - self._began_at
        return self._finish(outcomes.ended(child, self._job, seconds, left_running))

    def _ending(self, now: float) -> float:
        child = self._child
        child.look()
        if now < self._kill_at and (child.is_running or child.left_in_group()):
            return min(self._kill_at, now + _TICK)
        child.signal_group(signal.SIGKILL)
        self._vanished_by = now + _VANISHING
        self.step = self._vanishing
        return now

    def _vanishing(self, now: float) -> float:
        child = self._child
        child.look()
        if now < self._vanished_by and (child.is_running or self._clean_rounds < _CLEAN_ROUNDS):
            return now + _TICK
        child.read_streams()
        seconds = (child.ended_at or now) - self._began_at
        status, cause = self._ending_as or ("", "")
        return self._finish(outcomes.was_ended(child, self._job, seconds, status=status, cause=cause))

    def _finish(self, outcome: Outcome) -> float:
        watcher.unwatch(self.token)
        self._child.close()
        self.outcome = outcome
        self.step = self._finished
        return self._finished(0.0)

    def _finished(self, _now: float) -> float:
        return float("inf")

    def _environment(self) -> dict[str, str]:
        outer = self._job.env.get(ENV_RUN, "")
        return {**self._job.env, ENV_RUN: f"{outer}:{self.token}" if outer else self.token}


def _is_binary(program: str) -> bool:
    """What has a NUL in its first line is no script, whatever the system says of its format."""
    return b"\0" in first_line(program, 256)
