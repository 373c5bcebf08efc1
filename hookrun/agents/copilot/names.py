"""GitHub Copilot CLI, read and not measured. It edits with patches, too."""

from __future__ import annotations

from hookrun.agents.shape import Dialect

DIALECT = Dialect(
    name="copilot",
    tools={
        "shell": ("bash", "powershell"),
        "edit": ("edit", "str_replace_editor", "apply_patch"),
        "write": ("create", "apply_patch"),
        "read": ("view",),
        "grep": ("grep", "rg"),
        "glob": ("glob",),
        "fetch": ("web_fetch",),
        "agent": ("task",),
        "search": ("web_search",),
        "ask_user": ("ask_user",),
        "todo": ("update_todo",),
    },
    events={
        "PreToolUse": ("preToolUse",),
        "PostToolUse": ("postToolUse",),
        "PostToolUseFailure": ("postToolUseFailure",),
        "UserPromptSubmit": ("userPromptSubmitted",),
        "AgentStop": ("agentStop",),
        "SessionStart": ("sessionStart",),
        "SessionEnd": ("sessionEnd",),
        "SubAgentStart": ("subagentStart",),
        "SubAgentStop": ("subagentStop",),
        "PreCompact": ("preCompact",),
    },
    input_keys={"path": "path", "old": "old_str", "new": "new_str", "content": "file_text"},
    user_settings=(".copilot/hooks",),
    project_settings=(".github/hooks",),
    leaves_out_event=True,
    payload_keys={  # the CLI's first, then those of the form that VS Code reads
        "event": ("hook_event_name", "hookEventName"),
        "tool_name": ("toolName", "tool_name"),
        "tool_input": ("toolArgs", "tool_input"),
        "session_id": ("sessionId", "session_id"),
        "cwd": ("cwd",),
        "prompt": ("prompt",),
    },
)
