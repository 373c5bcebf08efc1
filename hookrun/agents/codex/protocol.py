"""Codex, measured with 0.171.0 where it says so. It lets the tool run on every answer that it refuses: a
bare allow, an ask, a top-level deny, a deny without a reason, an unknown field, `continue` before a tool.
"""

from __future__ import annotations

from hookrun.agents import claude_like as common
from hookrun.agents.answer_format import HandlerOutput, ParsedAnswer, VerdictField, only_object, text, trimmed
from hookrun.agents.claude_like import BLOCKED, CONTEXT, HALT, HALTED, OWN, USER, measured, own, permission
from hookrun.agents.codex.names import DIALECT
from hookrun.agents.own_payload import known, whole_text
from hookrun.agents.reply.encodings import INPUT, ReplyTable, Ways
from hookrun.agents.shape import Protocol
from hookrun.model.values import Event, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_BLOCK = measured(common.BLOCK)  # it replaces a tool's result
_CONTEXT = measured(CONTEXT)
_AFTER = HALTED.replace(feedback=_BLOCK, context=_CONTEXT, result=_BLOCK)

_REPLIES = ReplyTable(
    name="codex",
    title="Codex",
    measured_with=("0.171.0",),
    ways={
        "PreToolUse": Ways(
            deny=measured(permission("deny")),
            rewrite=measured(own(permissionDecision="allow", updatedInput=INPUT)),
            context=_CONTEXT,
            user=USER,
        ),
        "PostToolUse": _AFTER,
        "PostToolUseFailure": _AFTER,
        "UserPromptSubmit": HALTED.replace(deny=_BLOCK, context=_CONTEXT),
        "AgentStop": HALTED.replace(deny=_BLOCK),
        "SubAgentStop": BLOCKED,
        "SessionStart": HALTED.replace(context=_CONTEXT),
        "SubAgentStart": Ways(context=CONTEXT, user=USER),
        "PreCompact": Ways(deny=HALT, user=USER),
        "PostCompact": Ways(user=USER),
    },
    seconds_by_event={"SessionEnd": 1.0},
)


def _payload(event: Event, own_event: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if event.event != "SessionEnd":
        fields["model"] = known(event, "model", event.extra.get("model", ""))
        if event.event != "SessionStart":
            fields["turn_id"] = known(event, "turn_id", "")
        fields |= common.permission_mode(event)
    result = {"tool_response": whole_text(event) or event.tool_error}
    return common.in_claudes_shape(event, DIALECT, own_event, common=fields, result=result, transcript_path=None)


_EVERYWHERE = ("continue", "stopReason", "suppressOutput", "systemMessage")
_DECIDES = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "AgentStop", "SubAgentStop")
_OWN_FIELDS = {
    "PreToolUse": ("permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"),
    "PostToolUse": ("additionalContext", "updatedToolOutput", "updatedMCPToolOutput"),
    "PostToolUseFailure": ("additionalContext", "updatedToolOutput", "updatedMCPToolOutput"),
    "UserPromptSubmit": ("additionalContext",),
    "SessionStart": ("additionalContext",),
    "SubAgentStart": ("additionalContext",),
    "PermissionRequest": ("decision",),
}
_NEEDS_JSON = ("AgentStop", "SubAgentStop")


def _answer(output: HandlerOutput, event: Event) -> ParsedAnswer:
    """Return what Codex reads: a refusal needs a reason, an allow a rewrite; it knows no ask."""
    printed = trimmed(output.stdout)
    needs_json = printed.startswith(("{", "[")) or event.event in _NEEDS_JSON
    if output.exit_code == 0 and printed and needs_json and only_object(printed) is None:
        return ParsedAnswer(fault="stdout is not the one JSON object that it takes")
    return _ANSWERS.read(output, event)


def _flaw(document: Mapping[str, Any], event: Event) -> str:
    """Return why Codex refuses the whole answer, "" when it takes it."""
    given = document.get(OWN)
    own = given if isinstance(given, dict) else {}
    deciding = ("decision", "reason") if event.event in _DECIDES else ()
    own_fields = _OWN_FIELDS.get(event.event, ())
    allowed = (*_EVERYWHERE, *deciding, *((OWN,) if own_fields else ()))
    unknown = [key for key in document if key not in allowed]
    unknown += [f"{OWN}.{key}" for key in own if key not in (*own_fields, "hookEventName")]
    if unknown:
        return f"it knows no field {', '.join(unknown)}, and takes nothing that has one"
    if given is not None and not isinstance(own.get("hookEventName"), str):
        return f"its {OWN} has no hookEventName"
    return _flaw_before_a_tool(document, own) if event.event == "PreToolUse" else _flaw_elsewhere(document)


def _flaw_elsewhere(document: Mapping[str, Any]) -> str:
    if document.get("decision") not in (None, "block"):
        return f'it knows no "decision": {document["decision"]!r}'
    if document.get("decision") == "block" and not text(document, "reason"):
        return "a block needs a reason"
    return ""


def _flaw_before_a_tool(document: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    for key, usual in (("continue", True), ("stopReason", None), ("suppressOutput", False)):
        if document.get(key, usual) not in (usual, None):
            return f"it takes no {key} before a tool"
    word, top, rewrite = own.get("permissionDecision"), document.get("decision"), own.get("updatedInput")
    if word is None and top is None:
        return "it takes no updatedInput without permissionDecision allow" if rewrite is not None else ""
    if word == "deny":
        return "" if text(own, "permissionDecisionReason") else "a deny needs a permissionDecisionReason"
    if word == "allow":
        return "" if rewrite is not None else "it takes no allow without an updatedInput"
    if word is not None:
        return f"it takes no permissionDecision {word!r}"
    if top == "block":
        return "" if text(document, "reason") else "a block needs a reason"
    return f'it takes no "decision": {top!r}'


_ANSWERS = common.ANSWERS.replace(
    needs_reason=True,
    refuses_anywhere=True,
    shows_text=("UserPromptSubmit", "SessionStart", "SubAgentStart"),
    verdicts=(
        common.PERMISSION.replace(verdicts=common.BEHAVIOR.verdicts, events=()),
        common.BEHAVIOR.replace(events=()),
        VerdictField(key="decision", verdicts={"block": Verdict.DENY}),
    ),
    reasons=(*common.ANSWERS.reasons, "stopReason"),
    flaw_of=_flaw,
)
PROTOCOL = Protocol(replies=_REPLIES, write_payload=_payload, read_answer=_answer)
