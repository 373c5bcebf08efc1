"""GitHub Copilot CLI. The camelCase events and their payload are measured with 1.0.102, as are the
tools bash, create, edit and view; the rest is read. It edits with patches, too."""

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
        "UserPromptSubmit": ("userPromptSubmitted", "UserPromptSubmit"),
        "AgentStop": ("agentStop", "Stop"),
        "SessionStart": ("sessionStart",),
        "SessionEnd": ("sessionEnd",),
        "SubAgentStart": ("subagentStart",),
        "SubAgentStop": ("subagentStop",),
        "PreCompact": ("preCompact",),
    },
    input_keys={"path": "path", "old": "old_str", "new": "new_str", "content": "file_text"},
    user_settings=(".copilot/hooks", ".copilot/settings.json"),
    project_settings=(".github/hooks", ".github/copilot/settings.json", ".github/copilot/settings.local.json"),
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
