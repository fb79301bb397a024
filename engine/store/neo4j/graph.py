"""Running statements for one tenant: keys, parameters and rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import neo4j

from bitempo.engine.names import digest
from bitempo.engine.store.neo4j.times import END

Row = list[Any]


class Graph:
    """One tenant's part of the graph inside a transaction.

    Every statement gets `$tenant`, and `$end` for unbounded ends. Statements are put together
    from constants of this package only; values always go as parameters.
    """

    def __init__(self, transaction: neo4j.ManagedTransaction | neo4j.Transaction, tenant: str):
        self._transaction = transaction
        self._waiting: list[tuple[str, list[Any]]] = []
        self.tenant = tenant

    def key(self, id: str) -> str:
        """The key of the tenant's node with this id."""
        return digest(self.tenant, id)

    def keys(self, ids: Iterable[str]) -> list[str]:
        """The keys of the tenant's nodes with these ids."""
        return [self.key(id) for id in ids]

    def rows(self, statement: str, **parameters: Any) -> list[Row]:
        """The values of each record."""
        return [record.values() for record in self._run(statement, parameters)]

    def firsts(self, statement: str, **parameters: Any) -> list[Any]:
        """The first value of each record."""
        return [record[0] for record in self._run(statement, parameters)]

    def one(self, statement: str, **parameters: Any) -> Any:
        """The first value of the first record; None when there is none."""
        found = self.firsts(statement, **parameters)
        return found[0] if found else None

    def stream(self, statement: str, **parameters: Any) -> Iterable[Any]:
        """The first value of each record, as they come."""
        return (record[0] for record in self._run(statement, parameters))

    def pairs(self, statement: str, **parameters: Any) -> Iterable[tuple[Any, Any]]:
        """The first two values of each record, as they come."""
        return ((record[0], record[1]) for record in self._run(statement, parameters))

    def change(self, statement: str, **parameters: Any) -> None:
        """Run a statement that gives nothing."""
        self._run(statement, parameters).consume()

    def change_each(self, statement: str, rows: Collection[Any]) -> None:
        """Run a statement that gives nothing over `$rows`, later: see `flush`."""
        if rows:
            self._waiting.append((statement, list(rows)))

    def flush(self) -> None:
        """Send the waiting statements, in their order, as one.

        A round trip costs more than most of them; whatever reads goes after them.
        """
        waiting, self._waiting = self._waiting, []
        if waiting:
            statement = " ".join(
                f"CALL () {{ UNWIND $rows{number} AS row {part} }}"
                for number, (part, _) in enumerate(waiting)
            )
            rows = {f"rows{number}": rows for number, (_, rows) in enumerate(waiting)}
            self._run(statement, rows).consume()

    def _run(self, statement: str, parameters: Mapping[str, Any]) -> neo4j.Result:
        self.flush()
        return self._transaction.run(statement, {"tenant": self.tenant, "end": END, **parameters})
