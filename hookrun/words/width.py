"""Text in the columns of a terminal: how wide it is, cut to a width, set in columns that line up."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ELLIPSIS = "…"
_EMOJI_PRESENTATION = "\ufe0f"  # makes the sign before it a wide emoji
_JOINER = "\u200d"  # draws the signs around it as one
_MODIFIERS = range(0x1F3FB, 0x1F400)  # skin tones, drawn into the emoji before them


def display_width(text: str) -> int:
    """Return how many columns a terminal needs for *text*, a line without control characters.

    Wide and full-width signs take two, combining and invisible ones none, ambiguous ones one
    (https://www.unicode.org/reports/tr11/).
    """
    if text.isascii():
        return len(text)
    return sum(width for _, width in _clusters(text))


def cut_to_width(text: str, width: int) -> str:
    """Return *text* in at most *width* columns; where something had to go, an ellipsis stands for it.

    A sign and what combines with it stay together.
    """
    if display_width(text) <= width:
        return text
    kept = ""
    left = width - 1
    for cluster, columns in _clusters(text):
        if columns > left:
            break
        kept += cluster
        left -= columns
    return kept + ELLIPSIS if width > 0 else ""


def in_columns(rows: Iterable[Sequence[str]], gap: str = "  ") -> list[str]:
    """Return one line a row, its cells padded so that columns line up; the last cell is not padded."""
    table = [list(row) for row in rows]
    columns = max((len(row) for row in table), default=0)
    widths = [
        max((display_width(row[column]) for row in table if column < len(row) - 1), default=0)
        for column in range(columns)
    ]
    return [gap.join([*map(_padded, row[:-1], widths), *row[-1:]]).rstrip() for row in table]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))


def _clusters(text: str) -> list[tuple[str, int]]:
    """Return the signs of *text*, each with what combines with it, and the columns it takes."""
    clusters: list[tuple[str, int]] = []
    is_joined = False
    for sign in text:
        width = _width(sign)
        if clusters and (is_joined or width == 0 or (ord(sign) in _MODIFIERS and clusters[-1][1] == 2)):
            before, columns = clusters[-1]
            wide = 2 if sign == _EMOJI_PRESENTATION and columns == 1 else columns
            clusters[-1] = (before + sign, wide)
        else:
            clusters.append((sign, width))
        is_joined = sign == _JOINER and clusters[-1][1] == 2
    return clusters


@lru_cache(maxsize=4096)
def _width(sign: str) -> int:
    import unicodedata

    category = unicodedata.category(sign)
    if category in ("Mn", "Me", "Cf", "Cc") and sign != "\u00ad":
        return 0
    if 0x1160 <= ord(sign) <= 0x11FF:  # Hangul vowels and finals, drawn into the syllable before them
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
