"""A plugin's stdin, stdout and stderr as this end sees them. Nothing here waits."""

from __future__ import annotations

import os
import select

from hookrun.running.plugins.protocol import LINE_LIMIT
from hookrun.running.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable

    from hookrun.running.streams import Readiness
else:
    import _signal as signal

_LOG_LINE_LIMIT = 4096  # bytes
_LOG_LINES_AT_ONCE = 100  # of what one read brings, so that a flood of short lines costs no time


class LineTooLong(Exception):
    """The line at the front, whole or not, is above the limit."""


class Lines(Stream):
    """stdout, a line at a time."""

    __slots__ = ("_searched",)

    def __init__(self, descriptor: int, readiness: Readiness) -> None:
        super().__init__(descriptor, 0, readiness)
        self._searched = 0

    @property
    def has_begun(self) -> bool:
        """Whether something of a line is there."""
        return bool(self._kept)

    @property
    def has_line(self) -> bool:
        """Whether a whole line is there."""
        return self._end() >= 0

    def take(self) -> bytes | None:
        """Return the next line without its end, None while there is no whole one. Raises LineTooLong."""
        end = self._end()
        if (len(self._kept) if end < 0 else end) > LINE_LIMIT:
            raise LineTooLong
        if end < 0:
            return None
        line = bytes(self._kept[:end])
        del self._kept[: end + 1]
        self._searched = 0
        return line

    def clear(self) -> None:
        """Forget what is there."""
        self._kept.clear()
        self._searched = 0

    def _end(self) -> int:
        end = self._kept.find(b"\n", self._searched)
        self._searched = len(self._kept) if end < 0 else end
        return end

    def _keep(self, data: bytes) -> None:
        self._kept += data


class Log(Stream):
    """stderr, handed on a line at a time; what is too long or too much is left out."""

    __slots__ = ("_tell", "last_line")

    def __init__(self, descriptor: int, readiness: Readiness, tell: Callable[[str], None] | None) -> None:
        super().__init__(descriptor, 0, readiness)
        self._tell = tell
        self.last_line = ""

    def close(self) -> None:
        """Close the pipe, and count what came without an end of line as one."""
        super().close()
        if self._kept:
            rest = [bytes(self._kept)]
            self._kept.clear()
            self._hand_on(rest)

    def _keep(self, data: bytes) -> None:
        *lines, rest = (self._kept + data).split(b"\n")
        self._kept[:] = rest[:_LOG_LINE_LIMIT]
        self._hand_on([bytes(line) for line in lines if not line.isspace() and line])

    def _hand_on(self, lines: list[bytes]) -> None:
        texts = [line[:_LOG_LINE_LIMIT].decode("utf-8", "replace").rstrip() for line in lines]
        if not texts:
            return
        self.last_line = texts[-1]
        left_out = len(texts) - _LOG_LINES_AT_ONCE
        if left_out > 0:
            texts[_LOG_LINES_AT_ONCE:] = [f"({left_out} more lines left out)"]
        tell, self._tell = self._tell, None  # what has raised once must not stand in the way of the end
        if tell is not None:
            for text in texts:
                tell(text)
        self._tell = tell


class Requests:
    """stdin. A plugin that does not read holds up nobody; ``is_broken`` when it cannot read any more."""

    __slots__ = ("_descriptor", "_is_last", "_readiness", "_rest", "is_broken")

    def __init__(self, descriptor: int, readiness: Readiness) -> None:
        self._descriptor = descriptor
        self._readiness = readiness
        self._rest = memoryview(b"")
        self._is_last = False
        self.is_broken = False
        os.set_blocking(descriptor, False)
        readiness.add(descriptor, self._break, events=0)

    @property
    def is_sent(self) -> bool:
        """Whether all of the last request has gone into the pipe."""
        return not self._rest

    def send(self, request: bytes, *, is_last: bool = False) -> None:
        """Write *request*, the rest of it when there is room; after the last one close the pipe."""
        self._rest = memoryview(bytes(self._rest) + request if self._rest else request)
        self._is_last = is_last
        if not self.is_broken:
            self._write()
            if self._rest and not self.is_broken:
                self._readiness.add(self._descriptor, self._go_on, events=select.POLLOUT)

    def close(self) -> None:
        """Close the pipe, whatever was not written."""
        if self._descriptor >= 0:
            self._readiness.remove(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def _go_on(self) -> None:
        self._write()
        if self.is_sent and self._descriptor >= 0:
            self._readiness.add(self._descriptor, self._break, events=0)

    def _write(self) -> None:
        try:
            while self._rest:
                self._rest = self._rest[write_quietly(self._descriptor, self._rest) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._break()
            return
        if self._is_last:
            self.close()

    def _break(self) -> None:
        self.is_broken = True
        self._readiness.remove(self._descriptor)


def write_quietly(descriptor: int, data: memoryview) -> int:
    """Write to a pipe; where a host has SIGPIPE at its default, a broken one must not end that host."""
    if signal.getsignal(signal.SIGPIPE) != signal.SIG_DFL:
        return os.write(descriptor, data)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGPIPE,))
    try:
        return os.write(descriptor, data)
    except BrokenPipeError:
        if signal.SIGPIPE in signal.sigpending() and signal.SIGPIPE not in before:
            signal.sigwait((signal.SIGPIPE,))
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
