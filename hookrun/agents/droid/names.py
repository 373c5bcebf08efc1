"""Droid (Factory): Execute, Create, Edit, Read, most events and their payload are measured with 0.225.2, the other
tools are read in lists of Droid's tools; MultiEdit and Skill are unverified: no document names them."""

from __future__ import annotations

from hookrun.agents.shape import EVENT_NAMES, MCP_NAME, PAYLOAD_KEYS, Dialect

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
        event: names
        for event, names in (EVENT_NAMES | {"PostToolUseFailure": ("PostToolUse",)}).items()
        if event not in ("SubAgentStart", "PostCompact")
    },
    input_keys={"path": "file_path", "old": "old_str", "new": "new_str", "content": "content"},
    mcp=MCP_NAME,
    project_variables=("FACTORY_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
    results_say_success=True,
    # 0.186.0 ignores hooks.json (an issue), later documents prefer it: a hook in either is one here.
    user_settings=(".factory/settings.json", ".factory/hooks.json"),
    project_settings=(".factory/settings.json", ".factory/settings.local.json", ".factory/hooks.json"),
    payload_keys=PAYLOAD_KEYS,
    variables={"FACTORY_PROJECT_DIR": "project", "CLAUDE_PROJECT_DIR": "project"},
)
