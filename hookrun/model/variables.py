"""Lists of environment variables by their names, exact or with ``*``: what a hook may inherit."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Without these hardly any program runs, so no list has to name them.
ALWAYS_PASSED = ("PATH", "HOME", "TMPDIR", "LANG", "LC_*")
WANTED = 'names of variables, such as ["AWS_REGION", "NPM_*"]'


def is_pattern(text: Any) -> bool:
    """Say whether *text* is a variable's name: letters, digits, ``_``, and ``*`` for any run of them."""
    if not isinstance(text, str) or not text.isascii() or text[:1].isdigit():
        return False
    return text.replace("*", "a").replace("_", "a").isalnum()
