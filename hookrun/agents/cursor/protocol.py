"""Cursor, read and not measured. It wants valid JSON always; its events before a tool differ in what they
accept: preToolUse takes an ask and does not heed it, so that there an ask has to be a deny."""

from __future__ import annotations

from hookrun.agents.answer_format import PERMISSIONS, AnswerFormat, VerdictField
from hookrun.agents.cursor.names import DIALECT
from hookrun.agents.own_payload import edits_of, known, own_tool, whole_text
from hookrun.agents.payload import json_text
from hookrun.agents.reply.encodings import INPUT, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.values import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_TOLD = {"user_message": TEXT, "agent_message": TEXT}
_USER = Way(fields={"user_message": TEXT})
_ALLOW = Way(fields={"permission": "allow"})
_ASK = Way(fields={"permission": "ask"} | _TOLD)
_DENY = Way(fields={"permission": "deny"} | _TOLD)
_DENY_FILE = Way(fields={"permission": "deny", "user_message": TEXT})
_CONTEXT = Way(fields={"additional_context": TEXT})
_FOLLOW_UP = Ways(deny=Way(fields={"followup_message": TEXT}))
_EXECUTION = Ways(allow=_ALLOW, ask=_ASK, deny=_DENY, user=_USER)
_READING = Ways(allow=_ALLOW, deny=_DENY_FILE, user=_USER)

_REPLIES = ReplyTable(
    name="cursor",
    title="Cursor",
    ways={
        "PreToolUse": Ways(
            allow=_ALLOW, deny=_DENY, rewrite=Way(fields={"permission": "allow", "updated_input": INPUT}), user=_USER
        ),
        "beforeShellExecution": _EXECUTION,
        "beforeMCPExecution": _EXECUTION,
        "beforeReadFile": _READING,
        "beforeTabFileRead": _READING,
        "postToolUse": Ways(context=_CONTEXT),
        "UserPromptSubmit": Ways(
            deny=Way(fields={"continue": False, "user_message": TEXT}), neutral={"continue": True}
        ),
        "AgentStop": _FOLLOW_UP,
        "SubAgentStop": _FOLLOW_UP,
        "SessionStart": Ways(context=_CONTEXT),
        "PreCompact": Ways(user=_USER),
    },
    neutral={},
    refusal={"permission": "deny", "continue": False} | _TOLD,
    exit_denies=False,
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "conversation_id": event.session_id,
        "generation_id": known(event, "generation_id", ""),
        "model": known(event, "model", event.extra.get("model", "")),
        "hook_event_name": own_event,
        "cursor_version": known(event, "cursor_version", ""),
        "workspace_roots": [event.project_dir] if event.project_dir else [],
        "user_email": known(event, "user_email", None),
        "transcript_path": known(event, "transcript_path", None),
    }
    if event.tool_name:
        return payload | _call(event, own_event)
    rest: Mapping[str, dict[str, Any]] = {
        "UserPromptSubmit": {"prompt": event.prompt, "attachments": known(event, "attachments", [])},
        "AgentStop": {"status": known(event, "status", "completed"), "loop_count": known(event, "loop_count", 0)},
        "SessionStart": {"session_id": event.session_id},
        "SessionEnd": {"session_id": event.session_id, "reason": known(event, "reason", "completed")},
        "PreCompact": {"trigger": known(event, "trigger", "manual")},
    }
    return payload | rest.get(event.event, {})


def _call(event: Event, own_event: str) -> dict[str, Any]:
    name, tool_input = own_tool(event, DIALECT)
    if own_event in ("beforeShellExecution", "afterShellExecution"):
        call: dict[str, Any] = {"command": event.command, "cwd": event.cwd}
    elif own_event in ("beforeMCPExecution", "afterMCPExecution"):
        call = {"tool_name": name.removeprefix("MCP:"), "tool_input": json_text(tool_input)}
    elif own_event in ("beforeReadFile", "beforeTabFileRead"):
        call = {"file_path": next(iter(event.paths), ""), "content": "", "attachments": []}
    elif own_event in ("afterFileEdit", "afterTabFileEdit"):
        call = {"file_path": next(iter(event.paths), ""), "edits": edits_of(tool_input)}
    else:
        call = {"tool_name": name, "tool_input": tool_input, "tool_use_id": event.tool_call_id, "cwd": event.cwd}
    if own_event == "afterShellExecution":
        call |= {"output": whole_text(event), "duration": event.tool_elapsed_ms}
    elif own_event == "afterMCPExecution":
        call |= {"result_json": whole_text(event), "duration": event.tool_elapsed_ms}
    elif own_event == "postToolUse":
        call |= {"tool_output": whole_text(event), "duration": event.tool_elapsed_ms}
    elif own_event == "postToolUseFailure":
        call |= {"error_message": event.tool_error or whole_text(event), "duration": event.tool_elapsed_ms}
    return call


_ANSWERS = AnswerFormat(
    text_fault="stdout is not JSON",
    verdicts=(VerdictField(key="permission", verdicts=PERMISSIONS), VerdictField(key="decision", verdicts=PERMISSIONS)),
    halt_refuses=True,
    reasons=("agent_message", "agentMessage", "user_message", "userMessage"),
    context=("additional_context",),
    user_messages=("user_message", "userMessage"),
    rewrites=("updated_input",),
    follow_ups=("followup_message", "followupMessage"),
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
