"""A lock between processes: those who use the database share it, who makes or replaces it is alone."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable

from hookrun.store.errors import locked

_PAUSE = 0.005


class Gate:
    """The lock file at *path*, for one thread at a time. *make_folder* is called before it is opened.

    SQLite's own locks do not cover the replacing of a whole file: who closes a database that was
    renamed meanwhile could unlink the write-ahead log of its successor, which has the same name.
    """

    def __init__(self, path: str, patience: float, make_folder: Callable[[], None]) -> None:
        self._path = path
        self._patience = patience
        self._make_folder = make_folder
        self._descriptor = -1

    def hold(self, *, alone: bool) -> None:
        """Wait for the lock. Raises StoreError when others hold it for *patience* seconds, and OSError."""
        deadline = time.monotonic() + self._patience
        while not self._try_to_hold(alone):
            if time.monotonic() >= deadline:
                raise locked(self._path)
            time.sleep(_PAUSE)

    def leave(self) -> None:
        """Let others in. Does nothing when the lock is not held."""
        if self._descriptor >= 0:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Leave, and let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def _try_to_hold(self, alone: bool) -> bool:
        if self._descriptor < 0:
            self._make_folder()
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._descriptor = os.open(self._path, flags, 0o600)
        try:
            fcntl.flock(self._descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if self._is_current():
            return True
        self.close()
        return False

    def _is_current(self) -> bool:
        """Whether the file that is locked is still the one that others find: it may have been removed."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False
