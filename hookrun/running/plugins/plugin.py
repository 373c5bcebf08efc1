"""One plugin that lives on and is asked about one event after another, by one caller at a time."""

from __future__ import annotations

import os
import time
from _thread import TIMEOUT_MAX, allocate_lock

from hookrun.model.constants import FAILED, KILLED, NOT_STARTED, TIMED_OUT
from hookrun.model.errors import Interrupted, UsageError
from hookrun.model.values import Outcome
from hookrun.running import interrupts
from hookrun.running.plugins.ending import end_at_once, take_leave
from hookrun.running.plugins.life import PluginLife, Turn
from hookrun.running.plugins.process import Fault, Patience
from hookrun.running.plugins.protocol import LINE_LIMIT, answer_text, error_in, hook_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookrun.model.values import Event
    from hookrun.programs.command import Launch
    from hookrun.running.plugins.process import PluginProcess

_ENDED = "ended"

_started_plugins: set[StdioPlugin] = set()  # those that may have a process, for the forks of this one


class StdioPlugin:
    """One plugin. The first call starts its process, a fault ends it, the next call starts it again.

    It runs in *folder*; *env* is its whole environment but for HOOKRUN_RUN, which is added; *log* is given
    the lines of its stderr, and what it raises passes through the call. *started_for* are the events that its
    manifest declares ("*": it declares none). Thread-safe: one request at a time, the others wait.
    """

    def __init__(
        self,
        plugin_id: str,
        launch: Launch,
        folder: str,
        env: Mapping[str, str],
        *,
        log: Callable[[str], None] | None = None,
        started_for: Sequence[str] = (),
    ) -> None:
        self._life = PluginLife(plugin_id, launch.argv, folder, env, log, started_for)
        self._lock = allocate_lock()
        self._is_closed = False

    def call(
        self,
        event: Event,
        payload: Mapping[str, Any],
        *,
        timeout: float,
        until: float = float("inf"),
        stops: Sequence[int] = (),
    ) -> Outcome:
        """Ask the plugin about *event* and return what came of it; *payload* is the event in its dialect.

        An answer is an outcome that ended with exit code 0 and the answer's JSON as stdout; there is no
        stdout when the plugin has not subscribed to the event. *timeout* is in seconds and counts from here,
        except that a start has 10 s of its own; *until*, in seconds of time.monotonic, ends both. When one
        of the descriptors *stops* becomes readable the plugin is ended, with status ``killed`` and cause
        ``cancelled``. Raises Interrupted when TERM, INT or HUP came (``interrupts.catch_signals``).
        """
        turn = Turn(timeout, until)
        if not self._life.wants(event, turn):
            return _no_opinion(turn)
        request = _request(event, payload)
        if isinstance(request, Outcome):
            return request
        lock = self._lock  # a fork gets another
        if not lock.acquire(timeout=min(max(turn.until - time.monotonic(), 0.0), TIMEOUT_MAX)):
            cause = f"{turn.words_at_end()}, while the plugin was busy with other calls"
            return turn.ended(Outcome(status=TIMED_OUT, cause=cause))
        try:
            return self._supervised(event, request, turn, stops)
        finally:
            lock.release()

    def close(self) -> None:
        """Ask the plugin to deactivate and end its process, once the call that is under way has ended.
        It is not started again."""
        close_plugins([self])

    @property
    def is_alive(self) -> bool:
        """Whether its process runs."""
        process = self._life.process
        # Else a call, or the end, looks after it.
        if process is not None and not self._is_closed and self._lock.acquire(blocking=False):
            try:
                process.live.look()
            finally:
                self._lock.release()
        return process is not None and process.live.is_running

    @property
    def declared(self) -> tuple[tuple[str, str], ...] | None:
        """The events, each with its matcher, that activate declared; None when it was not started yet or
        declared nothing, which leaves it to the manifest."""
        subscriptions = self._life.subscriptions
        if subscriptions is None:
            return None
        return tuple((subscription.event, subscription.matcher) for subscription in subscriptions.all)

    def retire(self) -> PluginProcess | None:
        """Start no process any more; return the one that there is when the call under way has ended."""
        self._is_closed = True
        with self._lock:
            return self._life.process

    def forget(self) -> None:
        """Have no process any more: it has ended, or this is a fork and it is the parent's."""
        self._life.forget()
        self._lock = allocate_lock()

    def _supervised(self, event: Event, request: bytes, turn: Turn, stops: Sequence[int]) -> Outcome:
        interrupt = interrupts.begin(turn)
        try:
            self._wake_on(interrupt, stops, turn)
            outcome = self._asked(event, request, turn)
        except BaseException:
            self._life.end_at_once()
            raise
        finally:
            self._wake_no_more_on(interrupt, *stops)
            signal_number = interrupts.end(turn)
        if signal_number is not None:
            raise Interrupted(signal_number)
        return outcome

    def _wake_on(self, interrupt: int | None, stops: Sequence[int], turn: Turn) -> None:
        readiness = self._life.readiness
        if interrupt is not None:
            readiness.add(interrupt, lambda: readiness.remove(interrupt))

        def cancel() -> None:
            turn.is_cancelled = True
            for stop in stops:
                readiness.remove(stop)

        for stop in stops:
            readiness.add(stop, cancel)

    def _wake_no_more_on(self, *wakers: int | None) -> None:
        for waker in wakers:
            if waker is not None:
                self._life.readiness.remove(waker)

    def _asked(self, event: Event, request: bytes, turn: Turn) -> Outcome:
        if self._is_closed:
            return turn.ended(Outcome(status=NOT_STARTED, cause="the plugins have been closed"))
        if reason := turn.reason_to_stop():
            return turn.ended(Outcome(status=KILLED, cause=reason))
        if time.monotonic() >= turn.until:
            cause = f"{turn.words_at_end()}, before the plugin was asked"
            return turn.ended(Outcome(status=TIMED_OUT, cause=cause))
        _started_plugins.add(self)
        try:
            process = self._life.ready(turn)
            if not self._life.wants(event, turn):
                return _no_opinion(turn)
            answer = process.ask(request, Patience(turn.until, turn.words_at_end(), turn.reason_to_stop))
        except Fault as fault:
            return turn.ended(self._life.end_after(fault, turn))
        if error := error_in(answer):
            return turn.ended(Outcome(status=FAILED, cause=error))
        return Outcome(
            status=_ENDED,
            exit_code=0,
            stdout=answer_text(answer),
            problems=tuple(turn.problems),
            seconds=time.monotonic() - turn.began_at,
        )


def close_plugins(plugins: Sequence[StdioPlugin]) -> None:
    """Close *plugins* at the same time, each once the call that is under way in it has ended."""
    processes: list[PluginProcess] = []
    try:
        for plugin in plugins:
            process = plugin.retire()
            if process is not None:
                processes.append(process)
        take_leave(processes)
    except BaseException:
        end_at_once(processes)
        raise
    finally:
        for plugin in plugins:
            plugin.forget()
            _started_plugins.discard(plugin)


def _no_opinion(turn: Turn) -> Outcome:
    return turn.ended(Outcome(status=_ENDED, exit_code=0))


def _request(event: Event, payload: Mapping[str, Any]) -> bytes | Outcome:
    """Return the request, or why it cannot be made: a part of it would let through what it does not show."""
    try:
        request = hook_request(event, payload)
    except UsageError as error:
        return Outcome(status=FAILED, cause=error.message, hint=error.hint)
    if len(request) <= LINE_LIMIT + 1:
        return request
    cause = f"the event takes {len(request)} bytes, and a stdio plugin can be given 1 MiB"
    return Outcome(status=FAILED, cause=cause, hint="use a script for such events: it has no limit")


def _forget_in_child() -> None:
    for plugin in _started_plugins:
        plugin.forget()
    _started_plugins.clear()


os.register_at_fork(after_in_child=_forget_in_child)
