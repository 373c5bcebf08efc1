"""Files: read where they are regular (a FIFO cannot block the caller), locked, replaced whole; private folders."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from hookrun.model import constants


def read_regular(path: str, limit: int = constants.PAYLOAD_LIMIT) -> bytes:
    """Return the bytes of the regular file at *path*.

    Raises OSError, also for anything but a regular file and for one larger than *limit* bytes.
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
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor, found.st_size


LOCK_SECONDS = 5.0  # to wait for another process
_PAUSE = 0.01


def make_private(folder: str) -> None:
    """Make *folder* with mode 0700, or see to it that it is ours alone. Raises OSError."""
    os.makedirs(folder, 0o700, exist_ok=True)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(1, "the folder belongs to somebody else", folder)
    if found.st_mode & 0o077:
        os.chmod(folder, 0o700)


def lock(descriptor: int, seconds: float = LOCK_SECONDS) -> None:
    """Lock the open file *descriptor* for this process alone, until it is closed. Raises TimeoutError when
    another process keeps it (a stopped one may do so for ever), and OSError where nothing can be locked."""
    give_up_at = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= give_up_at:
                raise TimeoutError(errno.ETIMEDOUT, "another process has it locked") from None
        time.sleep(_PAUSE)


def replace_file(path: str, data: bytes, *, mode: int = 0o600) -> None:
    """Write *data* to *path*, so that a reader sees the old file or the new one, also after a power loss.

    Raises OSError.
    """
    unfinished = f"{path}.{os.urandom(4).hex()}.tmp"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
