"""Rewrite a file that belongs to another program: one writer at a time, atomically, with a backup."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from hookrun.config.files import lock as wait_for_lock
from hookrun.config.files import read_regular
from hookrun.model import constants
from hookrun.model.errors import HookrunError
from hookrun.model.frozen import Frozen

BACKUP = ".hookrun-backup"
_LIMIT = constants.PAYLOAD_LIMIT
_ATTEMPTS = 10


class FileChange(Frozen):
    """The new content of a file."""

    content: bytes | None  # None removes the file
    from_before: bool = False  # the old content is worth a backup
    restores: bool = False  # a backup with the same content can be removed


class Written(Frozen):
    """What was done, or would be in a dry run."""

    before: bytes | None
    after: bytes | None
    backup: str = ""  # its path, "" where none was made


def rewrite(
    path: str,
    base: str,
    change: Callable[[bytes | None, bool], FileChange],
    *,
    mode: int = 0o666,
    is_dry_run: bool = False,
) -> Written:
    """Make of the file *path* what *change* says, given its content and whether there is a backup.

    Links are followed: their target is written, with the mode and owner that it has; a new file gets
    *mode* less the umask. Folders are made, and taken away empty with the file, below *base*. Raises
    HookrunError when it cannot be done, and whatever *change* raises; then nothing has changed.
    """
    target = os.path.realpath(path)
    try:
        before = _content(target)
        wanted = change(before, bool(_backups(target)))
        if wanted.content != before:
            _require_writable(target)
        if is_dry_run or wanted.content == before:
            return Written(before=before, after=wanted.content)
        for _ in range(_ATTEMPTS):
            written = _rewrite_once(target, os.path.realpath(base), change, mode)
            if written is not None:
                return written
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise HookrunError(f"cannot be written: {reason}", where=path, hint="nothing has been changed") from error
    raise HookrunError("is changed all the time by something else", where=path, hint="close the agent first")


def _rewrite_once(
    target: str, base: str, change: Callable[[bytes | None, bool], FileChange], mode: int
) -> Written | None:
    """Return what was written, or None when the file or its folder changed under our hands."""
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    lock = _locked(folder)
    if lock < 0:
        return None
    try:
        before = _content(target)
        wanted = change(before, bool(_backups(target)))
        if wanted.content == before:
            return Written(before=before, after=before)
        backup = _back_up(target, before) if wanted.from_before and before is not None else ""
        if not _put(target, before, wanted.content, mode, lock):
            return None
        if wanted.restores:
            _drop_backups(target, wanted.content)
        if wanted.content is None:
            _drop_folders(folder, base)
        return Written(before=before, after=wanted.content, backup=backup)
    finally:
        os.close(lock)


def _locked(folder: str) -> int:
    """Return a descriptor of *folder* that locks it until it is closed, -1 when the folder is another now."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        wait_for_lock(lock)
    except TimeoutError:
        os.close(lock)
        raise
    except OSError:
        pass  # some network file systems lock no folders: what changes in between is still noticed
    try:
        if os.path.samestat(os.fstat(lock), os.stat(folder)):
            return lock
    except FileNotFoundError:
        pass
    os.close(lock)
    return -1


def _content(target: str) -> bytes | None:
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if status.st_size > _LIMIT:
        raise OSError(errno.EFBIG, f"it is larger than {_LIMIT:,} bytes")
    with open(target, "rb") as file:
        return file.read()


def _require_writable(target: str) -> None:
    """Raise OSError for a file that is read-only: it could be replaced, but was protected on purpose."""
    status = _status(target)
    if status and not (status.st_mode & 0o222 and os.access(target, os.W_OK)):
        raise OSError(errno.EACCES, "it is read-only")


def _put(target: str, before: bytes | None, content: bytes | None, mode: int, folder: int) -> bool:
    """Put *content* in place of what was there *before*; say False when that is not there any more."""
    name = f"{os.path.dirname(target)}/.{os.path.basename(target)}.hookrun-{os.getpid()}"
    if content is None:
        if _content(target) != before:
            return False
        os.unlink(target)
    else:
        try:
            _create(name, content, _status(target), mode)
            if _content(target) != before:
                return False
            os.replace(name, target)
        finally:
            if os.path.lexists(name):
                os.unlink(name)
    os.fsync(folder)
    return True


def _status(target: str) -> os.stat_result | None:
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


def _create(path: str, content: bytes, like: os.stat_result | None, mode: int = 0o666) -> None:
    """Write a new file with the mode and owner of *like*, or else *mode* less the umask."""
    if like is not None:
        mode = 0o600  # until the owner is right
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with open(descriptor, "wb") as file:
        if like is not None:
            made = os.fstat(descriptor)
            if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
                os.fchown(descriptor, like.st_uid, like.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def _back_up(target: str, content: bytes) -> str:
    """Return the backup that has *content*; an older one is never written over."""
    number = 1
    while True:
        backup = f"{target}{BACKUP}" if number == 1 else f"{target}{BACKUP}.{number}"
        try:
            _create(backup, content, _status(target))
            return backup
        except FileExistsError:
            if _is(backup, content):
                return backup
            number += 1


def _backups(target: str) -> list[str]:
    folder, name = os.path.split(target)
    try:
        found = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, each) for each in found if each.startswith(f"{name}{BACKUP}")]


def _drop_backups(target: str, content: bytes | None) -> None:
    for backup in _backups(target) if content is not None else ():
        if _is(backup, content):
            os.unlink(backup)


def _is(path: str, content: bytes | None) -> bool:
    try:
        return read_regular(path) == content
    except OSError:
        return False


def _drop_folders(folder: str, base: str) -> None:
    """Remove *folder* when it is empty, and a hidden one that held only it: such ones install made."""
    while folder != base and folder.startswith(base.rstrip("/") + "/"):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)
        if not os.path.basename(folder).startswith("."):
            return
