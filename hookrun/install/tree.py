"""Where every part of a JSON text stands, comments and trailing commas included. Never changes a text."""

from __future__ import annotations

from typing import Any

from hookrun.config.documents import parse_document
from hookrun.config.jsonc import comment_spans
from hookrun.model.errors import DocumentError
from hookrun.model.frozen import Frozen

SPACE = " \t\r\n"  # https://www.rfc-editor.org/rfc/rfc8259#section-2


class Part(Frozen):
    """A value in a text. ``start`` is that of its key, if it has one, ``begin`` its own, ``end`` is behind
    it; ``comma`` is the place of the comma behind it, -1 when there is none. ``kind`` is { or [ or ""."""

    key: str | int
    kind: str
    start: int
    begin: int
    end: int
    comma: int = -1
    parts: tuple[Part, ...] = ()

    def part(self, key: str | int) -> Part | None:
        """Return the part at *key*, or None."""
        return next((part for part in self.parts if part.key == key), None)


class Tree(Frozen):
    """A text with its parts; ``root`` is None for a text without a value. ``comments`` are spans."""

    text: str
    path: str
    value: Any
    root: Part | None
    comments: tuple[tuple[int, int], ...]


class _Missing(Exception):
    """No value stands at a place of the text."""


def read_tree(text: str, path: str, *, has_comments: bool) -> Tree:
    """Return the parts of *text*, whose file has no byte order mark any more; *path* ends in .json.

    Raises DocumentError with the line when it is not JSON, has a key twice, or, without *has_comments*,
    has comments or trailing commas.
    """
    comments = tuple(comment_spans(text, path)) if has_comments else ()
    bare = _blanked(text, comments)
    if not bare.strip(SPACE):
        return Tree(text=text, path=path, value=None, root=None, comments=comments)
    if bare.startswith("\ufeff"):
        raise DocumentError("has two byte order marks", where=path, line=1, hint="save it again as UTF-8")
    value = parse_document(text.encode(), path, comments=has_comments).value
    try:
        root, _ = _part(bare, _after_space(bare, 0), "", None)
        twice = _repeated(root)
    except RecursionError:
        raise DocumentError("is nested too deeply", where=path) from None
    except _Missing as error:
        line = text.count("\n", 0, error.args[0]) + 1
        raise DocumentError("has a comma without a value before it", where=path, line=line) from None
    tree = Tree(text=text, path=path, value=value, root=root, comments=comments)
    if twice is not None:
        raise misshapen(tree, twice, f"has the key {twice.key} twice", "keep one of the two")
    return tree


def misshapen(tree: Tree, part: Part, message: str, hint: str) -> DocumentError:
    """Return the error for *part*, with its line."""
    line = tree.text.count("\n", 0, part.start) + 1
    return DocumentError(message, where=tree.path, line=line, hint=hint)


def _blanked(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    pieces, place = [], 0
    for start, end in spans:
        pieces += [text[place:start], " " * (end - start)]
        place = end
    return "".join([*pieces, text[place:]])


def _part(text: str, start: int, key: str | int, key_start: int | None) -> tuple[Part, int]:
    """Return the value that begins at *start* of valid JSON, and the place behind it."""
    from json.decoder import scanstring  # type: ignore[attr-defined]

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
            raise _Missing(start)
    first = start if key_start is None else key_start
    return Part(key=key, kind=kind, start=first, begin=start, end=end, parts=parts), end


def _parts(text: str, start: int) -> tuple[tuple[Part, ...], int]:
    """Return what is inside the bracket at *start*, and the place behind its end."""
    from json.decoder import scanstring  # type: ignore[attr-defined]

    parts: list[Part] = []
    place = _after_space(text, start + 1)
    while text[place] not in "]}":
        key: str | int = len(parts)
        key_start = None
        if text[start] == "{":
            if text[place] != '"':
                raise _Missing(place)
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


def _repeated(part: Part) -> Part | None:
    seen: set[str | int] = set()
    for inner in part.parts:
        found = inner if inner.key in seen else _repeated(inner)
        if found is not None:
            return found
        seen.add(inner.key)
    return None
