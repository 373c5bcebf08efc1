"""JSON with comments and trailing commas, as JSON of the same length and the same lines."""

from __future__ import annotations

import re

from hookrun.words.errors import DocumentError


def without_comments(text: str, path: str) -> str:
    """Return JSON with comments and trailing commas blanked out: every other character keeps its place."""
    # Each pattern takes a whole string, so that what is inside it is safe, and each always matches to the
    # end what it has begun to match: no second try, so the time is linear whatever the text is.
    string = r'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*"?'
    comment = rf"{string}|//[^\n]*|/\*.*?(?:\*/|\Z)"

    def blanked(match: re.Match[str]) -> str:
        found = match.group()
        if found.startswith('"'):
            return found
        if found.startswith("/*") and (len(found) < 4 or not found.endswith("*/")):
            line = text.count("\n", 0, match.start()) + 1
            raise DocumentError("has a comment that does not end", where=path, line=line)
        return "".join(character if character in "\r\n" else " " for character in found)

    pure = re.sub(comment, blanked, text, flags=re.DOTALL)
    return re.sub(rf"{string}|,(?=\s*[}}\]])", blanked, pure, flags=re.DOTALL)
