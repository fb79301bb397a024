"""The Neo4j server that a Graphiti graph lives on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import neo4j

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.store.neo4j.address import Options, read_location
from bitempo.engine.store.neo4j.connection import connect, translated

_POOL = 4


class GraphitiServer:
    """A connection, closed at the end of a `with` block.

    Args:
        location: `bolt://user:password@host:7687/database`, or any other scheme of the driver.
        user, password: for what the location does not say.

    Raises:
        InvalidInputError: the location cannot be read.
        StoreError: the server cannot be reached, or refuses the password.
    """

    def __init__(
        self, location: str, *, user: str | None = None, password: str | None = None
    ) -> None:
        if "://" not in location:
            raise InvalidInputError(
                "name the server that Graphiti writes to, for example bolt://localhost:7687"
            )
        address, options = read_location(location, Options(pool_size=_POOL))
        address = replace(address, user=address.user or user, password=address.password or password)
        self.uri = address.uri
        self._database = address.database
        self._driver = connect(address, options)

    def stream(self, statement: str, **parameters: Any) -> Iterator[list[Any]]:
        """The values of each record, as they come."""
        with (
            translated(self.uri),
            self._driver.session(
                database=self._database, default_access_mode=neo4j.READ_ACCESS
            ) as session,
        ):
            for record in session.run(statement, parameters):
                yield record.values()

    def rows(self, statement: str, **parameters: Any) -> list[list[Any]]:
        """The values of each record."""
        return list(self.stream(statement, **parameters))

    def write(self, statements: list[tuple[str, dict[str, Any]]]) -> list[list[Any]]:
        """Run the statements in one transaction; gives the rows of them all."""

        def work(transaction: neo4j.ManagedTransaction) -> list[list[Any]]:
            return [
                record.values()
                for statement, parameters in statements
                for record in transaction.run(statement, parameters)
            ]

        with translated(self.uri), self._driver.session(database=self._database) as session:
            return session.execute_write(work)

    def execute(self, statement: str) -> None:
        """Run one statement that gives nothing, such as one that makes an index."""
        with translated(self.uri), self._driver.session(database=self._database) as session:
            session.run(statement).consume()

    def close(self) -> None:
        """Close the connection."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
