"""Refusals in words that are not hookrun's: another agent's form, a key in another case. Pure.

They cannot be read as a deny, since the rest of such an answer is unknown; for a guard they are never
silence: `read_answer` makes them a bad answer, and `validate` looks for them in scripts.
"""

from __future__ import annotations

from itertools import islice

TYPE_CHECKING = False

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

# Keys without case and signs, as `folded` writes them.
KEYS_WITH_A_WORD = frozenset(
    (
        *("permission", "permissions", "action", "verdict", "behavior", "behaviour", "effect", "ruling"),
        *("judgement", "judgment", "outcome", "result", "response", "status", "policy", "access"),
    )
)
KEYS_THAT_REFUSE_WHEN_FALSE = frozenset(
    (
        *("allow", "allowed", "isallowed", "approve", "approved", "isapproved", "permit", "permitted"),
        *("ok", "okay", "accept", "accepted", "authorized", "authorised", "granted", "safe", "issafe"),
        *("proceed", "shouldcontinue", "shouldproceed", "shouldrun", "shouldallow", "cancontinue", "canproceed"),
    )
)
KEYS_THAT_REFUSE_WHEN_TRUE = frozenset(
    (
        *("deny", "denied", "blocked", "isblocked", "shouldblock", "cancel", "cancelled", "canceled"),
        *("reject", "rejected", "refuse", "refused", "forbid", "forbidden", "disallow", "disallowed"),
        *("veto", "prevent", "prevented", "abort", "aborted", "halt", "stop", "preventcontinuation"),
    )
)
WORDS_FOR_NO = frozenset(
    (
        *("deny", "denied", "block", "blocked", "reject", "rejected", "refuse", "refused", "forbid"),
        *("forbidden", "disallow", "disallowed", "veto", "ask", "defer"),
    )
)
_MORE_WORDS_FOR_NO = frozenset(("no", "never", "false", "stop", "halt", "cancel", "cancelled", "abort"))
_KEYS_OF_DATA = ("result", "response", "status", "outcome", "policy", "access", "permissions")
_COUNTED = ("ed", "forbidden")  # with a number these say how many: {"blocked": 1, "total": 3}
_NULL = ("null", "none", "nil", "undefined")
_FALSE = (False, 0, "false", "no", "n", "0", "never")
_TRUE = (True, 1, "true", "yes", "y", "1")
_DECIDES = KEYS_WITH_A_WORD | KEYS_THAT_REFUSE_WHEN_FALSE | KEYS_THAT_REFUSE_WHEN_TRUE
_DECIDES |= {"decision", "permissiondecision", "block", "continue"}
_LIKELY_MISSPELLED = 0.75  # similarity at which a key is taken for one of ours
_MOST_SHOWN = 10  # refusals of one answer; all of them count
_LENGTH_SHOWN = 60
_LONGEST_MISSPELLED = 30  # characters; no longer key is that near to one of ours
# A key and what it is given, as JSON, Python, Ruby and a quoted text of them have it; all bounded.
_PAIR = r"""
    (?: [{,] \s{0,10} | (?P<quote> \\{0,4} ["'] ) )
    (?P<key> [A-Za-z] [A-Za-z_ -]{1,40} ) \\{0,4} ["']? \s{0,10} (?: : | =>? ) \s{0,10}
    \\{0,4} ["']? (?P<value> [A-Za-z01]{0,20} ) \\{0,4} ["']? (?P<end> \Z )?
"""


def foreign_refusals(level: Mapping[str, Any], ours: Mapping[str, Collection[str]]) -> list[str]:
    """Return what *level* of an answer says no with in words that are not *ours*: the keys of hookrun that
    decide, by their kind (word, true, false, inside). A key that is given twice counts with both values."""
    keys_by_folded = _by_folded(ours)
    known = {key for keys in ours.values() for key in keys}
    refusals = (
        f'"{key[:_LENGTH_SHOWN]}": {_shown(value)} is not a decision here{meant}'
        for key, value in pairs_of(level)
        if key not in known and (meant := _meant(key, value, keys_by_folded)) is not None
    )
    return list(islice(refusals, _MOST_SHOWN))


def broken_refusals(text: str, ours: Mapping[str, Collection[str]], *, with_foreign: bool = True) -> list[str]:
    """Return the refusals in the objects of *text* that are not JSON: whatever an object or its beginning
    says with a key of *ours* that is not an allow and, *with_foreign*, what refuses under another's key."""
    start = text.find("{")
    if start < 0:
        return []
    import re

    keys_by_folded = _by_folded(ours)
    refusals = (
        f"broken JSON with {' '.join(pair[0].split())[:_LENGTH_SHOWN]} in it"
        for pair in re.compile(_PAIR, re.VERBOSE).finditer(text, start)
        if _may_refuse(pair, keys_by_folded, with_foreign)
    )
    return list(islice(refusals, _MOST_SHOWN))


def pairs_of(level: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Return the keys of *level* with their values, each as often as it was given."""
    pairs: Iterable[tuple[str, Any]] = getattr(level, "pairs", None) or level.items()
    return pairs


def folded(key: str) -> str:
    """Return *key* without case, blanks and signs: permission_decision is permissionDecision."""
    return "".join(sign for sign in key.lower() if sign.isalnum())


def _by_folded(ours: Mapping[str, Collection[str]]) -> dict[str, tuple[str, str]]:
    return {folded(key): (kind, key) for kind, keys in ours.items() for key in keys}


def _may_refuse(pair: re.Match[str], ours: Mapping[str, tuple[str, str]], with_foreign: bool) -> bool:
    key, value = folded(pair["key"]), pair["value"].lower()
    kind, _ = ours.get(key, ("", ""))
    if not kind:  # code has such keys as well, and seldom between quotes
        return with_foreign and bool(pair["quote"]) and refuses(key, value)
    if pair["end"] and not value:  # cut off before it says anything
        return True
    if kind == "word" and not pair["quote"]:
        return _is_no(kind, value)
    return kind != "inside" and value not in _NULL and _refuses(kind, value)


def _meant(key: str, value: Any, ours: Mapping[str, tuple[str, str]]) -> str | None:
    """Return what is to be added about *key* when it says no: "" , or which key of ours it looks like."""
    plain = folded(key)
    kind, meant = ours.get(plain, ("", ""))
    if kind:
        return f", the key is {meant}" if _refuses(kind, value) else None
    if refuses(plain, value):
        return ""
    kind = "word" if _is_no("word", value) else "inside" if _is_no("inside", value) else ""
    if not kind or len(plain) > _LONGEST_MISSPELLED:
        return None  # true and false say too little for a guess: "lock" is no "block"
    from hookrun.model.text import nearest

    ours_of_kind = [name for name, (other, _) in ours.items() if other == kind]
    near = nearest(plain, ours_of_kind, similarity=_LIKELY_MISSPELLED)
    return f", the key is {ours[near][1]}" if near else None


def refuses(key: str, value: Any) -> bool:
    """Say whether *key*, folded, with this *value* is a refusal in another agent's words."""
    if key in KEYS_WITH_A_WORD:
        word = _word(value)
        return word in WORDS_FOR_NO or (word in _MORE_WORDS_FOR_NO and key not in _KEYS_OF_DATA)
    if type(value) is int and key.endswith(_COUNTED):
        return False
    if key in KEYS_THAT_REFUSE_WHEN_FALSE:
        return _is_one_of(value, _FALSE)
    return key in KEYS_THAT_REFUSE_WHEN_TRUE and _is_one_of(value, _TRUE)


def _refuses(kind: str, value: Any) -> bool:
    """Say whether a *value* under a key of ours in another spelling may refuse."""
    if kind == "word":
        return value is not None and _word(value) not in ("allow", "approve")
    return _is_no(kind, value)


def _is_no(kind: str, value: Any) -> bool:
    if kind == "word":
        return _word(value) in WORDS_FOR_NO or _word(value) in _MORE_WORDS_FOR_NO
    if kind == "inside":  # what wraps an answer; other objects are data
        return isinstance(value, dict) and not _DECIDES.isdisjoint(map(folded, value))
    return _is_one_of(value, _TRUE if kind == "true" else _FALSE)


def _word(value: Any) -> str:
    return value.strip().lower() if isinstance(value, str) else ""


def _is_one_of(value: Any, values: tuple[Any, ...]) -> bool:
    if isinstance(value, str):
        return _word(value) in values
    return isinstance(value, bool | int | float) and value in values


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value[:_LENGTH_SHOWN]}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) and abs(value) < 10 else "..."
