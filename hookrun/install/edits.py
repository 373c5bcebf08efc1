"""A value put into a JSON text, taken out of it or exchanged, while every other character stays.

Taking out undoes putting in to the last character: into a container that was there and is empty a value
goes directly behind the bracket, and in one that is made here it stands on a line of its own. So the text
alone tells whether a container that has become empty was made here (``is_on_its_own``).
"""

from __future__ import annotations

import json
from typing import Any

from hookrun.config.json_parts import SPACE, Part
from hookrun.install.tree import Tree


def appended(tree: Tree, container: Part, key: str, value: Any) -> str:
    """Return the text with *value* as the last one in *container*, under *key* if that is an object."""
    label = f"{json.dumps(key)}: " if container.kind == "{" else ""
    if not container.parts:
        inner = label + laid_out(value, _indentation(tree.text, container.begin), tree.text)
        return _spliced(tree.text, [(container.begin + 1, container.begin + 1, inner)])
    last = container.parts[-1]
    on_lines = "\n" in _space_before(tree.text, last.start)
    behind = last.end if last.comma < 0 else last.comma + 1
    place, ends_line = _behind_comments(tree, behind)
    margin = _indentation(tree.text, last.start if on_lines else container.begin)
    if not on_lines:
        margin += indent_unit(tree.text)
    lead = line_end(tree.text) + margin if on_lines or ends_line else " "
    inner = lead + label + laid_out(value, margin, tree.text)
    if last.comma >= 0:
        return _spliced(tree.text, [(place, place, f"{inner},")])
    return _spliced(tree.text, [(last.end, last.end, ","), (place, place, inner)])


def without(tree: Tree, container: Part, part: Part) -> str:
    """Return the text without *part* of *container*, and without the one comma that it needed."""
    text = tree.text
    start = part.start - len(_space_before(text, part.start))
    end = part.end if part.comma < 0 else part.comma + 1
    if _is_in_line_comment(tree, start) and not _is_end_of_line(tree, end):
        start = part.start  # or the comment would swallow what follows
    cuts = [(start, part.end, "")]
    index = container.parts.index(part)
    if part.comma >= 0:
        cuts.append((part.comma, part.comma + 1, ""))
    elif index:
        comma = container.parts[index - 1].comma
        cuts.insert(0, (comma, comma + 1, ""))
    return _spliced(text, cuts)


def exchanged(tree: Tree, part: Part, value: Any) -> str:
    """Return the text with *value* in the place of *part*'s."""
    inner = laid_out(value, _indentation(tree.text, part.start), tree.text)
    return _spliced(tree.text, [(part.begin, part.end, inner)])


def is_on_its_own(tree: Tree, part: Part) -> bool:
    """Say whether something is between *part* and the bracket or comma before it."""
    return bool(_space_before(tree.text, part.start))


def laid_out(value: Any, margin: str, text: str) -> str:
    """Return *value* as JSON, laid out as *text* is: its line ends, its indentation."""
    lines = json.dumps(value, indent=indent_unit(text), ensure_ascii=False).split("\n")
    return f"{line_end(text)}{margin}".join(lines)


def line_end(text: str) -> str:
    """Return what ends the first line of *text*."""
    first, newline, _ = text.partition("\n")
    return "\r\n" if newline and first.endswith("\r") else "\n"


def indent_unit(text: str) -> str:
    """Return by what *text* is indented: the blanks before the first line that has some."""
    for line in text.splitlines():
        blanks = line[: len(line) - len(line.lstrip(" \t"))]
        if blanks and line.strip().startswith('"'):
            return blanks
    return "  "


def _space_before(text: str, place: int) -> str:
    start = place
    while start and text[start - 1] in SPACE:
        start -= 1
    return text[start:place]


def _indentation(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _behind_comments(tree: Tree, place: int) -> tuple[int, bool]:
    """Return the place behind the comments that follow on the same line, and whether one ends the line."""
    ends_line = False
    for start, end in tree.comments:
        if start >= place and not tree.text[place:start].strip(" \t"):
            place = start + len(tree.text[start:end].rstrip(SPACE))
            ends_line = tree.text.startswith("//", start)
    return place, ends_line


def _is_in_line_comment(tree: Tree, place: int) -> bool:
    return any(start < place <= end and tree.text.startswith("//", start) for start, end in tree.comments)


def _is_end_of_line(tree: Tree, place: int) -> bool:
    rest = tree.text[place:].partition("\n")[0].strip(SPACE)
    return not rest or rest.startswith("//")


def _spliced(text: str, cuts: list[tuple[int, int, str]]) -> str:
    """Return *text* with each (start, end, replacement), in order, carried out."""
    pieces, place = [], 0
    for start, end, inner in cuts:
        pieces += [text[place:start], inner]
        place = end
    return "".join([*pieces, text[place:]])
