"""Running hook processes: all jobs of one call at the same time, supervised in one loop, to outcomes.

It reads no answer and decides nothing; a hook's failure is an Outcome, never an exception.
"""

from __future__ import annotations

import time

from hookrun.model.constants import KILLED, STREAM_LIMIT
from hookrun.model.errors import Interrupted
from hookrun.model.frozen import Frozen
from hookrun.running import interrupts, spawn, watcher
from hookrun.running.hook_process import HookProcess
from hookrun.running.streams import Readiness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookrun.model.values import Outcome
    from hookrun.running.orphans import Remains

_INTERRUPT_GRACE = 0.5  # seconds between TERM and KILL for somebody who pressed Ctrl-C; a second time: none


class Job(Frozen):
    """One program to run. ``argv`` begins with an absolute path; ``env`` is the whole environment but for
    HOOKRUN_RUN, which is added; ``stdin`` the whole payload; ``timeout`` is in seconds; ``stream_limit``
    is how many bytes of stdout and of stderr are kept. What ``keeps_its_time`` is ended by its own timeout
    alone, and not when the time of all jobs together is over.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    stdin: bytes
    timeout: float
    stream_limit: int = STREAM_LIMIT
    keeps_its_time: bool = False


def run_jobs(
    jobs: Sequence[Job], *, total_timeout: float, stop_when_readable: int | None = None, over: str = ""
) -> list[Outcome]:
    """Start all *jobs* at the same time and return their outcomes in the order of the jobs.

    Returns at the latest 3 s after the largest timeout, or after *total_timeout* seconds for all of them;
    *over* is what is said of those that this has ended.
    A hook that ended by itself may leave processes behind (its outcome says so); of one that was ended
    nothing is left. When the descriptor *stop_when_readable* becomes readable, what still runs is ended,
    with status ``killed`` and cause ``cancelled``. Raises Interrupted when TERM, INT or HUP came
    (``interrupts.catch_signals``); then, as with any exception that passes through, every hook has been
    ended before.
    """
    call = _Call(jobs, total_timeout, over or f"all hooks together took longer than {total_timeout:.3g} s")
    try:
        call.wake_on(interrupts.begin(call), stop_when_readable)
        call.supervise()
    except BaseException:
        call.end_at_once()
        raise
    finally:
        signal_number = interrupts.end(call)
    if signal_number is not None:
        raise Interrupted(signal_number)
    return [process.outcome for process in call.processes if process.outcome is not None]


class _Call:
    """What one call of run_jobs has under way."""

    def __init__(self, jobs: Sequence[Job], total_timeout: float, over: str) -> None:
        self._readiness = Readiness()
        self._began_at = time.monotonic()
        self._over = over
        self._deadline = self._began_at + total_timeout
        self._remains: Remains | None = None
        self._is_cancelled = False
        self.processes = [HookProcess(job, self._readiness) for job in jobs]
        self._unfinished = self.processes

    def wake_on(self, interrupt: int | None, stop: int | None) -> None:
        """Have the loop wake up when one of these descriptors becomes readable."""
        if interrupt is not None:
            self._readiness.add(interrupt, lambda: self._readiness.remove(interrupt))
        if stop is not None:
            self._readiness.add(stop, lambda: self._cancel(stop))

    def supervise(self) -> None:
        """Follow every process until it has its outcome."""
        spawn.reap_left()
        while self._unfinished:
            now = time.monotonic()
            self._heed_limits(now)
            wake_at = float("inf")
            for process in self._unfinished:  # a generator would be one more frame above every start
                wake_at = min(wake_at, process.step(now))
            self._search_remains()
            self._unfinished = [process for process in self._unfinished if process.outcome is None]
            if self._unfinished:
                self._readiness.wait(min(wake_at, self._next_limit(now)) - time.monotonic())
        spawn.reap_orphans()

    def end_at_once(self) -> None:
        """End every hook while an exception is on its way; another one cuts this short, not off."""
        for grace in (_INTERRUPT_GRACE, 0.0, 0.0):
            try:
                self._end_all(time.monotonic(), grace, "ended because of an exception in the host program")
                self.supervise()
                return
            except BaseException:
                continue

    def _heed_limits(self, now: float) -> None:
        if interrupts.received:
            grace = _INTERRUPT_GRACE if len(interrupts.received) == 1 else 0.0
            self._end_all(now, grace, f"stopped by signal {interrupts.received[0]}")
        elif self._is_cancelled:
            self._end_all(now, _INTERRUPT_GRACE, "cancelled")
        elif now >= self._deadline:
            for process in self._unfinished:
                if not process.keeps_its_time:
                    process.time_out(now, self._over)

    def _next_limit(self, now: float) -> float:
        return self._deadline if now < self._deadline else float("inf")

    def _end_all(self, now: float, grace: float, cause: str) -> None:
        for process in self._unfinished:
            process.end(now, grace=grace, status=KILLED, cause=cause)

    def _cancel(self, stop: int) -> None:
        self._is_cancelled = True
        self._readiness.remove(stop)

    def _search_remains(self) -> None:
        """One search for all hooks that are to vanish: it reads the environment of every process."""
        vanishing = [process for process in self._unfinished if process.is_vanishing]
        if not vanishing:
            return
        if self._remains is None:
            from hookrun.running.orphans import Remains

            self._remains = Remains(seconds=time.monotonic() - self._began_at)
        end_remains(vanishing, self._remains)


def end_remains(vanishing: Sequence[HookProcess], remains: Remains) -> None:
    """Search once for what those hooks have left alive, end it, and tell them whether there was anything."""
    tokens = [process.token for process in vanishing]
    others = {group for token, group in watcher.running.copy().items() if group and token not in tokens}
    was_clean = not remains.end(tokens, others)
    for process in vanishing:
        process.note_round(was_clean=was_clean)
