"""Cline, read and not measured. A tool that failed arrives as PostToolUse with success false."""

from __future__ import annotations

from hookrun.readers.dialects.dialect import Dialect

DIALECT = Dialect(
    name="cline",
    tools={
        "shell": ("execute_command",),
        "edit": ("replace_in_file",),
        "write": ("write_to_file",),
        "read": ("read_file",),
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
    mcp_keys=("server_name", "tool_name", "arguments"),
)
