"""Text in the columns of a terminal: how wide it is, cut to a width, set in columns that line up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

ELLIPSIS = "…"
_EMOJI_PRESENTATION = "\ufe0f"  # makes the sign before it a wide emoji
_JOINER = "\u200d"  # draws the signs around it as one
_NARROWEST = 12  # columns of a cell that is wrapped
_BREAKS = " /|,;:"  # a line may end behind these
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
    """Return *text* in at most *width* columns; an ellipsis marks what was cut.

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
    return [line for lines in in_wrapped_columns(rows, gap=gap) for line in lines]


def in_wrapped_columns(rows: Iterable[Sequence[str]], columns: int = 0, gap: str = "  ") -> list[list[str]]:
    """Return the lines of each row, its cells padded so that they line up, in at most *columns* (0: any).

    Where the rows are too wide the widest cells are wrapped, so that nothing is lost. No cell is made
    narrower than 12 columns, so that rows of many cells can be wider than a narrow terminal.
    """
    table = [list(row) for row in rows]
    widths = _widths(table, columns, len(gap)) if columns else []
    wrapped = [[wrapped_to(cell, widths[i]) if widths else [cell] for i, cell in enumerate(row)] for row in table]
    flat = [_lines_of(cells) for cells in wrapped]
    padding = _natural_widths([line for lines in flat for line in lines], is_last_free=True)
    return [[gap.join([*map(_padded, line[:-1], padding), *line[-1:]]).rstrip() for line in lines] for lines in flat]


def wrapped_to(text: str, width: int) -> list[str]:
    """Return *text* in lines of at most *width* columns, broken behind a blank or a sign that joins words,
    else anywhere between signs."""
    lines = []
    rest = _clusters(text)
    while sum(columns for _, columns in rest) > width:
        end = _columns_fit(rest, width)
        breaks = [i for i in range(end, 0, -1) if rest[i - 1][0] in _BREAKS]
        cut = breaks[0] if breaks and breaks[0] > end // 3 else end
        lines.append("".join(sign for sign, _ in rest[:cut]).rstrip())
        blanks = next((i for i, (sign, _) in enumerate(rest[cut:]) if sign != " "), 0)
        rest = rest[cut + blanks :]
    return [*lines, "".join(sign for sign, _ in rest)]


def _columns_fit(clusters: Sequence[tuple[str, int]], width: int) -> int:
    """Return how many of *clusters* fit into *width* columns, one at least."""
    used = 0
    for count, (_, columns) in enumerate(clusters):
        used += columns
        if used > width:
            return max(count, 1)
    return len(clusters)


def _lines_of(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the lines of one row from those of its cells: each has a part, or nothing, for every cell."""
    height = max(map(len, cells), default=1)
    lines = [[cell[i] if i < len(cell) else "" for cell in cells] for i in range(height)]
    return lines or [[]]


def _widths(table: Sequence[Sequence[str]], columns: int, gap: int) -> list[int]:
    """Return the widths of the columns, the widest of them narrowed until all fit."""
    widths = _natural_widths(table)
    excess = sum(widths) + gap * (len(widths) - 1) - columns
    while excess > 0 and max(widths) > _NARROWEST:
        ranked = sorted(set(widths))
        widest, next_width = ranked[-1], max(ranked[-2] if len(ranked) > 1 else 0, _NARROWEST)
        at = [i for i, width in enumerate(widths) if width == widest]
        step = min(max(widest - next_width, 1), -(-excess // len(at)))
        for i in at:
            widths[i] -= step
        excess = sum(widths) + gap * (len(widths) - 1) - columns
    return widths


def _natural_widths(table: Sequence[Sequence[str]], *, is_last_free: bool = False) -> list[int]:
    columns = max((len(row) for row in table), default=0)
    last = 1 if is_last_free else 0
    return [
        max((display_width(row[column]) for row in table if column < len(row) - last), default=0)
        for column in range(columns)
    ]


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
