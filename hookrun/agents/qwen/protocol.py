"""Qwen Code, measured with 0.24.4 where it says so: Claude's answers in Gemini's engine.

An ask needs a terminal. Before a tool it ignores a rewrite and runs what was asked for, and drops context;
after a tool it hands context to the model, and no reason of a block.
"""

from __future__ import annotations

from hookrun.agents.reply.encodings import EVENT, TEXT, ReplyTable, Way, Ways

_OWN = "hookSpecificOutput"
_NAMED = {f"{_OWN}.hookEventName": EVENT}
_HALT = Way(fields={"continue": False, "stopReason": TEXT})
_USER = Way(fields={"systemMessage": TEXT})
_BLOCK = Way(fields={"decision": "block", "reason": TEXT}, is_measured=True)
_CONTEXT = Way(fields=_NAMED | {f"{_OWN}.additionalContext": TEXT}, is_measured=True)
_READ_CONTEXT = Way(fields=_CONTEXT.fields)


def _permission(word: str) -> dict[str, str]:
    return _NAMED | {f"{_OWN}.permissionDecision": word, f"{_OWN}.permissionDecisionReason": TEXT}


_TOLD = Ways(context=_READ_CONTEXT, halt=_HALT, user=_USER)

REPLIES = ReplyTable(
    name="qwen",
    title="Qwen Code",
    measured_with=("0.24.4",),
    ways={
        "PreToolUse": Ways(
            allow=Way(fields=_permission("allow")),
            ask=Way(fields=_permission("ask"), needs_terminal=True),
            deny=Way(fields=_permission("deny"), is_measured=True),
            halt=_HALT,
            user=_USER,
        ),
        "PostToolUse": Ways(context=_CONTEXT, halt=_HALT, user=_USER),
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": Ways(deny=_BLOCK, context=_CONTEXT, halt=_HALT, user=_USER),
        "AgentStop": Ways(deny=_BLOCK, halt=_HALT, user=_USER),
        "SubAgentStop": Ways(deny=Way(fields=_BLOCK.fields), halt=_HALT, user=_USER),
        "SessionStart": Ways(context=_CONTEXT, halt=_HALT, user=_USER),
        "SubAgentStart": _TOLD,
    },
    otherwise=Ways(user=_USER),
    is_prompted_by_stops=True,
)
