"""The keys of an agent's payload, in any spelling, as fields of Event."""

from __future__ import annotations

import json

from hookrun.agents import DIALECTS, event_named_anywhere
from hookrun.model.errors import UsageError
from hookrun.model.events import folded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect

# Fields of Event by their keys in the folded spelling: toolName, tool_name and tool-name are one.
_FIELDS = (
    "tool_name raw_tool_name raw_tool_input tool_input tool_output tool_response tool_output_truncated tool_call_id "
    "tool_error tool_elapsed_ms event_id session_id channel chat_id user_id tenant_id cwd project_dir prompt extra"
).split()
_FIELD_BY_KEY = {
    **{folded(field): field for field in _FIELDS},
    **dict.fromkeys(("conversationid", "trajectoryid", "taskid"), "session_id"),
    "tooluseid": "tool_call_id",
    "workspaceroots": "project_dir",
    "userprompt": "prompt",
}
# Keys that speak of a tool only where there is one.
_FIELD_BY_TOOL_KEY = {
    "tool": "tool",
    **dict.fromkeys(("toolargs", "toolinfo", "input", "parameters"), "tool_input"),
    **dict.fromkeys(("toolresult", "result", "resultjson"), "tool_response"),
    "output": "tool_output",
    **dict.fromkeys(("error", "errormessage"), "tool_error"),
    **dict.fromkeys(("durationms", "duration", "executiontimems"), "tool_elapsed_ms"),
}
EVENT_KEYS = ("event", "hookeventname", "hookevent", "hookname", "agentactionname")
# Some agents put what an event is about into an object.
_INNER_KEYS = ("pretooluse", "posttooluse", "userpromptsubmit", "toolinfo")
# What hookrun itself derives from a tool's input, and what an event that implies its tool has at the top.
_DERIVED_KEYS = ("command", "paths")
_INPUT_KEYS = ("command", "file_path", "content", "edits", "attachments")
_FIELD_BY_SPELLING = {  # what any agent may call a field that its bridge must read right
    **{
        key: field
        for key, field in (_FIELD_BY_KEY | _FIELD_BY_TOOL_KEY).items()
        if field in ("tool_input", "session_id", "prompt", "project_dir", "cwd")
    },
    **dict.fromkeys(EVENT_KEYS, "event"),
    **dict.fromkeys(("toolname", "tool"), "tool_name"),
    **dict.fromkeys(("rawtoolname", "rawtoolinput"), "raw"),
    **dict.fromkeys(_INNER_KEYS, "inner"),
}
_NEVER_FOREIGN = ("raw", "project_dir")  # they have no meaning where an agent has no such field
_IMPLIED = ("command", "file_path")  # in the payload of an event that says which tool it is about
_EXTRA_KEYS = ("model", "max_context", "prompt_tokens", "comp_tokens")


def event_names(payload: Mapping[str, Any]) -> list[str]:
    """Return the spellings of its event that *payload* has, ``event`` first; UsageError when it has none."""
    value_by_key = {folded(key): value for key, value in payload.items()}
    values = [value_by_key.get(key) for key in EVENT_KEYS]
    names = [value for value in values if isinstance(value, str) and value]
    if not names:
        raise UsageError("the payload names no event", hint='it needs a key "event" or "hook_event_name"')
    return names


def read_payload(
    payload: Mapping[str, Any], names: list[str], dialect: Dialect | None
) -> tuple[dict[str, Any], dict[str, Any], Dialect | None]:
    """Return the fields of Event in *payload*, its other keys, and the dialect: *dialect*, or the one whose event
    implies the tool. *names* are the spellings of the event."""
    event = event_named_anywhere(names[0])
    has_tool = bool(event and event.has_tool) or "toolname" in map(folded, payload)
    values, others = _sorted(payload, has_tool=has_tool)
    _prefer_raw(values)
    _open_input(values)
    if has_tool:
        dialect = _fill_in_tool(names, dialect, values, others)
        for key in _DERIVED_KEYS if "event" in payload else ():
            others.pop(key, None)
    _settle_output(values, others)
    values["extra"] = _extra(values.get("extra"), others)
    roots = values.get("project_dir")
    if isinstance(roots, list):
        values["project_dir"] = roots[0] if roots else ""
    return values, others, dialect


def own_fields(payload: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return *payload* without keys by which another agent spells a field that *dialect*'s agent has itself.

    A payload may gain fields by a new version or by a program in between. One that is spelled as another agent
    spells the event or the tool must not take the place of the agent's own.
    """
    own = dialect.payload_keys
    found = {field: next((key for key in keys if key in payload), "") for field, keys in own.items()}
    fields = {key: value for key, value in payload.items() if _counts(key, found, own)}
    for field, key in found.items():
        if key in fields and _FIELD_BY_SPELLING.get(folded(key)) != field:  # a spelling that is this agent's alone
            fields[field] = fields.pop(key)
    if dialect.call_keys:
        return _with_call(fields, payload, dialect)
    implied = dialect.tool_by_event.get(str(fields.get(found.get("event", ""), "")), ":")
    if not implied.endswith(":") and any(key in fields for key in _IMPLIED):
        named = ("tool_name", "tool_input", "inner")
        fields = {key: value for key, value in fields.items() if _FIELD_BY_SPELLING.get(folded(key)) not in named}
    return fields


def own_event_keys(dialect: Dialect, payload: Mapping[str, Any]) -> list[str]:
    """Return the keys by which the agent itself names the event in *payload*."""
    return [key for key in dialect.payload_keys["event"] if key in payload]


def _counts(key: str, found: Mapping[str, str], own: Mapping[str, tuple[str, ...]]) -> bool:
    field = "event" if key == found.get("event") else _FIELD_BY_SPELLING.get(folded(key), "")
    if not field or key == found.get(field) or (field == "inner" and key in own.get("inner", ())):
        return True
    if field in ("tool_name", "tool_input", "inner") and (found.get("inner") or found.get("tool_name")):
        return field == "tool_input" and not found.get("tool_input") and not found.get("inner")
    return field not in _NEVER_FOREIGN and not found.get(field)


def _with_call(fields: dict[str, Any], payload: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return *fields* with the call itself at the top: in `preToolUse.parameters` all values are strings."""
    call = next((payload[key] for key in dialect.call_keys if isinstance(payload.get(key), dict)), None)
    fields = {key: value for key, value in fields.items() if key not in dialect.call_keys}
    for key in dialect.payload_keys["inner"]:
        inner = fields.get(key)
        if isinstance(inner, dict) and isinstance(inner.get("parameters"), dict):
            fields[key] = inner | {"parameters": {k: opened(v, "[") for k, v in inner["parameters"].items()}}
    if call is None or not isinstance(call.get("name"), str):
        return fields
    return fields | {"tool_name": call["name"], "tool_input": call.get("input"), "tool_call_id": call.get("id", "")}


def _sorted(payload: Mapping[str, Any], *, has_tool: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of *payload* by field of Event, and those of its other keys."""
    field_by_key = _FIELD_BY_KEY | _FIELD_BY_TOOL_KEY if has_tool else _FIELD_BY_KEY
    values: dict[str, Any] = {}
    others: dict[str, Any] = {}
    inner_values: dict[str, Any] = {}
    for key, value in payload.items():
        spelling = folded(key)
        field = field_by_key.get(spelling)
        if field:
            values.setdefault(field, value)
        elif spelling in _INNER_KEYS and isinstance(value, dict):
            found, rest = _sorted(value, has_tool=has_tool)
            inner_values |= found
            others |= rest
        elif spelling not in EVENT_KEYS:
            others[key] = value
    return inner_values | values, others


def _fill_in_tool(
    names: list[str], dialect: Dialect | None, values: dict[str, Any], others: dict[str, Any]
) -> Dialect | None:
    """Set the tool that is named, or that the event implies, and return the dialect."""
    tool = values.pop("tool", None)
    for candidate in (dialect,) if dialect else DIALECTS:
        for name in names:
            if name in candidate.tool_by_event and _imply(candidate.tool_by_event[name], values, others):
                return candidate
    if isinstance(tool, str) and not values.get("tool_name"):
        values["tool_name"] = tool
    return dialect


def _imply(implied: str, values: dict[str, Any], others: dict[str, Any]) -> bool:
    """Set the tool that an event implies, with what the event says about it; return whether it does."""
    named = values.get("tool_name")
    if implied.endswith(":"):
        if named and isinstance(named, str):
            values["tool_name"] = implied + named.removeprefix(implied)
        return bool(named)
    if named:
        return False
    values["tool_name"] = implied
    own_input = {key: others.pop(key) for key in _INPUT_KEYS if key in others}
    tool_input = values.setdefault("tool_input", own_input)
    if isinstance(tool_input, dict):
        for field, key in (("cwd", "cwd"), ("tool_response", "mcp_result")):
            if key in tool_input:
                values.setdefault(field, tool_input[key])
    return True


def _prefer_raw(values: dict[str, Any]) -> None:
    """Restore the caller's tool and input in a payload of ours, which a hook of another dialect has received."""
    raw_name, raw_input = values.pop("raw_tool_name", None), values.pop("raw_tool_input", None)
    if raw_name:
        values["tool_name"] = raw_name
        values["tool_input"] = values.get("tool_input") if raw_input is None else raw_input


def _open_input(values: dict[str, Any]) -> None:
    """Replace input that is the text of an object by the object, beside its text. Raises UsageError for JSON that an
    agent may read, and this program cannot."""
    text = values.get("tool_input")
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[")):
        return
    try:
        values["tool_input"] = json.loads(text)
    except json.JSONDecodeError:
        return
    except (ValueError, RecursionError):  # too many digits, or too deep
        raise UsageError(
            "the tool's input cannot be read: it is nested too deeply, or has a number of thousands of digits"
        ) from None
    values["tool_input_text"] = text


def _settle_output(values: dict[str, Any], others: dict[str, Any]) -> None:
    """Set one output: the structured one, else the text, else the text in a module's content."""
    response = values.pop("tool_response", None)
    if response is not None and not (isinstance(response, str) and values.get("tool_output")):
        values["tool_output"] = response
    if values.get("tool_output") is None and isinstance(others.get("content"), list):
        values["tool_output"] = content_text(others["content"])


def content_text(content: Any) -> str:
    """Return the texts in the content of a module's tool result, a line each."""
    parts = content if isinstance(content, list | tuple) else ()
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _extra(extra: Any, others: Mapping[str, Any]) -> dict[str, Any]:
    known = {key: others[key] for key in _EXTRA_KEYS if key in others}
    return known | (extra if isinstance(extra, dict) else {})


def opened(value: Any, signs: str = "[{") -> Any:
    """Return the list or object that *value* is the JSON of, else *value*; *signs* are what it may begin with."""
    if not isinstance(value, str) or value.lstrip()[:1] not in tuple(signs):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
