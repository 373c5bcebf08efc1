"""Pending hints in the database: who gets which, once, and when they go stale."""

from __future__ import annotations

import os
import time

from hookrun.model.errors import StoreError
from hookrun.model.values import Hint
from hookrun.store.database import storable
from hookrun.store.values import PENDING_MARKER, PendingHint

TYPE_CHECKING = False

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Any

    from hookrun.model.values import Event
    from hookrun.store.database import Database

_PHASE_BY_TOOL_EVENT = {"PreToolUse": "pre", "PostToolUse": "post", "PostToolUseFailure": "post"}
_LARGEST = 2**63 - 1  # of SQLite's integers

# A hint that is no longer pending keeps its row until it expires, so that an event that is fired again
# (under the same id) cannot bring it back; another text is another hint, whatever the agent's id says.
_FORGET = "UPDATE hints SET is_pending = 0 WHERE is_pending AND "
_IS_THERE = "session = :session AND event_id = :event_id AND hook = :hook AND text = :text"
_STALE = "session = :session AND call_id = :call_id AND event_id <> :event_id AND (phase = :phase OR :all_phases)"
_WANTED = (
    "at BETWEEN :from AND :to AND (:session IS NULL OR session = :session) AND (:call_id IS NULL OR call_id = :call_id)"
)


def keep_hints(database: Database, event: Event, hints: Sequence[Hint], session: str, expire_after: float) -> None:
    """Put *hints*, in registry order, in the place of those that the event makes stale.

    With a call id these are the ones that the same phase (before or after the tool) of the same call
    left; without one, all that the session has without one. Raises StoreError and OSError.
    """
    now = time.time()
    common = _common(event, session, now)

    def replace(connection: sqlite3.Connection) -> None:
        fresh = {"from": now - expire_after, "to": now + expire_after}
        connection.execute("DELETE FROM hints WHERE at < :from OR at > :to", fresh)
        connection.execute(_FORGET + _STALE, common)
        for hint in hints:
            _insert(connection, hint, common)
        if hints:
            _mark(database, now)

    database.change(replace)
    if not hints:
        _unmark(database, expire_after)


def take_hints(database: Database, session: str | None, call_id: str | None, expire_after: float) -> list[PendingHint]:
    """Return the pending hints and forget them in one transaction. Raises StoreError and OSError."""

    def take(connection: sqlite3.Connection) -> list[PendingHint]:
        wanted = _wanted(session, call_id, expire_after)
        hints = _pending(connection, wanted)
        connection.execute(_FORGET + _WANTED, wanted)
        return hints

    hints = database.change(take)
    _unmark(database, expire_after)
    return hints


def peek_hints(database: Database, session: str | None, call_id: str | None, expire_after: float) -> list[PendingHint]:
    """Return the pending hints and leave them. Raises StoreError and OSError."""
    wanted = _wanted(session, call_id, expire_after)
    return database.read(lambda connection: _pending(connection, wanted))


def _common(event: Event, session: str, now: float) -> dict[str, Any]:
    """Return what all hints of *event* have in common, as columns."""
    return {
        "at": now,
        "session": storable(session),
        "call_id": storable(event.tool_call_id),
        "phase": _PHASE_BY_TOOL_EVENT.get(event.event, event.event),
        "event": storable(event.event),
        "event_id": storable(event.event_id) or os.urandom(16).hex(),
        "all_phases": event.event in _PHASE_BY_TOOL_EVENT and not event.tool_call_id,
    }


def _insert(connection: sqlite3.Connection, hint: Hint, common: dict[str, Any]) -> None:
    values = {
        "hook": storable(hint.hook),
        "priority": max(-_LARGEST, min(hint.priority, _LARGEST)),
        "format": hint.format,
        "style": storable(hint.style),
        "text": storable(hint.text),
    }
    connection.execute(
        "INSERT OR REPLACE INTO hints"
        " (is_pending, at, session, call_id, phase, event, event_id, hook, priority, format, style, text)"
        " SELECT 1, :at, :session, :call_id, :phase, :event, :event_id, :hook, :priority, :format,"
        f" :style, :text WHERE NOT EXISTS (SELECT 1 FROM hints WHERE {_IS_THERE})",
        common | values,
    )


def _wanted(session: str | None, call_id: str | None, expire_after: float) -> dict[str, Any]:
    now = time.time()
    return {
        "from": now - expire_after,
        "to": now + expire_after,
        "session": None if session is None else storable(session),
        "call_id": None if call_id is None else storable(call_id),
    }


def _pending(connection: sqlite3.Connection, wanted: dict[str, Any]) -> list[PendingHint]:
    rows = connection.execute(
        "SELECT session, call_id, event, event_id, at, hook, priority, format, style, text FROM hints"
        f" WHERE is_pending AND {_WANTED} ORDER BY priority, id",
        wanted,
    ).fetchall()
    return [
        PendingHint(
            session=session,
            call_id=call_id,
            event=event,
            event_id=event_id,
            at=at,
            hint=Hint(hook=hook, priority=priority, format=format_, style=style, text=text),
        )
        for session, call_id, event, event_id, at, hook, priority, format_, style, text in rows
    ]


def _mark(database: Database, now: float) -> None:
    """Say with a file that hints are pending. Called before they are committed, so it is never missing."""
    path = os.path.join(database.folder, PENDING_MARKER)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # waits for no FIFO
    descriptor = os.open(path, flags, 0o600)
    try:
        os.utime(descriptor, (now, now))
    finally:
        os.close(descriptor)


def _unmark(database: Database, expire_after: float) -> None:
    """Remove the mark when nothing is pending, while nobody can leave a hint."""
    path = os.path.join(database.folder, PENDING_MARKER)
    if not os.path.lexists(path):
        return

    def unmark(connection: sqlite3.Connection) -> None:
        wanted = _wanted(None, None, expire_after)
        rows = connection.execute(f"SELECT 1 FROM hints WHERE is_pending AND {_WANTED} LIMIT 1", wanted)
        if not rows.fetchall():
            os.unlink(path)

    try:
        database.change(unmark)
    except (OSError, StoreError):
        pass  # a mark that stays costs time at most; the hints must reach their reader
