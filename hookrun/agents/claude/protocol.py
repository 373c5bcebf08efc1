"""Claude Code, measured with 2.1.197 where it says so.

A top-level `{"decision": "deny"}` is ignored there and the tool runs; at other events than before a tool
`block` is the word. Stop, SubagentStop and PreCompact refuse hookSpecificOutput.
"""

from __future__ import annotations

from hookrun.agents.reply.encodings import EVENT, INPUT, RESPONSE, TEXT, ReplyTable, Way, Ways

_OWN = "hookSpecificOutput"
_NAMED = {f"{_OWN}.hookEventName": EVENT}
_HALT = Way(fields={"continue": False, "stopReason": TEXT})
_USER = Way(fields={"systemMessage": TEXT})
_BLOCK = Way(fields={"decision": "block", "reason": TEXT})


def _permission(word: str, *, is_measured: bool = True) -> Way:
    fields = {f"{_OWN}.permissionDecision": word, f"{_OWN}.permissionDecisionReason": TEXT}
    return Way(fields=_NAMED | fields, is_measured=is_measured)


def _context(*, is_measured: bool = False) -> Way:
    return Way(fields=_NAMED | {f"{_OWN}.additionalContext": TEXT}, is_measured=is_measured)


_TOLD = Ways(context=_context(), halt=_HALT, user=_USER)
_BLOCKED = Ways(deny=_BLOCK, halt=_HALT, user=_USER)

REPLIES = ReplyTable(
    name="claude",
    title="Claude Code",
    measured_with=("2.1.197", "2.1.328"),
    ways={
        "PreToolUse": Ways(
            allow=_permission("allow", is_measured=False),
            ask=_permission("ask"),
            defer=_permission("defer"),
            deny=_permission("deny"),
            rewrite=Way(fields=_NAMED | {f"{_OWN}.updatedInput": INPUT}, is_measured=True),
            context=_context(is_measured=True),
            halt=_HALT,
            user=_USER,
        ),
        "PostToolUse": Ways(
            feedback=_BLOCK,
            context=_context(is_measured=True),
            # It heeds what has the shape of the tool's own result, and nothing else.
            result=Way(fields=_NAMED | {f"{_OWN}.updatedToolOutput": RESPONSE}, is_measured=True),
            halt=_HALT,
            user=_USER,
        ),
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": Ways(deny=_BLOCK, context=_context(), halt=_HALT, user=_USER),
        "AgentStop": _BLOCKED,
        "SubAgentStop": _BLOCKED,
        "PreCompact": _BLOCKED,
        "SessionStart": _TOLD,
        "SubAgentStart": _TOLD,
    },
    otherwise=Ways(halt=_HALT, user=_USER),
    text_limit=10_000,  # a longer one is cut to a preview
)
