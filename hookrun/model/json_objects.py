"""Finds the JSON objects in what a hook printed, however it is wrapped. Never raises, never judges them."""

from __future__ import annotations

import json
import re

from hookrun.model.frozen import Frozen

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    Span = tuple[int, int, dict[str, Any]]  # start and end in the text, and the object there

_DEEPEST = 100  # levels; far below what Python's recursion bears, so that whatever comes later can bear it
_WINDOW = 4096  # characters
_PATIENCE = 8  # times the text that broken beginnings may cost to read, before what they span is skipped
# Where an object may begin: at the start, or at a brace with a whole key or nothing in it.
_BEGINNING = r'\A\{|\{\s*(?:\}|"(?:[^"\\\n]|\\.)*"\s*:)'
_TOO_DEEP = "JSON that is nested too deep"


class FoundObjects(Frozen):
    """The JSON objects found in a text, in order."""

    documents: tuple[dict[str, Any], ...] = ()
    noise: str = ""  # the text around them
    broken: str = ""  # the text from the first line that looks like a JSON object but does not parse
    fault: str = ""  # why the text cannot be relied on: it starts as an object and does not parse, or is too deep

    @property
    def has_noise(self) -> bool:
        """Whether there is text besides the objects."""
        return bool(self.noise.strip())

    @property
    def is_alone(self) -> bool:
        """Whether the text is one object and nothing else."""
        return len(self.documents) == 1 and not self.has_noise


class RepeatingObject(dict[str, "Any"]):
    """A JSON object that gives a key more than once: the last value counts, ``pairs`` has them all."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def find_documents(text: str) -> FoundObjects:
    """Return the JSON objects in *text*, which is trimmed. Lists, numbers and strings are mere text."""
    spans, fault = _spans(text)
    noise, broken = _besides(text, spans)
    return FoundObjects(documents=tuple(document for _, _, document in spans), noise=noise, broken=broken, fault=fault)


def _spans(text: str) -> tuple[list[Span], str]:
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    spans: list[Span] = []
    fault = ""
    rest, base = text, 0  # an error counts the lines before it, so what is done with is cut off
    position = 0
    patience = _PATIENCE * len(text)
    beginning = re.compile(_BEGINNING)
    while (match := beginning.search(text, position)) is not None:
        start = match.start()
        if start - base > _WINDOW:
            rest, base = text[start:], start
        try:
            document, end = decoder.raw_decode(rest, start - base)
        except json.JSONDecodeError as error:
            fault = fault if start else _not_json(error)
            patience -= _characters_read(error) - (start - base)
            position = start + 1 if patience > 0 else max(start + 1, base + error.pos)
            continue
        except (ValueError, RecursionError) as error:
            return spans, _unreadable(error)
        if _is_too_deep(document):
            return spans, _TOO_DEEP
        position = base + end
        spans.append((start, position, document))
        if text[start - 1 : start] == "\n":
            # Of an object that was cut off, an inner one may be whole; one that begins a line is its own.
            fault = ""
    return spans, fault


def _characters_read(error: json.JSONDecodeError) -> int:
    """Return where reading stopped; of a string without an end, ``error.pos`` is the beginning."""
    return len(error.doc) if error.msg.startswith("Unterminated") else error.pos


def _besides(text: str, spans: list[Span]) -> tuple[str, str]:
    """Return the text outside of *spans*, and that from the first line on that begins with a brace."""
    starts = [start for start, _, _ in spans]
    ends = [end for _, end, _ in spans]
    gaps = list(zip((0, *ends), (*starts, len(text)), strict=True))
    noise = "\n".join(text[begin:end] for begin, end in gaps)
    brace = re.compile(r"^[ \t]*\{", re.MULTILINE)
    for index, (begin, end) in enumerate(gaps):
        if found := brace.search(text, begin, end):
            rest = [(found.start(), end), *gaps[index + 1 :]]
            return noise, "\n".join(text[begin:end] for begin, end in rest)
    return noise, ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    return document if len(document) == len(pairs) else RepeatingObject(pairs)


def _not_json(error: json.JSONDecodeError) -> str:
    return f"stdout is not valid JSON ({error.msg} at line {error.lineno}, column {error.colno})"


def _unreadable(error: Exception) -> str:
    return _TOO_DEEP if isinstance(error, RecursionError) else "JSON with a number of too many digits"


def _is_too_deep(document: dict[str, Any]) -> bool:
    level: list[Any] = [document]
    for _ in range(_DEEPEST):
        level = [child for value in level for child in _children(value)]
        if not level:
            return False
    return True


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
