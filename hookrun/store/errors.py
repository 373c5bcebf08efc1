"""Failures of the disk, the database and the state folder, said so that a person can mend them."""

from __future__ import annotations

import errno

from hookrun.model.errors import StoreError
from hookrun.model.values import Problem

_FULL = ("the disk is full", "free some space, or move the state folder with XDG_STATE_HOME")
_FORBIDDEN = ("it cannot be written", "see that the folder and its files are writable for you (chmod u+rwX)")
_IN_THE_WAY = ("a file is where a folder is needed", "remove it, or move the state folder (XDG_STATE_HOME)")
_LOCKED = ("another process has it locked", "end the process that hangs; fuser with the path shows which")

_KNOWN_BY_ERRNO = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _FORBIDDEN,
    errno.ENOTDIR: _IN_THE_WAY,
    errno.EEXIST: _IN_THE_WAY,
}
# By SQLite's primary result code (sqlite.org/rescode.html): PERM, BUSY, LOCKED, READONLY, FULL, CANTOPEN.
_KNOWN_BY_RESULT = {3: _FORBIDDEN, 5: _LOCKED, 6: _LOCKED, 8: _FORBIDDEN, 13: _FULL, 14: _FORBIDDEN}
_UNKNOWN_HINT = "run hookrun doctor; moving the file away starts a new one"


def result_code(error: Exception) -> int:
    """Return SQLite's primary result code of an error of sqlite3, 0 when it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def locked(path: str) -> StoreError:
    """Return the error of a file that others did not let go of in time."""
    message, hint = _LOCKED
    return StoreError(message, where=path, hint=hint)


def database_error(error: Exception, path: str) -> StoreError:
    """Return an error of sqlite3 about the database at *path* as one of ours."""
    message, hint = _KNOWN_BY_RESULT.get(result_code(error), (str(error), _UNKNOWN_HINT))
    return StoreError(message, where=path, hint=hint)


def problem_of(error: StoreError | OSError | ImportError, what_fails: str, folder: str) -> Problem:
    """Return the problem that *what_fails* in the state folder because of *error*."""
    if isinstance(error, ImportError):
        hint = "use a Python that has the module sqlite3"
        error = StoreError(f"this Python cannot use SQLite ({error})", where=folder, hint=hint)
    if isinstance(error, OSError):
        message, hint = _KNOWN_BY_ERRNO.get(error.errno or 0, (error.strerror or str(error), _UNKNOWN_HINT))
        error = StoreError(message, where=str(error.filename or folder), hint=hint)
    return Problem(message=f"{what_fails}: {error.message}", source=error.where, hint=error.hint)
