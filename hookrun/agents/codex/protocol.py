"""Codex, measured with 0.171.0 where it says so. It lets the tool run on every answer that it refuses: a
bare allow, an ask, a top-level deny, a deny without a reason, an unknown field, `continue` before a tool.
"""

from __future__ import annotations

from hookrun.agents.reply.encodings import EVENT, INPUT, TEXT, ReplyTable, Way, Ways

_OWN = "hookSpecificOutput"
_NAMED = {f"{_OWN}.hookEventName": EVENT}
_HALT = Way(fields={"continue": False, "stopReason": TEXT})
_USER = Way(fields={"systemMessage": TEXT})
_BLOCK = Way(fields={"decision": "block", "reason": TEXT}, is_measured=True)  # it replaces a tool's result


def _context(*, is_measured: bool = False) -> Way:
    return Way(fields=_NAMED | {f"{_OWN}.additionalContext": TEXT}, is_measured=is_measured)


_DENY = _NAMED | {f"{_OWN}.permissionDecision": "deny", f"{_OWN}.permissionDecisionReason": TEXT}
_REWRITE = _NAMED | {f"{_OWN}.permissionDecision": "allow", f"{_OWN}.updatedInput": INPUT}
_AFTER = Ways(feedback=_BLOCK, context=_context(is_measured=True), result=_BLOCK, halt=_HALT, user=_USER)
_STARTED = Ways(context=_context(is_measured=True), halt=_HALT, user=_USER)

REPLIES = ReplyTable(
    name="codex",
    title="Codex",
    measured_with=("0.171.0",),
    ways={
        "PreToolUse": Ways(
            deny=Way(fields=_DENY, is_measured=True),
            rewrite=Way(fields=_REWRITE, is_measured=True),
            context=_context(is_measured=True),
            user=_USER,
        ),
        "PostToolUse": _AFTER,
        "PostToolUseFailure": _AFTER,
        "UserPromptSubmit": Ways(deny=_BLOCK, context=_context(is_measured=True), halt=_HALT, user=_USER),
        "AgentStop": Ways(deny=_BLOCK, halt=_HALT, user=_USER),
        "SubAgentStop": Ways(deny=Way(fields=_BLOCK.fields), halt=_HALT, user=_USER),
        "SessionStart": _STARTED,
        "SubAgentStart": Ways(context=_context(), user=_USER),
        "PreCompact": Ways(deny=_HALT, user=_USER),
        "PostCompact": Ways(user=_USER),
    },
    seconds_by_event={"SessionEnd": 1.0},
)
