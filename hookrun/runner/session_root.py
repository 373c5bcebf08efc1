"""The root that a session began with, remembered in one store. Where that fails, guards may be missing."""

from __future__ import annotations

import os

from hookrun.config.paths import brings_hooks
from hookrun.model import constants
from hookrun.model.events import is_guarded
from hookrun.model.values import Decision, Problem, Verdict
from hookrun.store import Store
from hookrun.store.store import NO_ROOTS


class SessionRoot:
    """The root of one session ("" for no session)."""

    def __init__(self, session_id: str, folder: str = "") -> None:
        self.flaw = ""  # why the root cannot be known, "" while it can
        self.is_on_record = False  # the session has begun before, and its root cannot be read
        self.problems: list[Problem] = []
        self._session_id = session_id
        self._folder = folder  # in place of the folder of state that the configuration names
        self._found: str | None = None

    def find(self, state_folder: str) -> str:
        """Return the root that is remembered in *state_folder*, "" without one that is still a directory. Reads the
        store once."""
        if self._found is None:
            self._found = self._read(self._folder or state_folder) if self._session_id else ""
        return self._found if os.path.isdir(self._found) else ""

    def remember(self, store: Store, root: str) -> None:
        """Remember *root* in *store* unless a root is remembered, or may be."""
        if self._session_id and not self._found and not self.flaw:
            store.remember_root(self._session_id, root)
            self._note_failure(store)
        store.problems += [problem for problem in self.problems if problem not in store.problems]

    def flaw_for(self, root: str, *, is_named: bool, is_agents: bool) -> str:
        """Return why guards may be missing where *root* was taken for the session's, "" for no reason: a root that
        *is_named* needs no memory, and the project around the working directory is most likely the session's,
        unless an agent asks, which goes from one project to another."""
        may_be_elsewhere = is_agents or self.is_on_record or not brings_hooks(root)
        return self.flaw if may_be_elsewhere and not is_named else ""

    def _read(self, folder: str) -> str:
        store = Store(folder or None)
        root = store.root_of_session(self._session_id)
        self.problems += store.problems
        self._note_failure(store)
        if root is None:
            self._note_damage(store)
        return root or ""

    def _note_damage(self, store: Store) -> None:
        path = store.damaged_root(self._session_id)
        self.is_on_record = bool(path)
        if path and not self.flaw:
            self.flaw = f"{NO_ROOTS}: its record is damaged"
            hint = "remove it: the session then has the root where it is"
            self.problems.append(Problem(message=self.flaw, source=path, hint=hint))

    def _note_failure(self, store: Store) -> None:
        failed = (problem.message for problem in store.problems if problem.message.startswith(NO_ROOTS))
        self.flaw = next(failed, self.flaw)


def with_root_asked(decision: Decision, flaw: str) -> Decision:
    """Return *decision*, at least an ask when the event is guarded and *flaw* says why guards of the project where
    the session began may be missing."""
    if not flaw or decision.verdict >= Verdict.ASK or not is_guarded(decision.event.event):
        return decision
    message = f"guards of the project where the session began may be missing: {flaw}"
    return decision.replace(verdict=Verdict.ASK, decided_by=constants.BY_FAILURE, message=message)
