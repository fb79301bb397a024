"""One tenant's durable inbox: what has arrived and not been applied yet."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bitempo.engine.store import rows
from bitempo.engine.store.port import InboxWindow, WindowState
from bitempo.engine.store.sqlite import columns
from bitempo.engine.store.sqlite.connection import Connections

COLUMNS = "id, session, payload, received_at, state, extraction, error, attempts, rejected"


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
                "SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM tenant WHERE name = ?",
                [(*values(window), self._tenant) for window in windows],
            )
        kept = self.get([window.id for window in windows])
        return [kept[window.id] for window in windows]

    # Another process may have applied a window meanwhile; then there is nothing left to say of it.
    def store_extraction(self, window: str, extraction: str) -> None:
        self._update("state = 'extracted', extraction = ?, error = NULL", (extraction, window))

    def fail(self, window: str, error: str) -> None:
        # A parsed result that is there already was paid for, and is kept for the next attempt.
        self._update("state = 'failed', error = ?, attempts = attempts + 1", (error, window))

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

    def _update(self, change: str, parameters: tuple[str, str]) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                f"UPDATE inbox SET {change} WHERE id = ? AND state <> 'applied' "
                "AND tenant = (SELECT id FROM tenant WHERE name = ?)",
                (*parameters, self._tenant),
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
    )
