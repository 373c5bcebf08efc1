"""What Codex reads in a hook's output, measured with 0.171.0: what it does not know makes the hook a failed
one, after which it goes on."""

from __future__ import annotations

from hookrun.answers.agent_output import Reading, Said, only_object, table, text, texts
from hookrun.answers.opinion import Opinion
from hookrun.model.values import Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.values import Event

_EVERYWHERE = ("continue", "stopReason", "suppressOutput", "systemMessage")
_OWN = "hookSpecificOutput"
_DECIDES = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "AgentStop",
    "SubAgentStop",
)
_OWN_FIELDS = {
    "PreToolUse": ("permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"),
    "PostToolUse": ("additionalContext", "updatedToolOutput", "updatedMCPToolOutput"),
    "PostToolUseFailure": ("additionalContext", "updatedToolOutput", "updatedMCPToolOutput"),
    "UserPromptSubmit": ("additionalContext",),
    "SessionStart": ("additionalContext",),
    "SubAgentStart": ("additionalContext",),
    "PermissionRequest": ("decision",),
}
_SHOWS_TEXT = ("UserPromptSubmit", "SessionStart", "SubAgentStart")
_NEEDS_JSON = ("AgentStop", "SubAgentStop")


def read_codex(said: Said, event: Event) -> Reading:
    """Return what Codex reads: a refusal needs a reason, an allow a rewrite; ask is nothing that it knows."""
    if said.exit_code == 2:
        reason = said.stderr.strip()
        if not reason:
            return Reading(fault="exit 2 without a reason on stderr blocks nothing")
        return Reading(opinion=Opinion(verdict=Verdict.DENY, message=reason))
    if said.exit_code:
        return Reading(is_failed=True)
    printed = said.stdout.strip()
    if not printed:
        return Reading()
    document = only_object(printed)
    if document is None:
        if printed.startswith(("{", "[")) or event.event in _NEEDS_JSON:
            return Reading(fault="stdout is not the one JSON object that it takes")
        shown = event.event in _SHOWS_TEXT
        return Reading(opinion=Opinion(context=(printed,) if shown else ()))
    fault = _fault(document, table(document, _OWN), event)
    return Reading(fault=fault) if fault else Reading(opinion=_opinion(document, table(document, _OWN)))


def _opinion(document: Mapping[str, Any], own: Mapping[str, Any]) -> Opinion:
    is_halt = document.get("continue") is False
    behaviour = table(own, "decision").get("behavior")
    is_denied = "deny" in (own.get("permissionDecision"), behaviour) or document.get("decision") == "block"
    rewrite = own.get("updatedInput")
    is_allowed = rewrite is not None or behaviour == "allow"
    reasons = (own.get("permissionDecisionReason"), document.get("reason"), document.get("stopReason"))
    return Opinion(
        verdict=Verdict.DENY if is_denied or is_halt else Verdict.ALLOW if is_allowed else Verdict.NO_OPINION,
        message=next((reason for reason in reasons if isinstance(reason, str) and reason.strip()), ""),
        halt=is_halt,
        updated_input=rewrite if isinstance(rewrite, dict) else None,
        context=texts(own, "additionalContext"),
        user_messages=texts(document, "systemMessage"),
    )


def _fault(document: Mapping[str, Any], own: Mapping[str, Any], event: Event) -> str:
    """Say why Codex throws the answer away, "" when it takes it."""
    deciding = ("decision", "reason") if event.event in _DECIDES else ()
    own_fields = _OWN_FIELDS.get(event.event, ())
    allowed = (*_EVERYWHERE, *deciding, *((_OWN,) if own_fields else ()))
    unknown = [key for key in document if key not in allowed]
    unknown += [f"{_OWN}.{key}" for key in own if key not in (*own_fields, "hookEventName")]
    if unknown:
        return f"it knows no field {', '.join(unknown)}, and takes nothing that has one"
    if document.get("decision") not in (None, "block") and event.event != "PreToolUse":
        return f'it knows no "decision": {document["decision"]!r}'
    if event.event == "PreToolUse":
        return _fault_before_a_tool(document, own)
    if document.get("decision") == "block" and not text(document, "reason"):
        return "a block needs a reason"
    return ""


def _fault_before_a_tool(document: Mapping[str, Any], own: Mapping[str, Any]) -> str:
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
