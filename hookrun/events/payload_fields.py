"""The keys of an agent's payload, in whatever spelling, as fields of Event."""

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

# Keys by their folded spelling: toolName, tool_name and tool-name are one.
_FIELD_BY_KEY = {
    "toolname": "tool_name",
    "rawtoolname": "raw_tool_name",
    "rawtoolinput": "raw_tool_input",
    "toolinput": "tool_input",
    "tooloutput": "tool_output",
    "toolresponse": "tool_response",
    "tooloutputtruncated": "tool_output_truncated",
    "toolcallid": "tool_call_id",
    "tooluseid": "tool_call_id",
    "toolerror": "tool_error",
    "toolelapsedms": "tool_elapsed_ms",
    "eventid": "event_id",
    "sessionid": "session_id",
    "conversationid": "session_id",
    "trajectoryid": "session_id",
    "taskid": "session_id",
    "channel": "channel",
    "chatid": "chat_id",
    "userid": "user_id",
    "tenantid": "tenant_id",
    "cwd": "cwd",
    "projectdir": "project_dir",
    "workspaceroots": "project_dir",
    "prompt": "prompt",
    "userprompt": "prompt",
    "extra": "extra",
}
# Keys that speak of a tool only where there is one.
_FIELD_BY_TOOL_KEY = {
    "tool": "tool",
    "toolargs": "tool_input",
    "toolinfo": "tool_input",
    "input": "tool_input",
    "parameters": "tool_input",
    "toolresult": "tool_response",
    "result": "tool_response",
    "output": "tool_output",
    "error": "tool_error",
    "errormessage": "tool_error",
    "resultjson": "tool_response",
    "durationms": "tool_elapsed_ms",
    "duration": "tool_elapsed_ms",
    "executiontimems": "tool_elapsed_ms",
}
_EVENT_KEYS = ("event", "hookeventname", "hookevent", "hookname", "agentactionname")
# Some agents put what an event is about into an object.
_INNER_KEYS = ("pretooluse", "posttooluse", "userpromptsubmit", "toolinfo")
# What hookrun itself derives from a tool's input, and what an event that implies its tool has at the top.
_DERIVED_KEYS = ("command", "paths")
_INPUT_KEYS = ("command", "file_path", "content", "edits", "attachments")
_EXTRA_KEYS = ("model", "max_context", "prompt_tokens", "comp_tokens")


def event_names(payload: Mapping[str, Any]) -> list[str]:
    """Return the spellings of its event that *payload* has, ``event`` first; UsageError when it has none."""
    value_by_key = {folded(key): value for key, value in payload.items()}
    values = [value_by_key.get(key) for key in _EVENT_KEYS]
    names = [value for value in values if isinstance(value, str) and value]
    if not names:
        raise UsageError("the payload names no event", hint='it needs a key "event" or "hook_event_name"')
    return names


def read_payload(
    payload: Mapping[str, Any], names: list[str], dialect: Dialect | None
) -> tuple[dict[str, Any], dict[str, Any], Dialect | None]:
    """Return the fields of Event that *payload* has, the keys that are no field, and the dialect.

    *names* are the spellings of its event. The dialect is the one given, or the one whose event implies
    the tool.
    """
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


def _sorted(payload: Mapping[str, Any], *, has_tool: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of *payload* by field of Event, and those of the keys that are no field."""
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
        elif spelling not in _EVENT_KEYS:
            others[key] = value
    return inner_values | values, others


def _fill_in_tool(
    names: list[str], dialect: Dialect | None, values: dict[str, Any], others: dict[str, Any]
) -> Dialect | None:
    """Settle which tool is meant: the one that is named, or the one that the event implies."""
    tool = values.pop("tool", None)
    for candidate in (dialect,) if dialect else DIALECTS:
        for name in names:
            if name in candidate.tool_by_event and _imply(candidate.tool_by_event[name], values, others):
                return candidate
    if isinstance(tool, str) and not values.get("tool_name"):
        values["tool_name"] = tool
    return dialect


def _imply(implied: str, values: dict[str, Any], others: dict[str, Any]) -> bool:
    """Put the tool that an event implies, and what the event says about it, where others have it."""
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
    """Take the caller's own words from our own payload, as a hook of another dialect got it."""
    raw_name, raw_input = values.pop("raw_tool_name", None), values.pop("raw_tool_input", None)
    if raw_name:
        values["tool_name"] = raw_name
        values["tool_input"] = values.get("tool_input") if raw_input is None else raw_input


def _open_input(values: dict[str, Any]) -> None:
    """Turn input that came as the text of an object into that object; the text is kept.

    Raises UsageError for text that is JSON, which an agent may well read, and yet cannot be read here.
    """
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
    """Keep one output: the structured one, or else the text, or else the text in a module's content."""
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
