"""Windsurf's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import (
    AFTER,
    BEFORE,
    COMMON_KEYS,
    DENY_AT_TOP,
    NOBODY,
    PROMPT,
    STOP,
    TEXT,
    Installation,
    Settings,
    effect,
    exits,
    says,
)

SETTINGS = Settings(
    agent="windsurf",
    title="Windsurf",
    is_flat=True,
    shell=("bash", "-c"),
    folder_key="working_directory",
    handler_keys=(*COMMON_KEYS, "powershell", "show_output", "working_directory"),
    file_keys=("hooks", "version"),
    refusal_hint="exit with 2 and a reason on stderr",
    effects=(
        effect((*BEFORE, *PROMPT), "exit 2", "it does not happen, stderr says why", "", exits(2)),
        effect((*BEFORE, *PROMPT), "any other exit code", "it goes on", "trap", exits(1)),
        effect((*BEFORE, *PROMPT), "a decision on stdout", "no one: only exit 2 counts", "trap", says(DENY_AT_TOP)),
        effect((*AFTER, *STOP), "any output", NOBODY, "", says(TEXT)),
    ),
)
INSTALLATION = Installation(
    agent="windsurf",
    shape="handlers",
    project=".windsurf/hooks.json",
    user=".codeium/windsurf/hooks.json",
    timeouts=None,
    handler={"show_output": True},
    folders=(".windsurf",),
    home_folders=(".codeium/windsurf",),
    programs=("windsurf",),
)
