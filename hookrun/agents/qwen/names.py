"""Qwen Code: Gemini's engine, Claude's event names. Shell, write and events are measured, the rest read."""

from __future__ import annotations

from hookrun.agents.shape import Dialect

DIALECT = Dialect(
    name="qwen",
    tools={
        "shell": ("run_shell_command",),
        "edit": ("edit",),
        "write": ("write_file",),
        "read": ("read_file", "read_many_files"),
        "grep": ("grep_search",),
        "glob": ("glob",),
        "fetch": ("web_fetch",),
        "agent": ("task",),
        "search": ("web_search",),
        "list": ("list_directory",),
        "skill": ("skill",),
        "todo": ("todo_write",),
    },
    events={
        "PreToolUse": ("PreToolUse",),
        "PostToolUse": ("PostToolUse",),
        "PostToolUseFailure": ("PostToolUseFailure",),
        "UserPromptSubmit": ("UserPromptSubmit",),
        "AgentStop": ("Stop",),
        "SessionStart": ("SessionStart",),
        "SessionEnd": ("SessionEnd",),
        "SubAgentStart": ("SubagentStart",),
        "SubAgentStop": ("SubagentStop",),
        "PreCompact": ("PreCompact",),
        "PostCompact": ("PostCompact",),
    },
    input_keys={"path": "file_path", "old": "old_string", "new": "new_string", "content": "content"},
    mcp=("mcp__", "__"),
    project_variables=("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
    user_settings=(".qwen/settings.json",),
    project_settings=(".qwen/settings.json",),
    payload_keys={
        "event": ("hook_event_name",),
        "tool_name": ("tool_name",),
        "tool_input": ("tool_input",),
        "session_id": ("session_id",),
        "cwd": ("cwd",),
        "prompt": ("prompt",),
    },
    variables={"QWEN_PROJECT_DIR": "project", "GEMINI_PROJECT_DIR": "project", "CLAUDE_PROJECT_DIR": "project"},
)
