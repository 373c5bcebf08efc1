"""A hook's stdin, stdout and stderr as this end sees them, and waiting for them."""

from __future__ import annotations

import errno
import fcntl
import os
import select
from collections.abc import Callable

from hookrun.model.constants import STREAM_TAIL

_CHUNK = 65536
_CHUNKS_AT_ONCE = 16  # so that a hook that writes without end cannot hold up the others
_LONGEST_WAIT = 3600.0


class Readiness:
    """Descriptors, each with the action for the moment at which it is readable or its other end closed."""

    __slots__ = ("_actions", "_poll")

    def __init__(self) -> None:
        self._poll = select.poll()
        self._actions: dict[int, Callable[[], object]] = {}

    def add(self, descriptor: int, action: Callable[[], object], events: int = select.POLLIN) -> None:
        """Call *action* whenever *descriptor* is ready; it must stand being called for nothing."""
        self._actions[descriptor] = action
        self._poll.register(descriptor, events)

    def remove(self, descriptor: int) -> None:
        """Forget *descriptor*, known or not; to be called before it is closed."""
        if self._actions.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)

    def wait(self, seconds: float) -> None:
        """Wait until a descriptor is ready or *seconds* are over, then act on all that are."""
        milliseconds = int(min(max(seconds, 0.0), _LONGEST_WAIT) * 1000 + 0.999)
        for descriptor, _ in self._poll.poll(milliseconds):
            action = self._actions.get(descriptor)
            if action is not None:
                action()


class Stream:
    """The reading end of a pipe. Of what exceeds ``limit`` bytes only the end is kept."""

    __slots__ = ("_descriptor", "_has_gap", "_kept", "_last", "_readiness", "_room", "is_open", "was_cut")

    def __init__(self, descriptor: int, limit: int, readiness: Readiness) -> None:
        self.is_open = True
        self.was_cut = False
        self._descriptor = descriptor
        self._readiness = readiness
        self._room = limit
        self._kept = bytearray()
        self._last = bytearray()  # of what did not fit into _kept
        self._has_gap = False  # whether bytes between the two were dropped
        os.set_blocking(descriptor, False)
        readiness.add(descriptor, self.read)

    def read(self) -> None:
        """Read what is there now; close at the end of the stream."""
        for _ in range(_CHUNKS_AT_ONCE if self.is_open else 0):
            try:
                data = os.read(self._descriptor, _CHUNK)
            except BlockingIOError:
                return
            if not data:
                self.close()
                return
            self._keep(data)
            if len(data) < _CHUNK:
                return

    def close(self) -> None:
        """Close the pipe, whoever still holds its other end."""
        if self.is_open:
            self.is_open = False
            self._readiness.remove(self._descriptor)
            os.close(self._descriptor)

    def text(self) -> str:
        """Return what was kept as UTF-8, with replacement; a cut falls between characters."""
        if not self.was_cut:
            return self._kept.decode("utf-8", "replace")
        from codecs import utf_8_decode

        text, _without_the_unfinished_character = utf_8_decode(self._kept, "replace", False)
        return text

    def tail(self) -> str:
        """Return the end of a stream that was cut, after a line break where bytes before it are missing."""
        if self._has_gap or len(self._last) > STREAM_TAIL:
            return "\n" + self._last[-STREAM_TAIL:].decode("utf-8", "replace")
        whole = (self._kept + self._last).decode("utf-8", "replace")
        return whole[len(self.text()) :]

    def _keep(self, data: bytes) -> None:
        if len(data) <= self._room:
            self._room -= len(data)
            self._kept += data
            return
        self.was_cut = True
        self._kept += data[: self._room]
        self._keep_last(data[self._room :])
        self._room = 0

    def _keep_last(self, data: bytes) -> None:
        self._last += data
        if len(self._last) > 2 * STREAM_TAIL:  # seldom, so that moving bytes costs little
            del self._last[:-STREAM_TAIL]
            self._has_gap = True


def payload_file(payload: bytes) -> int:
    """Return a descriptor, at its start, of an unnamed file that holds *payload* and that, where the
    system can seal it (Linux), nobody can change. The caller closes it. Raises OSError.
    """
    try:
        descriptor = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except AttributeError:  # not Linux
        return _unlinked_file(payload)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise
        return _unlinked_file(payload)  # a system that forbids them
    try:
        _fill(descriptor, payload)
        _seal(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _seal(descriptor: int) -> None:
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)


def _unlinked_file(payload: bytes) -> int:
    import tempfile

    with tempfile.TemporaryFile(buffering=0) as file:
        _fill(file.fileno(), payload)
        return os.dup(file.fileno())


def _fill(descriptor: int, payload: bytes) -> None:
    rest = memoryview(payload)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
