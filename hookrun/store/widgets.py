"""The last texts of widgets in the database, by directory and widget."""

from __future__ import annotations

import os

from hookrun.store.database import storable
from hookrun.store.values import CachedWidget

TYPE_CHECKING = False

if TYPE_CHECKING:
    import sqlite3

    from hookrun.store.database import Database


def cached_widget(database: Database, folder: str, widget: str) -> CachedWidget | None:
    """Return what was kept for *widget* in *folder*, or None. Raises StoreError and OSError."""
    rows = database.read(
        lambda connection: connection.execute(
            "SELECT text, at, format, style FROM widgets WHERE folder = ? AND widget = ?",
            (os.fsencode(folder), storable(widget)),
        ).fetchall()
    )
    for text, at, format_, style in rows:
        return CachedWidget(text=text, at=at, format=format_, style=style)
    return None


def keep_widget(database: Database, folder: str, widget: str, cached: CachedWidget) -> None:
    """Keep *cached* for *widget* in *folder*, and nothing of deleted directories. Raises as above."""
    gone = [place for place in _folders(database) if not os.path.isdir(place)]

    text, style = storable(cached.text), storable(cached.style)
    values = (os.fsencode(folder), storable(widget), text, cached.at, cached.format, style)

    def keep(connection: sqlite3.Connection) -> None:
        connection.executemany("DELETE FROM widgets WHERE folder = ?", [(place,) for place in gone])
        connection.execute(
            "INSERT OR REPLACE INTO widgets (folder, widget, text, at, format, style) VALUES (?, ?, ?, ?, ?, ?)", values
        )

    database.change(keep)


def _folders(database: Database) -> list[bytes]:
    rows = database.read(lambda connection: connection.execute("SELECT DISTINCT folder FROM widgets").fetchall())
    return [folder for (folder,) in rows]
