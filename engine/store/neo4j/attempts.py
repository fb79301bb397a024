"""A commit that may take several attempts, of which one at most is applied.

When the connection is lost while the server commits, nobody has said whether it did. The next
attempt, which gets the tenant's lock only when the earlier transaction is over, looks for the id
of the commit at the transaction time that the earlier one had, and if it is there gives the
result of that one.
"""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_hex
from typing import Any, Generic

from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.writer import Neo4jWriteTransaction
from bitempo.engine.store.port import Result, WriteTransaction
from bitempo.engine.time import Instant


class NothingToWrite(Exception):  # noqa: N818 - not an error: it makes the driver roll back
    """Carries the result of a transaction that leaves no trace."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


class Attempts(Generic[Result]):
    """Makes attempts at one commit."""

    def __init__(self, now: Instant, work: Callable[[WriteTransaction], Result]) -> None:
        self._now = now
        self._work = work
        self._commit = token_hex(12)
        self._earlier: list[tuple[Instant, Result]] = []

    def __call__(self, graph: Graph) -> Result:
        """One attempt, in a transaction of its own.

        Raises:
            NothingToWrite: there is nothing to commit; it carries the result.
        """
        transaction = Neo4jWriteTransaction.begin(graph, self._now, self._commit)
        for tx, result in self._earlier:
            if transaction.made(tx, self._commit):
                raise NothingToWrite(result)
        result = self._work(transaction)
        if transaction.discarded:
            raise NothingToWrite(result)
        transaction.finish()
        if transaction.used:
            self._earlier.append((transaction.tx, result))
        return result
