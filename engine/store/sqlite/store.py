"""The SQLite store: opens the file, and hands out writes, reads and the inbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from bitempo.engine.once import Once
from bitempo.engine.store.port import Record, Result, WriteTransaction
from bitempo.engine.store.sqlite import backup, transfer
from bitempo.engine.store.sqlite.connection import Connections
from bitempo.engine.store.sqlite.inbox import SqliteInbox
from bitempo.engine.store.sqlite.reader import SqliteReader
from bitempo.engine.store.sqlite.writer import SqliteWriteTransaction
from bitempo.engine.time import Instant

if TYPE_CHECKING:
    from bitempo.engine.store.sqlite.vectors import SqliteVectors
    from bitempo.engine.store.vectors import VectorCache


class SqliteStore:
    """Implements `Store` on one SQLite file (or in memory, for `":memory:"`).

    apsw rather than the standard library's sqlite3: it brings one current SQLite to every
    platform and Python (FTS5 tables that store no text and can still forget need 3.43; many
    Pythons carry an older one), keeps transactions explicit, and has the online backup.

    Args:
        path: the file; made when it is not there, in a folder that is.
        busy_timeout: seconds a write waits for other writers before StoreBusyError.

    Raises:
        SchemaVersionError: a newer bitempo wrote the file.
        StoreCorruptError: the file is not a bitempo database, or is damaged.
        StoreReadOnlyError, StoreError: it cannot be opened.
    """

    def __init__(self, path: str | Path, *, busy_timeout: float = 30.0) -> None:
        self._connections = Connections(str(path), busy_timeout)
        self._cache = Once(_new_cache)

    def write(
        self, tenant: str, now: Instant, work: Callable[[WriteTransaction], Result]
    ) -> Result:
        with self._connections.writing() as connection:
            transaction = SqliteWriteTransaction.begin(connection, tenant, now)
            result = work(transaction)
            if transaction.discarded:
                connection.execute("ROLLBACK")
            else:
                transaction.finish()
            return result

    @contextmanager
    def read(self, tenant: str) -> Iterator[SqliteReader]:
        with self._connections.reading() as connection:
            yield SqliteReader(connection, tenant, self._cache)

    def inbox(self, tenant: str) -> SqliteInbox:
        return SqliteInbox(self._connections, tenant)

    def vectors(self, tenant: str) -> SqliteVectors:
        from bitempo.engine.store.sqlite.vectors import SqliteVectors

        return SqliteVectors(self._connections, tenant)

    def dump(self, tenant: str) -> Iterator[Record]:
        with self._connections.snapshot() as connection:
            yield from transfer.dump(connection, tenant)

    def load(self, tenant: str, records: Iterable[Record]) -> int:
        # The first is read before the write begins: it may come from a dump of this very store.
        coming = iter(records)
        first = list(islice(coming, 1))
        with self._connections.writing() as connection:
            return transfer.load(connection, tenant, chain(first, coming))

    def backup(self, target: Path) -> None:
        with self._connections.snapshot() as connection:
            backup.copy(connection, target)

    def close(self) -> None:
        self._connections.close()
        if self._cache.made is not None:
            self._cache.made.forget()


def _new_cache() -> VectorCache:
    # What handles arrays takes long to import, and a memory without vectors needs none of it.
    from bitempo.engine.store.vectors import VectorCache

    return VectorCache()
