"""What Claude Code reads in a hook's output, measured with 2.1.197, and Qwen Code, which is read only."""

from __future__ import annotations

from hookrun.answers.agent_output import Reading, Said, only_object, refused, table, text, texts, trimmed
from hookrun.answers.opinion import Opinion
from hookrun.model.values import Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.values import Event

_VERDICT_BY_WORD = {
    "allow": Verdict.ALLOW,
    "ask": Verdict.ASK,
    "defer": Verdict.DEFER,
    "deny": Verdict.DENY,
}
_SHOWS_TEXT = ("UserPromptSubmit", "SessionStart", "UserPromptExpansion")
_OWN = "hookSpecificOutput"


def read_claude(said: Said, event: Event) -> Reading:
    """Return what Claude Code reads: only a JSON object that stands alone; exit 2 denies, with or without a
    word; any other exit is a failure, after which it goes on."""
    if said.exit_code == 2:
        return refused(said, event)
    if said.exit_code:
        return Reading(is_failed=True)
    printed = trimmed(said.stdout)
    document = only_object(printed)
    if document is None:
        shown = printed if event.event in _SHOWS_TEXT else ""
        return Reading(opinion=Opinion(context=(shown,) if shown else ()))
    own = table(document, _OWN)
    verdict, lost = _verdict(document, own, event)
    is_halt = document.get("continue") is False
    reasons = (text(own, "permissionDecisionReason"), text(document, "reason"))
    rewrite = own.get("updatedInput")
    opinion = Opinion(
        verdict=Verdict.DENY if is_halt else verdict,
        message=(text(document, "stopReason") if is_halt else "") or next(filter(None, reasons), ""),
        halt=is_halt,
        updated_input=rewrite if isinstance(rewrite, dict) else None,
        context=texts(own, "additionalContext"),
        user_messages=texts(document, "systemMessage"),
    )
    return Reading(opinion=opinion, lost=lost)


def _verdict(
    document: Mapping[str, Any], own: Mapping[str, Any], event: Event
) -> tuple[Verdict, tuple[str, ...]]:
    lost: list[str] = []
    found = [Verdict.NO_OPINION]
    word = own.get("permissionDecision")
    if event.event == "PreToolUse" and word is not None:
        if isinstance(word, str) and word in _VERDICT_BY_WORD:
            found.append(_VERDICT_BY_WORD[word])
        else:
            lost.append(f"knows no permissionDecision {word!r}, and goes on")
    if event.event == "PermissionRequest":
        behaviour = table(own, "decision").get("behavior")
        found.append({"deny": Verdict.DENY, "allow": Verdict.ALLOW}.get(str(behaviour), Verdict.NO_OPINION))
    top = document.get("decision")
    if top == "block":
        found.append(Verdict.DENY)
    elif top == "approve" and event.event == "PreToolUse":
        found.append(Verdict.ALLOW)
    elif top is not None:
        lost.append(f'ignores "decision": {top!r} at the top, and goes on: only "block" counts there')
    return max(found), tuple(lost)


def read_qwen(said: Said, event: Event) -> Reading:
    """Return what Qwen Code reads: Claude's words as well as Gemini's, exit 2 denies."""
    if said.exit_code == 2:
        return refused(said, event)
    if said.exit_code:
        return Reading(is_failed=True)
    printed = trimmed(said.stdout)
    document = only_object(printed)
    if document is None:
        return Reading(opinion=Opinion(user_messages=(printed,) if printed else ()))
    reading = read_claude(said, event)
    words = {"deny": Verdict.DENY, "block": Verdict.DENY, "ask": Verdict.ASK}
    stricter = words.get(str(document.get("decision")).lower(), Verdict.NO_OPINION)
    verdict = max(reading.opinion.verdict, stricter)
    return Reading(opinion=reading.opinion.replace(verdict=verdict))
