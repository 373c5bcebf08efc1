"""Droid's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import (
    AFTER,
    BEFORE,
    CLAUDE_ABOUT,
    CLAUDE_KEYS,
    COMMAND,
    NEW_SESSION,
    PROMPT,
    RUNS,
    STOP,
    STOPS,
    Installation,
    Settings,
    effect,
)
from hookrun.matching.agent_rules import LETTERS, MatcherRule

_FILE = ".factory/settings.json"
SETTINGS = Settings(
    agent="droid",
    title="Droid",
    about=CLAUDE_ABOUT,
    matcher=MatcherRule(letters=f"{LETTERS}|", separators="|"),
    handler_keys=CLAUDE_KEYS,
    group_keys=("matcher", "hooks", "description"),
    refusal_hint=(
        'print {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", '
        '"permissionDecisionReason": "..."}} and nothing else, or exit with 2'
    ),
    effects=(
        effect(BEFORE, "permissionDecision deny, exit 2", STOPS, "measured"),
        effect(BEFORE, "permissionDecision ask", f"nobody is asked: {RUNS}", "trap measured"),
        effect(BEFORE, "exit 3, continue false", "the run ends, and the tool does not run", "measured"),
        effect(BEFORE, "exit 1", RUNS, "trap measured"),
        effect(BEFORE, "a hook that takes too long or is killed", RUNS, "trap measured"),
        effect(BEFORE, "a command that is not there", RUNS, "trap measured"),
        effect(BEFORE, '"decision": "deny" or "block" at the top', f"ignored: {RUNS}", "trap measured"),
        effect(BEFORE, "text around the JSON", f"the JSON is ignored: {RUNS}", "trap measured"),
        effect(BEFORE, "additionalContext", "nobody", "measured"),
        effect(BEFORE, "updatedInput", "is laid over the input", "measured"),
        effect(AFTER, "additionalContext", "the model", "measured"),
        effect(PROMPT, "decision block, exit 2", "the prompt is refused"),
        effect(STOP, "decision block, exit 2", "it goes on, as often as a hook says so", "measured"),
    ),
)
INSTALLATION = Installation(
    agent="droid",
    project=_FILE,
    user=_FILE,
    has_comments=True,
    matcher="*",
    handler=COMMAND,
    folders=(".factory",),
    home_folders=(".factory",),
    programs=("droid",),
    advice=(
        NEW_SESSION,
        "newer versions read hooks from .factory/hooks.json alone where that exists (read in its documents): "
        "then move the entries there, without the outer `hooks`",
    ),
)
