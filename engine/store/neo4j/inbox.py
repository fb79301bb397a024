"""One tenant's durable inbox: what has arrived and not been applied yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from secrets import token_hex
from typing import Any

from bitempo.engine.store.neo4j import statements
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import by, by_key, by_keys
from bitempo.engine.store.neo4j.tenants import refuse_while_loading
from bitempo.engine.store.neo4j.times import moment, optional, setting
from bitempo.engine.store.port import InboxWindow, Result, WindowState

Run = Callable[[Callable[[Graph], Any]], Any]
"""Runs a function of the graph in one transaction of its own."""

WINDOW = (
    f"[w.id, w.session, w.payload, {optional('w.received_at')}, w.state, w.extraction, w.error, "
    "w.attempts, w.rejected]"
)

# The tenant's node is locked, so that numbers are given out one by one.
_ADD = (
    f"{statements.TENANT}, t.windows = t.windows + size($rows) "
    "WITH t.loading AS loading, t.windows - size($rows) AS first "
    "UNWIND range(0, size($rows) - 1) AS i WITH loading, i, first + i AS number, $rows[i] AS row "
    "MERGE (w:BitempoWindow {key: row.properties.key}) "
    "ON CREATE SET w = row.properties, w.number = number WITH loading, i, w, row "
    "CALL (w, row) { WITH w, row WHERE w.received_at IS NULL "
    f"{setting('w', 'row.times', ('received_at',))} }}"
)


class Neo4jInbox:
    """Implements `Inbox`; each call is one durable transaction."""

    def __init__(
        self,
        write: Callable[[Callable[[Graph], Result]], Result],
        read: Callable[[Callable[[Graph], Result]], Result],
    ) -> None:
        self._write: Run = write
        self._read: Run = read

    def put(self, windows: Sequence[InboxWindow]) -> list[InboxWindow]:
        def add(graph: Graph) -> list[Any]:
            [[loading, kept]] = graph.rows(
                f"{_ADD} WITH loading, w ORDER BY i RETURN loading, collect({WINDOW})",
                **_added(graph, windows),
            )
            refuse_while_loading(graph, loading)
            return list(kept)

        return [window(row) for row in self._write(add)] if windows else []

    # Another process may have applied a window meanwhile; then there is nothing left to say of it.
    def store_extraction(self, window: str, extraction: str) -> None:
        self._update(
            window, "w.state = 'extracted', w.extraction = $text, w.error = null", text=extraction
        )

    def fail(self, window: str, error: str) -> None:
        # A parsed result that is there already was paid for, and is kept for the next attempt.
        # The mark tells a failure from the same one sent again after a lost connection.
        self._update(
            window,
            "w.state = 'failed', w.error = $text, w.attempts = w.attempts + "
            "CASE WHEN w.failure = $mark THEN 0 ELSE 1 END, w.failure = $mark",
            text=error,
            mark=token_hex(8),
        )

    def pending(self, session: str | None = None) -> list[InboxWindow]:
        found: list[Any] = self._read(
            lambda graph: graph.firsts(
                f"{by('w:BitempoWindow', 'tenant', 'state')} WHERE w.tenant = $tenant "
                "AND w.state IN ['received', 'extracted', 'failed'] "
                "AND ($session IS NULL OR w.session = $session) "
                f"RETURN {WINDOW} ORDER BY w.number",
                session=session,
            )
        )
        return [window(row) for row in found]

    def get(self, ids: Collection[str]) -> dict[str, InboxWindow]:
        found: list[Any] = self._read(
            lambda graph: graph.firsts(
                f"{by_keys('w:BitempoWindow')} RETURN {WINDOW} ORDER BY w.number",
                keys=graph.keys(ids),
            )
        )
        return {row[0]: window(row) for row in found}

    def _update(self, id: str, change: str, **values: str) -> None:
        self._write(
            lambda graph: graph.change(
                f"{by_key('w:BitempoWindow', '$key')} AND w.state <> 'applied' SET {change}",
                key=graph.key(id),
                **values,
            )
        )


def add_windows(graph: Graph, windows: Sequence[InboxWindow]) -> None:
    """Add the windows that are not there yet, numbered in the order given."""
    if not windows:
        return
    graph.change(f"{_ADD} FINISH", **_added(graph, windows))


def _added(graph: Graph, windows: Sequence[InboxWindow]) -> dict[str, Any]:
    return {"key": graph.key(""), "rows": [_row(graph, item) for item in windows]}


def _row(graph: Graph, item: InboxWindow) -> dict[str, Any]:
    properties = {
        "key": graph.key(item.id),
        "tenant": graph.tenant,
        "id": item.id,
        "session": item.session,
        "payload": item.payload,
        "state": item.state,
        "extraction": item.extraction,
        "error": item.error,
        "attempts": item.attempts,
        "rejected": item.rejected,
    }
    return {"properties": properties, "times": [moment(item.received_at)]}


def window(row: Sequence[Any]) -> InboxWindow:
    """From the list WINDOW."""
    return InboxWindow(
        id=row[0],
        session=row[1],
        payload=row[2],
        received_at=row[3],
        state=WindowState(row[4]),
        extraction=row[5],
        error=row[6],
        attempts=row[7],
        rejected=row[8],
    )
