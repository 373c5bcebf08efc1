"""The one scanner of JSON texts: the position of each value, for lines of problems and for edits of settings."""

from __future__ import annotations

from json.decoder import scanstring  # type: ignore[attr-defined]

from hookrun.model.frozen import Frozen

SPACE = " \t\r\n"  # https://www.rfc-editor.org/rfc/rfc8259#section-2


class Part(Frozen):
    """A value in a text, with offsets into it."""

    key: str | int
    kind: str  # "{", "[" or "" for a scalar
    start: int  # of its key, or of the value in a list
    begin: int  # of the value
    end: int  # behind the value
    comma: int = -1  # the comma behind it, -1 when there is none
    parts: tuple[Part, ...] = ()

    def part(self, key: str | int) -> Part | None:
        """Return the part at *key*, or None."""
        return next((part for part in self.parts if part.key == key), None)


class Missing(Exception):
    """The text has no value at the offset in ``args``."""


def read_part(text: str) -> Part:
    """Return the value that *text* is, with all that is inside it; *text* is JSON, blanks in place of comments.

    Raises Missing where a comma has no value before it, and RecursionError.
    """
    return _part(text, _after_space(text, 0), "", None)[0]


def _part(text: str, start: int, key: str | int, key_start: int | None) -> tuple[Part, int]:
    """Return the value that begins at *start* of valid JSON, and the place behind it."""
    kind = text[start] if text[start] in "{[" else ""
    parts: tuple[Part, ...] = ()
    if kind:
        parts, end = _parts(text, start)
    elif text[start] == '"':
        _, end = scanstring(text, start + 1)
    else:
        end = start
        while end < len(text) and text[end] not in ",]}" + SPACE:
            end += 1
        if end == start:  # without comments and trailing commas, [,] reads as []
            raise Missing(start)
    first = start if key_start is None else key_start
    return Part(key=key, kind=kind, start=first, begin=start, end=end, parts=parts), end


def _parts(text: str, start: int) -> tuple[tuple[Part, ...], int]:
    """Return what is inside the bracket at *start*, and the place behind its end."""
    parts: list[Part] = []
    place = _after_space(text, start + 1)
    while text[place] not in "]}":
        key: str | int = len(parts)
        key_start = None
        if text[start] == "{":
            if text[place] != '"':
                raise Missing(place)
            key_start = place
            key, place = scanstring(text, place + 1)
            place = _after_space(text, _after_space(text, place) + 1)  # the colon
        part, place = _part(text, place, key, key_start)
        place = _after_space(text, place)
        if text[place] == ",":
            part = part.replace(comma=place)
            place = _after_space(text, place + 1)
        parts.append(part)
    return tuple(parts), place + 1


def _after_space(text: str, place: int) -> int:
    while place < len(text) and text[place] in SPACE:
        place += 1
    return place
