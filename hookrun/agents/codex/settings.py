"""Codex's settings of hooks: what they hold, what becomes of an answer, how hookrun is installed."""

from __future__ import annotations

from hookrun.agents.settings import (
    AFTER,
    BEFORE,
    COMMAND,
    COMMON_KEYS,
    NOBODY,
    PROMPT,
    RUNS,
    STOP,
    STOPS,
    Installation,
    Settings,
    Switch,
    effect,
)
from hookrun.matching.agent_rules import LETTERS, MatcherRule
from hookrun.matching.expressions import RUST

SETTINGS = Settings(
    agent="codex",
    title="Codex",
    timeouts=("timeout", "timeoutSec"),
    seconds=600.0,
    shell=("$SHELL", "-lc"),
    about={"SessionStart": "source"},
    matcher=MatcherRule(
        letters=f"{LETTERS}|",
        separators="|",
        language=RUST,
        names_servers=False,
        also={"apply_patch": ("Edit", "Write")},
    ),
    handler_keys=(
        *COMMON_KEYS,
        "timeoutSec",
        "async",
        "statusMessage",
        "prompt",
        "commandWindows",
        "server",
        "tool",
        "input",
    ),
    group_keys=("matcher", "hooks", "description"),
    file_keys=("hooks", "description"),
    refusal_hint='print {"decision": "block", "reason": "..."} and nothing else, or exit with 2 and a reason',
    strictness="a file that is no JSON is passed over whole, an entry that it does not know alone",
    effects=(
        effect(BEFORE, "deny or block with a reason, exit 2 with a text", STOPS, "measured"),
        effect(BEFORE, "allow with updatedInput", "the tool runs with it", "measured"),
        effect(BEFORE, "exit 1", f"the hook failed: {RUNS}", "trap measured"),
        effect(BEFORE, "exit 2 without a text", f"blocks nothing: {RUNS}", "trap"),
        effect(BEFORE, "ask, allow alone", f"the answer is refused: {RUNS}", "trap measured"),
        effect(BEFORE, '"decision": "deny" at the top', f"the answer is refused: {RUNS}", "trap measured"),
        effect((), "a field that it does not know", "the whole answer is refused, it goes on", "trap measured"),
        effect(AFTER, "decision block", "the reason takes the place of the result", "measured"),
        effect(AFTER, "additionalContext", "the model", "measured"),
        effect((*BEFORE, *AFTER), "other text", NOBODY),
        effect(PROMPT, "decision block with a reason", "the prompt is refused"),
        effect((*PROMPT, "SessionStart", "SubAgentStart"), "other text", "the model, as context"),
        effect(STOP, "text that is no JSON", "the hook failed, it ends"),
        effect(("SessionEnd",), "more than 1 s", "it is ended"),
        effect((), "not approved in /hooks", "skipped without a word", "trap measured"),
    ),
)
INSTALLATION = Installation(
    agent="codex",
    switches=(
        Switch(key="features.hooks", off=False, user=("config.toml",)),
        Switch(key="features.codex_hooks", off=False, user=("config.toml",)),
    ),
    approvals="config.toml",
    project=".codex/hooks.json",
    user=".codex/hooks.json",
    home_variable=("CODEX_HOME", "hooks.json"),
    matcher="*",
    handler=COMMAND,
    folders=(".codex",),
    home_folders=(".codex",),
    programs=("codex",),
    advice=("in Codex, open /hooks and approve them: until then it skips them without a word, and tools run",),
    project_advice=("the project must be trusted in Codex, or it reads no hooks of it",),
)
