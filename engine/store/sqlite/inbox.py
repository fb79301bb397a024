"""One tenant's durable inbox: what has arrived and not been applied yet."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import apsw

from bitempo.engine.errors import NotFoundError
from bitempo.engine.store import rows
from bitempo.engine.store.port import Claimed, InboxWindow, Reading, WindowState
from bitempo.engine.store.sqlite import columns
from bitempo.engine.store.sqlite.connection import Connections

COLUMNS = (
    "id, session, payload, received_at, state, extraction, error, attempts, rejected, usage, "
    "extractor, first_turn, last_turn"
)
_MARKS = ", ".join("?" for _ in COLUMNS.split(", "))
_NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
"""The machine's own clock: those of the processes that share a file may be anything."""


class SqliteInbox:
    """Implements `Inbox`; each call is one durable transaction."""

    def __init__(self, connections: Connections, tenant: str) -> None:
        self._connections = connections
        self._tenant = tenant

    def put(self, windows: Sequence[InboxWindow]) -> list[InboxWindow]:
        with self._connections.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO tenant (name) VALUES (?)", (self._tenant,))
            connection.executemany(
                f"INSERT OR IGNORE INTO inbox (tenant, {COLUMNS}) "
                f"SELECT id, {_MARKS} FROM tenant WHERE name = ?",
                [(*values(window), self._tenant) for window in windows],
            )
        kept = self.get([window.id for window in windows])
        return [kept[window.id] for window in windows]

    def claim(self, window: str, owner: str, seconds: float) -> Claimed:
        with self._connections.writing() as connection:
            connection.execute(
                f"UPDATE inbox SET claimed_by = ?, claimed_until = {_NOW} + ? "
                "WHERE id = ? AND tenant = (SELECT id FROM tenant WHERE name = ?) "
                "AND state <> 'applied' "
                f"AND (claimed_by IS NULL OR claimed_by = ? OR claimed_until <= {_NOW})",
                (owner, round(seconds * 1_000), window, self._tenant, owner),
            )
            found = connection.execute(
                f"SELECT {COLUMNS}, claimed_by FROM inbox "
                "WHERE id = ? AND tenant = (SELECT id FROM tenant WHERE name = ?)",
                (window, self._tenant),
            )
            claimed = [_claimed(row) for row in columns.stream(found)]
        if not claimed:
            raise NotFoundError(f"no window {window!r} in this tenant")
        return claimed[0]

    def release(self, window: str, owner: str) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE inbox SET claimed_by = NULL, claimed_until = NULL WHERE id = ? "
                "AND claimed_by = ? AND tenant = (SELECT id FROM tenant WHERE name = ?)",
                (window, owner, self._tenant),
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
        change = "state = 'extracted', extraction = ?, extractor = ?, error = NULL"
        self._update(window, change, (extraction, extractor), usage)

    def fail(self, window: str, error: str, *, usage: str | None = None) -> None:
        # A parsed result that is there already was paid for, and is kept for the next attempt.
        change = "state = 'failed', error = ?, attempts = attempts + 1"
        self._update(window, change, (error,), usage)

    def add_usage(self, window: str, usage: str) -> None:
        with self._connections.writing() as connection:
            self._add_usage(connection, window, usage)

    def pending(self, session: str | None = None) -> list[InboxWindow]:
        return self._select(
            "i.state <> 'applied' AND (? IS NULL OR i.session = ?) ORDER BY i.seq",
            (session, session),
        )

    def get(self, ids: Collection[str]) -> dict[str, InboxWindow]:
        found = self._select(
            "i.id IN (SELECT value FROM json_each(?)) ORDER BY i.seq", (columns.json_list(ids),)
        )
        return {window.id: window for window in found}

    def usage(self) -> list[tuple[str, str]]:
        with self._connections.reading() as connection:
            found = connection.execute(
                "SELECT i.session, i.usage FROM tenant t JOIN inbox i ON i.tenant = t.id "
                "WHERE t.name = ? AND i.usage IS NOT NULL ORDER BY i.seq",
                (self._tenant,),
            )
            return [
                (session, entry)
                for session, entries in columns.stream(found)
                for entry in json.loads(entries)
            ]

    def readings(self, session: str | None = None) -> list[Reading]:
        condition, parameters = ("1", ()) if session is None else ("i.session = ?", (session,))
        with self._connections.reading() as connection:
            found = connection.execute(
                "SELECT i.session, i.extractor, i.first_turn, i.last_turn "
                "FROM tenant t JOIN inbox i ON i.tenant = t.id "
                f"WHERE t.name = ? AND i.state = 'applied' AND {condition} ORDER BY i.seq",
                (self._tenant, *parameters),
            )
            return [
                Reading(session, extractor, turns(first, last))
                for session, extractor, first, last in columns.stream(found)
            ]

    def _update(
        self, window: str, change: str, parameters: tuple[str | None, ...], usage: str | None
    ) -> None:
        with self._connections.writing() as connection:
            if usage is not None:
                self._add_usage(connection, window, usage)
            connection.execute(
                f"UPDATE inbox SET {change} WHERE id = ? AND state <> 'applied' "
                "AND tenant = (SELECT id FROM tenant WHERE name = ?)",
                (*parameters, window, self._tenant),
            )

    def _add_usage(self, connection: apsw.Connection, window: str, usage: str) -> None:
        connection.execute(
            "UPDATE inbox SET usage = json_insert(coalesce(usage, '[]'), '$[#]', ?) "
            "WHERE id = ? AND tenant = (SELECT id FROM tenant WHERE name = ?)",
            (usage, window, self._tenant),
        )

    def _select(self, condition: str, parameters: tuple[str | None, ...]) -> list[InboxWindow]:
        wanted = ", ".join(f"i.{column}" for column in COLUMNS.split(", "))
        with self._connections.reading() as connection:
            found = connection.execute(
                f"SELECT {wanted} FROM tenant t JOIN inbox i ON i.tenant = t.id "
                f"WHERE t.name = ? AND {condition}",
                (self._tenant, *parameters),
            )
            return [window(row) for row in columns.stream(found)]


def values(window: InboxWindow) -> rows.Row:
    """In the order of COLUMNS."""
    return (
        window.id,
        window.session,
        window.payload,
        window.received_at,
        window.state,
        window.extraction,
        window.error,
        window.attempts,
        window.rejected,
        json.dumps(window.usage) if window.usage else None,
        window.extractor,
        *(window.turns or (None, None)),
    )


def window(row: rows.Row) -> InboxWindow:
    """From the columns COLUMNS."""
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
        usage=tuple(json.loads(row[9])) if row[9] else (),
        extractor=row[10],
        turns=turns(row[11], row[12]),
    )


def turns(first: int | None, last: int | None) -> tuple[int, int] | None:
    """The positions of a window's first and last turn, where they are on record."""
    return None if first is None or last is None else (first, last)


def _claimed(row: rows.Row) -> Claimed:
    """From the columns COLUMNS and the owner."""
    return Claimed(window(row[:-1]), row[-1])
