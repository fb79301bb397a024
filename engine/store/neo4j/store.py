"""The Neo4j store: opens the database, and hands out writes, reads and the inbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

import neo4j
from neo4j.exceptions import IncompleteCommit

from bitempo.engine.errors import StoreError
from bitempo.engine.once import Once
from bitempo.engine.store.neo4j import loading, schema, spaces, transfer
from bitempo.engine.store.neo4j.address import Options, read_location
from bitempo.engine.store.neo4j.attempts import Attempts, NothingToWrite
from bitempo.engine.store.neo4j.channels import InTransaction, OneByOne
from bitempo.engine.store.neo4j.connection import connect, translated
from bitempo.engine.store.neo4j.graph import Graph, Observer
from bitempo.engine.store.neo4j.inbox import Neo4jInbox
from bitempo.engine.store.neo4j.reader import Neo4jReader
from bitempo.engine.store.port import Record, Result, WriteTransaction
from bitempo.engine.store.vector_port import VectorSpace
from bitempo.engine.time import Instant

if TYPE_CHECKING:
    from bitempo.engine.store.neo4j.nearest import Search
    from bitempo.engine.store.neo4j.vectors import Neo4jVectors

_LOST_COMMITS = 4
"""How often in a row a connection may be lost in the middle of committing."""


class Neo4jStore:
    """Implements `Store` on a Neo4j database, 5.26 or newer, community edition or above.

    Args:
        location: `bolt://user:password@host:7687/database?option=value`, or any other scheme of
            the driver (`neo4j://`, `neo4j+s://`); the user is "neo4j" and the database the
            server's default when they are left out.
        user, password: for what the location does not say.
        options: for what the location does not say.
        observer: called with each statement and its parameters, before it is sent.

    Raises:
        StoreError: the server cannot be reached, refuses the password, is too old, has no such
            database, or an index is not ready.
        SchemaVersionError: a newer bitempo wrote the graph.
        InvalidInputError: the location cannot be read.
    """

    def __init__(
        self,
        location: str,
        *,
        user: str | None = None,
        password: str | None = None,
        options: Options = Options(),  # noqa: B008 - frozen
        observer: Observer | None = None,
    ) -> None:
        address, self._options = read_location(location, options)
        address = replace(address, user=address.user or user, password=address.password or password)
        self._uri = address.uri
        self._database = address.database
        self._observer = observer
        self._driver = connect(address, self._options)
        # One manager for all sessions: each read sees every write that this store has made.
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager()
        try:
            with translated(self._uri), self._session(neo4j.WRITE_ACCESS) as session:
                server = schema.prepare(
                    partial(_run, session), self._options.index_timeout, partial(_make, session)
                )
        except BaseException:
            self._driver.close()
            raise
        self._search_clause = server >= spaces.SEARCH_CLAUSE
        self._search = Once(self._new_search)
        self._indexed: set[VectorSpace] = set()

    def write(
        self, tenant: str, now: Instant, work: Callable[[WriteTransaction], Result]
    ) -> Result:
        try:
            return self._write(tenant, Attempts(now, work))
        except NothingToWrite as nothing:
            result: Result = nothing.result
            return result

    @contextmanager
    def read(self, tenant: str) -> Iterator[Neo4jReader]:
        with self._reading(tenant) as graph:
            yield Neo4jReader(graph, self._search)

    def inbox(self, tenant: str) -> Neo4jInbox:
        return Neo4jInbox(partial(self._write, tenant), partial(self._read, tenant))

    def vectors(self, tenant: str) -> Neo4jVectors:
        from bitempo.engine.store.neo4j.vectors import Neo4jVectors

        return Neo4jVectors(
            partial(self._write, tenant), partial(self._read, tenant), self._make_indexes
        )

    def dump(self, tenant: str) -> Iterator[Record]:
        with self._reading(tenant) as graph:
            yield from transfer.dump(graph)

    def load(self, tenant: str, records: Iterable[Record]) -> int:
        return loading.load(partial(self._write, tenant), tenant, list(records), token_hex(12))

    def backup(self, target: Path) -> None:
        raise StoreError(
            f"{self._uri} is a server: back it up with neo4j-admin, or export its tenants; "
            f"{target} was not written"
        )

    def close(self) -> None:
        self._driver.close()
        if self._search.made is not None:
            self._search.made.cache.forget()

    def _write(self, tenant: str, work: Callable[[Graph], Result]) -> Result:
        """Run the work in a transaction; whatever it does must be safe to do again."""

        @neo4j.unit_of_work(timeout=self._options.transaction_timeout or None)
        def attempt(transaction: neo4j.ManagedTransaction) -> Result:
            graph = Graph(InTransaction(transaction), tenant, self._observer)
            result = work(graph)
            graph.flush()
            return result

        with translated(self._uri), self._session(neo4j.WRITE_ACCESS) as session:
            for _ in range(_LOST_COMMITS):
                # The driver tries again whatever is known not to have been committed.
                try:
                    return session.execute_write(attempt)
                except IncompleteCommit:
                    continue
            return session.execute_write(attempt)

    def _read(self, tenant: str, work: Callable[[Graph], Result]) -> Result:
        with self._reading(tenant) as graph:
            return work(graph)

    @contextmanager
    def _reading(self, tenant: str) -> Iterator[Graph]:
        with translated(self._uri), self._session(neo4j.READ_ACCESS) as session:
            timeout = self._options.transaction_timeout or None
            yield Graph(OneByOne(session, timeout), tenant, self._observer)

    def _new_search(self) -> Search:
        # What handles arrays takes long to import, and a memory without vectors needs none of it.
        from bitempo.engine.store.neo4j.nearest import Search
        from bitempo.engine.store.vectors import VectorCache

        return Search(VectorCache(), self._options.exact_vectors, self._search_clause)

    def _make_indexes(self, space: VectorSpace) -> None:
        if space not in self._indexed:
            with translated(self._uri), self._session(neo4j.WRITE_ACCESS) as session:
                spaces.make_indexes(
                    partial(schema.create, partial(_make, session)),
                    space,
                    search_clause=self._search_clause,
                )
            self._indexed.add(space)

    def _session(self, access: str) -> neo4j.Session:
        return self._driver.session(
            database=self._database,
            default_access_mode=access,
            bookmark_manager=self._bookmarks,
        )


def _run(session: neo4j.Session, statement: str, **parameters: object) -> list[neo4j.Record]:
    return list(session.run(statement, parameters))


def _make(session: neo4j.Session, statement: str, **parameters: object) -> list[neo4j.Record]:
    """Run by the driver's managed transaction: it waits and tries again where processes that make
    the schema at the same time stand in each other's way."""
    return session.execute_write(lambda transaction: list(transaction.run(statement, parameters)))
