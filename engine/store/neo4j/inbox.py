"""One tenant's durable inbox: what has arrived and not been applied yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from bitempo.engine.store.neo4j import statements
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.times import moment, optional
from bitempo.engine.store.port import InboxWindow, Result, WindowState

Run = Callable[[Callable[[Graph], Any]], Any]
"""Runs a function of the graph in one transaction of its own."""

WINDOW = (
    f"[w.id, w.session, w.payload, {optional('w.received_at')}, w.state, w.extraction, w.error, "
    "w.attempts, w.rejected]"
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

    def put(self, windows: Sequence[InboxWindow]) -> None:
        self._write(lambda graph: add_windows(graph, windows))

    # Another process may have applied a window meanwhile; then there is nothing left to say of it.
    def store_extraction(self, window: str, extraction: str) -> None:
        self._update(
            window, "w.state = 'extracted', w.extraction = $text, w.error = null", extraction
        )

    def fail(self, window: str, error: str) -> None:
        # A parsed result that is there already was paid for, and is kept for the next attempt.
        self._update(
            window, "w.state = 'failed', w.error = $text, w.attempts = w.attempts + 1", error
        )

    def pending(self, session: str | None = None) -> list[InboxWindow]:
        found: list[Any] = self._read(
            lambda graph: graph.firsts(
                "MATCH (w:BitempoWindow) WHERE w.tenant = $tenant "
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
                f"MATCH (w:BitempoWindow) WHERE w.key IN $keys RETURN {WINDOW} ORDER BY w.number",
                keys=graph.keys(ids),
            )
        )
        return {row[0]: window(row) for row in found}

    def _update(self, id: str, change: str, text: str) -> None:
        self._write(
            lambda graph: graph.change(
                "MATCH (w:BitempoWindow {key: $key}) WHERE w.state <> 'applied' SET " + change,
                key=graph.key(id),
                text=text,
            )
        )


def add_windows(graph: Graph, windows: Sequence[InboxWindow]) -> None:
    """Add the windows that are not there yet, numbered in the order given."""
    if not windows:
        return
    # The tenant's node is locked, so that numbers are given out one by one.
    graph.change(
        f"{statements.TENANT}, t.windows = t.windows + size($rows) "
        "WITH t.windows - size($rows) AS first UNWIND range(0, size($rows) - 1) AS i "
        "WITH first + i AS number, $rows[i] AS row "
        "MERGE (w:BitempoWindow {key: row.key}) "
        "ON CREATE SET w = row, w.number = number",
        key=graph.key(""),
        rows=[
            {
                "key": graph.key(item.id),
                "tenant": graph.tenant,
                "id": item.id,
                "session": item.session,
                "payload": item.payload,
                "received_at": moment(item.received_at),
                "state": item.state,
                "extraction": item.extraction,
                "error": item.error,
                "attempts": item.attempts,
                "rejected": item.rejected,
            }
            for item in windows
        ],
    )


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
