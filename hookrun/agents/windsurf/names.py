"""Windsurf, read and not measured. Its events name no tool: the tool is what the event is about."""

from __future__ import annotations

from hookrun.agents.shape import Dialect

DIALECT = Dialect(
    name="windsurf",
    tools={
        "shell": ("run_command",),
        "edit": ("write_code",),
        "write": ("write_code",),
        "read": ("read_code",),
        "mcp": ("mcp_tool_use",),
    },
    events={
        "PreToolUse": ("pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use"),
        "PostToolUse": ("post_run_command", "post_write_code", "post_read_code", "post_mcp_tool_use"),
        "UserPromptSubmit": ("pre_user_prompt",),
        "AgentStop": ("post_cascade_response", "post_cascade_response_with_transcript"),
    },
    input_keys={"path": "file_path", "command": "command_line"},
    mcp_keys=("mcp_server_name", "mcp_tool_name", "mcp_tool_arguments"),
    tool_by_event={
        "pre_run_command": "run_command",
        "post_run_command": "run_command",
        "pre_write_code": "write_code",
        "post_write_code": "write_code",
        "pre_read_code": "read_code",
        "post_read_code": "read_code",
        "pre_mcp_tool_use": "mcp_tool_use",
        "post_mcp_tool_use": "mcp_tool_use",
    },
    user_settings=(".codeium/windsurf/hooks.json",),
    project_settings=(".windsurf/hooks.json",),
    payload_keys={"event": ("agent_action_name",), "session_id": ("trajectory_id",), "inner": ("tool_info",)},
)
