"""How often in a row an agent was sent back at its end: a byte for each time, in a small file of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from hookrun.model.values import Problem
from hookrun.store.folder import private_folder
from hookrun.store.sessions import file_name

FOLDER = "stops"
_KEPT = 30 * 86_400.0  # seconds since something was kept of a session


def count_stop(state: str, session: str, whose: str, note: Callable[[Problem], None]) -> int:
    """Add one for the agent *whose* in *session* and return the sum, also with others doing so at the same
    time. Raises StoreError for a folder of somebody else's, and OSError."""
    folder = os.path.join(state, FOLDER, file_name(session))
    is_new = not os.path.lexists(folder)
    for place in (state, os.path.dirname(folder), folder):
        private_folder(place, note)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(os.path.join(folder, file_name(whose)), flags, 0o600)
    try:
        os.write(descriptor, b".")
        count = os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)
    if is_new:
        sweep(os.path.dirname(folder))
    return count


def forget_stops(state: str, session: str, whose: str = "") -> None:
    """Begin anew for the agent *whose*, or for all of *session*. Raises OSError."""
    folder = os.path.join(state, FOLDER, file_name(session))
    try:
        _empty(folder, [file_name(whose)] if whose else os.listdir(folder))
    except FileNotFoundError:
        pass  # nobody was sent back


def _empty(folder: str, files: list[str]) -> None:
    for file in files:
        os.unlink(os.path.join(folder, file))
    try:
        os.rmdir(folder)
    except OSError:
        pass  # others are counted in it


def sweep(folder: str) -> None:
    """Forget the sessions in *folder* of which nothing was kept for 30 days; tidying never fails a count."""
    for session in os.listdir(folder):
        path = os.path.join(folder, session)
        try:
            if time.time() - os.lstat(path).st_mtime > _KEPT:
                _empty(path, os.listdir(path))
        except OSError:
            continue
