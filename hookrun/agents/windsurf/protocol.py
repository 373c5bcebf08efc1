"""Windsurf, read and not measured. It knows one answer: exit code 2, with the reason on stderr."""

from __future__ import annotations

from hookrun.agents.answer_format import AnswerFormat
from hookrun.agents.own_payload import known, own_tool, timestamp, whole_text
from hookrun.agents.reply.encodings import ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.agents.windsurf.names import DIALECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.model.values import Event

_GUARDED = Ways(deny=Way(by_exit_code=True))

_REPLIES = ReplyTable(
    name="windsurf",
    title="Windsurf",
    ways={"PreToolUse": _GUARDED, "UserPromptSubmit": _GUARDED},
    seconds=60.0,
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
    if own_event == "post_mcp_tool_use":
        info["mcp_result"] = whole_text(event)
    elif own_event.endswith("_write_code") and "edits" not in info:
        old, new = info.pop("old_string", ""), info.pop("new_string", info.pop("content", ""))
        info["edits"] = [{"old_string": old, "new_string": new}]
    return info


_ANSWERS = AnswerFormat()  # it reads no output
PROTOCOL = Protocol(
    replies=_REPLIES,
    write_payload=_payload,
    read_answer=_ANSWERS.read,
)
