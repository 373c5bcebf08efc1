"""A regular expression -> the globs that accept exactly the same names, where there are some. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

_START, _END, _ANY = "\x02", "\x03", "*"
_MOST = 64
_PLAIN = "_-/:,@ "
_QUANTIFIERS = "*+?{"


class _Inexpressible(Exception):
    """The expression accepts what no list of globs does."""


def globs_of(text: str, *, is_anchored: bool = False) -> list[str] | None:
    """Return the globs that together accept what the expression *text* finds in a name, or accepts as a whole
    when it *is_anchored*; None when there are none."""
    try:
        found, end = _alternatives(text, 0)
        if end != len(text):
            return None
        return list(dict.fromkeys(_glob(each, is_anchored=is_anchored) for each in found))
    except _Inexpressible:
        return None


def _glob(text: str, *, is_anchored: bool) -> str:
    begins, ends = text.startswith(_START), text.endswith(_END)
    body = text[begins : len(text) - ends]
    if _START in body or _END in body:
        raise _Inexpressible
    whole = f"{'' if begins or is_anchored else _ANY}{body}{'' if ends or is_anchored else _ANY}"
    while _ANY * 2 in whole:
        whole = whole.replace(_ANY * 2, _ANY)
    return whole


def _alternatives(text: str, place: int) -> tuple[list[str], int]:
    """Return all that the alternatives from *place* on can be, and where they end: a bracket, or the end."""
    found: list[str] = []
    while True:
        parts: list[list[str]] = []
        while place < len(text) and text[place] not in "|)":
            part, place = _atom(text, place)
            parts.append(part)
        found += _products(parts)
        if not text.startswith("|", place):
            return found, place
        place += 1


def _products(parts: Iterable[list[str]]) -> list[str]:
    found = [""]
    for part in parts:
        found = ["".join(pair) for pair in product(found, part)]
        if len(found) > _MOST:
            raise _Inexpressible
    return found


def _atom(text: str, place: int) -> tuple[list[str], int]:
    sign = text[place]
    if sign == "(":
        part, place = _group(text, place)
    elif sign == "[":
        part, place = _class(text, place)
    elif sign in "^$":
        return [_START if sign == "^" else _END], place + 1
    elif sign == ".":
        if text[place + 1 : place + 2] != "*" or text[place + 2 : place + 3] in tuple("+{"):
            raise _Inexpressible
        return [_ANY], place + 2 + text.startswith("?", place + 2)
    elif sign == "\\" and text[place + 1 : place + 2] in tuple("-_/:,@ ."):
        part, place = [text[place + 1]], place + 2
    elif sign.isalnum() or sign in _PLAIN:
        part, place = [sign], place + 1
    else:
        raise _Inexpressible
    return _perhaps(part, text, place)


def _perhaps(part: list[str], text: str, place: int) -> tuple[list[str], int]:
    """Return *part*, or nothing as well when it is followed by ``?``; any other repetition is too much."""
    if not text.startswith(tuple(_QUANTIFIERS), place):
        return part, place
    if text[place] != "?" or text.startswith(tuple(_QUANTIFIERS), place + 1):
        raise _Inexpressible
    return [*part, ""], place + 1


def _group(text: str, place: int) -> tuple[list[str], int]:
    place += 3 if text.startswith("(?:", place) else 1
    if text.startswith("?", place):
        raise _Inexpressible
    found, end = _alternatives(text, place)
    if not text.startswith(")", end):
        raise _Inexpressible
    return found, end + 1


def _class(text: str, place: int) -> tuple[list[str], int]:
    end = text.find("]", place)
    letters = text[place + 1 : end]
    if end < 0 or not letters.isalnum():
        raise _Inexpressible
    return list(letters), end + 1
