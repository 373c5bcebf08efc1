"""Files that live as long as one run: in a folder of the user alone, removed at its end, and by the
next run when this one was killed."""

from __future__ import annotations

import fcntl
import os
import stat

from hookrun.config.files import make_private
from hookrun.model.errors import StoreError


class PrivateFiles:
    """A folder of its own below *runtime_folder*, made when the first file is kept.

    A lock on the folder says that its run is alive; the kernel lets go of it however the run ends.
    """

    def __init__(self, runtime_folder: str) -> None:
        self._runtime_folder = runtime_folder
        self._folder = ""
        self._lock = -1

    def keep(self, name: str, data: bytes) -> str:
        """Write *data* to a new file (0600) and return its path. Raises StoreError."""
        try:
            if not self._folder:
                self._open_folder()
            path = os.path.join(self._folder, f"{name}-{len(os.listdir(self._folder))}")
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
        except OSError as error:
            raise StoreError(
                f"a value too large for the environment cannot be written to a file: {error.strerror}",
                where=self._runtime_folder,
                hint="make room there, or set TMPDIR to a folder of yours",
            ) from error
        return path

    def close(self) -> None:
        """Remove every file; safe to call twice. What a hook did in the folder is no reason to fail."""
        if self._folder:
            _remove(self._folder)
            self._folder = ""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _open_folder(self) -> None:
        make_private(self._runtime_folder)
        while not self._folder:
            folder = os.path.join(self._runtime_folder, f"run-{os.urandom(8).hex()}")
            os.mkdir(folder, 0o700)
            self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.stat(folder)
            except OSError:  # a sweeping run was faster than our lock
                os.close(self._lock)
                self._lock = -1
            else:
                self._folder = folder


def sweep(runtime_folder: str) -> int:
    """Remove what killed runs left in *runtime_folder*; return how many folders went. Never raises.

    A folder that others own or can write to, or a link to one, is left alone: what is removed there would
    be up to them.
    """
    try:
        entry = os.lstat(runtime_folder)
        if not stat.S_ISDIR(entry.st_mode) or entry.st_uid != os.geteuid() or entry.st_mode & 0o022:
            return 0
        found = os.listdir(runtime_folder)
    except OSError:
        return 0
    return sum(_sweep_one(os.path.join(runtime_folder, name)) for name in found if name.startswith("run-"))


def _sweep_one(folder: str) -> int:
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return 0
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(folder)
    except OSError:
        return 0
    finally:
        os.close(lock)
    return 1


def _remove(folder: str) -> None:
    try:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
    except OSError:  # somebody put a folder in it, or took something away
        from shutil import rmtree

        rmtree(folder, ignore_errors=True)
