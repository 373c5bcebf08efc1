"""Droid's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import (
    AFTER,
    ASK_PERMISSION,
    BEFORE,
    BLOCK,
    CLAUDE_ABOUT,
    CLAUDE_KEYS,
    COMMAND,
    CONTEXT,
    DENY,
    DENY_AT_TOP,
    NEW_SESSION,
    NOBODY,
    PROMPT,
    RUNS,
    STOP,
    STOPS,
    Installation,
    Settings,
    effect,
    exits,
    own,
    says,
)
from hookrun.matching.agent_rules import LETTERS, MatcherRule

_FILE = ".factory/settings.json"
SETTINGS = Settings(
    agent="droid",
    title="Droid",
    read_in="its documents and lists of its tools",
    bare_file="hooks.json",
    about=CLAUDE_ABOUT,
    matcher=MatcherRule(letters=f"{LETTERS}|", separators="|"),
    handler_keys=CLAUDE_KEYS,
    group_keys=("matcher", "hooks", "description"),
    refusal_hint=(
        'print {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", '
        '"permissionDecisionReason": "..."}} and nothing else, or exit with 2'
    ),
    effects=(
        effect(BEFORE, "permissionDecision deny, exit 2", STOPS, "measured", says(DENY), exits(2)),
        effect(BEFORE, "permissionDecision ask", f"no one is asked: {RUNS}", "trap measured", says(ASK_PERMISSION)),
        effect(
            BEFORE,
            "exit 3, continue false",
            "the run ends, and the tool does not run",
            "measured",
            exits(3),
            says('{"continue": false}'),
        ),
        effect(BEFORE, "exit 1", RUNS, "trap measured", exits(1)),
        effect(BEFORE, "a hook that takes too long or is killed", RUNS, "trap measured"),
        effect(BEFORE, "a command that is not there", RUNS, "trap measured", exits(127, "")),
        effect(
            BEFORE,
            '"decision": "deny" or "block" at the top',
            f"ignored: {RUNS}",
            "trap measured",
            says(DENY_AT_TOP),
            says(BLOCK),
        ),
        effect(
            BEFORE, "text around the JSON", f"the JSON is ignored: {RUNS}", "trap measured", says(f"checking {DENY}")
        ),
        effect(BEFORE, "additionalContext", NOBODY, "measured", says(own("PreToolUse", additionalContext="look"))),
        effect(
            BEFORE,
            "updatedInput",
            "is laid over the input",
            "measured",
            says(own("PreToolUse", permissionDecision="allow", updatedInput={"command": "ls"})),
        ),
        effect(AFTER, "additionalContext", "the model", "measured", says(CONTEXT)),
        effect(PROMPT, "decision block, exit 2", "the prompt is refused", "", says(BLOCK), exits(2)),
        effect(
            STOP, "decision block, exit 2", "it goes on, as often as a hook says so", "measured", says(BLOCK), exits(2)
        ),
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
