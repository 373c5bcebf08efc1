"""Cursor's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.claude.names import DIALECT as CLAUDE
from hookrun.agents.settings import (
    AFTER,
    BEFORE,
    COMMON_KEYS,
    MESSAGE,
    PROMPT,
    RUNS,
    STOP,
    STOPS,
    TEXT,
    Installation,
    Need,
    Settings,
    effect,
    exits,
    says,
)

SETTINGS = Settings(
    agent="cursor",
    title="Cursor",
    is_flat=True,
    handler_keys=(*COMMON_KEYS, "failClosed", "matcher", "loop_limit", "prompt", "model"),
    file_keys=("hooks", "version"),
    refusal_hint='print {"permission": "deny", "user_message": "..."} and nothing else, or exit with 2',
    effects=(
        effect(
            BEFORE,
            "permission deny, exit 2",
            STOPS,
            "",
            says('{"permission": "deny", "user_message": "why"}'),
            exits(2),
        ),
        effect(
            BEFORE,
            "permission ask",
            "the user, for beforeShellExecution and beforeMCPExecution alone",
            "",
            says('{"permission": "ask"}'),
        ),
        effect(BEFORE, "any other exit code", RUNS, "trap failure", exits(1)),
        effect(BEFORE, "output that is not JSON", f"the hook failed: {RUNS}", "trap failure", says(TEXT)),
        effect(
            PROMPT,
            '"continue": false',
            "the prompt is refused, the user sees user_message",
            "",
            says('{"continue": false, "user_message": "why"}'),
        ),
        effect(
            STOP, "followup_message", "it goes on, with that as its message", "", says('{"followup_message": "more"}')
        ),
        effect(AFTER, "a deny", "no one: the tool has run", "", says('{"permission": "deny"}')),
    ),
)
INSTALLATION = Installation(
    agent="cursor",
    needs=(Need(key="version", message="the version is missing", hint='put "version": 1 there'),),
    shape="handlers",
    project=".cursor/hooks.json",
    user=".cursor/hooks.json",
    has_comments=True,
    guarding={"failClosed": True},
    head={"version": 1},
    covered=(
        "beforeShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
        "afterShellExecution",
        "afterMCPExecution",
        "afterFileEdit",
    ),
    denials={
        "PreToolUse": (f'{{"permission": "deny", "user_message": "{MESSAGE}"}}', 2),
        "UserPromptSubmit": (f'{{"continue": false, "user_message": "{MESSAGE}"}}', 0),
    },
    neutral="{}",
    folders=(".cursor",),
    home_folders=(".cursor",),
    programs=("cursor", "cursor-agent"),
    reads_also=(CLAUDE.name,),
)
