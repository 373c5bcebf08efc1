"""What outlives one event: pending hints, texts of widgets, roots of sessions."""

from __future__ import annotations

from hookrun.store.store import NO_HINTS, Store
from hookrun.store.values import CachedWidget, PendingHint

__all__ = ["NO_HINTS", "CachedWidget", "PendingHint", "Store"]
