"""One of a hook's output streams: read as it comes, kept up to a limit, decoded once."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookrun.engine.runners.readiness import Readiness

_CHUNK = 65536
_CHUNKS_AT_ONCE = 16  # so that a hook that writes without end cannot hold up the others


class Stream:
    """The reading end of a pipe. What exceeds ``limit`` bytes is read and dropped."""

    __slots__ = ("_chunks", "_descriptor", "_readiness", "_room", "is_open", "was_cut")

    def __init__(self, descriptor: int, limit: int, readiness: Readiness) -> None:
        self.is_open = True
        self.was_cut = False
        self._descriptor = descriptor
        self._readiness = readiness
        self._room = limit
        self._chunks: list[bytes] = []
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
        data = b"".join(self._chunks)
        if not self.was_cut:
            return data.decode("utf-8", "replace")
        from codecs import utf_8_decode

        return utf_8_decode(data, "replace", False)[0]  # leaves the unfinished character at the cut alone

    def _keep(self, data: bytes) -> None:
        if len(data) > self._room:
            self.was_cut = True
            data = data[: self._room]
        if data:
            self._room -= len(data)
            self._chunks.append(data)
