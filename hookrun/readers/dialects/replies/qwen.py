"""Qwen Code 0.24.4, measured: Claude's answers in Gemini's engine, so an ask needs a terminal.

Before a tool it ignores a rewrite and runs what was asked for, and drops context; after a tool it hands
context to the model, and no reason of a block.
"""

from __future__ import annotations

from hookrun.readers.dialects.replies.ways import EVENT, TEXT, ReplyTable, Way, Ways

_OWN = "hookSpecificOutput"
_NAMED = {f"{_OWN}.hookEventName": EVENT}
_HALT = Way(fields={"continue": False, "stopReason": TEXT})
_USER = Way(fields={"systemMessage": TEXT})
_BLOCK = Way(fields={"decision": "block", "reason": TEXT})
_CONTEXT = Way(fields=_NAMED | {f"{_OWN}.additionalContext": TEXT})


def _permission(word: str) -> dict[str, str]:
    return _NAMED | {f"{_OWN}.permissionDecision": word, f"{_OWN}.permissionDecisionReason": TEXT}


_TOLD = Ways(context=_CONTEXT, halt=_HALT, user=_USER)
_STOP = Ways(deny=_BLOCK, halt=_HALT, user=_USER)

REPLIES = ReplyTable(
    name="qwen",
    title="Qwen Code",
    ways={
        "PreToolUse": Ways(
            allow=Way(fields=_permission("allow")),
            ask=Way(fields=_permission("ask"), needs_terminal=True),
            deny=Way(fields=_permission("deny")),
            halt=_HALT,
            user=_USER,
        ),
        "PostToolUse": Ways(context=_CONTEXT, halt=_HALT, user=_USER),
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": Ways(deny=_BLOCK, context=_CONTEXT, halt=_HALT, user=_USER),
        "AgentStop": _STOP,
        "SubAgentStop": _STOP,
        "SessionStart": _TOLD,
        "SubAgentStart": _TOLD,
    },
    otherwise=Ways(user=_USER),
    is_prompted_by_stops=True,
)
