"""Waiting in tests: poll until something holds, with a deadline, never for a fixed time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DEADLINE = 30.0


def eventually(action: Callable[[], Any], what: Callable[[], str] = lambda: "") -> Any:
    """Return the first true value of *action*, whose files may not be there yet; *what* tells why not."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        try:
            value = action()
        except FileNotFoundError:
            value = None
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"it did not happen within {DEADLINE:g} s: {what()}")
