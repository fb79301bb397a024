"""Connections to the file: a pool of them, with SQLite's errors turned into ours."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from bitempo.engine import errors
from bitempo.engine.store import forks
from bitempo.engine.store.sqlite.failures import (
    busy_message,
    cannot_open,
    translated,
    writes_translated,
)
from bitempo.engine.store.sqlite.schema import migrate, refuse_unknown

_CACHE_KIB = 64 * 1024
_MOST_IDLE = 8
_OPEN_PAUSE_SECONDS = 0.025
_SMALLEST_PAGE = 512
_READ_WRITE = apsw.SQLITE_OPEN_READWRITE


class Connections:
    """The connections of one open store.

    A file has a pool of connections, and SQLite orders them. An in-memory database cannot be
    shared that way, so it has one, used by one thread at a time.
    """

    def __init__(self, path: str, busy_timeout: float) -> None:
        if not path or "\0" in path:
            raise errors.StoreError(f"{path!r} is not the name of a file")
        self.in_memory = path == ":memory:"
        # Connections are made as they are needed, maybe after the process has changed its folder.
        self.path = path if self.in_memory else str(Path(path).absolute())
        self._busy_timeout = busy_timeout
        self._closed = False
        self._lent = 0
        self._idle: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._writers = threading.RLock()
        self._writing: int | None = None
        self._inherited = False
        with translated(path):
            first = self._first()
        self._shared = first if self.in_memory else None
        if not self.in_memory:
            self._idle.append(first)
            forks.watch(self)

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """A connection of its own for a long read, which holds up nobody and sees one state."""
        with translated(self.path):
            connection = self._copy() if self.in_memory else self._lend(self._connect)
            try:
                connection.execute("BEGIN; SELECT 1 FROM tenant LIMIT 1").fetchall()
                yield connection
            finally:
                connection.close(force=True)
                if not self.in_memory:
                    with self._guard:
                        self._lent -= 1

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection inside a read transaction: all reads see one state of the store."""
        if self._shared is not None:
            with self._writers, translated(self.path):
                self._refuse_closed()
                yield self._shared
            return
        with translated(self.path), self._borrowed() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                _roll_back(connection)

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """A connection inside the one write transaction.

        Committed when the block ends well, unless the block has rolled it back itself.
        """
        if self._writing == threading.get_ident():
            raise errors.StoreError("a write cannot begin inside another write")
        # Threads of one process queue here, which costs less than SQLite's sleeping retries.
        if not self._writers.acquire(timeout=self._busy_timeout):
            raise errors.StoreBusyError(busy_message(self.path))
        self._writing = threading.get_ident()
        try:
            with (
                translated(self.path),
                self._borrowed() as connection,
                writes_translated(self.path, connection),
            ):
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    if connection.in_transaction:
                        connection.execute("COMMIT")
                finally:
                    _roll_back(connection)
        finally:
            self._writing = None
            self._writers.release()

    def close(self) -> None:
        """Close what is idle now and the rest when it is given back; a second time does nothing.

        A write that is under way in another thread is waited for, and later use raises
        StoreClosedError.
        """
        if self._closed:
            return
        waited = self._writers.acquire(timeout=self._busy_timeout)
        try:
            with self._guard:
                self._closed = True
                idle, self._idle = self._idle, []
            for connection in idle:
                connection.close()
            if self._shared is not None:
                self._shared.close(force=True)
        finally:
            if waited:
                self._writers.release()

    def prepare_fork(self) -> None:
        """Close what is idle: no open connection may cross a fork."""
        self._guard.acquire()
        while self._idle:
            self._idle.pop().close()

    def continue_parent(self) -> None:
        """Go on after a fork; connections are opened again when they are needed."""
        self._guard.release()

    def continue_child(self) -> None:
        """Start with locks of our own; a store that was in use cannot be used here."""
        self._guard = threading.Lock()
        self._writers = threading.RLock()
        self._writing = None
        self._inherited = self._lent > 0

    @contextmanager
    def _borrowed(self) -> Iterator[apsw.Connection]:
        if self._shared is not None:
            self._refuse_closed()
            yield self._shared
            return
        connection = self._lend(self._take)
        try:
            yield connection
        finally:
            with self._guard:
                self._lent -= 1
                sound = not self._closed and not connection.in_transaction
                keep = sound and len(self._idle) < _MOST_IDLE
                if keep:
                    self._idle.append(connection)
            if not keep:
                connection.close(force=True)

    def _lend(self, source: Callable[[], apsw.Connection]) -> apsw.Connection:
        with self._guard:
            self._refuse_closed()
            self._lent += 1
        try:
            return source()
        except BaseException:
            with self._guard:
                self._lent -= 1
            raise

    def _take(self) -> apsw.Connection:
        with self._guard:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise errors.StoreClosedError(f"{self.path} is closed; open it again")
        if self._inherited:
            raise errors.StoreError(
                f"{self.path} was in use when this process was forked off, and cannot be shared "
                "with it; fork first and open afterwards"
            )

    def _first(self) -> apsw.Connection:
        """The first connection, which makes the file ours, or finds that it is."""
        if not self.in_memory:
            _check_place(Path(self.path))
        try:
            connection = self._connect(_READ_WRITE | apsw.SQLITE_OPEN_CREATE)
        except apsw.CantOpenError as error:
            raise cannot_open(self.path) from error
        try:
            with writes_translated(self.path, connection):
                # Before anything is written: the file may be another application's.
                refuse_unknown(connection)
                if not self.in_memory:
                    _set_wal(connection, self.path, self._busy_timeout)
                migrate(connection)
        except BaseException:
            connection.close(force=True)
            raise
        return connection

    def _connect(self, flags: int = _READ_WRITE) -> apsw.Connection:
        connection = apsw.Connection(self.path, flags=flags)
        connection.set_busy_timeout(int(self._busy_timeout * 1000))
        connection.execute(
            f"PRAGMA synchronous = FULL; PRAGMA cache_size = -{_CACHE_KIB}; "
            "PRAGMA temp_store = MEMORY"
        )
        return connection

    def _copy(self) -> apsw.Connection:
        """The in-memory database as it is now, apart from what is written to it later."""
        with self.reading() as connection:
            copy = apsw.Connection(":memory:")
            with copy.backup("main", connection, "main") as backup:
                backup.step()
            return copy


def _check_place(path: Path) -> None:
    if not path.parent.is_dir():
        raise errors.StoreError(f"the folder {path.parent} does not exist; make it first")
    # SQLite takes what is shorter than its smallest page for a new file, and writes over it. Only
    # the size is looked at: to open and close the file here would release this process's locks.
    if path.is_file() and 0 < path.stat().st_size < _SMALLEST_PAGE:
        raise errors.StoreCorruptError(f"{path} is not a database; name another file")


def _roll_back(connection: apsw.Connection) -> None:
    """End a transaction that is still open. SQLite ends it by itself on some failures."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _set_wal(connection: apsw.Connection, path: str, busy_timeout: float) -> None:
    """Switch to write-ahead logging, once per file.

    SQLite does not wait for the lock that the switch needs, so when several processes open a
    new file at once it is tried again, for as long as a write would wait.
    """
    pause = threading.Event()
    attempts = 1 + int(busy_timeout / _OPEN_PAUSE_SECONDS)
    for attempt in range(attempts):
        try:
            mode = connection.pragma("journal_mode")
            if mode != "wal":
                mode = connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if attempt == attempts - 1:
                raise
            pause.wait(_OPEN_PAUSE_SECONDS)
            continue
        if mode != "wal":
            raise errors.StoreError(
                f"{path} lies on a file system without shared memory (it allows journal_mode "
                f"{mode} only); put it on a local disk"
            )
        return
