"""Asking live plugins while other hooks run: each call waits in a thread that does not outlive the run."""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

from hookrun.model.constants import FAILED, NOT_STARTED
from hookrun.model.errors import Interrupted
from hookrun.model.values import Outcome
from hookrun.running import interrupts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Mapping, Sequence

_TICK = 0.1  # seconds between looks, should an exception have taken a lock that was waited for
_ATTEMPTS = 3  # to wait for the threads while further exceptions come


class PluginCalls:
    """Calls of live plugins under way. ``finish`` or ``abort`` must follow."""

    def __init__(self, calls: Mapping[int, Callable[[Sequence[int]], Outcome]], stop_when_readable: int | None) -> None:
        """Start *calls*, by the number of their outcome. Each is given the descriptors that end it when they
        become readable; *stop_when_readable* is one of them."""
        self._outcomes: dict[int, Outcome] = {}
        self._cancel: tuple[int, int] | None = os.pipe()
        stops = [self._cancel[0]] if stop_when_readable is None else [self._cancel[0], stop_when_readable]
        self._running: dict[int, LockType] = {}  # a lock for each call, held until it has its outcome
        interrupts.begin(self)  # so that a signal counts for every call until the last has ended
        for index, call in calls.items():
            running = allocate_lock()
            running.acquire()
            try:
                start_new_thread(self._run, (index, call, stops, running))
            except RuntimeError as error:  # too many threads
                cause = f"no thread can be started for the plugin: {error}"
                self._outcomes[index] = Outcome(status=NOT_STARTED, cause=cause)
            else:
                self._running[index] = running

    def finish(self) -> dict[int, Outcome]:
        """Return the outcomes by number once all calls have ended. Raises Interrupted when a signal came."""
        self._wait()
        signal_number = self._close()
        if signal_number is not None:
            raise Interrupted(signal_number)
        return self._outcomes

    def abort(self) -> None:
        """End all calls while an exception is on its way; another one cuts this short, not off."""
        if self._cancel is None:
            return
        os.write(self._cancel[1], b"!")
        for _ in range(_ATTEMPTS):
            try:
                self._wait()
                break
            except BaseException:
                continue
        self._close()

    def _wait(self) -> None:
        # Not Thread.join: an exception that cuts it short makes it take the thread for ended (3.11).
        for index, running in self._running.items():
            while index not in self._outcomes:
                running.acquire(timeout=_TICK)

    def _run(
        self, index: int, call: Callable[[Sequence[int]], Outcome], stops: Sequence[int], running: LockType
    ) -> None:
        """Have an outcome whatever happens: what is raised in a thread reaches no caller."""
        try:
            self._outcomes[index] = call(stops)
        except BaseException as error:
            cause = f"asking the plugin failed: {type(error).__name__}: {error}"
            self._outcomes[index] = Outcome(status=FAILED, cause=cause)
        finally:
            running.release()

    def _close(self) -> int | None:
        """Return the first signal that came in the meantime."""
        cancel, self._cancel = self._cancel, None
        if cancel is None:
            return None
        if self._running.keys() <= self._outcomes.keys():  # else a call still polls it
            for end in cancel:
                os.close(end)
        return interrupts.end(self)
