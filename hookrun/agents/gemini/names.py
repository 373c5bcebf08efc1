"""Gemini CLI: shell, edit, write, read, the events and their payload are measured, the other tools read.

A tool that failed arrives as AfterTool with tool_response.error.
"""

from __future__ import annotations

from hookrun.agents.shape import INPUT_KEYS, PAYLOAD_KEYS, Dialect

DIALECT = Dialect(
    name="gemini",
    tools={
        "shell": ("run_shell_command",),
        "edit": ("replace",),
        "write": ("write_file",),
        "read": ("read_file", "read_many_files"),
        "grep": ("grep_search",),
        "glob": ("glob",),
        "fetch": ("web_fetch",),
        "agent": ("invoke_agent",),
        "search": ("google_web_search",),
        "list": ("list_directory",),
        "ask_user": ("ask_user",),
        "skill": ("activate_skill",),
        "todo": ("write_todos",),
    },
    events={
        "PreToolUse": ("BeforeTool",),
        "PostToolUse": ("AfterTool",),
        "PostToolUseFailure": ("AfterTool",),
        "UserPromptSubmit": ("BeforeAgent",),
        "AgentStop": ("AfterAgent",),
        "SessionStart": ("SessionStart",),
        "SessionEnd": ("SessionEnd",),
        "PreCompact": ("PreCompress",),
    },
    other_tools={"search_file_content": ("grep",), "smart_edit": ("edit",)},
    input_keys=INPUT_KEYS,
    mcp=("mcp_", "_"),
    project_variables=("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
    user_settings=(".gemini/settings.json",),
    project_settings=(".gemini/settings.json",),
    payload_keys=PAYLOAD_KEYS,
    variables={
        "GEMINI_PROJECT_DIR": "project",
        "GEMINI_SESSION_ID": "session",
        "GEMINI_CWD": "cwd",
        "CLAUDE_PROJECT_DIR": "project",
    },
)
