"""Gemini CLI's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import (
    AFTER,
    ASK_AT_TOP,
    BEFORE,
    BLOCK,
    COMMAND,
    COMMON_KEYS,
    DENY_AT_TOP,
    NEW_SESSION,
    PROMPT,
    RUNS,
    STOP,
    STOPS,
    TEXT,
    Installation,
    Settings,
    Switch,
    effect,
    exits,
    own,
    says,
)
from hookrun.matching.agent_rules import MatcherRule

_FILE = ".gemini/settings.json"
SETTINGS = Settings(
    agent="gemini",
    refuses_above_2=True,
    title="Gemini CLI",
    milliseconds=True,
    shell=("bash", "-c"),
    about={"SessionStart": "source", "SessionEnd": "reason", "PreCompact": "trigger"},
    matcher=MatcherRule(trims=True),
    handler_keys=(*COMMON_KEYS, "env"),
    group_keys=("matcher", "hooks", "sequential", "description"),
    refusal_hint='print {"decision": "deny", "reason": "..."} and nothing else, or exit with 2 and a reason',
    effects=(
        effect(BEFORE, "decision deny or block", STOPS, "measured", says(DENY_AT_TOP), says(BLOCK)),
        effect(BEFORE, "exit 2 or more, with a text", STOPS, "measured", exits(2), exits(3)),
        effect(BEFORE, "exit 2 without any text", f"blocks nothing: {RUNS}", "trap measured", exits(2, "")),
        effect(BEFORE, "exit 1", f"a warning for the user: {RUNS}", "trap", exits(1)),
        effect(
            BEFORE, "decision ask", "the user; without a terminal it hangs for good", "trap measured", says(ASK_AT_TOP)
        ),
        effect(BEFORE, "text before the JSON", f"the JSON is ignored: {RUNS}", "trap", says(f"checking {DENY_AT_TOP}")),
        effect(
            BEFORE,
            "hookSpecificOutput.tool_input",
            "the tool runs with it",
            "measured",
            says('{"hookSpecificOutput": {"tool_input": {"command": "ls"}}}'),
        ),
        effect(
            AFTER,
            "additionalContext",
            "the model, with < and > escaped",
            "measured",
            says(own("AfterTool", additionalContext="look")),
        ),
        effect(PROMPT, "decision deny or block", "the prompt is refused", "", says(DENY_AT_TOP), says(BLOCK)),
        effect(
            STOP,
            "decision deny or block",
            "it goes on, with the reason as its message",
            "",
            says(DENY_AT_TOP),
            says(BLOCK),
        ),
        effect((), "other text", "the user", "", says(TEXT)),
    ),
)
INSTALLATION = Installation(
    agent="gemini",
    switches=tuple(
        Switch(key=key, off=False, user=(_FILE,), project=(_FILE,))
        for key in ("hooksConfig.enabled", "hooks.enabled", "tools.enableHooks")
    ),
    disabled_keys=("hooksConfig.disabled", "hooks.disabled"),
    project=".gemini/settings.json",
    user=".gemini/settings.json",
    has_comments=True,
    timeouts=("timeout", 1000),
    matcher="*",
    handler={"name": "hookrun", **COMMAND},
    not_events=("enabled", "disabled", "notifications"),  # before 0.2x
    folders=(".gemini",),
    home_folders=(".gemini",),
    programs=("gemini",),
    advice=(NEW_SESSION,),
    project_advice=("the folder must be trusted in Gemini CLI, or it reads no settings of it",),
)
