"""GitHub Copilot CLI, read and not measured. Any exit code but 0 denies a tool; no prompt can be denied."""

from __future__ import annotations

from hookrun.readers.dialects.replies.ways import INPUT, RESPONSE, TEXT, ReplyTable, Way, Ways


def _permission(word: str) -> Way:
    return Way(fields={"permissionDecision": word, "permissionDecisionReason": TEXT})


_AFTER = Ways(result=Way(fields={"modifiedResult": RESPONSE}))
_STOP = Ways(deny=Way(fields={"decision": "block", "reason": TEXT}))

REPLIES = ReplyTable(
    name="copilot",
    title="GitHub Copilot CLI",
    ways={
        "PreToolUse": Ways(
            allow=_permission("allow"),
            ask=_permission("ask"),
            deny=_permission("deny"),
            rewrite=Way(fields={"modifiedArgs": INPUT}),
        ),
        "PostToolUse": _AFTER,
        "PostToolUseFailure": _AFTER,
        "AgentStop": _STOP,
        "SubAgentStop": _STOP,
    },
)
