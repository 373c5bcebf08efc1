"""Events from the words of a call: by name and values, or by a whole payload."""

from __future__ import annotations

from hookrun.agents import NEUTRAL, dialect_named, event_named_anywhere
from hookrun.events.event import event_from_payload, make_event
from hookrun.model.errors import UsageError
from hookrun.model.events import EVENTS
from hookrun.model.nearest import did_you_mean
from hookrun.model.values import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.config.config import Config
    from hookrun.model.events import EventType
    from hookrun.model.values import Problem


def described_event(
    config: Config,
    name: str,
    *,
    tool: str = "",
    tool_input: Any = None,
    dialect: str = "",
    payload: Mapping[str, Any] | None = None,
    is_error: bool | None = None,
    **fields: Any,
) -> tuple[Event, tuple[Problem, ...]]:
    """Return the event that these values describe, and what was odd about them.

    *payload* is a whole payload in any agent's spelling; *is_error* says of a tool_result that the tool has
    failed; *fields* are further fields of Event.
    Raises UsageError for an event or dialect that there is not, or a tool event without a tool.
    """
    kind = event_type(name)
    spoken = dialect_named(dialect) if dialect else None
    if dialect and spoken is None:
        raise UsageError(f"there is no dialect {dialect!r}", hint="xbot, xcsh, claude, codex, gemini, ...")
    given = {"cwd": config.cwd, "project_dir": config.root, **fields}
    if is_error is not None:
        given["fields"] = {**(given.get("fields") or {}), "is_error": is_error}
    common: dict[str, Any] = {"dialect": spoken, "kinds_by_tool": config.tools}
    if payload is not None:
        given |= {"tool_name": tool, "tool_input": tool_input}
        described = event_from_payload({**payload, "event": name}, **common, **given)
    else:
        described = make_event(kind.name, tool_name=tool, tool_input=tool_input, **common, **given)
    event = described[0]
    if kind.has_tool and not event.tool_name:
        raise UsageError(f"{kind.name} is about a tool, and no tool is named", hint="--tool NAME")
    return event, described[1]


def command_event(config: Config, session_id: str = "", **fields: str) -> Event:
    """Return the event that stands for the run of a command; *fields* are its own."""
    return Event(
        event="", dialect=NEUTRAL, cwd=config.cwd, project_dir=config.root, session_id=session_id, fields=fields
    )


def event_type(name: str) -> EventType:
    """Return the event of the catalogue that *name* means in anybody's spelling. Raises UsageError."""
    kind = event_named_anywhere(name)
    if kind is None:
        raise unknown_event(name)
    return kind


def unknown_event(name: str) -> UsageError:
    """Return the error for an unknown event, with the nearest known one."""
    known = ", ".join(kind.name for kind in EVENTS.values() if not kind.one_agent)
    words = [*EVENTS, "pre", "post", "fail", "prompt", "stop"]
    hint = did_you_mean(name, words, f"known, in any agent's spelling: {known}")
    return UsageError(f"unknown event {name!r}", hint=hint)
