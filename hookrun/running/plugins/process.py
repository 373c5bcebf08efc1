"""A plugin's process: started, asked a line at a time, and ended with everything that it had started.

What goes wrong is raised as a Fault; the process must be ended then. It knows neither events nor hooks.
"""

from __future__ import annotations

import time

from hookrun.model.constants import DRAIN, FAILED, KILLED, TIMED_OUT
from hookrun.model.values import Outcome
from hookrun.running import outcomes
from hookrun.running.hook_process import HookProcess
from hookrun.running.plugins.child import LiveChild
from hookrun.running.plugins.protocol import DEACTIVATE, answer_on
from hookrun.running.plugins.streams import LineTooLong
from hookrun.running.process import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookrun.running.child import Child
    from hookrun.running.plugins.protocol import PluginAnswer
    from hookrun.running.streams import Readiness

_ENDED = "ended"
_MOST_MESSAGES = 10_000  # of its own that a plugin may send while it is asked
_TICK = 0.002  # seconds between looks where no descriptor tells that a process has ended
_KEEP_TO_LINES = "one line of JSON on stdout for each request, flushed, and everything else on stderr"
_STAY = "read requests until `deactivate` or the end of stdin"


class Fault(Exception):
    """Why a plugin's process is of no use any more. The cause in ``outcome`` speaks of it as "it"."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.cause)
        self.outcome = outcome


class Patience:
    """How long to wait for an answer: ``until`` is in seconds of time.monotonic, ``words`` say what it means
    that it is over, and ``reason_to_stop`` returns why to give up before ("" for no reason).
    """

    __slots__ = ("reason_to_stop", "until", "words")

    def __init__(self, until: float, words: str, reason_to_stop: Callable[[], str]) -> None:
        self.until = until
        self.words = words
        self.reason_to_stop = reason_to_stop


class PluginProcess(HookProcess):
    """The process of one plugin, in *folder*, with the whole environment *env* but for HOOKRUN_RUN.

    *tell* gets the lines of its stderr.
    """

    __slots__ = ("_pipe_lost_at", "_tell", "live")

    live: LiveChild

    def __init__(
        self,
        argv: tuple[str, ...],
        folder: str,
        env: Mapping[str, str],
        readiness: Readiness,
        tell: Callable[[str], None] | None,
    ) -> None:
        self._tell = tell
        self._pipe_lost_at = 0.0
        job = Job(argv=argv, cwd=folder, env=env, stdin=b"", timeout=float("inf"))
        super().__init__(job, readiness)

    def start(self) -> None:
        """Start it; called once. Raises Fault, with status not_started, when that fails."""
        while not self.live.pid:
            due = self.step(time.monotonic())
            if self.outcome is not None:
                raise Fault(self.outcome)
            if not self.live.pid:  # its program is being written: it is tried again
                time.sleep(max(0.0, due - time.monotonic()))

    def ask(self, request: bytes, patience: Patience) -> PluginAnswer:
        """Send *request* and return the answer to it. Messages of the plugin's own are passed over."""
        is_unasked = self.live.lines.has_begun
        self.live.requests.send(request)
        for _ in range(_MOST_MESSAGES):
            answer = _read(self._next_line(patience))
            if answer is not None:
                break
            is_unasked = False
        else:
            raise _fault(f"it sent {_MOST_MESSAGES} messages of its own and no answer", _KEEP_TO_LINES)
        if is_unasked or not self.live.requests.is_sent:
            raise _fault("it answered before it had read the request", _KEEP_TO_LINES)
        if self.live.lines.has_begun:
            self._check_unasked()
        return answer

    def check(self) -> None:
        """See what has happened since it was asked last. Raises Fault when it cannot be asked again."""
        self._wait(0.0)
        has_ended = self.live.wait_status is not None
        if has_ended:
            self.live.read_streams()
        if self.live.lines.has_begun:
            self._check_unasked()
        if has_ended:
            raise self._its_end()
        if self._has_lost_a_pipe():
            raise self._lost_pipe()

    def begin_farewell(self) -> None:
        """Ask it to end by itself."""
        self.live.requests.send(DEACTIVATE, is_last=True)

    def await_end(self, until: float) -> None:
        """Wait until it has ended, or it is later than *until*; what it still says is dropped."""
        while self.live.is_running and time.monotonic() < until:
            self._wait(until)
            self.live.lines.clear()

    def let_go(self) -> bool:
        """Return whether it has ended and left nothing in its group; then it is done with."""
        if self.live.is_running or self.live.left_in_group():
            return False
        self._finish(Outcome(status=_ENDED))
        return True

    def wait(self, until: float) -> None:
        """Wait for anything to happen, while it is being ended."""
        self._readiness.wait(until - time.monotonic())
        self.live.lines.clear()

    def disown(self) -> None:
        """Close what a fork has inherited; the process is that of the parent."""
        self.live.pid = 0
        self.live.close()

    @property
    def last_words(self) -> str:
        """The last line of its stderr."""
        return self.live.log.last_line if self.live.stderr is not None else ""

    @property
    def began_at(self) -> float:
        """When it was started, in seconds of time.monotonic."""
        return self._began_at

    def _new_child(self) -> Child:
        self.live = LiveChild(self._readiness, self._tell)
        return self.live

    def _settling(self, now: float) -> float:
        """It ended by itself: with what it has left it waits here to be ended."""
        return now

    def _next_line(self, patience: Patience) -> bytes:
        live = self.live
        until = patience.until
        if live.lines.has_begun or not live.is_running or self._has_lost_a_pipe() or patience.reason_to_stop():
            # Nothing will wake us for what has happened before.
            if (line := self._take()) is not None:
                return line
            until = self._checked(patience)
        while True:
            self._wait(until)
            if (line := self._take()) is not None:
                return line
            until = self._checked(patience)

    def _checked(self, patience: Patience) -> float:
        """Return until when to wait for a line that is not there yet. Raises Fault for no longer."""
        if reason := patience.reason_to_stop():
            raise _fault(reason, status=KILLED)
        if self.live.wait_status is not None:
            self.live.read_streams()
            if not self.live.lines.has_line:
                raise self._its_end()
            return 0.0  # its last words are there
        now = time.monotonic()
        if now >= patience.until:
            raise _fault(patience.words, f"answer in time: {_KEEP_TO_LINES}", status=TIMED_OUT)
        if not self._has_lost_a_pipe():
            return patience.until
        self._pipe_lost_at = self._pipe_lost_at or now
        if now >= self._pipe_lost_at + DRAIN:  # else its end may be near, and tells more
            raise self._lost_pipe()
        return min(patience.until, self._pipe_lost_at + DRAIN)

    def _wait(self, until: float) -> None:
        live, now = self.live, time.monotonic()
        if not live.tells_its_end:
            until = min(until, now + _TICK)
        self._readiness.wait(until - now)
        if not live.tells_its_end:
            live.look()

    def _check_unasked(self) -> None:
        while (line := self._take()) is not None:
            if _read(line) is not None:
                raise _fault("it answered twice, or without being asked", _KEEP_TO_LINES)

    def _take(self) -> bytes | None:
        try:
            return self.live.lines.take()
        except LineTooLong:
            raise _fault("it sent a line of more than 1 MiB", "answer with less; name a file") from None

    def _its_end(self) -> Fault:
        outcome = outcomes.ended(self.live, self._job, 0.0, [])
        values = {"exit_code": outcome.exit_code, "signal": outcome.signal}
        if outcome.status != _ENDED:
            cause = f"it was {outcome.cause}" if outcome.signal else outcome.cause
            return _fault(cause, outcome.hint, status=outcome.status, **values)
        return _fault(f"it ended with exit {outcome.exit_code}", _STAY, **values)

    def _has_lost_a_pipe(self) -> bool:
        return not self.live.lines.is_open or self.live.requests.is_broken

    def _lost_pipe(self) -> Fault:
        name = "stdin" if self.live.requests.is_broken else "stdout"
        return _fault(f"it closed its {name}", _STAY)


def _read(line: bytes) -> PluginAnswer | None:
    try:
        return answer_on(line)
    except ValueError as junk:
        raise _fault(str(junk), _KEEP_TO_LINES) from None


def _fault(cause: str, hint: str = "", **values: Any) -> Fault:
    return Fault(Outcome(**{"status": FAILED, "cause": cause, "hint": hint, **values}))
