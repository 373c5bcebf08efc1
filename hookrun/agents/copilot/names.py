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
)
