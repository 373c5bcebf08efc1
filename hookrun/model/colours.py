"""The six styles of hints, widgets and modules as colours of a terminal."""

from __future__ import annotations

# ECMA-48, select graphic rendition; the first eight colours are the reader's own palette.
_CODE_BY_STYLE = {"dim": "2", "ok": "32", "warn": "33", "err": "31", "info": "36", "accent": "35"}
RESET = "\x1b[0m"


def painted(text: str, style: str) -> str:
    """Return *text* for a terminal in *style*; unchanged in no style, or in one that is not known."""
    code = _CODE_BY_STYLE.get(style)
    return f"\x1b[{code}m{text}{RESET}" if code and text else text


def painted_parts(text: str) -> list[str]:
    """Return *text* cut before and after each colour of ``painted``: every second part is such a colour."""
    if "\x1b[" not in text:
        return [text]
    import re

    return re.split(f"(\x1b\\[(?:0|{'|'.join(_CODE_BY_STYLE.values())})m)", text)
