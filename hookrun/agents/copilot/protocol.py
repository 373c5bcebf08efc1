"""GitHub Copilot CLI, measured with 1.0.102 where it says so.

Any exit code but 0 denies a tool; no prompt can be denied.
"""

from __future__ import annotations

from hookrun.agents.reply.encodings import INPUT, RESPONSE, TEXT, ReplyTable, Way, Ways


def _permission(word: str, *, is_measured: bool = False) -> Way:
    fields = {"permissionDecision": word, "permissionDecisionReason": TEXT}
    return Way(fields=fields, is_measured=is_measured)


_RESULT = {"modifiedResult": RESPONSE}
_BLOCK = {"decision": "block", "reason": TEXT}

REPLIES = ReplyTable(
    name="copilot",
    title="GitHub Copilot CLI",
    measured_with=("1.0.102",),
    ways={
        "PreToolUse": Ways(
            allow=_permission("allow"),
            ask=_permission("ask"),
            deny=_permission("deny", is_measured=True),
            rewrite=Way(fields={"modifiedArgs": INPUT}, is_measured=True),
        ),
        "PostToolUse": Ways(result=Way(fields=_RESULT, is_measured=True)),
        "PostToolUseFailure": Ways(result=Way(fields=_RESULT)),
        "AgentStop": Ways(deny=Way(fields=_BLOCK, is_measured=True)),
        "SubAgentStop": Ways(deny=Way(fields=_BLOCK)),
    },
)
