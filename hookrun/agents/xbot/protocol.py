"""xbot's command hooks, read and not measured."""

from __future__ import annotations

from hookrun.agents.answer_format import PERMISSIONS, AnswerFormat, VerdictField
from hookrun.agents.payload import payload_for
from hookrun.agents.reply.encodings import INPUT, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.agents.xbot.names import DIALECT
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _decision(word: str) -> Way:
    return Way(fields={"decision": word, "reason": TEXT})


_CONTEXT = Way(fields={"context": TEXT})
_TOLD = Ways(context=_CONTEXT)
_GUARDED = Ways(
    allow=_decision("allow"), ask=_decision("ask"), defer=_decision("defer"), deny=_decision("deny"), context=_CONTEXT
)

_REPLIES = ReplyTable(
    name="xbot",
    title="xbot",
    ways={
        "PreToolUse": _GUARDED.replace(rewrite=Way(fields={"updatedInput": INPUT})),
        "PostToolUse": _TOLD,
        "PostToolUseFailure": _TOLD,
        "UserPromptSubmit": _GUARDED,
        "AgentStop": Ways(deny=_decision("deny")),
        "SessionStart": _TOLD,
        "SessionEnd": Ways(),
        "SubAgentStart": _TOLD,
        "SubAgentStop": Ways(deny=_decision("deny")),
        "PreCompact": Ways(deny=_decision("deny")),
        "PostCompact": _TOLD,
    },
    seconds=60.0,  # the most that xbot lets a handler have
)


def _payload(event: Event, _own_event: str) -> dict[str, Any]:
    return payload_for(event, DIALECT)


_ANSWERS = AnswerFormat(
    shows_text=None,
    verdicts=(
        VerdictField(
            key="decision",
            verdicts=PERMISSIONS | {"defer": Verdict.DEFER},
            unknown='knows no "decision": {word!r}, and goes on',
        ),
    ),
    reasons=("reason",),
    context=("context",),
    rewrites=("updatedInput",),
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
