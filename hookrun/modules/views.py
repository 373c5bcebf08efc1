"""An event as handlers see it: a module's in MODULE_DIALECT's names and keys, an SDK handler's in xbot's.

What a handler gets is its own: a change that it makes reaches neither the caller's values nor another
handler.
"""

from __future__ import annotations

from hookrun.agents import MODULE_DIALECT, XBOT, dialect_named, tool_names
from hookrun.agents.payload import json_text
from hookrun.agents.translate import translate_input
from hookrun.model.events import folded
from hookrun.modules.events import EVENT_CLASSES, HookPayload, ModuleEvent, OtherEvent
from hookrun.modules.own_values import own, own_fields, own_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from hookrun.model.values import Event

    _View = TypeVar("_View", ModuleEvent, HookPayload)

_TOKENS = ("cancel",)
# What an event without a class of its own may be about besides its fields.
_COMMON = ("tool_name", "tool_input", "tool_output", "tool_error", "tool_call_id", "prompt")


def module_event(event: Event, name: str) -> ModuleEvent:
    """Return *event* as modules see it, *name* being what they call it."""
    kind = EVENT_CLASSES.get(name)
    if kind is None:
        return OtherEvent(type=name, fields=_common_fields(event) | own(dict(event.fields)))
    if name == "tool_call":
        return kind(type=name, **_tool_fields(event))
    if name == "tool_result":
        return kind(type=name, **_tool_fields(event), **_result_fields(event))
    value_by_key = {folded(key): value for key, value in event.fields.items()}
    known = {
        field: _as_field(field, value_by_key[folded(field)])
        for field in kind._fields
        if field != "type" and folded(field) in value_by_key
    }
    if name == "before_agent_start":
        known["prompt"] = event.prompt
    elif name == "session.compacting":
        known["session_id"] = event.session_id
    return kind(type=name, **known)


def hook_payload(event: Event) -> HookPayload:
    """Return *event* as SDK handlers see it; ``extra`` also holds what belongs to this event alone."""
    is_own = event.dialect == XBOT.name
    source = dialect_named(event.dialect) or XBOT
    tool_input = event.tool_input if is_own else translate_input(event.tool_input, source, XBOT, event.kinds)
    text = event.tool_input_text
    if tool_input is not event.tool_input or (not text and tool_input is not None):
        text = json_text(tool_input)
    names = (event.tool_name,) if is_own else tool_names(event, XBOT)
    return HookPayload(
        event=event.event,
        tool_name=names[0] if names else "",
        tool_input=text,
        tool_output=event.output_of_success,
        tool_elapsed_ms=event.tool_elapsed_ms,
        session_id=event.session_id,
        channel=event.channel,
        chat_id=event.chat_id,
        user_id=event.user_id,
        tenant_id=event.tenant_id,
        extra=own({**event.fields, **event.extra}),
        tool_error=event.tool_error,
        prompt=event.prompt,
        raw_tool_name=event.tool_name,
        raw_tool_input=own(event.tool_input if event.whole_input is None else event.whole_input),
    )


def copied(view: _View) -> _View:
    """Return another view of the same event, for another handler."""
    return own_fields(view, tokens=_TOKENS)


def _tool_fields(event: Event) -> dict[str, Any]:
    source = dialect_named(event.dialect) or XBOT
    names = tool_names(event, MODULE_DIALECT)
    given = own(event.tool_input)
    return {
        "tool_name": names[0] if names else "",
        "tool_call_id": event.tool_call_id,
        "input": translate_input(given, source, MODULE_DIALECT, event.kinds),
        "raw_tool_name": event.tool_name,
        "raw_tool_input": given if event.whole_input is None else own(event.whole_input),
    }


def _result_fields(event: Event) -> dict[str, Any]:
    """Return content and details as they were given, else the whole text of the output or the error."""
    has_failed = event.event == "PostToolUseFailure"
    text = event.tool_error if has_failed else event.whole_output or event.tool_output
    parts: Any = event.fields.get("content")
    if not isinstance(parts, list | tuple):
        parts = [{"type": "text", "text": text}] if text else []
    return {
        "is_error": has_failed,
        "content": tuple(own(part) for part in parts),
        "details": own(event.fields.get("details", event.tool_response)),
    }


def _common_fields(event: Event) -> dict[str, Any]:
    found = {name: getattr(event, name) for name in _COMMON}
    return {name: own(value) for name, value in found.items() if value not in (None, "")}


def _as_field(field: str, value: Any) -> Any:
    if field in _TOKENS:
        return own_token(value)
    return tuple(own(item) for item in value) if isinstance(value, list | tuple) else own(value)
