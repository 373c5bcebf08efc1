"""Qwen Code, measured with 0.24.4 where it says so: Claude's answers in Gemini's engine.

An ask needs a terminal. Before a tool it ignores a rewrite and runs what was asked for, and drops context;
after a tool it hands context to the model, and no reason of a block.
"""

from __future__ import annotations

from hookrun.agents import claude_like as common
from hookrun.agents.answer_format import VerdictField
from hookrun.agents.claude_like import BLOCKED, HALTED, TOLD, USER, measured, permission
from hookrun.agents.own_payload import timestamp
from hookrun.agents.qwen.names import DIALECT
from hookrun.agents.reply.encodings import ReplyTable, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLOCK = measured(common.BLOCK)
_CONTEXT = measured(common.CONTEXT)

_REPLIES = ReplyTable(
    name="qwen",
    title="Qwen Code",
    measured_with=("0.24.4",),
    ways={
        "PreToolUse": HALTED.replace(
            allow=permission("allow"),
            ask=permission("ask").replace(needs_terminal=True),
            deny=measured(permission("deny")),
        ),
        "PostToolUse": HALTED.replace(context=_CONTEXT),
        "PostToolUseFailure": TOLD,
        "UserPromptSubmit": HALTED.replace(deny=_BLOCK, context=_CONTEXT),
        "AgentStop": HALTED.replace(deny=_BLOCK),
        "SubAgentStop": BLOCKED,
        "SessionStart": HALTED.replace(context=_CONTEXT),
        "SubAgentStart": TOLD,
    },
    otherwise=Ways(user=USER),
    is_prompted_by_stops=True,
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    fields = {"timestamp": timestamp(event), **common.permission_mode(event)}
    return common.in_claudes_shape(event, DIALECT, own_event, common=fields, result=common.claudes_result(event))


_ANSWERS = common.ANSWERS.replace(  # Claude's words as well as Gemini's
    needs_reason=True,  # exit 2 alone blocks nothing (measured)
    text_is_for_user=True,
    verdicts=(
        common.PERMISSION,
        common.BEHAVIOR,
        common.APPROVAL,
        VerdictField(
            key="decision",
            verdicts={"deny": Verdict.DENY, "block": Verdict.DENY, "ask": Verdict.ASK},
            ignores_case=True,
        ),
    ),
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
