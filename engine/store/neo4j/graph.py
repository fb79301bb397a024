"""Running statements for one tenant: keys, parameters and rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Protocol

import neo4j

from bitempo.engine.names import digest
from bitempo.engine.store.neo4j.times import END, asked
from bitempo.engine.time import FOREVER, Instant

Row = list[Any]

Observer = Callable[[str, Mapping[str, Any]], None]
"""Called with each statement and its parameters, before it is sent."""

_DIALECT = "CYPHER 5 "
"""Every supported server speaks it, also where the database's default is a later one."""

_MODERN = "CYPHER 25 "
"""Spoken by servers of 2025.06 and later."""


class Channel(Protocol):
    """Where statements go."""

    def fetch(self, statement: str, parameters: Mapping[str, Any]) -> list[neo4j.Record]:
        """All records."""
        ...

    def stream(self, statement: str, parameters: Mapping[str, Any]) -> Iterator[neo4j.Record]:
        """The records as they come."""
        ...


class Scope:
    """A tenant, and the keys of its nodes."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant

    def key(self, id: str) -> str:
        """The key of the tenant's node with this id."""
        return digest(self.tenant, id)

    def keys(self, ids: Iterable[str]) -> list[str]:
        """The keys of the tenant's nodes with these ids."""
        return [self.key(id) for id in ids]


class Graph(Scope):
    """One tenant's part of the graph.

    Every statement gets `$tenant`, `$end` for unbounded ends, and `$state`: what was written
    later is not seen. Statements are put together from constants of this package only; values
    always go as parameters.
    """

    def __init__(self, channel: Channel, tenant: str, observer: Observer | None = None) -> None:
        super().__init__(tenant)
        self._channel = channel
        self._observer = observer
        self._waiting: list[tuple[str, list[Any]]] = []
        self.state: Instant = FOREVER

    def rows(self, statement: str, **parameters: Any) -> list[Row]:
        """The values of each record."""
        return [record.values() for record in self._fetch(statement, parameters)]

    def modern_rows(self, statement: str, **parameters: Any) -> list[Row]:
        """As `rows`, for what only later servers know."""
        self.flush()
        prepared = self._prepared(statement, parameters, _MODERN)
        return [record.values() for record in self._channel.fetch(*prepared)]

    def firsts(self, statement: str, **parameters: Any) -> list[Any]:
        """The first value of each record."""
        return [record[0] for record in self._fetch(statement, parameters)]

    def one(self, statement: str, **parameters: Any) -> Any:
        """The first value of the first record; None when there is none."""
        found = self.firsts(statement, **parameters)
        return found[0] if found else None

    def gather(self, found: str, wanted: str, **parameters: Any) -> list[Any]:
        """The wanted expression for each row found, in one record: a record costs as a message."""
        gathered: list[Any] = self.one(f"{found} RETURN collect({wanted})", **parameters)
        return gathered

    def stream(self, statement: str, **parameters: Any) -> Iterable[Row]:
        """The values of each record, as they come."""
        self.flush()
        found = self._channel.stream(*self._prepared(statement, parameters))
        return (record.values() for record in found)

    def change(self, statement: str, **parameters: Any) -> None:
        """Run a statement that gives nothing."""
        self._fetch(statement, parameters)

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
            self._channel.fetch(*self._prepared(statement, rows))

    def _fetch(self, statement: str, parameters: Mapping[str, Any]) -> list[neo4j.Record]:
        self.flush()
        return self._channel.fetch(*self._prepared(statement, parameters))

    def _prepared(
        self, statement: str, parameters: Mapping[str, Any], dialect: str = _DIALECT
    ) -> tuple[str, Mapping[str, Any]]:
        everywhere = {"tenant": self.tenant, "end": END, "state": asked(self.state)}
        whole = (dialect + statement, {**everywhere, **parameters})
        if self._observer is not None:
            self._observer(*whole)
        return whole
