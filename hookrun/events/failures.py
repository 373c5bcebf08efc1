"""Whether a tool has failed, where its agent sends the event of a success. Pure."""

from __future__ import annotations

from hookrun.agents.payload import json_text
from hookrun.events.payload_fields import content_text, opened
from hookrun.model.events import folded

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect

_ERROR, _SUCCESS = "iserror", "success"  # what says outright whether a tool has failed
_YES = (True, 1, "true", "1")
_NO = (False, 0, "false", "0")


def failure_of(
    event: str, tool_error: Any, response: Any, text: str, fields: Mapping[str, Any], dialect: Dialect
) -> str | None:
    """Return the error of a tool that failed, None when it succeeded; "" is a failure without a text.

    *response* is its result where that has a structure, *text* its whole output. What counts is the payload's
    is_error, success or error, is_error in the result, and what the agent of *dialect* is known to write there.
    """
    if event == "PostToolUseFailure":
        return plain_text(tool_error)
    if event != "PostToolUse":
        return None
    signs = {folded(key): value for key, value in fields.items() if folded(key) in (_ERROR, _SUCCESS)}
    if _is_one_of(signs.get(_ERROR), _YES) or _is_one_of(signs.get(_SUCCESS), _NO):
        return plain_text(tool_error)
    if tool_error and not signs:
        return plain_text(tool_error)
    if dialect.results_say_success and (failed := _failed_part(response, text)):
        return plain_text(failed.get("error"))
    if not isinstance(response, dict):
        return None
    return _failure_in(response)


def plain_text(value: Any) -> str:
    """Return *value* as text: the message in it, else its JSON."""
    if isinstance(value, dict) and isinstance(value.get("message"), str):
        return str(value["message"])
    if value is None or isinstance(value, str):
        return value or ""
    return json_text(value, ascii_only=False)


def _failure_in(response: Mapping[str, Any]) -> str | None:
    if any(folded(str(key)) == _ERROR and _is_one_of(value, _YES) for key, value in response.items()):
        return plain_text(response.get("error")) or content_text(response.get("content"))
    if response.get("error") and "llmContent" in response:  # Gemini CLI
        return plain_text(response["error"])
    if response.get("resultType") in ("failure", "error"):  # Copilot CLI
        return plain_text(response.get("textResultForLlm"))
    return None


def _failed_part(response: Any, text: str) -> Mapping[str, Any] | None:
    """Return the first part of a result, or its JSON *text*, that says of itself that it failed."""
    response = opened(text) if response is None else response
    parts = response if isinstance(response, list) else [response]
    failed = (part for part in parts if isinstance(part, dict) and _is_one_of(part.get(_SUCCESS), _NO))
    return next(failed, None)


def _is_one_of(value: Any, values: tuple[Any, ...]) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in values
    return isinstance(value, bool | int) and value in values
