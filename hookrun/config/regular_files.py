"""Regular files only: what stands in the place of one (a FIFO, a device, what never ends) holds up nobody."""

from __future__ import annotations

import errno
import os
from stat import S_ISREG

from hookrun.model import constants


def read_regular(path: str, limit: int = constants.PAYLOAD_LIMIT) -> bytes:
    """Return the bytes of the regular file at *path*.

    Raises OSError, also for what is no regular file, or larger than *limit* bytes.
    """
    descriptor, size = _opened(path)
    try:
        parts = []
        left = limit + 1
        while left > 0 and (part := os.read(descriptor, min(left, max(size + 1, constants.KIB)))):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(descriptor)
    if left <= 0:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return b"".join(parts)


def first_line(path: str, limit: int) -> bytes:
    """Return the first line of the regular file at *path*, at most *limit* bytes, or b""."""
    try:
        descriptor, _ = _opened(path)
    except OSError:
        return b""
    with open(descriptor, "rb") as file:
        return file.readline(limit)


def _opened(path: str) -> tuple[int, int]:
    """Return a descriptor of the regular file at *path*, and its size in bytes. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    found = os.fstat(descriptor)
    if not S_ISREG(found.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor, found.st_size
