"""What Gemini CLI reads in a hook's output, measured with 0.61.0."""

from __future__ import annotations

from hookrun.agents import dialect_named
from hookrun.agents.own_payload import own_tool
from hookrun.answers.agent_output import Reading, Said, only_object, table, text, texts, trimmed
from hookrun.answers.opinion import Opinion
from hookrun.model.values import Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookrun.model.values import Event

_VERDICT_BY_WORD = {
    "allow": Verdict.ALLOW,
    "approve": Verdict.ALLOW,
    "ask": Verdict.ASK,
    "deny": Verdict.DENY,
    "block": Verdict.DENY,
}
_OWN = "hookSpecificOutput"
_WARNS = 1  # the exit code after which text is a warning


def read_gemini(said: Said, event: Event) -> Reading:
    """Return what Gemini CLI reads: stdout, or else stderr, as JSON or as text.

    Text is a message after exit 0, a warning after exit 1 and a refusal after any other; without any text
    no exit code blocks.
    """
    printed = trimmed(said.stdout) or trimmed(said.stderr)
    if not printed:
        if said.exit_code:
            return Reading(fault=f"exit {said.exit_code} without any text blocks nothing")
        return Reading()
    document = only_object(_unwrapped(printed))
    if document is not None:
        return _of_document(document, said, event)
    if said.exit_code == 0:
        return Reading(opinion=Opinion(user_messages=(printed,)))
    if said.exit_code == _WARNS:
        return Reading(is_failed=True)
    return Reading(opinion=Opinion(verdict=Verdict.DENY, message=printed))


def _unwrapped(printed: str) -> str:
    """Return the text that *printed* is as a JSON string, which Gemini CLI reads as JSON once more."""
    if not printed.startswith('"'):
        return printed
    import json

    try:
        return str(json.loads(printed))
    except (ValueError, RecursionError):
        return printed


def _of_document(document: Mapping[str, Any], said: Said, event: Event) -> Reading:
    own = table(document, _OWN)
    word = document.get("decision")
    verdict = _VERDICT_BY_WORD.get(word, Verdict.NO_OPINION) if isinstance(word, str) else Verdict.NO_OPINION
    lost: tuple[str, ...] = ()
    if word is not None and not verdict:
        lost = (f'knows no "decision": {word!r}, and goes on',)
    is_halt = document.get("continue") is False
    opinion = Opinion(
        verdict=Verdict.DENY if is_halt else verdict,
        message=text(document, "reason", "stopReason"),
        halt=is_halt,
        updated_input=_rewrite(own, event),
        context=texts(own, "additionalContext"),
        user_messages=texts(document, "systemMessage"),
    )
    is_silent = said.exit_code != 0 and not verdict and not is_halt
    return Reading(opinion=opinion, is_failed=is_silent, lost=lost)


def _rewrite(own: Mapping[str, Any], event: Event) -> Mapping[str, Any] | None:
    """Return the whole rewritten input: what Gemini does not find in it stays as it was."""
    rewrite = own.get("tool_input")
    if not isinstance(rewrite, dict):
        return None
    dialect = dialect_named("gemini")
    assert dialect is not None, "there is such a dialect"
    _, before = own_tool(event, dialect)
    return {**(before if isinstance(before, dict) else {}), **rewrite}
