"""What is odd about a JSON answer though it can be used: keys unknown or given twice, values of no use."""

from __future__ import annotations

from hookrun.answers.shapes import DECIDING_KEYS, KNOWN_KEYS, TEXT_KEYS, is_foreign_refusal, levels
from hookrun.model.json_objects import RepeatingObject
from hookrun.model.nearest import nearest
from hookrun.model.values import Problem

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_UNKNOWN_KEYS_NAMED = 10
_KEY_LENGTH_SHOWN = 60
_LIKELY_MISSPELLED = 0.8  # similarity at which a key of an object without known keys is worth a word


def find_flaws(document: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Return the flaws of *document*, an object that is a whole answer, as Problems without a place."""
    if not any(key in KNOWN_KEYS for key in document):
        return tuple(_misspelled(document))
    return tuple(
        problem for level in levels(document) for problem in (*_unknown(level), *_repeated(level), *_unusable(level))
    )


def _misspelled(document: Mapping[str, Any]) -> Iterator[Problem]:
    for key in list(document)[:_UNKNOWN_KEYS_NAMED]:
        meant = nearest(key, DECIDING_KEYS, similarity=_LIKELY_MISSPELLED)
        if meant and not is_foreign_refusal(key, document[key]):
            yield _unknown_key(key, meant)


def _unknown(level: Mapping[str, Any]) -> Iterator[Problem]:
    unknown = [key for key in level if key not in KNOWN_KEYS and not is_foreign_refusal(key, level[key])]
    for key in unknown[:_UNKNOWN_KEYS_NAMED]:
        yield _unknown_key(key, nearest(key, KNOWN_KEYS))


def _unknown_key(key: str, meant: str) -> Problem:
    return Problem(
        message=f'its answer has an unknown key "{key[:_KEY_LENGTH_SHOWN]}"',
        hint=f'did you mean "{meant}"?' if meant else "it has no effect, leave it out",
    )


def _repeated(level: Mapping[str, Any]) -> Iterator[Problem]:
    pairs = level.pairs if isinstance(level, RepeatingObject) else []
    keys = [key for key, _ in pairs]
    for key in dict.fromkeys(keys):
        if key in KNOWN_KEYS and keys.count(key) > 1:
            yield Problem(
                message=f'its answer gives "{key}" more than once; the strictest value counts',
                hint="give every key once",
            )


def _unusable(level: Mapping[str, Any]) -> Iterator[Problem]:
    for key in TEXT_KEYS:
        if not _is_text(level.get(key)):
            yield Problem(message=f'"{key}" in its answer is not text and is left out', hint="make it a string")
    if not isinstance(level.get("data"), dict | None):
        yield Problem(message='"data" in its answer is not an object and is left out', hint="make it an object")


def _is_text(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(one is None or isinstance(one, str) for one in values)
