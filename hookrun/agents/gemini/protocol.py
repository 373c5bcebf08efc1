"""Gemini CLI, measured with 0.61.0 where it says so. An `ask` without a terminal hangs it for good."""

from __future__ import annotations

from hookrun.agents.reply.encodings import EVENT, INPUT, TEXT, ReplyTable, Way, Ways

_OWN = "hookSpecificOutput"
_NAMED = {f"{_OWN}.hookEventName": EVENT}
_HALT = Way(fields={"continue": False, "stopReason": TEXT})
_USER = Way(fields={"systemMessage": TEXT})
_DENY = Way(fields={"decision": "deny", "reason": TEXT}, is_measured=True)
_CONTEXT = Way(fields=_NAMED | {f"{_OWN}.additionalContext": TEXT}, is_measured=True)
_RESULT = _DENY.replace(is_alone=True)  # context beside a deny is lost (measured)
_AFTER = Ways(context=_CONTEXT, result=_RESULT, halt=_HALT, user=_USER)  # a deny takes the result's place

REPLIES = ReplyTable(
    name="gemini",
    title="Gemini CLI",
    measured_with=("0.61.0",),
    ways={
        "PreToolUse": Ways(
            allow=Way(fields={"decision": "allow", "reason": TEXT}),
            ask=Way(fields={"decision": "ask", "reason": TEXT}, needs_terminal=True),
            deny=_DENY,
            rewrite=Way(fields=_NAMED | {f"{_OWN}.tool_input": INPUT}, is_measured=True),
            halt=_HALT,
            user=_USER,
        ),
        "PostToolUse": _AFTER,
        "PostToolUseFailure": _AFTER,
        "UserPromptSubmit": Ways(deny=_DENY, context=_CONTEXT, halt=_HALT, user=_USER),
        "AgentStop": Ways(deny=_DENY, halt=_HALT, user=_USER),
        "SessionStart": Ways(context=_CONTEXT, user=_USER),
    },
    otherwise=Ways(user=_USER),
    is_prompted_by_stops=True,
    lays_over=True,
    shows_stderr=True,
)
