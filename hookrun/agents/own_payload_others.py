"""The payloads of the agents that have a shape of their own: Cursor, Copilot, Windsurf, Cline. Read only."""

from __future__ import annotations

from hookrun.agents.own_payload import known, own_tool, timestamp, whole_text
from hookrun.agents.payload import json_text

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookrun.agents.shape import Dialect
    from hookrun.model.values import Event

    PayloadWriter = Callable[[Event, Dialect, str], dict[str, Any]]


def _cursor(event: Event, dialect: Dialect, own_event: str) -> dict[str, Any]:
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
        return payload | _cursor_tool(event, dialect, own_event)
    rest: Mapping[str, dict[str, Any]] = {
        "UserPromptSubmit": {"prompt": event.prompt, "attachments": known(event, "attachments", [])},
        "AgentStop": {
            "status": known(event, "status", "completed"),
            "loop_count": known(event, "loop_count", 0),
        },
        "SessionStart": {"session_id": event.session_id},
        "SessionEnd": {"session_id": event.session_id, "reason": known(event, "reason", "completed")},
        "PreCompact": {"trigger": known(event, "trigger", "manual")},
    }
    return payload | rest.get(event.event, {})


def _cursor_tool(event: Event, dialect: Dialect, own_event: str) -> dict[str, Any]:
    name, tool_input = own_tool(event, dialect)
    table = tool_input if isinstance(tool_input, dict) else {}
    if own_event in ("beforeShellExecution", "afterShellExecution"):
        call: dict[str, Any] = {"command": event.command, "cwd": event.cwd}
    elif own_event in ("beforeMCPExecution", "afterMCPExecution"):
        call = {"tool_name": name.removeprefix("MCP:"), "tool_input": json_text(tool_input)}
    elif own_event in ("beforeReadFile", "beforeTabFileRead"):
        call = {"file_path": next(iter(event.paths), ""), "content": "", "attachments": []}
    elif own_event in ("afterFileEdit", "afterTabFileEdit"):
        edit = {"old_string": table.get("old_string", ""), "new_string": table.get("new_string", "")}
        call = {"file_path": next(iter(event.paths), ""), "edits": table.get("edits", [edit])}
    else:
        call = {
            "tool_name": name,
            "tool_input": tool_input,
            "tool_use_id": event.tool_call_id,
            "cwd": event.cwd,
        }
    if own_event == "afterShellExecution":
        call |= {"output": whole_text(event), "duration": event.tool_elapsed_ms}
    elif own_event == "afterMCPExecution":
        call |= {"result_json": whole_text(event), "duration": event.tool_elapsed_ms}
    elif own_event == "postToolUse":
        call |= {"tool_output": whole_text(event), "duration": event.tool_elapsed_ms}
    elif own_event == "postToolUseFailure":
        call |= {"error_message": event.tool_error or whole_text(event), "duration": event.tool_elapsed_ms}
    return call


def _copilot(event: Event, dialect: Dialect, _own_event: str) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "sessionId": event.session_id,
        "timestamp": known(event, "timestamp", 0) or _milliseconds(),
        "cwd": event.cwd,
    }
    if event.tool_name:
        name, tool_input = own_tool(event, dialect)
        payload |= {"toolName": name, "toolArgs": json_text({} if tool_input is None else tool_input)}
    if event.event == "PostToolUse":
        payload["toolResult"] = {"resultType": "success", "textResultForLlm": whole_text(event)}
    elif event.event == "PostToolUseFailure":
        payload["error"] = event.tool_error or whole_text(event)
    elif event.event == "UserPromptSubmit":
        payload["prompt"] = event.prompt
    elif event.event == "SessionStart":
        payload |= {"source": known(event, "source", "new"), "initialPrompt": event.prompt}
    elif event.event == "SessionEnd":
        payload["reason"] = known(event, "reason", "complete")
    elif event.event in ("AgentStop", "SubAgentStop"):
        payload |= {"transcriptPath": known(event, "transcriptPath", ""), "stopReason": "end_turn"}
    return payload


def _windsurf(event: Event, dialect: Dialect, own_event: str) -> dict[str, Any]:
    return {
        "agent_action_name": own_event,
        "trajectory_id": event.session_id,
        "execution_id": event.event_id,
        "timestamp": timestamp(event),
        "model_name": known(event, "model_name", event.extra.get("model", "")),
        "tool_info": _windsurf_info(event, dialect, own_event),
    }


def _windsurf_info(event: Event, dialect: Dialect, own_event: str) -> Any:
    tool_input = own_tool(event, dialect)[1] if event.tool_name else None
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


def _cline(event: Event, dialect: Dialect, own_event: str) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "clineVersion": known(event, "clineVersion", ""),
        "hookName": own_event,
        "timestamp": str(known(event, "timestamp", "")) or str(_milliseconds()),
        "taskId": event.session_id,
        "workspaceRoots": [event.project_dir] if event.project_dir else [],
        "userId": event.user_id,
    }
    inner: dict[str, Any] = {}
    if event.tool_name:
        name, tool_input = own_tool(event, dialect)
        inner = {"toolName": name, "parameters": tool_input}
    if own_event == "PostToolUse":
        failed = event.event == "PostToolUseFailure"
        text = whole_text(event)
        inner |= {
            "result": text or event.tool_error,
            "success": not failed,
            "executionTimeMs": event.tool_elapsed_ms,
        }
    elif own_event == "UserPromptSubmit":
        inner = {"prompt": event.prompt, "attachments": known(event, "attachments", [])}
    elif own_event.startswith("Task"):
        inner = {"taskMetadata": {"taskId": event.session_id, "initialTask": event.prompt}}
    return payload | {own_event[:1].lower() + own_event[1:]: inner}


def _milliseconds() -> int:
    import time

    return int(time.time() * 1000)


PAYLOADS: Mapping[str, PayloadWriter] = {
    "cursor": _cursor,
    "copilot": _copilot,
    "windsurf": _windsurf,
    "cline": _cline,
}
