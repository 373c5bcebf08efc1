"""Droid, measured with 0.225.2 where it says so: Claude Code's answers, with gaps.

An ask lets the tool run there, so it is a deny. Before a tool it drops context; a rewrite is laid over the
input.
"""

from __future__ import annotations

from hookrun.agents import claude_like as common
from hookrun.agents.answer_format import PERMISSIONS, HandlerOutput, ParsedAnswer, VerdictField
from hookrun.agents.claude_like import BLOCKED, CONTEXT, HALTED, TOLD, USER, measured, own, permission
from hookrun.agents.droid.names import DIALECT
from hookrun.agents.own_payload import whole_text
from hookrun.agents.reply.encodings import INPUT, ReplyTable, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.opinion import Opinion
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ENDS_THE_RUN = 3  # the exit code after which nothing runs and the model is not asked again

_REPLIES = ReplyTable(
    name="droid",
    title="Droid",
    measured_with=("0.225.2",),
    ways={
        "PreToolUse": Ways(
            allow=measured(permission("allow")),
            deny=measured(permission("deny")),
            rewrite=measured(own(permissionDecision="allow", updatedInput=INPUT)),
            halt=measured(common.HALT),
            user=USER,
        ),
        "PostToolUse": HALTED.replace(context=measured(CONTEXT)),
        "UserPromptSubmit": BLOCKED.replace(context=CONTEXT),
        "AgentStop": HALTED.replace(deny=measured(common.BLOCK)),
        "SubAgentStop": BLOCKED,
        "SessionStart": TOLD,
    },
    otherwise=Ways(user=USER),
    lays_over=True,
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    response = whole_text(event) or event.tool_error if event.tool_response is None else event.tool_response
    return common.in_claudes_shape(
        event,
        DIALECT,
        own_event,
        common=common.permission_mode(event, "off"),
        result={"tool_response": response},
        call_id=None,
        leaves_out=("last_assistant_message",),
    )


_ANSWERS = common.ANSWERS.replace(
    reads_failures=True,
    shows_text=("UserPromptSubmit", "SessionStart"),
    verdicts=(
        common.PERMISSION.replace(verdicts=PERMISSIONS),
        VerdictField(
            key="decision",
            verdicts={"block": Verdict.DENY},
            events=("UserPromptSubmit", "PostToolUse", "AgentStop", "SubAgentStop"),
        ),
    ),
)


def _read(output: HandlerOutput, event: Event) -> ParsedAnswer:
    if output.exit_code == _ENDS_THE_RUN and event.event == "PreToolUse":
        reason = output.stderr.strip()
        return ParsedAnswer(opinion=Opinion(verdict=Verdict.DENY, message=reason, halt=True))
    return _ANSWERS.read(output, event)


PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_read)
