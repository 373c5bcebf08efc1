"""JSON with comments and trailing commas, as JSON of the same length and the same lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookrun.model.errors import DocumentError

# Each pattern takes a whole string, so that what is inside it is safe, and each always matches to the
# end what it has begun to match: no second try, so the time is linear whatever the text is.
_STRING = r'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*"?'
_STRING_OR_COMMENT = rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)"


def without_comments(text: str, path: str) -> str:
    """Return JSON with comments and trailing commas blanked out: every other character keeps its place."""

    def blanked(match: re.Match[str]) -> str:
        found = match.group()
        if found.startswith('"'):
            return found
        _check_end(match, path)
        return "".join(character if character in "\r\n" else " " for character in found)

    pure = re.sub(_STRING_OR_COMMENT, blanked, text, flags=re.DOTALL)
    return re.sub(rf"{_STRING}|,(?=\s*[}}\]])", blanked, pure, flags=re.DOTALL)


def comment_spans(text: str, path: str) -> Iterator[tuple[int, int]]:
    """Yield where each comment of *text* begins and ends, in order. Raises DocumentError as above."""
    for match in re.finditer(_STRING_OR_COMMENT, text, flags=re.DOTALL):
        if not match.group().startswith('"'):
            _check_end(match, path)
            yield match.span()


def _check_end(match: re.Match[str], path: str) -> None:
    found = match.group()
    if found.startswith("/*") and (len(found) < 4 or not found.endswith("*/")):
        line = match.string.count("\n", 0, match.start()) + 1
        raise DocumentError("has a comment that does not end", where=path, line=line)
