"""Droid, measured with 0.225.2 where it says so: Claude Code's answers, with gaps.

An ask lets the tool run there, so it is a deny. Before a tool it drops context; a rewrite is laid over the
input.
"""

from __future__ import annotations

from hookrun.agents.answer_format import AnswerFormat, ParsedAnswer, VerdictField
from hookrun.agents.droid.names import DIALECT
from hookrun.agents.own_payload import in_claudes_shape, known, whole_text
from hookrun.agents.reply.encodings import EVENT, INPUT, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.opinion import Opinion
from hookrun.model.values import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookrun.agents.answer_format import HandlerOutput
    from hookrun.model.values import Event

_OWN = "hookSpecificOutput"
_NAMED = {f"{_OWN}.hookEventName": EVENT}
_HALT = Way(fields={"continue": False, "stopReason": TEXT})
_USER = Way(fields={"systemMessage": TEXT})
_BLOCK = Way(fields={"decision": "block", "reason": TEXT})
_CONTEXT = Way(fields=_NAMED | {f"{_OWN}.additionalContext": TEXT})
_ENDS_THE_RUN = 3  # the exit code after which nothing runs and the model is not asked again


def _permission(word: str, **others: str) -> dict[str, Any]:
    return _NAMED | {f"{_OWN}.permissionDecision": word} | {f"{_OWN}.{key}": to for key, to in others.items()}


_AFTER = Ways(context=_CONTEXT.replace(is_measured=True), halt=_HALT, user=_USER)

_REPLIES = ReplyTable(
    name="droid",
    title="Droid",
    measured_with=("0.225.2",),
    ways={
        "PreToolUse": Ways(
            allow=Way(fields=_permission("allow", permissionDecisionReason=TEXT), is_measured=True),
            deny=Way(fields=_permission("deny", permissionDecisionReason=TEXT), is_measured=True),
            rewrite=Way(fields=_permission("allow", updatedInput=INPUT), is_measured=True),
            halt=_HALT.replace(is_measured=True),
            user=_USER,
        ),
        "PostToolUse": _AFTER,
        "UserPromptSubmit": Ways(deny=_BLOCK, context=_CONTEXT, halt=_HALT, user=_USER),
        "AgentStop": Ways(deny=_BLOCK.replace(is_measured=True), halt=_HALT, user=_USER),
        "SubAgentStop": Ways(deny=_BLOCK, halt=_HALT, user=_USER),
        "SessionStart": Ways(context=_CONTEXT, halt=_HALT, user=_USER),
    },
    otherwise=Ways(user=_USER),
    lays_over=True,
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    common = {"permission_mode": known(event, "permission_mode", "off")}
    response = whole_text(event) or event.tool_error if event.tool_response is None else event.tool_response
    return in_claudes_shape(
        event,
        DIALECT,
        own_event,
        common=common,
        result={"tool_response": response},
        call_id=None,
        leaves_out=("last_assistant_message",),
    )


_ANSWERS = AnswerFormat(
    reads_failures=True,
    shows_text=("UserPromptSubmit", "SessionStart"),
    verdicts=(
        VerdictField(
            key=f"{_OWN}.permissionDecision",
            verdicts={"allow": Verdict.ALLOW, "ask": Verdict.ASK, "deny": Verdict.DENY},
            events=("PreToolUse",),
        ),
        VerdictField(
            key="decision",
            verdicts={"block": Verdict.DENY},
            events=("UserPromptSubmit", "PostToolUse", "AgentStop", "SubAgentStop"),
        ),
    ),
    halts=True,
    reasons=(f"{_OWN}.permissionDecisionReason", "reason"),
    context=(f"{_OWN}.additionalContext",),
    user_messages=("systemMessage",),
    rewrites=(f"{_OWN}.updatedInput",),
)


def _read(output: HandlerOutput, event: Event) -> ParsedAnswer:
    if output.exit_code == _ENDS_THE_RUN and event.event == "PreToolUse":
        reason = output.stderr.strip()
        return ParsedAnswer(opinion=Opinion(verdict=Verdict.DENY, message=reason, halt=True))
    return _ANSWERS.read(output, event)


PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_read)
