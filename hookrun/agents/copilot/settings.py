"""Copilot CLI's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.claude.names import DIALECT as CLAUDE
from hookrun.agents.settings import (
    AFTER,
    BEFORE,
    COMMAND,
    COMMON_KEYS,
    NEW_SESSION,
    NOBODY,
    PROMPT,
    STOP,
    STOPS,
    Installation,
    Settings,
    Switch,
    effect,
)
from hookrun.matching.agent_rules import MatcherRule

SETTINGS = Settings(
    agent="copilot",
    refuses_wrong_shapes=True,
    versions=(1,),
    reads_folder=True,
    ignores_event_case=True,
    title="Copilot CLI",
    is_flat=True,
    commands=("bash", "command"),
    timeouts=("timeoutSec", "timeout"),
    seconds=30.0,
    shell=("bash", "-c"),
    folder_key="cwd",
    runs=("command", "http"),
    closes=("PreToolUse",),
    matcher=MatcherRule(is_anchored=True),
    handler_keys=(
        *(*COMMON_KEYS, "bash", "powershell", "cwd", "timeoutSec", "env", "comment", "matcher"),
        *("url", "headers", "prompt"),
    ),
    file_keys=("hooks", "version", "disableAllHooks"),
    refusal_hint='print {"permissionDecision": "deny", "permissionDecisionReason": "..."} and nothing else',
    effects=(
        effect(BEFORE, "permissionDecision deny", STOPS),
        effect(BEFORE, "any exit code but 0", "the tool does not run"),
        effect(BEFORE, "other text", NOBODY),
        effect(PROMPT, "a deny", "nobody: a prompt cannot be refused", "trap"),
        effect(AFTER, "any output", NOBODY),
        effect(STOP, "decision block", "it goes on, with the reason as its message"),
    ),
)
INSTALLATION = Installation(
    agent="copilot",
    switches=(Switch(key="disableAllHooks", off=True, is_of_entries=True),),
    shape="handlers",
    project=".github/hooks/hookrun.json",
    user=".copilot/hooks/hookrun.json",
    home_variable=("COPILOT_HOME", "hooks/hookrun.json"),
    command_key="bash",
    timeouts=("timeoutSec", 1),
    handler=COMMAND,
    head={"version": 1},
    folders=(".github/hooks", ".github/copilot"),
    home_folders=(".copilot",),
    programs=("copilot",),
    reads_also=(CLAUDE.name,),
    advice=(NEW_SESSION,),
    project_advice=(
        "Copilot's cloud agent reads this file too, and is denied everything until its set-up steps "
        "install hookrun",
    ),
)
