"""Qwen Code, measured with 0.24.4 where it says so: Claude's answers in Gemini's engine.

An ask needs a terminal. Before a tool it ignores a rewrite and runs what was asked for, and drops context;
after a tool it hands context to the model, and no reason of a block.
"""

from __future__ import annotations

from hookrun.agents.answer_format import AnswerFormat, VerdictField
from hookrun.agents.own_payload import claudes_result, in_claudes_shape, known, timestamp
from hookrun.agents.qwen.names import DIALECT
from hookrun.agents.reply.encodings import EVENT, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.values import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.model.values import Event

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

_REPLIES = ReplyTable(
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


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    common = {"timestamp": timestamp(event), "permission_mode": known(event, "permission_mode", "default")}
    return in_claudes_shape(event, DIALECT, own_event, common=common, result=claudes_result(event))


_ANSWERS = AnswerFormat(  # Claude's words as well as Gemini's
    text_is_for_user=True,
    verdicts=(
        VerdictField(
            key=f"{_OWN}.permissionDecision",
            verdicts={"allow": Verdict.ALLOW, "ask": Verdict.ASK, "defer": Verdict.DEFER, "deny": Verdict.DENY},
            events=("PreToolUse",),
        ),
        VerdictField(
            key=f"{_OWN}.decision.behavior",
            verdicts={"deny": Verdict.DENY, "allow": Verdict.ALLOW},
            events=("PermissionRequest",),
        ),
        VerdictField(key="decision", verdicts={"approve": Verdict.ALLOW}, events=("PreToolUse",)),
        VerdictField(
            key="decision",
            verdicts={"deny": Verdict.DENY, "block": Verdict.DENY, "ask": Verdict.ASK},
            ignores_case=True,
        ),
    ),
    halts=True,
    reasons=(f"{_OWN}.permissionDecisionReason", "reason"),
    context=(f"{_OWN}.additionalContext",),
    user_messages=("systemMessage",),
    rewrites=(f"{_OWN}.updatedInput",),
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
