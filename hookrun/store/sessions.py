"""The project root of each session, in a small file of its own: read at every event, so without sqlite."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable

from hookrun.model.errors import StoreError
from hookrun.model.values import Problem
from hookrun.store.folder import private_folder, require_ours

FOLDER = "sessions"
_DAY = 86_400.0
_KEPT = 30 * _DAY  # since the session was last asked for
_SWEPT = ".swept"  # its time stamp is that of the last sweep
_LIMIT = 65_536  # bytes; paths are far shorter


def root_of_session(state: str, session: str, note: Callable[[Problem], None]) -> str | None:
    """Return the root that the folder *state* remembers for *session*, or None.

    Raises StoreError for a folder or a file of somebody else's, and OSError.
    """
    path = _path(state, session)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        _require_private(state, note)
        entry = os.fstat(descriptor)
        require_ours(entry, path)
        if not stat.S_ISREG(entry.st_mode):
            raise StoreError("it is not a regular file", where=path, hint="remove it")
        _refresh(descriptor, entry.st_mtime)
        return _root(os.read(descriptor, _LIMIT))
    finally:
        os.close(descriptor)


def damaged_record(state: str, session: str) -> str:
    """Return the path of a record that is there for *session*, which no root was read from; else ""."""
    path = _path(state, session)
    return path if os.path.lexists(path) else ""


def remember_root(state: str, session: str, root: str, note: Callable[[Problem], None]) -> None:
    """Write *root* down for *session* unless one is remembered. Raises StoreError and OSError."""
    if root_of_session(state, session, note) is not None:
        return
    _require_private(state, note)
    path = _path(state, session)
    draft = os.path.join(os.path.dirname(path), f".{os.getpid()}-{os.urandom(8).hex()}")
    try:
        _write(draft, os.fsencode(root) + b"\n")
        try:
            os.link(draft, path)  # unlike rename it fails when another process was faster
        except OSError:  # or there are no links here, or the power failed while a file was written
            if root_of_session(state, session, note) is None:
                os.replace(draft, path)
    finally:
        _remove(draft)
    _sweep(os.path.dirname(path))


def _path(state: str, session: str) -> str:
    return os.path.join(state, FOLDER, file_name(session))


def file_name(session: str) -> str:
    """Return a name that is safe and unique, also where case does not count: mostly the session itself."""
    is_plain = session.isascii() and session.replace("-", "").replace("_", "").isalnum()
    if is_plain and session == session.lower() and len(session) <= 64:
        return session
    from hashlib import sha256  # costs 4 ms, so the plain ids of agents go without

    return "=" + sha256(session.encode("utf-8", "surrogatepass")).hexdigest()


def _require_private(state: str, note: Callable[[Problem], None]) -> None:
    private_folder(state, note)
    private_folder(os.path.join(state, FOLDER), note)


def _root(content: bytes) -> str | None:
    is_whole = content.startswith(b"/") and content.endswith(b"\n")
    return os.fsdecode(content[:-1]) if is_whole else None


def _refresh(descriptor: int, used_at: float) -> None:
    if time.time() - used_at > _DAY:
        try:
            os.utime(descriptor)
        except OSError:
            pass  # a read-only disk must not cost the session its root


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _sweep(folder: str) -> None:
    """Once a day remove the files of sessions that nobody has asked for in 30 days."""
    try:
        if _age(os.path.join(folder, _SWEPT)) < _DAY:
            return
        _touch(os.path.join(folder, _SWEPT))
        stale = [path for path in _files(folder) if _age(path) > _KEPT]
    except OSError:
        return  # tidying must not cost the session its root
    for path in stale:
        _remove(path)


def _files(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in os.listdir(folder)]


def _age(path: str) -> float:
    """Return for how many seconds *path* has not been written; endless when it is missing."""
    try:
        return time.time() - os.lstat(path).st_mtime
    except FileNotFoundError:
        return float("inf")


def _touch(path: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # waits for no FIFO
    os.close(os.open(path, flags, 0o600))
    os.utime(path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
