"""The two ways of a statement to the server: inside a transaction, or each in one of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import neo4j
from neo4j import exceptions

_TRIES = 3


class InTransaction:
    """Statements of one transaction, which is retried as a whole by whoever opened it."""

    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction

    def fetch(self, statement: str, parameters: Mapping[str, Any]) -> list[neo4j.Record]:
        return list(self.stream(statement, parameters))

    def stream(self, statement: str, parameters: Mapping[str, Any]) -> Iterator[neo4j.Record]:
        return iter(self._transaction.run(statement, dict(parameters)))


class OneByOne:
    """Reads, each a transaction of its own, which saves the round trips of begin and commit.

    The session hands each statement the bookmark of the one before. So, once a statement has seen
    a commit, the next one waits until all of that commit can be seen, which Neo4j does not promise
    inside one transaction.
    """

    def __init__(self, session: neo4j.Session, timeout: float | None) -> None:
        self._session = session
        self._timeout = timeout

    def fetch(self, statement: str, parameters: Mapping[str, Any]) -> list[neo4j.Record]:
        # A pooled connection may have died with a server that is back by now.
        for _ in range(_TRIES - 1):
            try:
                return list(self.stream(statement, parameters))
            except (exceptions.DriverError, exceptions.Neo4jError) as error:
                if not error.is_retryable():
                    raise
        return list(self.stream(statement, parameters))

    def stream(self, statement: str, parameters: Mapping[str, Any]) -> Iterator[neo4j.Record]:
        query = neo4j.Query(statement, timeout=self._timeout)
        return iter(self._session.run(query, dict(parameters)))
