"""What a stdio plugin declares when it is activated -> the events about which it is to be asked. Pure."""

from __future__ import annotations

from hookrun.agents import XBOT, event_named_anywhere, tool_names
from hookrun.matching.matchers import compile_glob, matcher_flaw
from hookrun.model.events import EVENTS
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from hookrun.model.values import Event

_MOST_KEYS = 1000  # remembered; the names of tools are other people's


class Subscription(Frozen):
    """One event, by its canonical name, and the tools for which it is subscribed to."""

    event: str
    matcher: str
    accepts: Callable[[Event, tuple[str, ...]], bool]


class Subscriptions:
    """All that one plugin has subscribed to."""

    def __init__(self, subscriptions: Sequence[Subscription]) -> None:
        self.all = tuple(subscriptions)
        self._is_included_by_key: dict[tuple[object, ...], bool] = {}  # asked before every call

    def include(self, event: Event) -> bool:
        """Whether one of them is to *event*; for an event without a tool no matcher is looked at."""
        key = (event.event, event.tool_name, event.dialect, event.kinds)
        is_included = self._is_included_by_key.get(key)
        if is_included is None:
            if len(self._is_included_by_key) == _MOST_KEYS:
                self._is_included_by_key.clear()
            is_included = self._is_included_by_key[key] = self._look_for(event)
        return is_included

    def _look_for(self, event: Event) -> bool:
        kind = EVENTS.get(event.event)
        has_tool = bool(event.tool_name) and (kind is None or kind.has_tool or kind.one_agent)
        names = tool_names(event, XBOT) if has_tool else ()
        return any(
            subscription.event == event.event and (not has_tool or subscription.accepts(event, names))
            for subscription in self.all
        )


def read_declarations(declared: Sequence[Any], plugin_id: str) -> tuple[Subscriptions, tuple[Problem, ...]]:
    """Return what *declared* subscribes to, and a Problem for each entry of it that cannot be read."""
    subscriptions: list[Subscription] = []
    problems: list[Problem] = []
    for index, entry in enumerate(declared):
        found = _subscription(entry)
        if isinstance(found, Subscription):
            subscriptions.append(found)
        else:
            message = f"what it declares to subscribe to cannot be read: {found}"
            hint = 'answer activate with {"hooks": [{"event": "PreToolUse", "matcher": "Shell*"}]}'
            problems.append(
                Problem(message=message, level="error", source=plugin_id, where=f"hooks[{index}]", hint=hint)
            )
    return Subscriptions(subscriptions), tuple(problems)


def disagreements(subscriptions: Subscriptions, started_for: Collection[str], plugin_id: str) -> tuple[Problem, ...]:
    """Return a Problem for each event that only one of activate and the manifest (*started_for*) names: what
    it would guard there is not guarded. A manifest that leaves it to activate agrees with everything."""
    if not started_for or "*" in started_for:
        return ()
    wanted = {subscription.event for subscription in subscriptions.all}
    never_started = [
        Problem(
            message=f"activate subscribes to {event}, which its manifest does not declare: it is never asked",
            source=plugin_id,
            where="contributes.hooks",
            hint=f'add {{"event": "{event}"}} to contributes.hooks',
        )
        for event in sorted(wanted.difference(started_for))
    ]
    never_asked = [
        Problem(
            message=f"its manifest declares {event}, which activate does not subscribe to: it is never asked",
            source=plugin_id,
            where="contributes.hooks",
            hint=f'add {{"event": "{event}"}} to the answer to activate, or take it out of the manifest',
        )
        for event in sorted(set(started_for) - wanted)
    ]
    return (*never_started, *never_asked)


def _subscription(entry: Any) -> Subscription | str:
    """Return the subscription, or what is wrong with it."""
    if not isinstance(entry, dict):
        return "it is not an object"
    spelling, matcher = entry.get("event"), entry.get("matcher")
    event = event_named_anywhere(spelling) if isinstance(spelling, str) else None
    if event is None:
        return f"unknown event {spelling!r}"
    matcher = "" if matcher is None else matcher
    flaw = matcher_flaw(matcher)
    return flaw or Subscription(event=event.name, matcher=matcher, accepts=compile_glob(matcher))
