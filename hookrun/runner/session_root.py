"""The root that a session began with: read and kept in one store. Where that fails, guards may be missing."""

from __future__ import annotations

import os

from hookrun.config.paths import brings_hooks
from hookrun.model import constants
from hookrun.model.events import event_named
from hookrun.model.values import Decision, Problem, Verdict
from hookrun.store import Store
from hookrun.store.store import NO_ROOTS


class SessionRoot:
    """The root of one session ("" for none). ``flaw`` says why it cannot be known, "" while it can;
    ``is_on_record`` that the session has begun before, and its root cannot be read."""

    def __init__(self, session_id: str, folder: str = "") -> None:
        self.flaw = ""
        self.is_on_record = False
        self.problems: list[Problem] = []
        self._session_id = session_id
        self._folder = folder  # in place of what the configuration says
        self._found: str | None = None

    def find(self, state_folder: str) -> str:
        """Return the root that is remembered in *state_folder*, "" when none is, or it is no folder any more.
        Looked up once."""
        if self._found is None:
            self._found = self._read(self._folder or state_folder) if self._session_id else ""
        return self._found if os.path.isdir(self._found) else ""

    def keep(self, store: Store, root: str) -> None:
        """Remember *root* in *store* unless a root is remembered, or may be."""
        if self._session_id and not self._found and not self.flaw:
            store.remember_root(self._session_id, root)
            self._note_failure(store)
        store.problems += [problem for problem in self.problems if problem not in store.problems]

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

    def flaw_for(self, root: str, *, is_told: bool, is_agents: bool) -> str:
        """Return why guards may be missing where *root* was taken for the session's, "" for no reason: when
        it *is_told* it need not be remembered, and a project that somebody stands in may well be it, unless
        an agent asks, which goes from one to another."""
        may_be_elsewhere = is_agents or self.is_on_record or not brings_hooks(root)
        return self.flaw if may_be_elsewhere and not is_told else ""

    def _note_failure(self, store: Store) -> None:
        failed = (problem.message for problem in store.problems if problem.message.startswith(NO_ROOTS))
        self.flaw = next(failed, self.flaw)


def with_root_asked(decision: Decision, flaw: str) -> Decision:
    """Return *decision*, which is an ask at least when the event is guarded and *flaw* says why guards of the
    project where the session began may be missing."""
    known = event_named(decision.event.event)
    if not flaw or known is None or not known.guarded or decision.verdict >= Verdict.ASK:
        return decision
    message = f"guards of the project where the session began may be missing: {flaw}"
    return decision.replace(verdict=Verdict.ASK, decided_by=constants.BY_FAILURE, message=message)
