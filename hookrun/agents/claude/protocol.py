"""Claude Code, measured with 2.1.197 where it says so.

A top-level `{"decision": "deny"}` is ignored there and the tool runs; at other events than before a tool
`block` is the word. Stop, SubagentStop and PreCompact refuse hookSpecificOutput.
"""

from __future__ import annotations

from hookrun.agents import own_event_name
from hookrun.agents.answer_format import AnswerFormat, VerdictField
from hookrun.agents.claude.names import DIALECT
from hookrun.agents.own_payload import claudes_result, in_claudes_shape, known
from hookrun.agents.reply.encodings import EVENT, INPUT, RESPONSE, TEXT, ReplyTable, Way, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.values import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.values import Event

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

_REPLIES = ReplyTable(
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


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    is_about_session = event.event in ("SessionStart", "SessionEnd")
    common = {} if is_about_session else {"permission_mode": known(event, "permission_mode", "default")}
    return in_claudes_shape(event, DIALECT, own_event, common=common, result=claudes_result(event))


def _flaw(document: Mapping[str, Any], event: Event) -> str:
    """Return why Claude Code refuses the whole answer, "" when it takes it; read in its SDK's types."""
    if _OWN not in document:
        return ""
    own, wanted = document[_OWN], own_event_name(event.event, DIALECT)
    if not isinstance(own, dict):
        return f"{_OWN} is no object"
    name = own.get("hookEventName")
    if name is None:
        return f'{_OWN} has no "hookEventName": "{wanted}"'
    return "" if name == wanted else f"its hookEventName is {name!r}, and the event is {wanted}"


_ANSWERS = AnswerFormat(
    shows_text=("UserPromptSubmit", "SessionStart", "UserPromptExpansion"),
    verdicts=(
        VerdictField(
            key=f"{_OWN}.permissionDecision",
            verdicts={"allow": Verdict.ALLOW, "ask": Verdict.ASK, "defer": Verdict.DEFER, "deny": Verdict.DENY},
            events=("PreToolUse",),
            unknown="knows no permissionDecision {word!r}, and goes on",
        ),
        VerdictField(
            key=f"{_OWN}.decision.behavior",
            verdicts={"deny": Verdict.DENY, "allow": Verdict.ALLOW},
            events=("PermissionRequest",),
        ),
        VerdictField(key="decision", verdicts={"approve": Verdict.ALLOW}, events=("PreToolUse",)),
        VerdictField(
            key="decision",
            verdicts={"block": Verdict.DENY},
            unknown='ignores "decision": {word!r} at the top, and goes on: only "block" counts there',
        ),
    ),
    halts=True,
    reasons=(f"{_OWN}.permissionDecisionReason", "reason"),
    context=(f"{_OWN}.additionalContext",),
    user_messages=("systemMessage",),
    rewrites=(f"{_OWN}.updatedInput",),
    flaw_of=_flaw,
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_ANSWERS.read)
