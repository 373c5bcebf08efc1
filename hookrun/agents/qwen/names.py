"""Qwen Code: Gemini's engine, Claude's event names. Shell, write and events are measured, the rest read."""

from __future__ import annotations

from hookrun.agents.shape import EVENT_NAMES, INPUT_KEYS, MCP_NAME, PAYLOAD_KEYS, Dialect

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
    events=EVENT_NAMES,
    input_keys=INPUT_KEYS,
    mcp=MCP_NAME,
    project_variables=("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
    user_settings=(".qwen/settings.json",),
    project_settings=(".qwen/settings.json",),
    payload_keys=PAYLOAD_KEYS,
    variables={"QWEN_PROJECT_DIR": "project", "GEMINI_PROJECT_DIR": "project", "CLAUDE_PROJECT_DIR": "project"},
)
