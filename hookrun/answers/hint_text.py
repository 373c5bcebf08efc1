"""What a hook printed becomes a tool hint: the format by its mark, or the first line and its style."""

from __future__ import annotations

from hookrun.model.constants import STYLES
from hookrun.model.values import Hint

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Literal

    from hookrun.model.values import Hook

_DEFAULT_PRIORITY = 100
_MARKS = ("md|", "diff|")


def read_hint(hook: Hook, stdout: str) -> Hint | None:
    """Return the hint, or the widget's text, that a ui trigger printed; None when it printed nothing.

    Text that starts with ``md|`` or ``diff|`` counts whole, other text by its first line, which a style
    and a bar may precede. ESC and CR stay in the text: they are escaped when printed.
    """
    text = trimmed(stdout)
    if is_marked(text):
        return marked_hint(hook, text)
    line = text.partition("\n")[0]
    style, bar, rest = line.partition("|")
    if bar and (style in STYLES or not style):
        return _hint(hook, rest, "text", style)
    return _hint(hook, line, "text")


def trimmed(stdout: str) -> str:
    """Return *stdout* without a byte order mark and without blanks around it.

    Of a diff only the line ends at its end go: an empty line of context is a blank.
    """
    text = stdout.removeprefix("\ufeff").lstrip()
    return text.rstrip("\r\n") if text.startswith("diff|") else text.rstrip()


def is_marked(text: str) -> bool:
    """Return whether *text*, already trimmed, says by its start that all of it is a hint."""
    return text.startswith(_MARKS)


def marked_hint(hook: Hook, text: str) -> Hint | None:
    """Return the hint that marked *text* is. The mark goes exactly once; without more text there is none."""
    mark, _, rest = text.partition("|")
    return _hint(hook, rest, "diff" if mark == "diff" else "md")


def _hint(hook: Hook, text: str, form: Literal["md", "diff", "text"], style: str = "") -> Hint | None:
    if not text.strip():
        return None
    priority = hook.widget.priority if hook.widget else _DEFAULT_PRIORITY
    return Hint(hook=hook.shows or hook.id, text=text, format=form, style=style, priority=priority)
