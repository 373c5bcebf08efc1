"""Windsurf, read and not measured. It knows one answer: exit code 2, with the reason on stderr."""

from __future__ import annotations

from hookrun.agents import server_and_tool
from hookrun.agents.answer_format import AnswerFormat
from hookrun.agents.own_payload import edits_of, known, own_tool, timestamp, whole_text
from hookrun.agents.reply.encodings import ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.agents.windsurf.names import DIALECT
from hookrun.model.values import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_GUARDED = Ways(deny=Way(by_exit_code=True))

_REPLIES = ReplyTable(
    name="windsurf", title="Windsurf", ways={"PreToolUse": _GUARDED, "UserPromptSubmit": _GUARDED}, seconds=60.0
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    return {
        "agent_action_name": own_event,
        "trajectory_id": event.session_id,
        "execution_id": event.event_id,
        "timestamp": timestamp(event),
        "model_name": known(event, "model_name", event.extra.get("model", "")),
        "tool_info": _info(event, own_event),
    }


def _info(event: Event, own_event: str) -> Any:
    tool_input = own_tool(event, DIALECT)[1] if event.tool_name else None
    if own_event == "pre_user_prompt":
        return {"user_prompt": event.prompt}
    if own_event.startswith("post_cascade_response"):
        return {"response": known(event, "response", known(event, "last_assistant_message", ""))}
    if own_event.endswith("_run_command"):
        return {"command_line": event.command, "cwd": event.cwd}
    info = dict(tool_input) if isinstance(tool_input, dict) else {}
    if own_event.endswith("_mcp_tool_use"):
        result = {"mcp_result": whole_text(event)} if own_event.startswith("post") else {}
        return _mcp_call(event, tool_input) | result
    if own_event.endswith("_write_code"):
        own = info if event.dialect == DIALECT.name else {}
        return own | {"file_path": next(iter(event.paths), ""), "edits": edits_of(tool_input)}
    return info


def _mcp_call(event: Event, tool_input: Any) -> dict[str, Any]:
    """Return server, tool and arguments: as the input says them, or else as the tool is named."""
    server_key, tool_key, arguments_key = DIALECT.mcp_keys or ("", "", "")
    if isinstance(tool_input, dict) and tool_key in tool_input:
        return {**tool_input, arguments_key: _opened(tool_input.get(arguments_key))}
    server, tool = server_and_tool(event)
    return {server_key: server, tool_key: tool, arguments_key: tool_input}


def _opened(arguments: Any) -> Any:
    """Return *arguments* that another agent has as JSON in a text as what they are."""
    import json

    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return arguments


_ANSWERS = AnswerFormat()  # it reads no output
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
