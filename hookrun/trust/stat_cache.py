"""A look at files and folders that notes the stamps of all it saw, so that it need not be taken again while
they are the same."""

from __future__ import annotations

import os
import stat
import time

from hookrun.model import constants
from hookrun.trust.reading import Stamp, settled_at, stamp_at

_TEXT_LIMIT = constants.MIB
_MODE, _CHANGED = 5, 4


class Look:
    """One look. ``stamps`` has the stamp of every path that counted for it, None for what was not there."""

    def __init__(self) -> None:
        self.stamps: dict[str, Stamp | None] = {}
        self._names: dict[str, list[str]] = {}
        self._real: dict[str, str] = {}
        self._began = time.time_ns()

    def note(self, path: str) -> Stamp | None:
        """Return the stamp of *path* as it was when it was seen first."""
        if path not in self.stamps:
            self.stamps[path] = stamp_at(path)
        return self.stamps[path]

    def is_file(self, path: str) -> bool:
        """Say whether *path* is, or leads to, a regular file."""
        stamp = self.note(path)
        return stamp is not None and stat.S_ISREG(stamp[_MODE])

    def is_folder(self, path: str) -> bool:
        """Say whether *path* is, or leads to, a folder."""
        stamp = self.note(path)
        return stamp is not None and stat.S_ISDIR(stamp[_MODE])

    def is_there(self, path: str) -> bool:
        """Say whether there is anything at *path*."""
        return self.note(path) is not None

    def names_in(self, folder: str) -> list[str]:
        """Return the sorted names in *folder*, none when it cannot be listed."""
        known = self._names.get(folder)
        if known is None:
            self.note(folder)
            try:
                known = sorted(os.listdir(folder))
            except (OSError, ValueError):
                known = []
            self._names[folder] = known
        return known

    def real(self, path: str) -> str:
        """Return *path* without links."""
        known = self._real.get(path)
        if known is None:
            self.note(path)
            known = self._real[path] = os.path.realpath(path)
        return known

    def text(self, path: str) -> str:
        """Return the text of *path*, "" for what is large, or no text, or no file."""
        if not self.is_file(path):
            return ""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError:
            return ""
        try:
            with open(descriptor, "rb") as opened:
                data = opened.read(_TEXT_LIMIT + 1)
        except OSError:
            return ""
        return "" if len(data) > _TEXT_LIMIT or b"\0" in data[:1024] else data.decode("utf-8", "replace")

    def holds(self) -> bool:
        """Say whether another look would see the same."""
        return all(stamp_at(path) == stamp for path, stamp in self.stamps.items())

    @property
    def can_be_kept(self) -> bool:
        """Whether nothing of it was changed so recently that a further change may leave no trace."""
        changed = [stamp[_CHANGED] for stamp in self.stamps.values() if stamp]
        return all(settled_at(nanoseconds) < self._began for nanoseconds in changed)
