"""What the store hands out: frozen values, no I/O. Points in time are seconds since 1970."""

from __future__ import annotations

from hookrun.model.frozen import Frozen
from hookrun.model.values import Hint

PENDING_MARKER = "hints.pending"  # in the state folder whenever a hint is pending, as old as the latest one


class PendingHint(Frozen):
    """A hint and the call it belongs to. ``call_id`` is "" without one, ``at`` is when it was left."""

    session: str
    call_id: str
    event: str
    event_id: str
    at: float
    hint: Hint


class CachedWidget(Frozen):
    """The last text of a widget. ``format`` is md, diff or text, ``at`` is when the widget ran."""

    text: str
    at: float
    format: str = "text"
    style: str = ""
