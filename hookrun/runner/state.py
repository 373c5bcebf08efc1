"""What a runner remembers between events: hints, texts of widgets, and how often an agent was sent back."""

from __future__ import annotations

import time

from hookrun.model.values import Decision, Event, Hint, Hook
from hookrun.store import NO_HINTS, CachedWidget, PendingHint, Store

FEEDBACK = "feedback"  # takes a hook's place where feedback waits as a hint
_AFTER_ALL = 1_000_000  # a hint's priority
_STOPS = ("AgentStop", "SubAgentStop")


class RunnerState:
    """The state of one runner, in *store*; where an event names no session, the project's *root* is its session."""

    def __init__(self, store: Store, root: str) -> None:
        self.store = store
        self._root = root

    def session_of(self, session_id: str = "") -> str:
        """Return the session that hints belong to: the one named, else the project's root."""
        return session_id or self._root

    def keep_hints(self, decision: Decision) -> None:
        """Leave the hints of *decision* waiting for the reader of its call."""
        event = decision.event
        self.store.keep_hints(event, decision.hints, session=self.session_of(event.session_id))

    def keep_feedback(self, decision: Decision) -> None:
        """Leave the feedback of a tool event waiting as one more hint of its call, after the others."""
        if decision.feedback:
            hint = Hint(hook=FEEDBACK, text="\n".join(decision.feedback), priority=_AFTER_ALL)
            event = decision.event
            self.store.keep_hints(event, [hint], session=self.session_of(event.session_id))

    def take_hints(self, *, session_id: str = "", call_id: str | None = None, peek: bool = False) -> list[PendingHint]:
        """Return the hints that wait for this session (or one call of it) and, unless *peek*, forget them."""
        return self.store.take_hints(session=self.session_of(session_id), call_id=call_id, peek=peek)

    def take_hints_of(self, decision: Decision) -> list[Hint]:
        """Return the hints that wait for the call of *decision* and forget them. Those of the decision that the
        store failed to keep or to return come from the decision itself."""
        event = decision.event
        pending = self.take_hints(session_id=event.session_id, call_id=event.tool_call_id or None)
        hints = [each.hint for each in pending]
        return hints if self.has_kept_hints(decision) else [*hints, *decision.hints]

    def has_kept_hints(self, decision: Decision) -> bool:
        """Say whether the store has kept the hints of *decision*: they wait, or were taken."""
        problems = (*decision.problems, *self.store.problems)
        return not any(problem.message.startswith(NO_HINTS) for problem in problems)

    def hint_content(self, hook: Hook | str, *, session_id: str = "", call_id: str | None = None) -> str | None:
        """Return the text that waits from *hook* (or the hook of this id), the latest of several; None without one."""
        wanted = hook if isinstance(hook, str) else hook.id
        pending = [
            each
            for each in self.take_hints(session_id=session_id, call_id=call_id, peek=True)
            if each.hint.hook == wanted
        ]
        return max(pending, key=lambda each: each.at).hint.text if pending else None

    def keep_widget(self, folder: str, hook: Hook, stdout: str) -> CachedWidget:
        """Remember what a widget that printed *stdout* shows in *folder*, and return it."""
        from hookrun.answers.hint_text import read_hint

        shown = read_hint(hook, stdout)
        text, form, style = (shown.text, shown.format, shown.style) if shown else ("", "text", "")
        cached = CachedWidget(text=text, format=form, style=style, at=time.time())
        self.store.keep_widget(folder, hook.shows or hook.id, cached)
        return cached

    def count_stop(self, event: Event) -> int | None:
        """Count that the agent whose end *event* announces is sent back. Return how many times in a row it was,
        None when the store fails."""
        return self.store.count_stop(self.session_of(event.session_id), _agent_of(event))

    def forget_stops(self, event: Event) -> None:
        """Restart the count: of the agent that may end, or of all agents of the session after a prompt."""
        agent = _agent_of(event) if event.event in _STOPS else ""
        self.store.forget_stops(self.session_of(event.session_id), agent)

    def is_first_time(self, event: Event, what: str) -> bool:
        """Say whether *what* happens for the first time in the event's session, and remember that it did. It is
        always the first time where there is no session, or the store fails."""
        return not event.session_id or self.store.is_first(event.session_id, what) is not False


def _agent_of(event: Event) -> str:
    """Return a name for the agent whose end *event* announces: sub-agents of a session run side by side."""
    agent = event.fields.get("agent_id")
    return f"{event.event.lower()}-{agent}" if isinstance(agent, str) and agent else event.event.lower()
