"""Cline: run_commands, editor and read_files are measured, the other tools read.

A tool that failed arrives as PostToolUse, in older versions with success false, since 3.0 with success true
and a success of false in its result. Files are called as VS Code's program names events (PreToolUse), which the
command line's names otherwise in its payload (tool_call).
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
    events={  # agent_start, which the command line says of a new task, has another meaning in hook modules
        "PreToolUse": ("PreToolUse", "tool_call"),
        "PostToolUse": ("PostToolUse", "tool_result"),
        "PostToolUseFailure": ("PostToolUse", "tool_result"),
        "UserPromptSubmit": ("UserPromptSubmit",),
        "AgentStop": ("TaskComplete", "agent_end"),
        "SessionStart": ("TaskStart", "TaskResume"),
        "SessionEnd": ("SessionShutdown",),
        "PreCompact": ("PreCompact",),
    },
    input_keys={"path": "path", "content": "content"},
    other_tools=dict.fromkeys(
        (
            *("attempt_completion", "ask_followup_question", "new_task", "plan_mode_respond", "act_mode_respond"),
            *("browser_action", "access_mcp_resource", "list_code_definition_names", "focus_chain", "condense"),
            *("load_mcp_documentation", "new_rule", "report_bug", "use_skill", "summarize_task"),
        ),
        (),
    ),
    results_say_success=True,
    mcp_keys=("server_name", "tool_name", "arguments"),
    other_events=("TaskCancel", "TaskError", "Notification"),
    user_settings=("Documents/Cline/Hooks", ".cline/hooks"),
    project_settings=(".clinerules/hooks", ".cline/hooks"),
    payload_keys={
        "event": ("hookName",),
        "session_id": ("taskId",),
        "project_dir": ("workspaceRoots",),
        "inner": ("preToolUse", "postToolUse", "userPromptSubmit"),
    },
    call_keys=("tool_call", "tool_result"),
)
