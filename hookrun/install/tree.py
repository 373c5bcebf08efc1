"""Read an agent's settings with the position of every part, comments and trailing commas included."""

from __future__ import annotations

from typing import Any

from hookrun.config.documents import parse_document
from hookrun.config.json_parts import SPACE, Missing, Part, read_part
from hookrun.config.jsonc import comment_spans
from hookrun.model.errors import DocumentError
from hookrun.model.frozen import Frozen


class Tree(Frozen):
    """A JSON text with the positions of its parts."""

    text: str
    path: str
    value: Any
    root: Part | None  # None for a text without a value
    comments: tuple[tuple[int, int], ...]  # start and end of each


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
        root = read_part(bare)
        twice = _repeated(root)
    except RecursionError:
        raise DocumentError("is nested too deeply", where=path) from None
    except Missing as error:
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


def _repeated(part: Part) -> Part | None:
    seen: set[str | int] = set()
    for inner in part.parts:
        found = inner if inner.key in seen else _repeated(inner)
        if found is not None:
            return found
        seen.add(inner.key)
    return None
