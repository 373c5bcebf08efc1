"""TERM, INT and HUP to the command: while hooks run they end the hooks first, else they stop it at once.
And the last alarm, by which the command leaves when nothing else has ended it."""

from __future__ import annotations

import os
from _thread import RLock

from hookrun.model.errors import Interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn
else:
    import _signal as signal  # the same functions without a conversion of every constant to an enum

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
received: list[int] = []  # since the oldest of the calls that are running began
_calls: set[object] = set()
_pipe: tuple[int, int] | None = None
_lock = RLock()
_is_ending = False  # Interrupted is on its way, nothing may cut short what it passes
_has_alarm = False
_can_pause = False  # whether the alarm waits for people
_alarm_left = 0.0  # seconds that the paused alarm had left
_LAST_WORDS_SECONDS = 1.0  # for what is said when the alarm rings


def catch_signals() -> None:
    """Handle TERM, INT and HUP from now on; for the command's main thread, never for a library.

    While ``run_jobs`` runs the hooks are ended and it raises Interrupted; at any other time Interrupted
    is raised where the program is, once: until hooks run again, further ones are ignored. A signal that
    is ignored (nohup, a shell's ``&``) stays so.
    """
    _open_pipe()
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _note)


def set_alarm(seconds: float, leave: Callable[[], NoReturn], code: int, *, waits_for_people: bool = True) -> None:
    """Have *leave* called in the main thread after *seconds*, wherever it waits; for the command alone.

    *leave* says what there is to say and ends the process. When it fails, or does not end either, the
    process ends with *code*; the watcher ends the hooks. A later call replaces the alarm.
    """
    global _has_alarm, _can_pause, _alarm_left

    def ring(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGALRM, lambda *_: os._exit(code))
        signal.setitimer(signal.ITIMER_REAL, _LAST_WORDS_SECONDS)
        try:
            leave()
        finally:
            os._exit(code)

    _has_alarm, _can_pause, _alarm_left = True, waits_for_people, 0.0
    signal.signal(signal.SIGALRM, ring)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM,))
    signal.setitimer(signal.ITIMER_REAL, seconds)


def clear_alarm() -> None:
    """Set no alarm any more: everything has been said."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def pause_alarm() -> None:
    """Stop the time while a person thinks; without an alarm nothing happens."""
    global _alarm_left
    if _can_pause and not _alarm_left:
        _alarm_left = signal.setitimer(signal.ITIMER_REAL, 0.0)[0]


def resume_alarm() -> None:
    """Let the time of a paused alarm go on."""
    global _alarm_left
    if _alarm_left:
        signal.setitimer(signal.ITIMER_REAL, _alarm_left)
        _alarm_left = 0.0


def begin(call: object) -> int | None:
    """From here on a signal is noted, not raised. Return the descriptor that it makes readable, if any."""
    global _is_ending
    with _lock:
        _calls.add(call)
        _is_ending = False
    return _pipe[0] if _pipe else None


def end(call: object) -> int | None:
    """Return the first signal that came in the meantime; the caller raises Interrupted then."""
    global _is_ending
    with _lock:
        first = received[0] if received else None
        _is_ending = first is not None
        _calls.discard(call)
        if not _calls and first is not None:
            received.clear()
            _drain()
    return first


def ignore() -> None:
    """Ignore the signals from here on: there is nothing left that they could end."""
    global _is_ending
    _is_ending = True


class Held:
    """While it is entered the signals wait, for what must not be cut short; a fork still holds them."""

    def __enter__(self) -> None:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)

    def __exit__(self, *_: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


def _note(number: int, _frame: FrameType | None) -> None:
    if not _calls:
        if _is_ending:
            return
        ignore()
        raise Interrupted(number)
    received.append(number)
    if _pipe is not None:
        try:
            os.write(_pipe[1], b"!")
        except BlockingIOError:  # full, so it is readable
            pass


def _open_pipe() -> None:
    global _pipe
    if _pipe is None:
        _pipe = os.pipe()
        os.set_blocking(_pipe[0], False)
        os.set_blocking(_pipe[1], False)


def _drain() -> None:
    if _pipe is not None:
        try:
            os.read(_pipe[0], 4096)
        except BlockingIOError:
            pass


def _begin_anew_in_child() -> None:
    """A fork has no calls running and no alarm, and must not wake its parent's."""
    global _pipe, _lock, _can_pause, _alarm_left
    _lock = RLock()
    _can_pause, _alarm_left = False, 0.0
    if _has_alarm:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _calls.clear()
    received.clear()
    if _pipe is not None:
        os.close(_pipe[0])
        os.close(_pipe[1])
        _pipe = None
        _open_pipe()


os.register_at_fork(after_in_child=_begin_anew_in_child)
