"""The controlling terminal: asked and written to directly, so that stdin and stdout stay free for data."""

from __future__ import annotations

import os
import select
import sys
import termios

from hookrun.modules.ui.terminal_text import typed_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import Any
else:
    import _signal as signal  # the same functions without a conversion of every constant to an enum

PATH = "/dev/tty"
TICK = 0.1  # seconds between two looks at whether an answer is still wanted
_CHUNK = 4096
_INPUT_MODES, _OUTPUT_MODES, _LOCAL_MODES, _CONTROL_CHARACTERS = 0, 1, 3, 6  # places in tcgetattr's list
_LINE_MODES = termios.ICANON | termios.ECHO | termios.ECHOE | termios.ECHOK
_DISABLED = b"\0" if sys.platform == "linux" else b"\xff"
_DEFAULT_WIDTH = 80


class Terminal:
    """The terminal of this process, as one file of its own; see ``controlling_terminal``."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def is_ours(self) -> bool:
        """Return whether a question would reach the person: we are in the foreground, and the terminal is
        in line mode. Else a full-screen program, say the agent itself, has it."""
        try:
            is_in_foreground = os.tcgetpgrp(self._descriptor) == os.getpgrp()
            modes = termios.tcgetattr(self._descriptor)
        except (OSError, termios.error):
            return False
        return is_in_foreground and bool(modes[_LOCAL_MODES] & termios.ICANON)

    def width(self) -> int:
        """Return how many columns it has, 80 when it does not say."""
        try:
            return os.get_terminal_size(self._descriptor).columns or _DEFAULT_WIDTH
        except OSError:
            return _DEFAULT_WIDTH

    def write(self, text: str, is_over: Callable[[], bool]) -> None:
        """Write *text* as it is. Raises OSError when the terminal is gone, or was stopped (Ctrl-S) until
        *is_over*."""
        data = text.encode("utf-8", "replace")
        with _Undisturbed():
            while data:
                if _is_ready(self._descriptor, select.POLLOUT, TICK):
                    data = data[os.write(self._descriptor, data) :]
                elif is_over():
                    raise TimeoutError

    def ask(self, prompt: str, is_over: Callable[[], bool]) -> str | None:
        """Write *prompt* and return the line that is typed then, without control characters.

        None for Ctrl-C, for Ctrl-D in an empty line, or as soon as *is_over*. What was typed before the
        question does not count. A line has 4095 bytes at most (1023 on macOS). Raises OSError when the
        terminal is gone.
        """
        with _Undisturbed(), self.kept_modes():
            try:
                interrupt = self._begin_question()
            except termios.error as error:
                raise OSError(*error.args) from error
            self.write(prompt, is_over)
            line = self._read_line(interrupt, is_over)
            if line is None or not line.endswith(b"\n"):
                self.write("\n", lambda: True)
        return None if line is None else typed_text(line.decode("utf-8", "replace"))

    def kept_modes(self) -> _KeptModes:
        """Return a `with` block at whose end the terminal is in the modes that it has now."""
        return _KeptModes(self._descriptor)

    def give_to(self, group: int) -> None:
        """Make a process group the one in the foreground. Raises OSError."""
        with _Undisturbed():
            os.tcsetpgrp(self._descriptor, group)

    def close(self) -> None:
        """Let go of it."""
        os.close(self._descriptor)
        self._descriptor = -1

    def _begin_question(self) -> bytes:
        """Make the interrupt key end the line in place of the whole foreground, and return that key;
        ``mend_terminal`` undoes it for one that was killed."""
        modes = termios.tcgetattr(self._descriptor)
        keys = modes[_CONTROL_CHARACTERS]
        interrupt: bytes = keys[termios.VINTR]
        if interrupt != _DISABLED:
            keys[termios.VEOL] = interrupt
            keys[termios.VINTR] = _DISABLED
        modes[_INPUT_MODES] |= termios.ICRNL
        modes[_LOCAL_MODES] |= _LINE_MODES
        termios.tcsetattr(self._descriptor, termios.TCSANOW, modes)
        termios.tcflush(self._descriptor, termios.TCIFLUSH)
        return interrupt

    def _read_line(self, interrupt: bytes, is_over: Callable[[], bool]) -> bytes | None:
        line = b""
        while not is_over():
            if not _is_ready(self._descriptor, select.POLLIN, TICK):
                continue
            try:
                chunk = os.read(self._descriptor, _CHUNK)
            except BlockingIOError:  # somebody else was faster
                continue
            if interrupt != _DISABLED and chunk.endswith(interrupt):
                return None
            line += chunk
            if not chunk or chunk.endswith(b"\n"):  # an end of input after some text ends the line
                return line or None
        return None


def controlling_terminal() -> Terminal | None:
    """Return the terminal of this process; None when it has none, or is not the one it listens to."""
    try:
        terminal = Terminal(_open())
    except OSError:
        return None
    if not terminal.is_ours():
        terminal.close()
        return None
    return terminal


def mend_terminal() -> None:
    """Make the terminal usable again after a process of ours was killed while it asked: the interrupt key
    interrupts, and what an editor that is gone had taken is in the foreground and in line mode. Else nothing
    changes."""
    try:
        descriptor = _open()
    except OSError:
        return
    try:
        with _Undisturbed():
            modes = termios.tcgetattr(descriptor)
            keys = modes[_CONTROL_CHARACTERS]
            if keys[termios.VINTR] == _DISABLED:
                keys[termios.VINTR], keys[termios.VEOL] = keys[termios.VEOL], _DISABLED
            if _is_gone(os.tcgetpgrp(descriptor)):
                os.tcsetpgrp(descriptor, os.getpgrp())
                modes[_INPUT_MODES] |= termios.ICRNL
                modes[_OUTPUT_MODES] |= termios.OPOST
                modes[_LOCAL_MODES] |= _LINE_MODES | termios.ISIG | termios.IEXTEN
            termios.tcsetattr(descriptor, termios.TCSANOW, modes)
    except (OSError, termios.error):
        pass
    finally:
        os.close(descriptor)


def _open() -> int:
    return os.open(PATH, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)


def _is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


class _Undisturbed:
    """In a background process the system would stop whoever reads, writes or sets the terminal; blocked, the
    signals let it write and set, and reading fails."""

    def __enter__(self) -> None:
        signals = {signal.SIGTTIN, signal.SIGTTOU}
        self._blocked_before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)

    def __exit__(self, *_: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked_before)


class _KeptModes:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._modes: list[Any] | None = None

    def __enter__(self) -> None:
        try:
            self._modes = termios.tcgetattr(self._descriptor)
        except termios.error:
            self._modes = None

    def __exit__(self, *_: object) -> None:
        if self._modes is not None:
            try:
                with _Undisturbed():
                    termios.tcsetattr(self._descriptor, termios.TCSANOW, self._modes)
            except termios.error:
                pass


def _is_ready(descriptor: int, event: int, seconds: float) -> bool:
    """Wait until reading or writing would not block; poll() of macOS knows no terminals."""
    if sys.platform == "darwin":
        sets = ([descriptor], []) if event == select.POLLIN else ([], [descriptor])
        return any(select.select(*sets, [], seconds))
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(seconds * 1000))
