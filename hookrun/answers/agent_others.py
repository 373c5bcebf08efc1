"""What xbot, Cursor, Copilot CLI, Windsurf and Cline read in a hook's output. Read, not measured."""

from __future__ import annotations

from hookrun.answers.agent_output import Reading, Said, only_object, refused, table, text, texts
from hookrun.answers.opinion import Opinion
from hookrun.model.values import Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookrun.model.values import Event

_PERMISSIONS = {"allow": Verdict.ALLOW, "ask": Verdict.ASK, "deny": Verdict.DENY}
_DECISIONS = {**_PERMISSIONS, "defer": Verdict.DEFER}


def _xbot(said: Said, event: Event) -> Reading:
    if said.exit_code == 2:
        return refused(said, event)
    if said.exit_code:
        return Reading(is_failed=True)
    printed = said.stdout.strip()
    document = only_object(printed)
    if document is None:
        return Reading(opinion=Opinion(context=(printed,) if printed else ()))
    word = document.get("decision")
    verdict = _DECISIONS.get(word, Verdict.NO_OPINION) if isinstance(word, str) else Verdict.NO_OPINION
    rewrite = document.get("updatedInput")
    return Reading(
        opinion=Opinion(
            verdict=verdict,
            message=text(document, "reason"),
            context=texts(document, "context"),
            updated_input=rewrite if isinstance(rewrite, dict) else None,
        ),
        lost=(f'knows no "decision": {word!r}, and goes on',) if word is not None and not verdict else (),
    )


def _cursor(said: Said, event: Event) -> Reading:
    if said.exit_code == 2:
        return refused(said, event)
    if said.exit_code:
        return Reading(is_failed=True)
    printed = said.stdout.strip()
    document = only_object(printed)
    if document is None:
        return Reading(fault="stdout is not JSON" if printed else "")
    word = document.get("permission", document.get("decision"))
    verdict = _PERMISSIONS.get(word, Verdict.NO_OPINION) if isinstance(word, str) else Verdict.NO_OPINION
    if document.get("continue") is False:
        verdict = Verdict.DENY
    message = text(document, "agent_message", "agentMessage", "user_message", "userMessage")
    follow_up = text(document, "followup_message", "followupMessage")
    if follow_up and event.event in ("AgentStop", "SubAgentStop"):
        verdict, message = Verdict.DENY, follow_up
    rewrite = document.get("updated_input")
    return Reading(
        opinion=Opinion(
            verdict=verdict,
            message=message,
            context=texts(document, "additional_context"),
            user_messages=texts(document, "user_message", "userMessage"),
            updated_input=rewrite if isinstance(rewrite, dict) else None,
        )
    )


def _copilot(said: Said, event: Event) -> Reading:
    if said.exit_code:
        return Reading(is_failed=True)
    printed = said.stdout.strip()
    document = only_object(printed)
    if document is None:
        return Reading()
    own = table(document, "hookSpecificOutput")
    word = document.get("permissionDecision", own.get("permissionDecision"))
    verdict = _PERMISSIONS.get(word, Verdict.NO_OPINION) if isinstance(word, str) else Verdict.NO_OPINION
    if document.get("decision") == "block" and event.event in ("AgentStop", "SubAgentStop"):
        verdict = Verdict.DENY
    rewrite = document.get("modifiedArgs", own.get("updatedInput"))
    return Reading(
        opinion=Opinion(
            verdict=verdict if event.event != "PostToolUse" else Verdict.NO_OPINION,
            message=text(document, "permissionDecisionReason", "reason")
            or text(own, "permissionDecisionReason"),
            context=texts(document, "additionalContext") or texts(own, "additionalContext"),
            updated_input=rewrite if isinstance(rewrite, dict) else None,
        )
    )


def _windsurf(said: Said, event: Event) -> Reading:
    if said.exit_code == 2:
        return refused(said, event)
    return Reading(is_failed=said.exit_code != 0)


def _cline(said: Said, _event: Event) -> Reading:
    document = only_object(said.stdout)
    if document is None:
        is_bad = bool(said.stdout.strip()) and said.exit_code == 0
        return Reading(is_failed=said.exit_code != 0, fault="stdout is not JSON" if is_bad else "")
    is_cancelled = document.get("cancel") is True
    return Reading(
        opinion=Opinion(
            verdict=Verdict.DENY if is_cancelled else Verdict.NO_OPINION,
            message=text(document, "errorMessage"),
            context=texts(document, "contextModification"),
        ),
        is_failed=said.exit_code != 0 and not is_cancelled,
    )


READERS: Mapping[str, Callable[[Said, Event], Reading]] = {
    "xbot": _xbot,
    "cursor": _cursor,
    "copilot": _copilot,
    "windsurf": _windsurf,
    "cline": _cline,
}
