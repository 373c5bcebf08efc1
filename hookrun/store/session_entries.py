"""What modules keep in a session, in the database: messages for the model, and entries of their own."""

from __future__ import annotations

import json
import time

from hookrun.store.database import storable

TYPE_CHECKING = False

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from typing import Any

    from hookrun.store.database import Database

KEPT_FOR = 30 * 86_400.0  # seconds since the session kept something last


def keep_entry(database: Database, session: str, kind: str, document: Mapping[str, Any]) -> None:
    """Add a JSON-ready *document* to *session*; sessions that were left long ago go. Raises StoreError and
    OSError."""
    now = time.time()
    text = json.dumps(document)  # ASCII: SQLite cannot hold lone surrogates

    def keep(connection: sqlite3.Connection) -> None:
        stale = "SELECT session FROM kept GROUP BY session HAVING max(at) < ?"
        connection.execute(f"DELETE FROM kept WHERE session IN ({stale})", (now - KEPT_FOR,))
        connection.execute(
            "INSERT INTO kept (session, kind, at, document) VALUES (?, ?, ?, ?)", (storable(session), kind, now, text)
        )

    database.change(keep)


def entries(database: Database, session: str, kind: str) -> tuple[dict[str, Any], ...]:
    """Return what *session* has of this kind, oldest first. Raises StoreError and OSError."""
    rows = database.read(
        lambda connection: connection.execute(
            "SELECT document FROM kept WHERE session = ? AND kind = ? ORDER BY id", (storable(session), kind)
        ).fetchall()
    )
    return tuple(json.loads(text) for (text,) in rows)
