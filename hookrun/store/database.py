"""The SQLite file behind the store: opened when first used, made and rebuilt safely among processes."""

from __future__ import annotations

import os
import sqlite3
import time
from _thread import RLock

from hookrun.model.errors import StoreError
from hookrun.model.values import Problem
from hookrun.store.errors import database_error, result_code
from hookrun.store.folder import private_file, private_folder
from hookrun.store.gate import Gate

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

# What each version adds to the one before it.
_SCHEMAS = (
    (
        # Texts come last, so that a scan of the rest does not read them.
        "CREATE TABLE hints (id INTEGER PRIMARY KEY, is_pending INTEGER NOT NULL, at REAL NOT NULL,"
        " session TEXT NOT NULL, call_id TEXT NOT NULL, phase TEXT NOT NULL, event TEXT NOT NULL,"
        " event_id TEXT NOT NULL, hook TEXT NOT NULL, priority INTEGER NOT NULL,"
        " format TEXT NOT NULL, style TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (session, event_id, hook))",
        "CREATE INDEX pending_hints ON hints (session, call_id) WHERE is_pending",
        "CREATE TABLE widgets (folder BLOB NOT NULL, widget TEXT NOT NULL, at REAL NOT NULL,"
        " format TEXT NOT NULL, style TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (folder, widget))",
    ),
    (
        "CREATE TABLE kept (id INTEGER PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL,"
        " at REAL NOT NULL, document TEXT NOT NULL)",
        "CREATE INDEX kept_of_session ON kept (session, kind)",
    ),
)
SCHEMA_VERSION = len(_SCHEMAS)
_PAUSE = 0.01

# One thread of the process at a time. A fork waits for its turn as well: SQLite's own locks, if another
# thread held them at that moment, would never be released in the child.
_turn = RLock()
os.register_at_fork(before=_turn.acquire, after_in_parent=_turn.release, after_in_child=_turn.release)


class Database:
    """The database at *path*. Threads take turns on one connection; a forked child opens its own.

    Other processes are waited for *patience* seconds. *note* is told what was mended on the way.
    """

    def __init__(self, path: str, patience: float, note: Callable[[Problem], None]) -> None:
        self.path = path
        self.folder = os.path.dirname(path)
        self._patience = patience
        self._note = note
        self._opened_by_process: dict[int, _Opened] = {}

    def change(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Return what *action* returns once all that it did is committed; of a failure nothing stays.

        A corrupt database is moved aside and *action* done on a new one. Raises StoreError and OSError.
        """
        return self._run(lambda connection: _committed(connection, action))

    def read(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Return what *action* reads with one statement; otherwise as ``change``."""
        return self._run(action)

    def close(self) -> None:
        """Close this process's connection. Raises StoreError and OSError."""
        with _turn:
            opened = self._opened()
            if opened.connection is None:
                return
            try:
                if os.path.lexists(self.path):  # else the folder may be gone, and holding would make it
                    opened.gate.hold(alone=False)
            finally:
                opened.disconnect()
                opened.gate.close()

    def _run(self, action: Callable[[sqlite3.Connection], T]) -> T:
        with _turn:
            opened = self._opened()
            try:
                try:
                    return self._run_once(opened, action)
                except sqlite3.Error as error:
                    if not _is_unusable(error):
                        raise
                self._set_aside(opened)
                return self._run_once(opened, action)
            except sqlite3.Error as error:
                raise database_error(error, self.path) from error

    def _opened(self) -> _Opened:
        process = os.getpid()
        if process not in self._opened_by_process:
            gate = Gate(f"{self.path}.lock", self._patience, lambda: private_folder(self.folder, self._note))
            self._opened_by_process[process] = _Opened(gate)
        return self._opened_by_process[process]

    def _run_once(self, opened: _Opened, action: Callable[[sqlite3.Connection], T]) -> T:
        try:
            connection = self._connection(opened)
            return _patiently(lambda: action(connection), self._patience)
        except BaseException:
            opened.disconnect()  # after a failure, or a signal, nobody knows what state it is in
            raise
        finally:
            opened.gate.leave()

    def _connection(self, opened: _Opened) -> sqlite3.Connection:
        """Return the connection to the file that is at the path now, with the gate held."""
        opened.gate.hold(alone=False)
        connection = self._connected(opened)
        if connection is None:
            opened.gate.leave()
            opened.gate.hold(alone=True)
            connection = self._connected(opened) or self._made(opened)
        return connection

    def _connected(self, opened: _Opened) -> sqlite3.Connection | None:
        """Return the connection, or None when the database has still to be made."""
        identity = private_file(self.path)
        if opened.connection is not None and identity == opened.identity:
            return opened.connection
        opened.disconnect()
        if identity is None:
            return None
        opened.identity = identity
        connection = opened.connect(self.path, self._patience)
        version = _patiently(lambda: _settled_version(connection), self._patience)
        if version > SCHEMA_VERSION:
            message = f"a newer hookrun wrote it (schema {version}, this one knows {SCHEMA_VERSION})"
            raise StoreError(message, where=self.path, hint="update hookrun")
        if version < SCHEMA_VERSION:
            opened.disconnect()
            return None
        return connection

    def _made(self, opened: _Opened) -> sqlite3.Connection:
        """Make the tables in the file, which is made too when it is missing. The gate is held alone."""
        connection = opened.connect(self.path, self._patience)
        opened.identity = private_file(self.path)
        _patiently(lambda: _settled_version(connection), self._patience)
        _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchall(), self._patience)
        _patiently(lambda: _committed(connection, _make_tables), self._patience)
        return connection

    def _set_aside(self, opened: _Opened) -> None:
        """Move the database away, unless another process did so already."""
        opened.gate.hold(alone=True)
        try:
            if opened.identity is None or private_file(self.path) != opened.identity:
                return
            aside = f"{self.path}.corrupt-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
            for suffix in ("", "-wal", "-shm"):
                if os.path.lexists(self.path + suffix):
                    os.rename(self.path + suffix, aside + suffix)
        finally:
            opened.gate.leave()
        self._note(
            Problem(
                message="the state database was corrupt; it was moved aside and a new one made",
                source=self.path,
                hint=f"what was pending is lost; the old file is {aside}",
            )
        )


class _Opened:
    """What one process has open. ``identity`` is that of the file that was connected last."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.connection: sqlite3.Connection | None = None
        self.identity: tuple[int, int] | None = None

    def connect(self, path: str, patience: float) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        self.connection = connection
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        return connection

    def disconnect(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()


def storable(text: str) -> str:
    """Return *text* with lone surrogates spelled out, which SQLite cannot hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _committed(connection: sqlite3.Connection, action: Callable[[sqlite3.Connection], T]) -> T:
    try:
        connection.execute("BEGIN IMMEDIATE")
        result = action(connection)
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _settled_version(connection: sqlite3.Connection) -> int:
    # What is kept here may be lost with the machine's power; so no command has to wait for the disk.
    connection.execute("PRAGMA synchronous = OFF")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _make_tables(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for statement in [statement for schema in _SCHEMAS[version:] for statement in schema]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _patiently(action: Callable[[], T], seconds: float) -> T:
    """Repeat *action* while others are in the way: SQLite does not wait for every kind of lock itself."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            is_busy = result_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not is_busy or time.monotonic() >= deadline:
                raise
        time.sleep(_PAUSE)


def _is_unusable(error: sqlite3.Error) -> bool:
    """Whether the file is corrupt, no database at all, or one with other tables than ours."""
    if result_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return True
    said = str(error)
    return said.startswith("no such") or said.endswith("already exists")
