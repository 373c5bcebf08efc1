"""The status line: texts by key -> one line of a given width. Pure, no I/O."""

from __future__ import annotations

from hookrun.config.paths import harmless
from hookrun.model.text import painted_parts
from hookrun.model.width import cut_to_width

SEPARATOR = "  "  # two blanks: a text has no two in a row
_BLANKS = str.maketrans("\r\n\t", "   ")


class StatusLine:
    """What stands in the status line, each text under its key."""

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
