"""Claude Code: Bash, Edit, Write, the events and their payload are measured, the other tools read."""

from __future__ import annotations

from hookrun.agents.shape import EVENT_NAMES, INPUT_KEYS, MCP_NAME, PAYLOAD_KEYS, Dialect, Place

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
    events=EVENT_NAMES,
    other_tools={"Monitor": ("shell",)},
    input_keys=INPUT_KEYS,
    mcp=MCP_NAME,
    project_variables=("CLAUDE_PROJECT_DIR",),
    user_settings=(".claude/settings.json", ".claude/plugins/installed_plugins.json", ".claude/plugins"),
    project_settings=(".claude/settings.json", ".claude/settings.local.json", ".claude/plugins"),
    payload_keys=PAYLOAD_KEYS,
    variables={"CLAUDE_PROJECT_DIR": "project", "CLAUDE_PLUGIN_ROOT": "plugin"},
    place=Place(source="claude", order=80, dialect="claude", project=".claude", user=(".claude",), scripts="hooks"),
    command_tools=("SlashCommand", "Skill"),
)
