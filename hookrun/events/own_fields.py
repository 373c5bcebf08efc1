"""An agent's payload as its bridge reads it: the agent's own fields, whatever else stands beside them.

A payload may gain fields by a new version or by a program in between. One that is spelled as another
agent spells the event or the tool must not take the place of the agent's own.
"""

from __future__ import annotations

import json

from hookrun.model.events import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect

# What somebody may call a field, by the folded spelling.
_FIELDS = {
    **dict.fromkeys(("event", "hookeventname", "hookevent", "hookname", "agentactionname"), "event"),
    **dict.fromkeys(("toolname", "tool"), "tool_name"),
    **dict.fromkeys(("toolinput", "toolargs", "input", "parameters"), "tool_input"),
    **dict.fromkeys(("sessionid", "conversationid", "trajectoryid", "taskid"), "session_id"),
    **dict.fromkeys(("prompt", "userprompt"), "prompt"),
    **dict.fromkeys(("projectdir", "workspaceroots"), "project_dir"),
    **dict.fromkeys(("rawtoolname", "rawtoolinput"), "raw"),
    **dict.fromkeys(("pretooluse", "posttooluse", "userpromptsubmit", "toolinfo"), "inner"),
    "cwd": "cwd",
}
_NEVER_FOREIGN = ("raw", "project_dir")  # they have no meaning where an agent has no such field

_IMPLIED = ("command", "file_path")  # in the payload of an event that says which tool it is about


def own_fields(payload: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return *payload* without what another agent would call a field that *dialect*'s agent has itself."""
    own = dialect.payload_keys
    found = {field: next((key for key in keys if key in payload), "") for field, keys in own.items()}
    kept = {key: value for key, value in payload.items() if _counts(key, found, own)}
    if found.get("event") == "type":
        kept["event"] = kept.pop("type")
    if dialect.call_keys:
        return _with_call(kept, payload, dialect)
    implied = dialect.tool_by_event.get(str(kept.get(found.get("event", ""), "")), ":")
    if not implied.endswith(":") and any(key in kept for key in _IMPLIED):
        named = ("tool_name", "tool_input", "inner")
        kept = {key: value for key, value in kept.items() if _FIELDS.get(folded(key)) not in named}
    return kept


def own_event_keys(dialect: Dialect, payload: Mapping[str, Any]) -> list[str]:
    """Return the keys by which the agent itself names the event in *payload*."""
    return [key for key in dialect.payload_keys["event"] if key in payload]


def _counts(key: str, found: Mapping[str, str], own: Mapping[str, tuple[str, ...]]) -> bool:
    field = "event" if key == found.get("event") else _FIELDS.get(folded(key), "")
    if not field or key == found.get(field) or (field == "inner" and key in own.get("inner", ())):
        return True
    if field in ("tool_name", "tool_input", "inner") and (found.get("inner") or found.get("tool_name")):
        return field == "tool_input" and not found.get("tool_input") and not found.get("inner")
    return field not in _NEVER_FOREIGN and not found.get(field)


def _with_call(kept: dict[str, Any], payload: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return *kept* with the call itself at the top: in `preToolUse.parameters` all values are strings."""
    call = next((payload[key] for key in dialect.call_keys if isinstance(payload.get(key), dict)), None)
    kept = {key: value for key, value in kept.items() if key not in dialect.call_keys}
    for key in dialect.payload_keys["inner"]:
        inner = kept.get(key)
        if isinstance(inner, dict) and isinstance(inner.get("parameters"), dict):
            kept[key] = inner | {"parameters": {k: _opened(v) for k, v in inner["parameters"].items()}}
    if call is None or not isinstance(call.get("name"), str):
        return kept
    return kept | {"tool_name": call["name"], "tool_input": call.get("input"), "tool_call_id": call.get("id", "")}


def _opened(value: Any) -> Any:
    """Return the list that *value* is the JSON of, else *value*."""
    if not isinstance(value, str) or not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
