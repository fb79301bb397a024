"""Everything a tenant holds, out of the file and into it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import apsw

from bitempo.engine.errors import InvalidRecordError, TenantNotEmptyError
from bitempo.engine.model import Cardinality, Entity, Episode, Session
from bitempo.engine.store import rows
from bitempo.engine.store.port import (
    BelievedFact,
    InboxWindow,
    Link,
    OneWith,
    PlacedAssertion,
    Predicate,
    Record,
    Transaction,
)
from bitempo.engine.store.sqlite import columns, inbox
from bitempo.engine.store.sqlite.writer import SqliteWriteTransaction
from bitempo.engine.time import Interval


def dump(connection: apsw.Connection, name: str) -> Iterator[Record]:
    """Every record of the tenant, in an order that `load` can read in one pass."""
    found = connection.execute("SELECT id FROM tenant WHERE name = ?", (name,)).fetchone()
    if found is None:
        return
    tenant: int = found[0]

    def select(statement: str) -> Iterator[rows.Row]:
        return columns.stream(connection.cursor().execute(statement, (tenant,)))

    for row in select("SELECT tx FROM tx WHERE tenant = ? ORDER BY tx"):
        yield Transaction(row[0])
    for row in select("SELECT name, cardinality, source FROM predicate WHERE tenant = ?"):
        yield Predicate(row[0], Cardinality(row[1]), row[2])
    for row in select("SELECT id, started_at, actor, metadata FROM session WHERE tenant = ?"):
        yield Session(row[0], row[1], row[2], json.loads(row[3]))
    for row in select(f"SELECT {columns.ENTITY} FROM entity n WHERE n.tenant = ? ORDER BY n.seq"):
        yield rows.entity(row)
    for row in select(
        "SELECT entity, canonical, tx_from, tx_to FROM identity WHERE tenant = ? "
        "ORDER BY tx_from, entity"
    ):
        yield OneWith(row[0], row[1], Interval(row[2], row[3]))
    for row in select(f"SELECT {columns.EPISODE} FROM episode e WHERE e.tenant = ? ORDER BY e.seq"):
        yield rows.episode(row)
    for row in select(
        f"SELECT {columns.ASSERTION} FROM assertion a WHERE a.tenant = ? ORDER BY a.seq"
    ):
        yield rows.placed_assertion(row)
    for row in select(
        f"SELECT {columns.FACT}, f.tx_from, f.tx_to, (SELECT json_group_array(json_array(l.role, "
        "l.assertion, l.tx_from, l.tx_to)) FROM fact_assertion l WHERE l.tenant = f.tenant "
        "AND l.fact = f.id) FROM fact f WHERE f.tenant = ? ORDER BY f.seq"
    ):
        found = sorted(json.loads(row[-1]))
        links = tuple(Link(r, a, Interval(s, e)) for r, a, s, e in found)
        yield BelievedFact(rows.fact_version(row, ()), Interval(row[-3], row[-2]), links)
    for row in select(f"SELECT {inbox.COLUMNS} FROM inbox WHERE tenant = ? ORDER BY seq"):
        yield inbox.window(row)


def load(connection: apsw.Connection, name: str, records: Iterable[Record]) -> int:
    """Restore what `dump` gave into an empty tenant; how many records there were.

    Raises:
        TenantNotEmptyError: the tenant holds something already.
        InvalidRecordError: a record stands twice, or names one that is not there.
    """
    loader = _Loader(connection, name)
    count = 0
    try:
        for record in records:
            loader.add(record)
            count += 1
        loader.finish()
    except apsw.ConstraintError as error:
        raise InvalidRecordError(f"a record stands twice in the export ({error})") from error
    return count


class _Loader:
    """Inserts records as they come; the corpora are counted per transaction time at the end."""

    def __init__(self, connection: apsw.Connection, name: str) -> None:
        self._db = connection
        self._tenant = _empty_tenant(connection, name)
        self._transactions: list[int] = []
        self._turns: list[Episode] = []
        self._assertions: list[PlacedAssertion] = []

    def add(self, record: Record) -> None:
        match record:
            case Transaction():
                self._transactions.append(record.tx)
            case Predicate():
                self._row("predicate", record.name, record.cardinality, record.source)
            case Session():
                self._row("session", *rows.session_values(record))
            case Entity():
                self._entity(record)
            case OneWith():
                ends = (record.believed.start, record.believed.end)
                self._row("identity", record.entity, record.canonical, *ends)
            case Episode():
                self._turns.append(record)
            case PlacedAssertion():
                self._assertions.append(record)
            case BelievedFact():
                self._fact(record)
            case InboxWindow():
                self._row("inbox", *inbox.values(record), columns=inbox.COLUMNS)

    def finish(self) -> None:
        """Episodes and assertions go in by transaction time, as they once did."""
        episodes: dict[int, list[Episode]] = {}
        assertions: dict[int, list[PlacedAssertion]] = {}
        for episode in self._turns:
            assert episode.believed is not None
            episodes.setdefault(episode.believed.start, []).append(episode)
        for placed in self._assertions:
            assertions.setdefault(placed.assertion.recorded_at, []).append(placed)
        for tx in sorted({*self._transactions, *episodes, *assertions}):
            write = SqliteWriteTransaction(self._db, self._tenant, tx)
            write.add_episodes(episodes.get(tx, ()))
            write.add_assertions(assertions.get(tx, ()))
            write.finish(always=True)
        self._db.executemany(
            "UPDATE episode SET tx_to = ? WHERE tenant = ? AND id = ?",
            [(e.believed.end, self._tenant, e.id) for e in self._turns if e.believed],
        )
        self._require_whole()

    def _require_whole(self) -> None:
        for kind, records, missing in _REFERENCES:
            found = self._db.execute(
                f"SELECT r.name, r.target FROM ({records}) r WHERE r.target IS NOT NULL AND NOT "
                f"EXISTS (SELECT 1 FROM {missing} t WHERE t.tenant = :tenant AND t.id = r.target)"
                " LIMIT 1",
                {"tenant": self._tenant},
            ).fetchone()
            if found is not None:
                raise InvalidRecordError(
                    f"the export is not whole: {kind} {found[0]!r} names {missing} {found[1]!r}, "
                    "which is not in it"
                )

    def _entity(self, entity: Entity) -> None:
        self._row(
            "entity",
            entity.id,
            entity.name,
            entity.type,
            entity.created_at,
            columns="id, name, type, created_at",
        )
        for name, learnt in entity.names_learnt():
            write = SqliteWriteTransaction(self._db, self._tenant, learnt)
            write.add_aliases([(entity.id, name)])

    def _fact(self, record: BelievedFact) -> None:
        self._row(
            "fact",
            *rows.fact_values(record.fact),
            record.believed.start,
            record.believed.end,
            columns=", ".join([*rows.FACT_COLUMNS, "tx_from", "tx_to"]),
        )
        for link in record.links:
            self._row(
                "fact_assertion",
                record.fact.id,
                link.assertion,
                link.role,
                link.believed.start,
                link.believed.end,
            )

    def _row(self, table: str, *values: object, columns: str = "") -> None:
        names = f" (tenant, {columns})" if columns else ""
        marks = ", ".join("?" for _ in values)
        self._db.execute(f"INSERT INTO {table}{names} VALUES (?, {marks})", (self._tenant, *values))


_OF_TENANT = "WHERE tenant = :tenant"
_REFERENCES = (
    ("identity", f"SELECT entity name, entity target FROM identity {_OF_TENANT}", "entity"),
    ("identity", f"SELECT entity name, canonical target FROM identity {_OF_TENANT}", "entity"),
    ("assertion", f"SELECT id name, subject target FROM assertion {_OF_TENANT}", "entity"),
    ("assertion", f"SELECT id name, object target FROM assertion {_OF_TENANT}", "entity"),
    ("assertion", f"SELECT id name, corrects target FROM assertion {_OF_TENANT}", "assertion"),
    (
        "assertion",
        "SELECT a.id name, m.value target FROM assertion a, json_each(a.mentions) m "
        "WHERE a.tenant = :tenant",
        "entity",
    ),
    ("assertion", f"SELECT assertion name, episode target FROM evidence {_OF_TENANT}", "episode"),
    ("fact", f"SELECT id name, subject target FROM fact {_OF_TENANT}", "entity"),
    ("fact", f"SELECT id name, object target FROM fact {_OF_TENANT}", "entity"),
    ("fact", f"SELECT fact name, assertion target FROM fact_assertion {_OF_TENANT}", "assertion"),
)
"""By kind of record: what its records name, and where that has to be."""


def _empty_tenant(connection: apsw.Connection, name: str) -> int:
    found = connection.execute("SELECT id FROM tenant WHERE name = ?", (name,)).fetchone()
    if found is None:
        connection.execute("INSERT INTO tenant (name) VALUES (?)", (name,))
        return connection.last_insert_rowid()
    tenant: int = found[0]
    for table in ("tx", "inbox", "session", "predicate"):
        if connection.execute(
            f"SELECT EXISTS (SELECT 1 FROM {table} WHERE tenant = ?)", (tenant,)
        ).get:
            raise TenantNotEmptyError(
                f"tenant {name!r} holds something already; import into a new tenant"
            )
    return tenant
