"""The state folder: made for its user alone, and refused when it is somebody else's."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from hookrun.model.errors import StoreError
from hookrun.model.values import Problem

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def private_folder(folder: str, note: Callable[[Problem], None]) -> None:
    """See that *folder* is there, ours, and closed to others (0700); the last is mended.

    Others who could write may have left things there, so that is noted as a Problem. Raises StoreError
    for a folder, or a link to one, that belongs to another user, and OSError.
    """
    try:
        entry = os.lstat(folder)
    except FileNotFoundError:
        os.makedirs(folder, 0o700, exist_ok=True)
        entry = os.lstat(folder)
    require_ours(entry, folder)
    if stat.S_ISLNK(entry.st_mode):
        entry = os.stat(folder)
        require_ours(entry, folder)
    if not stat.S_ISDIR(entry.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "Not a directory", folder)
    if entry.st_mode & _OTHERS:
        os.chmod(folder, 0o700)
    if entry.st_mode & _OTHERS_WRITE:
        note(
            Problem(
                message="the state folder was writable for other users; it is closed to them now",
                source=folder,
                hint="find out what opened it; remove the folder if others may have put files there",
            )
        )


def private_file(path: str) -> tuple[int, int] | None:
    """Return what identifies the regular file at *path*, closed to others (0600), or None when it is missing.

    The file is never opened: closing a second descriptor of a database drops SQLite's locks on it
    (sqlite.org/howtocorrupt.html). Raises StoreError for a link, a folder or somebody else's file.
    """
    try:
        entry = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(entry.st_mode):
        raise StoreError("it is not a regular file", where=path, hint="move it away")
    require_ours(entry, path)
    if entry.st_mode & _OTHERS:
        os.chmod(path, 0o600)
    return entry.st_dev, entry.st_ino


def require_ours(entry: os.stat_result, path: str) -> None:
    """Raise StoreError when *entry*, the status of *path*, is of another user's file or folder."""
    if entry.st_uid != os.geteuid():
        hint = "move the state folder with XDG_STATE_HOME, or give it back to yourself with chown"
        raise StoreError("it belongs to another user", where=path, hint=hint)
