"""What outlives one event: pending hints, texts of widgets, roots of sessions."""

from __future__ import annotations

from hookrun.engine.store.store import NO_HINTS, Store
from hookrun.engine.store.values import CachedWidget, PendingHint

__all__ = ["NO_HINTS", "CachedWidget", "PendingHint", "Store"]
