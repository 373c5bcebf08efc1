"""Cline: run_commands, editor and read_files are measured, the other tools read.

A tool that failed arrives as PostToolUse, in older versions with success false, since 3.0 with success true
and a success of false in its result.
"""

from __future__ import annotations

from hookrun.agents.shape import Dialect

DIALECT = Dialect(
    name="cline",
    tools={
        "shell": ("execute_command", "run_commands"),
        "edit": ("replace_in_file", "editor"),
        "write": ("write_to_file", "editor"),
        "read": ("read_file", "read_files"),
        "grep": ("search_files",),
        "glob": ("list_files",),
        "fetch": ("web_fetch",),
        "list": ("list_files",),
        "mcp": ("use_mcp_tool",),
    },
    events={
        "PreToolUse": ("PreToolUse",),
        "PostToolUse": ("PostToolUse",),
        "PostToolUseFailure": ("PostToolUse",),
        "UserPromptSubmit": ("UserPromptSubmit",),
        "AgentStop": ("TaskComplete",),
        "SessionStart": ("TaskStart", "TaskResume"),
        "SessionEnd": ("SessionShutdown",),
        "PreCompact": ("PreCompact",),
    },
    input_keys={"path": "path", "content": "content"},
    results_say_success=True,
    mcp_keys=("server_name", "tool_name", "arguments"),
    user_settings=("Documents/Cline/Hooks",),
    project_settings=(".clinerules/hooks",),
    payload_keys={
        "event": ("hookName",),
        "session_id": ("taskId",),
        "project_dir": ("workspaceRoots",),
        "inner": ("preToolUse", "postToolUse", "userPromptSubmit"),
    },
    call_keys=("tool_call", "tool_result"),
)
