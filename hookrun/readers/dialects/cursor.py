"""Cursor. Some of its events mean one tool without naming it."""

from __future__ import annotations

from hookrun.readers.dialects.dialect import Dialect

DIALECT = Dialect(
    name="cursor",
    tools={
        "shell": ("Shell",),
        "edit": ("Write",),
        "write": ("Write",),
        "read": ("Read",),
        "grep": ("Grep",),
        "agent": ("Task",),
    },
    events={
        "PreToolUse": ("preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"),
        "PostToolUse": ("postToolUse", "afterShellExecution", "afterMCPExecution", "afterFileEdit"),
        "PostToolUseFailure": ("postToolUseFailure",),
        "UserPromptSubmit": ("beforeSubmitPrompt",),
        "AgentStop": ("stop",),
        "SessionStart": ("sessionStart",),
        "SessionEnd": ("sessionEnd",),
        "SubAgentStart": ("subagentStart",),
        "SubAgentStop": ("subagentStop",),
        "PreCompact": ("preCompact",),
    },
    input_keys={"path": "file_path", "old": "old_string", "new": "new_string", "content": "content"},
    mcp=("MCP:", ""),
    tool_by_event={
        "beforeShellExecution": "Shell",
        "afterShellExecution": "Shell",
        "beforeReadFile": "Read",
        "afterFileEdit": "Write",
    },
)
