"""Droid (Factory): Execute, Create, Edit, Read, most events and their payload are measured with 0.225.2, the
rest is read."""

from __future__ import annotations

from hookrun.agents.shape import Dialect

DIALECT = Dialect(
    name="droid",
    tools={
        "shell": ("Execute",),
        "edit": ("Edit", "MultiEdit", "ApplyPatch"),
        "write": ("Create", "ApplyPatch"),
        "read": ("Read",),
        "grep": ("Grep",),
        "glob": ("Glob",),
        "fetch": ("FetchUrl",),
        "agent": ("Task",),
        "search": ("WebSearch",),
        "list": ("LS",),
        "ask_user": ("AskUser",),
        "skill": ("Skill",),
        "todo": ("TodoWrite",),
    },
    events={
        "PreToolUse": ("PreToolUse",),
        "PostToolUse": ("PostToolUse",),
        "PostToolUseFailure": ("PostToolUse",),
        "UserPromptSubmit": ("UserPromptSubmit",),
        "AgentStop": ("Stop",),
        "SessionStart": ("SessionStart",),
        "SessionEnd": ("SessionEnd",),
        "SubAgentStop": ("SubagentStop",),
        "PreCompact": ("PreCompact",),
    },
    input_keys={"path": "file_path", "old": "old_str", "new": "new_str", "content": "content"},
    mcp=("mcp__", "__"),
    project_variables=("FACTORY_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
    results_say_success=True,
    user_settings=(".factory/settings.json",),
    project_settings=(".factory/settings.json", ".factory/settings.local.json"),
    payload_keys={
        "event": ("hook_event_name",),
        "tool_name": ("tool_name",),
        "tool_input": ("tool_input",),
        "session_id": ("session_id",),
        "cwd": ("cwd",),
        "prompt": ("prompt",),
    },
    variables={"FACTORY_PROJECT_DIR": "project", "CLAUDE_PROJECT_DIR": "project"},
)
