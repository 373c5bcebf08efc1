"""Texts that a terminal shows, and what a person types there. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Sequence

from hookrun.config.paths import harmless
from hookrun.model.text import RESET, painted_parts
from hookrun.model.width import cut_to_width

SEPARATOR = "  "  # two blanks: a text has no two in a row
_BLANKS = str.maketrans("\r\n\t", "   ")


def painted_only(text: str, *, has_colour: bool) -> str:
    """Return *text* with every control character spelled out, but for newlines and tabs and, where the
    terminal *has_colour*, the colours of our styles, which end with the text."""
    parts = painted_parts(text)
    shown = [harmless(part, lines=True) for part in parts]
    if has_colour and len(parts) > 1:
        shown[1::2] = parts[1::2]
        shown.append("" if parts[-2] == RESET else RESET)
    return "".join(shown)


def in_one_line(text: str) -> str:
    """Return *text* without colours, every control character spelled out."""
    return harmless("".join(painted_parts(text)[::2]))


def chosen_options(typed: str, options: Sequence[str]) -> list[str]:
    """Return the options that *typed* can mean: the one of that number, the one that is just so, or those
    that begin so. Upper and lower case count only where they decide."""
    if typed.isdecimal() and 1 <= int(typed) <= len(options):
        return [options[int(typed) - 1]]
    texts = [(in_one_line(option).strip(), option) for option in options]
    folded = typed.casefold()
    for candidates in (
        [option for text, option in texts if text == typed],
        [option for text, option in texts if text.casefold() == folded],
        [option for text, option in texts if text.startswith(typed)],
    ):
        if len(candidates) == 1:
            return candidates
    return [option for text, option in texts if text.casefold().startswith(folded)]


def typed_text(line: str) -> str:
    """Return what was meant as text: cursor keys and the like leave escape sequences in a line."""
    line = line.rstrip("\r\n")
    if line.isprintable():
        return line
    import re

    without_keys = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\[O])?", "", line)
    return "".join(sign for sign in without_keys if sign.isprintable() or sign == "\t")


class StatusLine:
    """The texts of the status line by key."""

    def __init__(self) -> None:
        self._text_by_key: dict[str, str] = {}

    def set(self, key: str, text: str | None) -> None:
        """Keep *text* under *key*, in place of what was there; None clears the key."""
        if text is None:
            self._text_by_key.pop(key, None)
        else:
            self._text_by_key[key] = _cleaned(text)

    def text(self, width: int) -> str:
        """Return the texts in the order of their keys, in at most *width* columns; empty ones do not show."""
        texts = [text for _, text in sorted(self._text_by_key.items()) if text]
        return cut_to_width(SEPARATOR.join(texts), width)


def _cleaned(text: str) -> str:
    """Return *text* in one line: CR, LF, TAB and runs of blanks are one blank, colours go, other control
    characters are spelled out."""
    plain = "".join(painted_parts(text)[::2])
    return harmless(" ".join(word for word in plain.translate(_BLANKS).split(" ") if word))
