"""What the user of a session has heard: an empty file for each, which one of those who would tell makes."""

from __future__ import annotations

import os
from collections.abc import Callable

from hookrun.model.values import Problem
from hookrun.store.folder import private_folder
from hookrun.store.sessions import file_name
from hookrun.store.stops import sweep

FOLDER = "told"


def is_first(state: str, session: str, what: str, note: Callable[[Problem], None]) -> bool:
    """Say whether *what* has not been told in *session*; it counts as told from now on, and of several
    processes at the same time one is the first. Raises StoreError for a folder of somebody else's, and
    OSError."""
    folder = os.path.join(state, FOLDER, file_name(session))
    is_new = not os.path.lexists(folder)
    for place in (state, os.path.dirname(folder), folder):
        private_folder(place, note)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        os.close(os.open(os.path.join(folder, file_name(what)), flags, 0o600))
    except FileExistsError:
        return False
    if is_new:
        sweep(os.path.dirname(folder))
    return True
