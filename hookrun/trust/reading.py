"""Files opened once and hashed, with a stamp that tells later whether they are still the same."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time
from signal import SIGURG

from hookrun.model import constants
from hookrun.model.frozen import Frozen

MOST_BYTES = 64 * constants.MIB  # of one file; hashing more would hold up every tool call
_CHUNK = 4 << 20
_TRIES = 20
# The clock of file systems ticks every 1 to 10 ms: what was changed just now could be changed again and
# keep its stamp. Some only know whole seconds.
_SETTLED = 20_000_000  # nanoseconds
_SETTLED_IN_SECONDS = 2_000_000_000
_A_SECOND = 1_000_000_000

Stamp = tuple[int, int, int, int, int, int]


class Reading(Frozen):
    """A file as it was read: the SHA-256 of its bytes in hex, the bytes when they were asked for, and what
    its inode said then. A path that leads to no regular file of at most MOST_BYTES has the digest "" and no
    stamp."""

    digest: str
    stamp: Stamp | None
    data: bytes = b""


MISSING = Reading(digest="", stamp=None)


def read_once(path: str, *, keep: int = 0) -> Reading:
    """Open *path* once, and return what it holds, with up to *keep* of its first bytes.

    Waits for up to 20 ms when the file was changed just now (2 s where times are whole seconds); a file that
    goes on changing, or that somebody holds open to write, is MISSING.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except (OSError, ValueError):
        return MISSING
    try:
        for _ in range(_TRIES):
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode) or before.st_size > MOST_BYTES:
                return MISSING
            _wait_until_settled(before.st_ctime_ns)
            if _may_be_written(descriptor):
                time.sleep(_SETTLED / _A_SECOND)
                continue
            digest, data = _hashed(descriptor, before.st_size, keep)
            after = os.fstat(descriptor)
            if stamp_of(before) == stamp_of(after):
                return Reading(digest=digest, stamp=stamp_of(after), data=data)
            os.lseek(descriptor, 0, os.SEEK_SET)
        return MISSING
    except OSError:
        return MISSING
    finally:
        os.close(descriptor)


def stamp_at(path: str) -> Stamp | None:
    """Return the stamp of the file at *path* as it is now; None when there is none."""
    try:
        return stamp_of(os.stat(path))
    except (OSError, ValueError):
        return None


def stamp_of(status: os.stat_result) -> Stamp:
    """Return what no change of a file's content or place leaves as it is. Nobody but root can set a ctime."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of *data* in hex."""
    return str(_sha256(data).hexdigest())


def settled_at(changed: int) -> int:
    """Return when a file that was *changed* last then cannot be changed again and keep its stamp, both
    in nanoseconds since 1970."""
    return changed + (_SETTLED if changed % _A_SECOND else _SETTLED_IN_SECONDS)


def _wait_until_settled(changed: int) -> None:
    now = time.time_ns()
    if changed <= now < settled_at(changed):
        time.sleep((settled_at(changed) - now) / _A_SECOND)


def _may_be_written(descriptor: int) -> bool:
    """Say whether somebody has the file open to write: through a mapping that was written to before, bytes
    change and leave every time of the inode as it is. A lease is refused then (Linux)."""
    if sys.platform != "linux":
        return False
    try:
        # Who opens it meanwhile has us told: by default with a signal that kills.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN  # others: the file is somebody else's, or there are no leases
    return False


def _hashed(descriptor: int, size: int, keep: int) -> tuple[str, bytes]:
    """Return the digest of *size* bytes, and of one more when the file has grown: then its stamp differs."""
    first = os.read(descriptor, min(size + 1, _CHUNK))
    whole = _sha256(first)
    left = size + 1 - len(first)
    part = first
    while part and left > 0:
        part = os.read(descriptor, min(left, _CHUNK))
        whole.update(part)
        left -= len(part)
    return whole.hexdigest(), first[:keep]


try:  # the C modules below hashlib: OpenSSL, which that loads, costs as much as starting Python
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256 as _sha256
