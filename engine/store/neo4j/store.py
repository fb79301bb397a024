"""The Neo4j store: opens the database, and hands out writes, reads and the inbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import neo4j

from bitempo.engine.errors import StoreError
from bitempo.engine.store.neo4j import schema, transfer
from bitempo.engine.store.neo4j.connection import Address, connect, translated
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.inbox import Neo4jInbox
from bitempo.engine.store.neo4j.reader import Neo4jReader
from bitempo.engine.store.neo4j.writer import Neo4jWriteTransaction
from bitempo.engine.store.port import Record, Result, WriteTransaction
from bitempo.engine.time import Instant


class Neo4jStore:
    """Implements `Store` on a Neo4j database, 5.26 or newer, community edition or above.

    Args:
        location: `bolt://user:password@host:7687/database`, or any other scheme of the driver
            (`neo4j://`, `neo4j+s://`); the user is "neo4j" and the database the server's
            default when they are left out.
        user, password, database: for what the location does not say.
        pool_size: most connections that are open at once.
        connect_timeout: seconds to wait for a connection.
        retry_time: seconds over which a write is tried again after a transient error, such as a
            lock or a server that restarts.
        index_timeout: seconds to wait, when opening, for indexes that are still being filled.

    Raises:
        StoreError: the server cannot be reached, refuses the password, is too old, has no such
            database, or an index is not ready.
        SchemaVersionError: a newer bitempo wrote the graph.
    """

    def __init__(
        self,
        location: str,
        *,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        pool_size: int = 50,
        connect_timeout: float = 15.0,
        retry_time: float = 30.0,
        index_timeout: float = 300.0,
    ) -> None:
        parsed = Address.parse(location)
        address = Address(
            parsed.uri,
            parsed.user or user,
            parsed.password or password,
            parsed.database or database,
        )
        self._uri = address.uri
        self._database = address.database
        self._driver = connect(
            address, pool_size=pool_size, connect_timeout=connect_timeout, retry_time=retry_time
        )
        # One manager for all sessions: each read sees every write that this store has made.
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager()
        try:
            with translated(self._uri):
                schema.prepare(self._driver, self._database, index_timeout)
        except BaseException:
            self._driver.close()
            raise

    def write(
        self, tenant: str, now: Instant, work: Callable[[WriteTransaction], Result]
    ) -> Result:
        def attempt(graph: Graph) -> Result:
            transaction = Neo4jWriteTransaction.begin(graph, now)
            result = work(transaction)
            if transaction.discarded:
                raise _Discarded(result)
            transaction.finish()
            return result

        try:
            return self._write(tenant, attempt)
        except _Discarded as discarded:
            result: Result = discarded.result
            return result

    @contextmanager
    def read(self, tenant: str) -> Iterator[Neo4jReader]:
        with self._reading(tenant) as graph:
            yield Neo4jReader(graph)

    def inbox(self, tenant: str) -> Neo4jInbox:
        return Neo4jInbox(partial(self._write, tenant), partial(self._read, tenant))

    def dump(self, tenant: str) -> Iterator[Record]:
        with self._reading(tenant) as graph:
            yield from transfer.dump(graph)

    def load(self, tenant: str, records: Iterable[Record]) -> int:
        # A lost attempt is made again, so what comes from a file is read once.
        found = list(records)
        return self._write(tenant, lambda graph: transfer.load(graph, found))

    def backup(self, target: Path) -> None:
        raise StoreError(
            f"{self._uri} is a server: back it up with neo4j-admin, or export its tenants; "
            f"{target} was not written"
        )

    def close(self) -> None:
        self._driver.close()

    def _write(self, tenant: str, work: Callable[[Graph], Result]) -> Result:
        with translated(self._uri), self._session(neo4j.WRITE_ACCESS) as session:
            return session.execute_write(lambda transaction: _whole(work, transaction, tenant))

    def _read(self, tenant: str, work: Callable[[Graph], Result]) -> Result:
        with translated(self._uri), self._session(neo4j.READ_ACCESS) as session:
            return session.execute_read(lambda transaction: work(Graph(transaction, tenant)))

    @contextmanager
    def _reading(self, tenant: str) -> Iterator[Graph]:
        with (
            translated(self._uri),
            self._session(neo4j.READ_ACCESS) as session,
            session.begin_transaction() as transaction,
        ):
            yield Graph(transaction, tenant)

    def _session(self, access: str) -> neo4j.Session:
        return self._driver.session(
            database=self._database,
            default_access_mode=access,
            bookmark_manager=self._bookmarks,
        )


def _whole(
    work: Callable[[Graph], Result], transaction: neo4j.ManagedTransaction, tenant: str
) -> Result:
    graph = Graph(transaction, tenant)
    result = work(graph)
    graph.flush()
    return result


class _Discarded(Exception):  # noqa: N818 - not an error: it makes the driver roll back
    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result
