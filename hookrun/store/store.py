"""The store behind one small interface. What it cannot keep or give becomes a Problem, never an exception."""

from __future__ import annotations

import os
import time

from hookrun.model.errors import StoreError
from hookrun.store.values import PENDING_MARKER

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from hookrun.model.values import Event, Hint, Problem
    from hookrun.store.database import Database
    from hookrun.store.values import CachedWidget, PendingHint

    T = TypeVar("T")

DATABASE = "state.sqlite3"
EXPIRE_AFTER = 600.0
PATIENCE = 5.0

NO_HINTS = "hints cannot be stored"
_NO_WIDGETS = "texts of widgets cannot be stored"
_NOT_KEPT = "data of modules cannot be stored"
NO_ROOTS = "the root of the session cannot be remembered"
_NO_STOPS = "how often an agent was sent back cannot be counted"
_NOT_TOLD = "what was already said in this session is unknown"


class Store:
    """The state in *folder*, an absolute path of the user's own; None is nowhere.

    Nothing is opened or made before it is needed, and sqlite3 is imported no sooner. One store may be
    shared by threads and lives on in a forked child. Hints expire after *expire_after* seconds; a
    database that others hold is waited for *patience* seconds. ``problems`` grows until somebody takes
    them; one that is there already is not added again.
    """

    def __init__(self, folder: str | None, *, expire_after: float = EXPIRE_AFTER, patience: float = PATIENCE) -> None:
        self.folder = folder
        self.problems: list[Problem] = []
        self._marker = os.path.join(folder or os.devnull, PENDING_MARKER)  # nothing is below /dev/null
        self._expire_after = expire_after
        self._patience = patience
        self._databases: list[Database] = []

    def keep_hints(self, event: Event, hints: Sequence[Hint], *, session: str, taken: bool = False) -> None:
        """Leave *hints*, in registry order, pending for the event's call, in place of what is stale now.

        To be called for every tool event, also without hints: an event clears what an earlier one left.
        ``taken`` hints have reached their reader already and are not left pending.
        """
        left = () if taken else tuple(hints)
        if left or self.hints_may_be_pending():

            def keep() -> None:
                from hookrun.store.hints import keep_hints

                keep_hints(self._database(), event, left, session, self._expire_after)

            self._tried(NO_HINTS, keep)

    def hints_may_be_pending(self) -> bool:
        """Whether any session may have a hint, at the price of one stat. Only False is certain."""
        try:
            marked_at = os.stat(self._marker).st_mtime
        except OSError:
            return False
        return abs(time.time() - marked_at) <= self._expire_after

    def take_hints(self, *, session: str | None, call_id: str | None = None, peek: bool = False) -> list[PendingHint]:
        """Return what is pending for *session* and *call_id* (None stands for all of them), and forget it.

        Lower priorities come first, then earlier events, then registry order. Exactly one of many
        readers gets a hint; a hint that cannot be forgotten is not handed out. *peek* forgets nothing.
        """
        if not self._has_database():
            return []

        def read() -> list[PendingHint]:
            from hookrun.store.hints import peek_hints, take_hints

            action = peek_hints if peek else take_hints
            return action(self._database(), session, call_id, self._expire_after)

        return self._tried(NO_HINTS, read) or []

    def cached_widget(self, folder: str, widget: str) -> CachedWidget | None:
        """Return the text that *widget* last had in the directory *folder*, or None."""
        if not self._has_database():
            return None

        def read() -> CachedWidget | None:
            from hookrun.store.widgets import cached_widget

            return cached_widget(self._database(), folder, widget)

        return self._tried(_NO_WIDGETS, read)

    def keep_widget(self, folder: str, widget: str, cached: CachedWidget) -> None:
        """Keep the text of *widget* in the directory *folder*; texts of deleted directories go."""

        def keep() -> None:
            from hookrun.store.widgets import keep_widget

            keep_widget(self._database(), folder, widget, cached)

        self._tried(_NO_WIDGETS, keep)

    def keep_entry(self, session: str, kind: str, document: Mapping[str, Any]) -> None:
        """Keep what a module said in *session*: a JSON-ready document of the kind "message" or "entry"."""

        def keep() -> None:
            from hookrun.store.session_entries import keep_entry

            keep_entry(self._database(), session, kind, document)

        self._tried(_NOT_KEPT, keep)

    def entries(self, session: str, kind: str = "entry") -> tuple[dict[str, Any], ...]:
        """Return the documents of one kind that are kept for *session*, oldest first."""
        if not self._has_database():
            return ()

        def read() -> tuple[dict[str, Any], ...]:
            from hookrun.store.session_entries import entries

            return entries(self._database(), session, kind)

        return self._tried(_NOT_KEPT, read) or ()

    def root_of_session(self, session: str) -> str | None:
        """Return the root that is remembered for *session*, which may be gone by now, or None."""
        if self.folder is None or not session:
            return None
        from hookrun.store.sessions import root_of_session

        return self._tried(NO_ROOTS, lambda: root_of_session(self._place(), session, self._note))

    def damaged_root(self, session: str) -> str:
        """Return the path of a record that is there for *session* and names no root, else ""."""
        if self.folder is None or not session:
            return ""
        from hookrun.store.sessions import damaged_record

        return damaged_record(self.folder, session)

    def remember_root(self, session: str, root: str) -> None:
        """Remember the absolute *root* for *session*, unless one is remembered: the first writer wins."""
        if session:
            from hookrun.store.sessions import remember_root

            self._tried(NO_ROOTS, lambda: remember_root(self._place(), session, root, self._note))

    def count_stop(self, session: str, whose: str) -> int | None:
        """Count that the agent *whose* in *session* is sent back at its end, and return how often in a row it
        was; None when that cannot be kept."""
        from hookrun.store.stops import count_stop

        return self._tried(_NO_STOPS, lambda: count_stop(self._place(), session, whose, self._note))

    def forget_stops(self, session: str, whose: str = "") -> None:
        """Forget the count of the agent *whose*, or of all of *session*."""
        if self.folder is not None:
            from hookrun.store.stops import forget_stops

            self._tried(_NO_STOPS, lambda: forget_stops(self._place(), session, whose))

    def is_first(self, session: str, what: str) -> bool | None:
        """Say whether *what* is told in *session* for the first time, which it is once; None when that cannot
        be kept."""
        from hookrun.store.notices import is_first

        return self._tried(_NOT_TOLD, lambda: is_first(self._place(), session, what, self._note))

    def take_problems(self) -> tuple[Problem, ...]:
        """Return the problems so far and forget them."""
        problems, self.problems = self.problems, []
        return tuple(problems)

    def close(self) -> None:
        """Close what is open. The store can be used again, and opens it anew."""
        for database in self._databases:
            self._tried(NO_HINTS, database.close)

    def _tried(self, what_fails: str, action: Callable[[], T]) -> T | None:
        try:
            return action()
        except (StoreError, OSError, ImportError) as error:  # Python can be built without sqlite3
            from hookrun.store.errors import problem_of

            self._note(problem_of(error, what_fails, self.folder or ""))
            return None

    def _note(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def _place(self) -> str:
        if self.folder is None:
            hint = "set HOME, or XDG_STATE_HOME, to a folder of your own"
            raise StoreError("no state folder", hint=hint)
        return self.folder

    def _has_database(self) -> bool:
        return self.folder is not None and os.path.lexists(os.path.join(self.folder, DATABASE))

    def _database(self) -> Database:
        if not self._databases:
            from hookrun.store.database import Database

            path = os.path.join(self._place(), DATABASE)
            self._databases.append(Database(path, self._patience, self._note))
        return self._databases[0]  # the first, should two threads have added one each
