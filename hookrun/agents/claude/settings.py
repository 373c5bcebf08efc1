"""Claude Code's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

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
    says,
)
from hookrun.matching.agent_rules import LETTERS, PERMISSION_RULE, MatcherRule

# Read in 2.1.263: a name that a tool had before is taken for its name of today, in matchers and rules.
_FORMER_NAMES = {
    "Agent": ("Task",),
    "TaskStop": ("KillShell", "KillBash"),
    "TaskOutput": ("AgentOutputTool", "BashOutputTool", "AgentOutput", "BashOutput"),
    "ListAgents": ("ListPeers",),
    "SendUserMessage": ("Brief",),
    "ListMcpResourcesTool": ("ListMcpResources",),
    "ReadMcpResourceTool": ("ReadMcpResource",),
    "ReadMcpResourceDirTool": ("ReadMcpResourceDir",),
}
_NAMES_OF_TODAY = {former: (tool,) for tool, names in _FORMER_NAMES.items() for former in names}

SETTINGS = Settings(
    agent="claude",
    refuses_wrong_shapes=True,
    has_plugins=True,
    shells=("bash",),
    title="Claude Code",
    read_in="its documents and its SDK (2.1.263)",
    seconds=600.0,
    about=CLAUDE_ABOUT,
    runs=("command", "http"),
    plain_json=True,  # measured with 2.1.328: "These settings files did not load",
    matcher=MatcherRule(
        letters=f"{LETTERS}-,| ",
        separators="|,",
        condition=PERMISSION_RULE,
        names_servers=False,
        also=_FORMER_NAMES | _NAMES_OF_TODAY,
    ),
    handler_keys=CLAUDE_KEYS,
    group_keys=("matcher", "hooks", "description"),
    refusal_hint=(
        'print {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", '
        '"permissionDecisionReason": "..."}} and nothing else, or exit with 2'
    ),
    strictness="a file that is not plain JSON, or has an entry of a wrong shape, is passed over whole",
    effects=(
        effect(BEFORE, "permissionDecision deny, exit 2", STOPS, "measured", says(DENY), exits(2)),
        effect(
            BEFORE,
            "permissionDecision ask",
            "the user; without a terminal the tool does not run",
            "measured",
            says(ASK_PERMISSION),
        ),
        effect(BEFORE, "exit 1", f"{RUNS}, the user is shown stderr", "trap failure measured", exits(1)),
        effect(BEFORE, '"decision": "deny" at the top', f"ignored: {RUNS}", "trap measured", says(DENY_AT_TOP)),
        effect(
            BEFORE, "text before the JSON", f"the JSON is ignored: {RUNS}", "trap measured", says(f"checking {DENY}")
        ),
        effect(
            AFTER,
            "decision block, exit 2",
            "the model gets the reason, the tool has run",
            "measured",
            says(BLOCK),
            exits(2),
        ),
        effect(AFTER, "additionalContext", "the model", "measured", says(CONTEXT)),
        effect((*BEFORE, *AFTER), "other text", "no one: only the transcript has it", "", says(TEXT)),
        effect(
            PROMPT,
            "decision block, exit 2",
            "the prompt is refused, the user gets the reason",
            "",
            says(BLOCK),
            exits(2),
        ),
        effect(PROMPT, "exit 1", "the prompt goes on, the user is shown stderr", "trap failure", exits(1)),
        effect((*PROMPT, "SessionStart"), "other text", "the model, as context", "", says(TEXT)),
        effect(STOP, "decision block, exit 2", "it goes on, with the reason as its message", "", says(BLOCK), exits(2)),
        effect(STOP, "other text", "no one: only the transcript has it", "", says(TEXT)),
        effect((), "a text above 10,000 characters", "is cut to a preview"),
    ),
)
INSTALLATION = Installation(
    agent="claude",
    switches=(
        Switch(
            key="disableAllHooks",
            off=True,
            user=("settings.json",),
            project=(".claude/settings.json", ".claude/settings.local.json"),
        ),
    ),
    local=".claude/settings.local.json",
    blocks_failures_from=(2, 1, 295),
    project=".claude/settings.json",
    user=".claude/settings.json",
    home_variable=("CLAUDE_CONFIG_DIR", "settings.json"),
    has_comments=True,
    matcher="*",
    handler=COMMAND,
    guarding={"onFailure": "block"},  # from 2.1.295 on; older ones ignore a key that they do not know
    folders=(".claude",),
    home_folders=(".claude",),
    programs=("claude",),
    advice=(NEW_SESSION,),
)
