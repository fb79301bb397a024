"""Connections to the file: one a thread, with SQLite's errors turned into ours."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from bitempo.engine import errors
from bitempo.engine.store.sqlite.schema import migrate

_CACHE_KIB = 64 * 1024
_OPEN_ATTEMPTS = 200
_OPEN_PAUSE_SECONDS = 0.025


class Connections:
    """The connections of one open store.

    A file has one connection a thread, and SQLite orders them; in-memory databases cannot be
    shared that way, so they have one, used by one thread at a time.
    """

    def __init__(self, path: str, busy_timeout: float) -> None:
        self.path = path
        self.in_memory = path == ":memory:"
        self._busy_timeout = busy_timeout
        self._local = threading.local()
        self._open: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._closed = False
        self._writers = threading.RLock()
        self._readers = self._writers if self.in_memory else None
        self._shared = self._connect() if self.in_memory else None
        with translated(path):
            migrate(self._connection())

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """A connection of its own for a long read, so that this thread may write meanwhile."""
        if self._shared is not None:
            with self._writers, translated(self.path):
                yield self._shared
            return
        with translated(self.path):
            if self._closed:
                raise errors.StoreClosedError(_closed(self.path))
            connection = self._connect()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                with self._guard:
                    self._open = [other for other in self._open if other is not connection]
                connection.close(force=True)

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection inside a read transaction: all reads see one state of the store."""
        if self._readers is not None:
            with self._readers, translated(self.path):
                yield self._connection()
            return
        with translated(self.path):
            connection = self._connection()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """A connection inside the one write transaction.

        Committed when the block ends well, unless the block has rolled it back itself.
        """
        # Threads of one process queue here, which costs less than SQLite's sleeping retries.
        if not self._writers.acquire(timeout=self._busy_timeout):
            raise errors.StoreBusyError(_busy(self.path))
        try:
            with translated(self.path):
                connection = self._connection()
                if connection.in_transaction:
                    raise errors.StoreError("a write cannot begin inside a read or another write")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    if connection.in_transaction:
                        connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
        finally:
            self._writers.release()

    def close(self) -> None:
        """Close every thread's connection; later use raises StoreClosedError."""
        with self._guard:
            self._closed = True
            while self._open:
                self._open.pop().close(force=True)

    def _connection(self) -> apsw.Connection:
        if self._closed:
            raise errors.StoreClosedError(_closed(self.path))
        if self._shared is not None:
            return self._shared
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with translated(self.path):
                connection = self._connect()
            self._local.connection = connection
        return connection

    def _connect(self) -> apsw.Connection:
        if not self.in_memory and not Path(self.path).parent.is_dir():
            raise errors.StoreError(
                f"the folder {Path(self.path).parent} does not exist; make it first"
            )
        connection = apsw.Connection(self.path)
        connection.set_busy_timeout(int(self._busy_timeout * 1000))
        if not self.in_memory:
            _set_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")
        with self._guard:
            self._open.append(connection)
        return connection


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise SQLite's errors as bitempo's, with what to do about them."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise errors.StoreBusyError(_busy(path)) from error
    except apsw.FullError as error:
        raise errors.StoreFullError(
            f"the disk of {path} is full; nothing was written. Free some space and try again"
        ) from error
    except (apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise errors.StoreReadOnlyError(
            f"{path} or its folder cannot be written; check its permissions"
        ) from error
    except apsw.CantOpenError as error:
        raise errors.StoreError(
            f"{path} cannot be opened: check that it is a file, and that it and its folder may "
            "be read and written"
        ) from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise errors.StoreCorruptError(
            f"{path} is not a readable database ({error}); restore it from a backup"
        ) from error
    except apsw.Error as error:
        raise errors.StoreError(f"{path}: {error}") from error


def _busy(path: str) -> str:
    return f"{path} is held by another writer; try again, or open it with a longer busy_timeout"


def _closed(path: str) -> str:
    return f"{path} is closed; open it again"


def _set_wal(connection: apsw.Connection) -> None:
    """Switch to write-ahead logging, once per file.

    SQLite does not wait for the lock that the switch needs, so when several processes open a
    new file at once it is tried again for a while.
    """
    pause = threading.Event()
    for attempt in range(_OPEN_ATTEMPTS):
        try:
            if connection.pragma("journal_mode") != "wal":
                connection.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if attempt == _OPEN_ATTEMPTS - 1:
                raise
            pause.wait(_OPEN_PAUSE_SECONDS)
