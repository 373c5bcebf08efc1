"""xbot's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import (
    BEFORE,
    COMMAND,
    COMMON_KEYS,
    DENY,
    DENY_AT_TOP,
    PROMPT,
    RUNS,
    STOPS,
    TEXT,
    Installation,
    Need,
    Settings,
    effect,
    exits,
    says,
)
from hookrun.matching.agent_rules import COMMAND_RULE, LETTERS, MatcherRule
from hookrun.matching.expressions import GO

SETTINGS = Settings(
    agent="xbot",
    switch="enable_command_hooks",
    title="xbot",
    seconds=30.0,
    runs=("command", "http"),
    matcher=MatcherRule(letters=f"{LETTERS}|", separators="|", language=GO, condition=COMMAND_RULE),
    handler_keys=(*COMMON_KEYS, "url", "headers", "allowedEnvVars", "async", "if", "env"),
    group_keys=("matcher", "hooks", "description"),
    file_keys=("hooks", "enable_command_hooks", "version", "description"),
    effects=(
        effect(BEFORE, "decision deny, exit 2", STOPS, "", says(DENY_AT_TOP), exits(2)),
        effect(BEFORE, "any other exit code", RUNS, "trap", exits(1)),
        effect(BEFORE, "a permissionDecision", f"ignored: {RUNS}", "trap", says(DENY)),
        effect(PROMPT, "decision deny, exit 2", "the prompt is refused", "", says(DENY_AT_TOP), exits(2)),
        effect((), "other text", "the model, as context", "", says(TEXT)),
    ),
)
INSTALLATION = Installation(
    agent="xbot",
    needs=(
        Need(
            key="enable_command_hooks",
            value=True,
            user=".xbot/hooks.json",
            message="xbot runs no commands before enable_command_hooks is true",
            hint='put "enable_command_hooks": true there; in a project\'s file it has no effect',
        ),
    ),
    project=".xbot/hooks.json",
    user=".xbot/hooks.json",
    matcher="",  # anything but letters and | is a regular expression, and * alone is none
    handler=COMMAND,
    events=(
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "AgentStop",
        "SessionStart",
        "SessionEnd",
        "SubAgentStart",
        "SubAgentStop",
        "PreCompact",
        "PostCompact",
        "CronFired",
        "WebhookReceived",
    ),
    folders=(".xbot",),
    home_folders=(".xbot",),
    programs=("xbot",),
)
