"""Refusals in another agent's words that a guard prints: to hookrun they are a bad answer, not a deny."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookrun.answers.shapes import is_foreign_refusal
from hookrun.commands.validate.finding import Finding
from hookrun.commands.validate.script_file import ScriptFile

# A key and a value as JSON or a mapping of Python has them, in a text or not; all bounded.
_PAIR = re.compile(
    r"""\\?["'](?P<key>[A-Za-z][\w -]{1,40})\\?["']\s*:\s*"""
    r"""(?:\\?["'](?P<word>[A-Za-z]{2,20})\\?["']|(?P<flag>[Tt]rue|[Ff]alse)\b)"""
)
_BARE_KEY = re.compile(
    r"""[{,]\s*(?P<key>[A-Za-z]\w{1,40})\s*:\s*(?:["'](?P<word>[A-Za-z]{2,20})["']|(?P<flag>true|false)\b)"""
)
_SAYS_NO = re.compile(
    r"""\b(?:exit|exitCode\s*=|return)\s*\(?\s*2\b|["']?(?:decision|permissionDecision)\\?["']?\s*:|\bhook_result\b"""
)
_COMMENT = re.compile(r"(?m)^\s*(?:#|//).*$")
_JAVASCRIPT = ("node", "nodejs", "bun", "deno")
_HINT = 'print {"decision": "deny", "reason": "..."}, or exit with 2'


def find_foreign_words(script: ScriptFile) -> Iterator[Finding]:
    """Yield what a guard says no with in words that are not hookrun's, when it has no other way to say so."""
    if not script.is_guard or script.agent:
        return
    text = _COMMENT.sub("", script.text)  # the number of lines stays
    if _SAYS_NO.search(text):
        return
    patterns = (_PAIR, _BARE_KEY) if script.interpreter in _JAVASCRIPT else (_PAIR,)
    for found in (found for pattern in patterns for found in pattern.finditer(text)):
        value = found["word"] or found["flag"].lower() == "true"
        if is_foreign_refusal(found["key"], value):
            said = " ".join(found[0].replace("\\", "").strip("{, ").split())
            message = f"{said} is no decision here: the guard fails instead of saying no"
            yield script.finding(message, text.count("\n", 0, found.start("key")) + 1, hint=_HINT)
