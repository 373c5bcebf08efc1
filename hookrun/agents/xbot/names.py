"""xbot, whose contract hookrun's own hooks follow."""

from __future__ import annotations

from hookrun.agents.shape import PAYLOAD_KEYS, Dialect, Place

DIALECT = Dialect(
    name="xbot",
    tools={
        "shell": ("Shell",),
        "edit": ("FileReplace", "FileEdit"),
        "write": ("FileCreate",),
        "read": ("Read",),
        "grep": ("Grep",),
        "glob": ("Glob",),
        "fetch": ("Fetch",),
        "agent": ("SubAgent",),
        "search": ("WebSearch",),
        "ask_user": ("AskUser",),
        "skill": ("Skill",),
        "todo": ("TodoWrite",),
    },
    events={},
    input_keys={"path": "path", "old": "old_string", "new": "new_string", "content": "content"},
    project_variables=("XBOT_PROJECT_DIR",),
    user_settings=(".xbot/hooks.json",),
    project_settings=(".xbot/hooks.json", ".xbot/hooks.local.json"),
    payload_keys=PAYLOAD_KEYS | {"event": ("event", "hook_event_name"), "project_dir": ("project_dir",)},
    variables={"XBOT_HOME": "home/.xbot"},
    place=Place(source="xbot", order=90, dialect="xbot", project=".xbot", user=(".xbot",), plugins="plugins"),
)
