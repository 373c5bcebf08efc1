"""The payload that hookrun's own hooks, script folders and manifests read, and how it is written down."""

from __future__ import annotations

import json
from functools import lru_cache

from hookrun.agents import dialect_named, own_event_name, tool_names
from hookrun.agents.translate import translate_input
from hookrun.model.errors import UsageError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event


def payload_for(event: Event, hook_dialect: Dialect) -> dict[str, Any]:
    """Return the event as a hook of *hook_dialect* reads it, in both spellings, without what is empty.

    Name and input of the tool are those of that dialect; the caller's own are beside them where they differ.
    """
    output = event.output_of_success
    payload: dict[str, Any] = {
        "event": event.event,
        "hook_event_name": own_event_name(event.event, hook_dialect),
        "event_id": event.event_id,
        **_tool_call(event, hook_dialect),
        "tool": event.tool,
        "command": event.command,
        "paths": list(event.paths),
        "tool_output": output,
        "tool_response": output if event.tool_response is None else event.tool_response,
        "tool_output_truncated": bool(output) and event.tool_output_truncated,
        "tool_error": event.tool_error,
        "tool_elapsed_ms": event.tool_elapsed_ms,
        "tool_call_id": event.tool_call_id,
        "tool_use_id": event.tool_call_id,
        "session_id": event.session_id,
        "channel": event.channel,
        "chat_id": event.chat_id,
        "user_id": event.user_id,
        "tenant_id": event.tenant_id,
        "cwd": event.cwd,
        "project_dir": event.project_dir,
        "prompt": event.prompt,
        "extra": dict(event.extra),
    }
    filled = {key: value for key, value in payload.items() if not _is_empty(value) or key == "tool_input"}
    if event.tool_input is None:
        filled.pop("tool_input", None)
    return filled | {key: value for key, value in event.fields.items() if key not in filled}


def payload_line(payload: Mapping[str, Any]) -> bytes:
    """Return *payload* as one line of ASCII JSON and a final newline; UsageError when it nests too deeply."""
    return json_text(payload).encode("ascii") + b"\n"


def json_text(value: Any, *, ascii_only: bool = True) -> str:
    """Return *value* as JSON on one line. What JSON cannot say becomes null (NaN, Infinity) or its text."""
    try:
        try:
            return _encoder(ascii_only).encode(value)
        except ValueError:
            return _encoder(ascii_only).encode(finite(value))
    except RecursionError:
        raise UsageError("a value is nested too deeply to be written as JSON") from None


@lru_cache(maxsize=2)
def _encoder(ascii_only: bool) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=ascii_only, allow_nan=False, default=str)


def _tool_call(event: Event, hook_dialect: Dialect) -> dict[str, Any]:
    names = tool_names(event, hook_dialect)
    name = names[0] if names else ""
    source = dialect_named(event.dialect)
    translated = event.tool_input
    if source:
        translated = translate_input(event.tool_input, source, hook_dialect, event.kinds)
    call: dict[str, Any] = {"tool_name": name, "tool_input": translated}
    is_part = event.whole_input is not None
    if is_part or name != event.tool_name or translated is not event.tool_input:
        raw_input = event.whole_input if is_part else event.tool_input
        call |= {"raw_tool_name": event.tool_name, "raw_tool_input": raw_input}
    return call


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value == "" or value == 0 or value == [] or value == {}


def finite(value: Any) -> Any:
    """Return *value* with null for what JSON has no number for: NaN, Infinity, what is beyond a float."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {finite(key) if isinstance(key, float) else key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value
