"""Claude Code: Bash, Edit, Write, the events and their payload are measured, the other tools read."""

from __future__ import annotations

from hookrun.agents.shape import Dialect, Place

DIALECT = Dialect(
    name="claude",
    tools={
        "shell": ("Bash",),
        "edit": ("Edit", "MultiEdit"),
        "write": ("Write",),
        "read": ("Read",),
        "grep": ("Grep",),
        "glob": ("Glob",),
        "fetch": ("WebFetch",),
        "agent": ("Agent", "Task"),
        "search": ("WebSearch",),
        "notebook": ("NotebookEdit",),
        "list": ("LS",),
        "ask_user": ("AskUserQuestion",),
        "skill": ("Skill",),
        "todo": ("TodoWrite",),
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
    other_tools={"Monitor": ("shell",)},
    input_keys={"path": "file_path", "old": "old_string", "new": "new_string", "content": "content"},
    mcp=("mcp__", "__"),
    project_variables=("CLAUDE_PROJECT_DIR",),
    user_settings=(".claude/settings.json", ".claude/plugins/installed_plugins.json", ".claude/plugins"),
    project_settings=(".claude/settings.json", ".claude/settings.local.json", ".claude/plugins"),
    payload_keys={
        "event": ("hook_event_name",),
        "tool_name": ("tool_name",),
        "tool_input": ("tool_input",),
        "session_id": ("session_id",),
        "cwd": ("cwd",),
        "prompt": ("prompt",),
    },
    variables={"CLAUDE_PROJECT_DIR": "project", "CLAUDE_PLUGIN_ROOT": "plugin"},
    place=Place(source="claude", order=80, dialect="claude", project=".claude", user=(".claude",), scripts="hooks"),
    command_tools=("SlashCommand", "Skill"),
)
