"""The part of a HookRunner that is about what is kept between events: hints, widgets, counted stops."""

from __future__ import annotations

import time

from hookrun.config.config import Config
from hookrun.model.values import Decision, Event, Hint, Hook
from hookrun.store import NO_HINTS, CachedWidget, PendingHint, Store

FEEDBACK = "feedback"  # stands for a hook where feedback waits as a hint
_AFTER_ALL = 1_000_000  # a hint's priority
_STOPS = ("AgentStop", "SubAgentStop")


class WithStore:
    """What a runner keeps, and hands out again."""

    config: Config
    _store: Store

    def keep_widget(self, folder: str, hook: Hook, stdout: str) -> CachedWidget:
        """Remember what a widget that printed *stdout* shows in *folder*, and return it."""
        from hookrun.answers.hint_text import read_hint

        shown = read_hint(hook, stdout)
        text, form, style = (shown.text, shown.format, shown.style) if shown else ("", "text", "")
        cached = CachedWidget(text=text, format=form, style=style, at=time.time())
        self._store.keep_widget(folder, hook.shows or hook.id, cached)
        return cached

    @property
    def store(self) -> Store:
        """The hints and widgets that are kept between runs."""
        return self._store

    def hints_of(self, session_id: str = "") -> str:
        """Return the session that hints belong to: the one given, else the project's root."""
        return session_id or self.config.root

    def get_tool_hints(
        self, *, session_id: str = "", call_id: str | None = None, peek: bool = False
    ) -> list[PendingHint]:
        """Return the hints that wait for this session (or one call of it) and forget them."""
        return self._store.take_hints(session=self.hints_of(session_id), call_id=call_id, peek=peek)

    def hints_may_be_pending(self) -> bool:
        """Whether any session may have a hint, at the price of one stat. Only False is certain."""
        return self._store.hints_may_be_pending()

    def count_stop(self, event: Event) -> int | None:
        """Count that the agent whose end *event* announces is sent back; return how often in a row it was,
        None when that cannot be kept."""
        return self._store.count_stop(self.hints_of(event.session_id), _stopping(event))

    def forget_stops(self, event: Event) -> None:
        """Begin counting anew: for the agent that may end, or for all of the session after a prompt."""
        whose = _stopping(event) if event.event in _STOPS else ""
        self._store.forget_stops(self.hints_of(event.session_id), whose)

    def is_first_failure(self, event: Event, hook: Hook) -> bool:
        """Say whether the user of the event's session has not heard yet that *hook* fails; then they have."""
        return self.is_first_time(event, f"failed-{hook.id}")

    def is_first_time(self, event: Event, what: str) -> bool:
        """Say whether *what* has not been said in the event's session; then it has. Where nothing tells
        sessions apart, or nothing can be kept, it is always the first time."""
        return not event.session_id or self._store.is_first(event.session_id, what) is not False

    def take_hints_of(self, decision: Decision) -> list[Hint]:
        """Return the hints that wait for the call of *decision* and forget them; what the store could not
        keep or hand out is missing there, and comes from the decision itself."""
        event = decision.event
        call_id = event.tool_call_id or None
        hints = [each.hint for each in self.get_tool_hints(session_id=event.session_id, call_id=call_id)]
        return hints if self.hints_are_kept(decision) else [*hints, *decision.hints]

    def hints_are_kept(self, decision: Decision) -> bool:
        """Say whether the store had no trouble with the hints of *decision*: they wait, or were taken."""
        troubles = (*decision.problems, *self._store.problems)
        return not any(problem.message.startswith(NO_HINTS) for problem in troubles)

    def get_hint_content(self, hook: Hook | str, *, session_id: str = "", call_id: str | None = None) -> str | None:
        """Return the text that waits from *hook* (or the hook of this id), which goes on waiting; None when
        there is none. Of several the latest."""
        wanted = hook if isinstance(hook, str) else hook.id
        waiting = self.get_tool_hints(session_id=session_id, call_id=call_id, peek=True)
        latest = max((each for each in waiting if each.hint.hook == wanted), key=_left_at, default=None)
        return latest.hint.text if latest else None

    def keep_feedback(self, decision: Decision) -> None:
        """Leave the feedback of a tool event waiting as one more hint of its call, after the others."""
        if decision.feedback:
            hint = Hint(hook=FEEDBACK, text="\n".join(decision.feedback), priority=_AFTER_ALL)
            event = decision.event
            self._store.keep_hints(event, [hint], session=self.hints_of(event.session_id))


def _stopping(event: Event) -> str:
    """Return a name for the agent whose end *event* announces: sub-agents of a session run side by side."""
    agent = event.fields.get("agent_id")
    return f"{event.event.lower()}-{agent}" if isinstance(agent, str) and agent else event.event.lower()


def _left_at(pending: PendingHint) -> float:
    return pending.at
