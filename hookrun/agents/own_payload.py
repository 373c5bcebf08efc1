"""The payload of an event exactly as one agent writes it, for the hooks of its own settings. Pure."""

from __future__ import annotations

from hookrun.agents import dialect_named, kinds_of_tool, protocol_of, tool_names
from hookrun.agents.payload import payload_for
from hookrun.agents.translate import SPELLINGS, translate_input

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event

# What may hold the new text of an edit besides: a whole file or a patch.
_NEW_TEXTS = (*SPELLINGS["content"], "new_source", "patch", "diff", "input", "command")


def own_payload(event: Event, dialect: Dialect, own_event: str) -> dict[str, Any]:
    """Return *event* as the agent of *dialect* would hand it to a hook for *own_event*, its name of it.

    What only the agent could know is as the caller had it, where that is the same agent, or a value that
    says nothing.
    """
    return protocol_of(dialect.name).write_payload(event, own_event)


def joint_payload(event: Event, dialect: Dialect) -> dict[str, Any]:
    """Return *event* for a hook that knows the agent of *dialect*: all that this agent would hand it, and
    what hookrun hands to hooks besides."""
    return payload_for(event, dialect) | own_payload(event, dialect, _fitting_name(event, dialect))


def _fitting_name(event: Event, dialect: Dialect) -> str:
    """Return the agent's own name of the event: one for any tool, else the one for this kind of tool."""
    spellings = dialect.events.get(event.event, (event.event,))
    general = [name for name in spellings if name not in dialect.tool_by_event]
    kinds_by_name = {
        name: ("mcp",) if implied.endswith(":") else kinds_of_tool(implied, dialect)
        for name, implied in dialect.tool_by_event.items()
    }
    fitting = [name for name in spellings if set(event.kinds) & set(kinds_by_name.get(name, ()))]
    return next(iter([*general, *fitting, *spellings]))


def own_tool(event: Event, dialect: Dialect) -> tuple[str, Any]:
    """Return name and input of the event's tool as *dialect* has them."""
    names = tool_names(event, dialect)
    name = names[0] if names else ""
    source = dialect_named(event.dialect)
    if source is None:
        return name, event.tool_input
    if source.name == dialect.name and event.whole_input is not None:
        return name, event.whole_input
    return name, translate_input(event.tool_input, source, dialect, event.kinds)


def edits_of(tool_input: Any) -> list[dict[str, Any]]:
    """Return what a call that writes puts in the place of what; a file's content is in the place of nothing,
    and so is a patch, as it is."""
    table = tool_input if isinstance(tool_input, dict) else {"content": tool_input}
    given = table.get("edits")
    edits = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    if edits and all("old_string" in each and "new_string" in each for each in edits):
        return edits  # as they are, with what else an agent says there
    return [_edit(each) for each in edits or [table]]


def _edit(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "old_string": _first_text(table, SPELLINGS["old"]),
        "new_string": _first_text(table, (*SPELLINGS["new"], *_NEW_TEXTS)),
    }


def _first_text(table: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := table.get(key), str)), "")


def whole_text(event: Event) -> str:
    """Return the text of the tool's output: settings hooks get it whole, as from their agent."""
    return event.whole_output or event.tool_output


def known(event: Event, key: str, otherwise: Any) -> Any:
    """Return what the caller's own payload had under *key*."""
    return event.fields.get(key, otherwise)


def timestamp(event: Event) -> str:
    """Return the time as agents in JavaScript write it: UTC, with milliseconds."""
    given = event.fields.get("timestamp")
    if isinstance(given, str):
        return given
    import time

    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def milliseconds() -> int:
    """Return the time in milliseconds since 1970."""
    import time

    return int(time.time() * 1000)
