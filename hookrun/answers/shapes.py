"""What one JSON object says as an answer, in any of the accepted shapes. Never raises."""

from __future__ import annotations

from hookrun.answers.foreign import broken_refusals, foreign_refusals, pairs_of
from hookrun.model.json_objects import RepeatingObject
from hookrun.model.opinion import Opinion, merged
from hookrun.model.values import Verdict

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

_VERDICT_BY_WORD = {
    "allow": Verdict.ALLOW,
    "approve": Verdict.ALLOW,
    "deny": Verdict.DENY,
    "block": Verdict.DENY,
    "ask": Verdict.ASK,
    "defer": Verdict.DEFER,
}
_NESTING = ("hook_result", "hookResult", "hookSpecificOutput")
_DECISIONS = ("decision", "permissionDecision")
_FLAGS = ("block", "continue")
_REASONS = ("message", "reason", "permissionDecisionReason", "stopReason")
_CONTEXTS = ("context", "additionalContext")
_REWRITES = ("updatedInput", "updated_input")
_EVERYDAY = ("message", "reason", "context", "data", "feedback")  # any JSON may have these

DECIDING_KEYS = (*_DECISIONS, *_FLAGS, *_NESTING)
_DECIDING_BY_KIND = {"word": _DECISIONS, "true": ("block",), "false": ("continue",), "inside": _NESTING}
TEXT_KEYS = (*_REASONS, *_CONTEXTS, "feedback", "systemMessage")
KNOWN_KEYS = (*DECIDING_KEYS, *TEXT_KEYS, *_REWRITES, "data", "suppressOutput", "hookEventName")

_WORD_LENGTH_SHOWN = 60


def read_opinion(document: Mapping[str, Any]) -> Opinion:
    """Return what *document* says; several shapes in it make one opinion, the strictest.

    A key that is given more than once counts with all its values.
    """
    return merged([_read_level(level) for level in levels(document)])


def is_meant_as_answer(document: Mapping[str, Any], *, with_foreign: bool = True) -> bool:
    """Return whether *document* has a key that nothing but an answer has or, *with_foreign*, refuses in words
    that are not ours."""
    is_known = any(key in KNOWN_KEYS and key not in _EVERYDAY for key in document)
    return is_known or (with_foreign and bool(_foreign(document)))


def known_part(document: Mapping[str, Any], but: Collection[str]) -> dict[str, Any]:
    """Return what *document* has of an answer's keys, except those in *but*."""
    pairs = [(key, value) for key, value in pairs_of(document) if key in KNOWN_KEYS and key not in but]
    return RepeatingObject(pairs)


def levels(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield *document* and the objects in it that are read like it (hookSpecificOutput and its kin)."""
    yield document
    for value in _values(document, *_NESTING):
        if isinstance(value, dict):
            yield from levels(value)


def _values(level: Mapping[str, Any], *keys: str) -> list[Any]:
    """Return all that *keys* are given in *level*, except null."""
    pairs = list(pairs_of(level))
    return [value for wanted in keys for key, value in pairs if key == wanted and value is not None]


def _read_level(level: Mapping[str, Any]) -> Opinion:
    halt = False in _of_type(level, bool, "continue")
    is_blocked = halt or True in _of_type(level, bool, "block")
    verdicts = [_verdict(value) or Verdict.NO_OPINION for value in _values(level, *_DECISIONS)]
    verdict = Verdict.DENY if is_blocked else max(verdicts, default=Verdict.NO_OPINION)
    return Opinion(
        verdict=verdict,
        message="\n".join(dict.fromkeys(_texts(level, *_REASONS))),
        halt=halt,
        updated_input=_object(level, *_REWRITES),
        context=_texts(level, *_CONTEXTS),
        feedback=_texts(level, "feedback"),
        user_messages=_texts(level, "systemMessage"),
        data=_object(level, "data"),
        faults=tuple(_faults(level)),
        foreign=tuple(_foreign(level)) if verdict <= Verdict.ALLOW else (),
    )


def _foreign(level: Mapping[str, Any]) -> list[str]:
    """Return the refusals in words that are not ours, also of an answer that is all that *level* wraps."""
    said = foreign_refusals(level, _DECIDING_BY_KIND)
    if said or len(level) != 1:
        return said
    (key,) = level
    if key in _NESTING or not any(_refuses_inside(value) for _, value in pairs_of(level)):
        return said
    return [f'the answer is inside "{key[:_WORD_LENGTH_SHOWN]}", where it is not looked for']


def _refuses_inside(value: Any) -> bool:
    """Say whether *value*, all that an answer consists of, is a refusal or a list with one in it."""
    if isinstance(value, list):
        return any(_refuses_inside(one) for one in value)
    if not isinstance(value, dict):
        return False
    opinion = read_opinion(value)
    return opinion.is_strict or bool(opinion.foreign)


def refusals_in_broken(text: str, *, with_foreign: bool = True) -> tuple[str, ...]:
    """Return the refusals in objects of *text* that are not valid JSON."""
    return tuple(broken_refusals(text, _DECIDING_BY_KIND, with_foreign=with_foreign))


def is_foreign_refusal(key: str, value: Any) -> bool:
    """Say whether *key* with *value* refuses in words that are not ours."""
    return bool(foreign_refusals({key: value}, _DECIDING_BY_KIND))


def _of_type(level: Mapping[str, Any], wanted: type, *keys: str) -> list[Any]:
    return [value for value in _values(level, *keys) if isinstance(value, wanted)]


def _object(level: Mapping[str, Any], *keys: str) -> dict[str, Any] | None:
    """Return the first object that *keys* are given, as it can be written again."""
    objects = _of_type(level, dict, *keys)
    if not objects:
        return None
    from hookrun.agents.payload import finite

    written: dict[str, Any] = finite(objects[0])
    return written


def _verdict(word: Any) -> Verdict | None:
    return _VERDICT_BY_WORD.get(word.lower()) if isinstance(word, str) else None


def _texts(level: Mapping[str, Any], *keys: str) -> tuple[str, ...]:
    texts: list[Any] = []
    for value in _values(level, *keys):
        texts += value if isinstance(value, list) else [value]
    return tuple(text for text in texts if isinstance(text, str) and text.strip())


def _faults(level: Mapping[str, Any]) -> Iterator[str]:
    """Say what makes *level* a bad answer: what could have been meant to decide, and cannot be read."""
    for key in _DECISIONS:
        for value in _values(level, key):
            if _verdict(value) is None:
                yield f"{key} is {_shown(value)}, expected allow, deny, ask or defer"
    for keys, wanted, name in ((_FLAGS, bool, "true or false"), ((*_NESTING, *_REWRITES), dict, "an object")):
        for key in keys:
            for value in _values(level, key):
                if not isinstance(value, wanted):
                    yield f"{key} is {_shown(value)}, which is not {name}"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value[:_WORD_LENGTH_SHOWN]}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, dict) else "a number"
