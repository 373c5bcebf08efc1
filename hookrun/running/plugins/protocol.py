"""The lines that hookrun and a stdio plugin exchange: requests as bytes, answers as values. Pure."""

from __future__ import annotations

import json
from functools import lru_cache

from hookrun.agents.payload import json_text
from hookrun.model.constants import MIB
from hookrun.sources.fields import camel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.values import Event

LINE_LIMIT = MIB  # bytes of a line without its end, either way
DEACTIVATE = b'{"method": "deactivate"}\n'

_ALWAYS_THERE = ("event", "toolName", "toolInput", "sessionId", "channel", "chatId")
# What a plugin has in another field, or as toolInput in the one form that the protocol knows.
_LEFT_OUT = ("hook_event_name", "tool_input", "raw_tool_input", "tool_response", "tool_use_id")
_RESULTS = ("hook_result", "hookResult")
_ALLOW = {"decision": "allow"}
_JUNK_SHOWN = 60  # characters
_ERROR_SHOWN = 1000


class PluginAnswer:
    """The JSON object that a plugin answered, and its text."""

    __slots__ = ("document", "text")

    def __init__(self, document: dict[str, Any], text: str) -> None:
        self.document = document
        self.text = text


def activate_request(plugin_id: str) -> bytes:
    """Return the line that is a plugin's first."""
    return _line("activate", {"pluginId": plugin_id})


def hook_request(event: Event, payload: Mapping[str, Any]) -> bytes:
    """Return the line that asks about *event*; *payload* is the event in the names of the plugin's dialect.

    The fields of the protocol are always there, as text; what else the payload has follows in the same
    spelling. Raises UsageError for a payload that is nested too deeply.
    """
    params: dict[str, Any] = dict.fromkeys(_ALWAYS_THERE, "")
    for key, value in payload.items():
        if name := _name_in_protocol(key):
            params[name] = value
    params["toolInput"] = _input_text(event, payload)
    return _line("hook", params)


def answer_on(line: bytes) -> PluginAnswer | None:
    """Return the answer on *line*, None for a message of the plugin's own and for a blank line.

    Raises ValueError for junk, which is everything that is no JSON object.
    """
    text = line.decode("utf-8", "replace").strip()
    if not text:
        return None
    try:
        document, end = _decode(text)
    except (ValueError, RecursionError):
        document, end = None, 0
    if not isinstance(document, dict) or end != len(text):
        shown = text if len(text) <= _JUNK_SHOWN else f"{text[:_JUNK_SHOWN]}..."
        raise ValueError(f"it printed {shown!r}, which is not a JSON object")
    return None if "method" in document else PluginAnswer(document, text)


def error_in(answer: PluginAnswer) -> str:
    """Return the error that *answer* reports, "" when it reports none. An empty one is an error, too."""
    if "error" not in answer.document:
        return ""
    error = answer.document["error"]
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        error = error["message"]
    if not error or (isinstance(error, str) and not error.strip()):
        return f"an error without words: {_text(error)}"[:_ERROR_SHOWN]
    return (error if isinstance(error, str) else _text(error))[:_ERROR_SHOWN]


def answer_text(answer: PluginAnswer) -> str:
    """Return the JSON text of what *answer* decides: its result alone, and allow when it has none.

    What else is in an answer without a result stays, so that a decision in the wrong place is not lost, and
    so does all of one that gives a key twice, of which JSON's reader keeps the last value.
    """
    document = _unwrapped(answer.document, _RESULTS)
    results = {key: document[key] for key in _RESULTS if document.get(key) is not None}
    if results and results == answer.document:
        return answer.text
    if _repeats_a_key(answer.text):
        return answer.text
    return _text(results or {**document, "hook_result": _ALLOW})


def _repeats_a_key(text: str) -> bool:
    repeated = False

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        found = dict(pairs)
        repeated = repeated or len(found) < len(pairs)
        return found

    json.loads(text, object_pairs_hook=note)
    return repeated


def declarations_in(answer: PluginAnswer) -> list[Any] | None:
    """Return what *answer*, to activate, subscribes to; None when it leaves that to the manifest."""
    hooks = _unwrapped(answer.document, ("hooks",)).get("hooks")
    return hooks if isinstance(hooks, list) else None


def _unwrapped(document: Mapping[str, Any], wanted: tuple[str, ...]) -> Mapping[str, Any]:
    """Some plugins put what they have to say into ``result``."""
    result = document.get("result")
    if isinstance(result, dict) and all(document.get(key) is None for key in wanted):
        return result
    return document


def _line(method: str, params: Mapping[str, Any]) -> bytes:
    return _text({"method": method, "params": params}).encode("ascii") + b"\n"


def _input_text(event: Event, payload: Mapping[str, Any]) -> str:
    """The text as it was given while nothing had to be translated."""
    if "raw_tool_input" not in payload and event.tool_input_text:
        return event.tool_input_text
    value = payload.get("tool_input")
    return "" if value is None else _text(value)


def _text(value: Any) -> str:
    try:
        return _encode(value)
    except (ValueError, RecursionError):
        return json_text(value)


@lru_cache(maxsize=256)
def _name_in_protocol(key: str) -> str:
    return "" if key in _LEFT_OUT else camel(key)


# Made once: half the time of json.dumps and json.loads.
_encode = json.JSONEncoder(allow_nan=False, default=str).encode
_decode = json.JSONDecoder().raw_decode
