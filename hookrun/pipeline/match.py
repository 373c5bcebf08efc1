"""Registry and event -> the hooks that fire, and for each of the others why it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hookrun.agents import dialect_named, tool_names
from hookrun.events.touched import is_of_unknown_kind
from hookrun.matching.matchers import explain_mismatch, is_open
from hookrun.model import constants
from hookrun.model.events import EVENTS
from hookrun.model.frozen import Frozen
from hookrun.model.values import Event, Hook, Trigger
from hookrun.sources.registry import Registry

ANY_EVENT = "*"


class Match(Frozen):
    """Whether a hook fires for an event, and the reason in constants."""

    hook: Hook
    fires: bool
    reason: str


def find_matches(registry: Registry, event: Event) -> list[Hook]:
    """Return the hooks in force that fire for *event*, each once, in registry order."""
    matched = _by_name(registry, event)
    if not is_of_unknown_kind(event):
        return matched
    by_shape = {hook.id for part in _shaped(event) for hook in _by_name(registry, part) if _judges_shapes(hook)}
    known = {hook.id for hook in matched}
    return [hook for hook in registry.asked if hook.id in known or hook.id in by_shape]


def shapes_for(hook: Hook, event: Event) -> tuple[Event, ...]:
    """Return what *hook* is asked instead of *event*, whose tool it does not name; () for the event itself."""
    if not is_of_unknown_kind(event) or not _judges_shapes(hook) or _fires(hook, event, _names(event, hook.dialect)):
        return ()
    return tuple(part for part in _shaped(event) if _fires(hook, part, _names(part, hook.dialect)))


def explain_matches(hooks: Iterable[Hook], event: Event) -> list[Match]:
    """Return for every hook whether it fires for *event* and why."""
    found = [(hook, *_explanation(hook, event, _names(event, hook.dialect))) for hook in hooks]
    return [Match(hook=hook, fires=fires, reason=reason) for hook, fires, reason in found]


def has_tool(event: Event) -> bool:
    """Say whether *event* is about a tool; an event that only one agent has is when it names one."""
    known = EVENTS.get(event.event)
    return bool(event.tool_name) if known is None or known.one_agent else known.has_tool


def _judges_shapes(hook: Hook) -> bool:
    """Say whether *hook* is asked about unknown tools by the shape of their input: guards are, but not an agent's
    own entries, which its contract matches by name."""
    return hook.role == constants.GUARD and hook.kind != constants.SETTINGS


def _shaped(event: Event) -> tuple[Event, ...]:
    from hookrun.events.call_shapes import shaped_calls

    return shaped_calls(event)


def _by_name(registry: Registry, event: Event) -> list[Hook]:
    names_by_dialect = {dialect: _names(event, dialect) for dialect in registry.dialects}
    can_be_looked_up = has_tool(event) and not any(
        is_open(name) for offered in names_by_dialect.values() for name in offered
    )
    candidates = registry.hooks_of(event.event, names_by_dialect if can_be_looked_up else None)
    return [hook for hook in candidates if _fires(hook, event, names_by_dialect[hook.dialect])]


def _names(event: Event, dialect: str) -> tuple[str, ...]:
    known = dialect_named(dialect)
    return tool_names(event, known) if known and event.tool_name else (event.tool_name,)


def _fires(hook: Hook, event: Event, names: tuple[str, ...]) -> bool:
    # An agent compares a matcher with what its event has instead of a tool, such as the source of a session.
    matchers_count = hook.kind == constants.SETTINGS or has_tool(event)
    return any(not matchers_count or trigger.accepts(event, names) for trigger in _triggers(hook, event))


def _triggers(hook: Hook, event: Event) -> list[Trigger]:
    return [trigger for trigger in hook.triggers if trigger.event in (event.event, ANY_EVENT)]


def _explanation(hook: Hook, event: Event, names: tuple[str, ...]) -> tuple[bool, str]:
    """Return whether *hook* fires for *event*, whose tool has these *names*, and why."""
    triggers = _triggers(hook, event)
    if not hook.triggers:
        return False, "it answers no event"
    if not triggers:
        return False, f"it answers {', '.join(dict.fromkeys(trigger.event for trigger in hook.triggers))}"
    is_agents = hook.kind == constants.SETTINGS
    if not is_agents and not has_tool(event):
        return True, f"it answers {event.event}, which has no tool to match"
    accepting = next((trigger for trigger in triggers if trigger.accepts(event, names)), None)
    if is_agents:
        return accepting is not None, _agents_reason(accepting or triggers[0], event, names)
    if accepting is not None and not accepting.matcher:
        return True, "it answers every tool"
    if accepting is not None:
        return True, f"{accepting.matcher!r} matches {' or '.join(names)}"
    shapes = shapes_for(hook, event)
    if shapes:
        return True, f"by the shape of its input {event.tool_name} is a tool of the kind {shapes[0].tool}"
    return False, "; ".join(explain_mismatch(trigger.matcher, names) for trigger in triggers)


def _agents_reason(trigger: Trigger, event: Event, names: tuple[str, ...]) -> str:
    """Return why an entry of an agent's settings fires or not, as its agent sees it."""
    why: Callable[[Event, tuple[str, ...]], str] | None = getattr(trigger.accepts, "why", None)
    return why(event, names) if why else f"its matcher is {trigger.matcher!r}"
