"""Claude Code, measured with 2.1.197 where it says so.

A top-level `{"decision": "deny"}` is ignored there and the tool runs; at other events than before a tool
`block` is the word. Stop, SubagentStop and PreCompact refuse hookSpecificOutput.
"""

from __future__ import annotations

from hookrun.agents import claude_like as common
from hookrun.agents import own_event_name
from hookrun.agents.answer_format import VerdictField
from hookrun.agents.claude.names import DIALECT
from hookrun.agents.claude_like import BLOCKED, CONTEXT, HALTED, OWN, TOLD, measured, own, permission
from hookrun.agents.reply.encodings import INPUT, RESPONSE, ReplyTable
from hookrun.agents.shape import Protocol
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_REPLIES = ReplyTable(
    name="claude",
    title="Claude Code",
    measured_with=("2.1.197", "2.1.328"),
    ways={
        "PreToolUse": HALTED.replace(
            allow=permission("allow"),
            ask=measured(permission("ask")),
            defer=measured(permission("defer")),
            deny=measured(permission("deny")),
            rewrite=measured(own(updatedInput=INPUT)),
            context=measured(CONTEXT),
        ),
        "PostToolUse": HALTED.replace(
            feedback=common.BLOCK,
            context=measured(CONTEXT),
            # It heeds what has the shape of the tool's own result, and nothing else.
            result=measured(own(updatedToolOutput=RESPONSE)),
        ),
        "PostToolUseFailure": TOLD,
        "UserPromptSubmit": BLOCKED.replace(context=CONTEXT),
        "AgentStop": BLOCKED,
        "SubAgentStop": BLOCKED,
        "PreCompact": BLOCKED,
        "SessionStart": TOLD,
        "SubAgentStart": TOLD,
    },
    otherwise=HALTED,
    text_limit=10_000,  # a longer one is cut to a preview
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    return common.claudes_payload(event, DIALECT, own_event)


def _flaw(document: Mapping[str, Any], event: Event) -> str:
    """Return why Claude Code refuses the whole answer, "" when it takes it; read in its SDK's types."""
    if OWN not in document:
        return ""
    own, wanted = document[OWN], own_event_name(event.event, DIALECT)
    if not isinstance(own, dict):
        return f"{OWN} is not an object"
    name = own.get("hookEventName")
    if name is None:
        return f'{OWN} has no "hookEventName": "{wanted}"'
    return "" if name == wanted else f"its hookEventName is {name!r}, and the event is {wanted}"


_ANSWERS = common.ANSWERS.replace(
    shows_text=("UserPromptSubmit", "SessionStart", "UserPromptExpansion"),
    verdicts=(
        common.PERMISSION.replace(unknown="knows no permissionDecision {word!r}, and goes on"),
        common.BEHAVIOR,
        common.APPROVAL,
        VerdictField(
            key="decision",
            verdicts={"block": Verdict.DENY},
            unknown='ignores "decision": {word!r} at the top, and goes on: only "block" counts there',
        ),
    ),
    flaw_of=_flaw,
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
