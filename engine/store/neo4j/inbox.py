"""One tenant's durable inbox: what has arrived and not been applied yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from secrets import token_hex
from typing import Any

from bitempo.engine.errors import NotFoundError
from bitempo.engine.store.neo4j import statements
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import anything, by, by_key, by_keys
from bitempo.engine.store.neo4j.tenants import refuse_while_loading
from bitempo.engine.store.neo4j.times import moment, optional, setting
from bitempo.engine.store.port import Claimed, InboxWindow, Reading, Result, WindowState

Run = Callable[[Callable[[Graph], Any]], Any]
"""Runs a function of the graph in one transaction of its own."""

WINDOW = (
    f"[w.id, w.session, w.payload, {optional('w.received_at')}, w.state, w.extraction, w.error, "
    "w.attempts, w.rejected, coalesce(w.usage, []), w.extractor, w.first_turn, w.last_turn]"
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

# Setting a property takes the node's lock, so that of several only one finds it free. The clock is
# the server's, read once the lock is there: those of the processes may be anything.
_CLAIM = (
    f"{by_key('w:BitempoWindow', '$key')} SET w.id = w.id "
    "WITH w, datetime.realtime().epochMillis AS now "
    "CALL (w, now) { WITH w, now WHERE w.state <> 'applied' AND (w.claimed_by IS NULL "
    "OR w.claimed_by = $owner OR w.claimed_until <= now) "
    "SET w.claimed_by = $owner, w.claimed_until = now + $milliseconds } "
    f"RETURN {WINDOW}, w.claimed_by"
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

    def claim(self, window: str, owner: str, seconds: float) -> Claimed:
        found: list[Any] = self._write(
            lambda graph: graph.rows(
                _CLAIM,
                key=graph.key(window),
                owner=owner,
                milliseconds=round(seconds * 1_000),
            )
        )
        if not found:
            raise NotFoundError(f"no window {window!r} in this tenant")
        return _claimed(*found[0])

    def release(self, window: str, owner: str) -> None:
        self._write(
            lambda graph: graph.change(
                f"{by_key('w:BitempoWindow', '$key')} AND w.claimed_by = $owner "
                "SET w.claimed_by = null, w.claimed_until = null",
                key=graph.key(window),
                owner=owner,
            )
        )

    # Another process may have applied a window meanwhile; then there is nothing left to say of it.
    # What it cost is to be kept all the same.
    def store_extraction(
        self,
        window: str,
        extraction: str,
        *,
        extractor: str | None = None,
        usage: str | None = None,
    ) -> None:
        self._update(
            window,
            "w.state = 'extracted', w.extraction = $text, w.extractor = $extractor, w.error = null",
            usage,
            text=extraction,
            extractor=extractor,
        )

    def fail(self, window: str, error: str, *, usage: str | None = None) -> None:
        # A parsed result that is there already was paid for, and is kept for the next attempt.
        # The mark tells a failure from the same one sent again after a lost connection.
        self._update(
            window,
            "w.state = 'failed', w.error = $text, w.attempts = w.attempts + "
            "CASE WHEN w.failure = $mark THEN 0 ELSE 1 END, w.failure = $mark",
            usage,
            text=error,
        )

    def add_usage(self, window: str, usage: str) -> None:
        self._update(window, None, usage)

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

    def usage(self) -> list[tuple[str, str]]:
        found: list[Any] = self._read(
            lambda graph: graph.rows(
                f"{by('w:BitempoWindow', 'tenant', 'state')} WHERE w.tenant = $tenant "
                f"AND {anything('w.state')} AND w.usage IS NOT NULL "
                "RETURN w.session, w.usage ORDER BY w.number"
            )
        )
        return [(session, entry) for session, entries in found for entry in entries]

    def readings(self, session: str | None = None) -> list[Reading]:
        found: list[Any] = self._read(
            lambda graph: graph.rows(
                f"{by('w:BitempoWindow', 'tenant', 'state')} WHERE w.tenant = $tenant "
                "AND w.state = 'applied' AND ($session IS NULL OR w.session = $session) "
                "RETURN w.session, w.extractor, w.first_turn, w.last_turn ORDER BY w.number",
                session=session,
            )
        )
        return [
            Reading(session, extractor, _turns(first, last))
            for session, extractor, first, last in found
        ]

    def _update(self, id: str, change: str | None, usage: str | None, **values: Any) -> None:
        # The mark tells a payment from the same one sent again after a lost connection.
        paid = (
            "SET w.usage = CASE WHEN w.paid = $mark THEN w.usage "
            "ELSE coalesce(w.usage, []) + $usage END, w.paid = $mark "
        )
        statement = (
            f"{by_key('w:BitempoWindow', '$key')} "
            + ("" if usage is None else paid)
            + ("" if change is None else f"WITH w WHERE w.state <> 'applied' SET {change}")
        )
        given = {"usage": usage, "mark": token_hex(8), **values}
        self._write(lambda graph: graph.change(statement, key=graph.key(id), **given))


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
        "usage": list(item.usage) or None,
        "extractor": item.extractor,
        "first_turn": item.turns[0] if item.turns else None,
        "last_turn": item.turns[1] if item.turns else None,
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
        usage=tuple(row[9]),
        extractor=row[10],
        turns=_turns(row[11], row[12]),
    )


def _claimed(row: Sequence[Any], owner: str | None) -> Claimed:
    return Claimed(window(row), owner)


def _turns(first: int | None, last: int | None) -> tuple[int, int] | None:
    return None if first is None or last is None else (first, last)
