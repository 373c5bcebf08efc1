"""Cursor, read and not measured. Some of its events mean one tool without naming it."""

from __future__ import annotations

from hookrun.agents.shape import INPUT_KEYS, PAYLOAD_KEYS, Dialect

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
        "PreToolUse": (
            "preToolUse",
            "beforeShellExecution",
            "beforeMCPExecution",
            "beforeReadFile",
            "beforeTabFileRead",
        ),
        "PostToolUse": ("postToolUse", "afterShellExecution", "afterMCPExecution", "afterFileEdit", "afterTabFileEdit"),
        "PostToolUseFailure": ("postToolUseFailure",),
        "UserPromptSubmit": ("beforeSubmitPrompt",),
        "AgentStop": ("stop",),
        "SessionStart": ("sessionStart",),
        "SessionEnd": ("sessionEnd",),
        "SubAgentStart": ("subagentStart",),
        "SubAgentStop": ("subagentStop",),
        "PreCompact": ("preCompact",),
    },
    other_tools={"Delete": ("edit", "write")},
    input_keys=INPUT_KEYS,
    mcp=("MCP:", ""),
    tool_by_event={
        "beforeShellExecution": "Shell",
        "afterShellExecution": "Shell",
        "beforeMCPExecution": "MCP:",
        "afterMCPExecution": "MCP:",
        "beforeReadFile": "Read",
        "afterFileEdit": "Write",
        "beforeTabFileRead": "Read",
        "afterTabFileEdit": "Write",
    },
    project_variables=("CLAUDE_PROJECT_DIR",),
    user_settings=(".cursor/hooks.json",),
    project_settings=(".cursor/hooks.json",),
    payload_keys=PAYLOAD_KEYS | {"session_id": ("conversation_id", "session_id"), "project_dir": ("workspace_roots",)},
    variables={"CURSOR_PROJECT_DIR": "project", "CLAUDE_PROJECT_DIR": "project"},
)
