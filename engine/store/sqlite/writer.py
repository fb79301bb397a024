"""One tenant's write in progress."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Self

import apsw

from bitempo.engine.lexical import assertion_text, is_turn, turn_text
from bitempo.engine.model import Assertion, Cardinality, Entity, Episode, Session
from bitempo.engine.names import name_words, normalise_name
from bitempo.engine.store import rows
from bitempo.engine.store.port import Corpus, FactVersion, PlacedAssertion, Predicate, Slot
from bitempo.engine.store.sqlite import columns, search
from bitempo.engine.store.sqlite.identity import identities
from bitempo.engine.store.sqlite.reader import entities_by_id, entities_named, episodes_by_id
from bitempo.engine.store.sqlite.vector_spaces import Queue
from bitempo.engine.time import FOREVER, Instant

_IN = "IN (SELECT value FROM json_each(?))"


class SqliteWriteTransaction:
    """Implements `WriteTransaction` inside an open transaction of the connection."""

    def __init__(self, connection: apsw.Connection, tenant: int, tx: Instant) -> None:
        self._db = connection
        self._tenant = tenant
        self.tx: Instant = tx
        self.discarded = False
        self._used = False
        self._totals = search.Totals(connection, self._tenant)
        self._unembedded = Queue(connection, self._tenant)

    @classmethod
    def begin(cls, connection: apsw.Connection, tenant: str, now: Instant) -> Self:
        """A write at `now`, or just after the tenant's last one if that is later."""
        found = connection.execute(
            "SELECT id, last_tx FROM tenant WHERE name = ?", (tenant,)
        ).fetchone()
        if found is None:
            connection.execute("INSERT INTO tenant (name) VALUES (?)", (tenant,))
            return cls(connection, connection.last_insert_rowid(), now)
        number, last = found
        return cls(connection, number, now if last is None else max(now, last + 1))

    def finish(self, *, always: bool = False) -> None:
        """Record the transaction time, if one was used, and the size of the corpora at it."""
        if self._used or always:
            self._totals.write(self.tx)

    def discard(self) -> None:
        self.discarded = True

    def episodes(self, ids: Collection[str]) -> dict[str, Episode]:
        return episodes_by_id(self._db, self._tenant, ids)

    def predicates(self, names: Collection[str]) -> dict[str, Predicate]:
        found = self._db.execute(
            f"SELECT name, cardinality, source FROM predicate WHERE tenant = ? AND name {_IN}",
            (self._tenant, columns.json_list(names)),
        )
        return {
            name: Predicate(name, Cardinality(cardinality), source)
            for name, cardinality, source in columns.stream(found)
        }

    def entities(self, ids: Collection[str]) -> dict[str, Entity]:
        return entities_by_id(self._db, self._tenant, ids)

    def entities_named(self, names: Collection[str]) -> dict[str, list[Entity]]:
        return entities_named(self._db, self._tenant, names)

    def identities(self, entities: Collection[str]) -> dict[str, str]:
        return identities(self._db, self._tenant, entities)

    def assertions(self, ids: Collection[str]) -> dict[str, PlacedAssertion]:
        found = self._assertions(f"a.id {_IN}", ids)
        return {placed.assertion.id: placed for placed in found}

    def evidenced_by(self, episodes: Collection[str]) -> list[Assertion]:
        found = self._assertions(
            f"a.tx_to = {FOREVER} AND a.id IN (SELECT v.assertion FROM evidence v "
            f"WHERE v.tenant = a.tenant AND v.episode {_IN})",
            episodes,
        )
        return [placed.assertion for placed in found]

    def live_assertions(self, slots: Collection[str]) -> list[PlacedAssertion]:
        return self._assertions(
            f"a.slot {_IN} AND a.tx_to = {FOREVER} AND NOT EXISTS (SELECT 1 FROM assertion c "
            f"WHERE c.tenant = a.tenant AND c.corrects = a.id AND c.tx_to = {FOREVER})",
            slots,
        )

    def unretracted_in_families(self, families: Collection[str]) -> list[PlacedAssertion]:
        return self._assertions(f"a.family {_IN} AND a.tx_to = {FOREVER}", families)

    def assertions_of_predicate(self, name: str) -> list[PlacedAssertion]:
        # Rare enough to go without an index of its own on the largest table.
        return self._assertions(f"a.predicate {_IN}", [name])

    def assertions_about(self, entities: Collection[str]) -> list[PlacedAssertion]:
        found = [self._assertions(f"a.{end} {_IN}", entities) for end in ("subject", "object")]
        return list({item.assertion.id: item for items in found for item in items}.values())

    def slots_of_families(self, families: Collection[str]) -> list[Slot]:
        found = self._db.execute(
            # To have the slots in order, SQLite would rather walk through all of the tenant's.
            "SELECT DISTINCT slot, family, cardinality FROM assertion INDEXED BY assertion_family "
            f"WHERE tenant = ? AND family {_IN}",
            (self._tenant, columns.json_list(families)),
        )
        return [Slot(key, family, Cardinality(c)) for key, family, c in columns.stream(found)]

    def current_facts(self, slots: Collection[str]) -> list[FactVersion]:
        return self._current(f"f.slot {_IN}", columns.json_list(slots))

    def facts_about(self, subjects: Collection[str], predicate: str) -> list[FactVersion]:
        condition = f"f.subject {_IN} AND f.predicate = ?"
        return self._current(condition, columns.json_list(subjects), predicate)

    def _current(self, condition: str, *parameters: str) -> list[FactVersion]:
        found = list(
            columns.stream(
                self._db.execute(
                    f"SELECT {columns.FACT} FROM fact f "
                    f"WHERE f.tenant = ? AND {condition} AND f.tx_to = {FOREVER}",
                    (self._tenant, *parameters),
                )
            )
        )
        if not found:
            return []
        links: dict[str, list[tuple[str, str]]] = {row[0]: [] for row in found}
        for fact, role, assertion in columns.stream(
            self._db.execute(
                "SELECT fact, role, assertion FROM fact_assertion "
                f"WHERE tenant = ? AND fact {_IN} AND tx_to = {FOREVER}",
                (self._tenant, columns.json_list(links)),
            )
        ):
            links[fact].append((role, assertion))
        return [rows.fact_version(row, links[row[0]]) for row in found]

    def add_sessions(self, sessions: Sequence[Session]) -> None:
        self._insert(
            "INSERT OR IGNORE INTO session (tenant, id, actor, started_at, metadata) "
            "VALUES (?, ?, ?, ?, ?)",
            (rows.session_values(session) for session in sessions),
        )

    def add_episodes(self, episodes: Sequence[Episode]) -> None:
        self._used = self._used or bool(episodes)
        for episode in episodes:
            self._db.execute(
                "INSERT INTO episode (tenant, id, text, occurred_at, kind, session, position, "
                "actor, metadata, tx_from, tx_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._tenant,
                    episode.id,
                    episode.text,
                    episode.occurred_at,
                    episode.kind,
                    episode.session,
                    episode.position,
                    episode.actor,
                    json.dumps(dict(episode.metadata), ensure_ascii=False),
                    self.tx,
                    FOREVER,
                ),
            )
            # A statement is searched through its assertions; only what was said is a turn.
            if is_turn(episode):
                seq = self._db.last_insert_rowid()
                self._totals.add_turn(seq, turn_text(episode))
                self._unembedded.add(Corpus.TURNS, seq)

    def add_predicates(self, predicates: Sequence[Predicate]) -> None:
        self._insert(
            "INSERT INTO predicate (tenant, name, cardinality, source) VALUES (?, ?, ?, ?)",
            ((item.name, item.cardinality, item.source) for item in predicates),
        )

    def add_entities(self, entities: Sequence[Entity]) -> None:
        self._insert(
            "INSERT INTO entity (tenant, id, name, type, created_at) VALUES (?, ?, ?, ?, ?)",
            ((item.id, item.name, item.type, item.created_at) for item in entities),
        )
        self.add_aliases([(item.id, item.name) for item in entities])

    def add_aliases(self, aliases: Sequence[tuple[str, str]]) -> None:
        self._insert(
            "INSERT OR IGNORE INTO entity_name (tenant, normal, entity, name, tx_from) "
            "VALUES (?, ?, ?, ?, ?)",
            ((normalise_name(alias), entity, alias, self.tx) for entity, alias in aliases),
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO entity_word (tenant, word, entity) "
            "SELECT n.tenant, value, n.seq FROM entity n JOIN json_each(?) "
            "WHERE n.tenant = ? AND n.id = ?",
            [
                (columns.json_list(name_words(alias)), self._tenant, entity)
                for entity, alias in aliases
            ],
        )

    def set_entity_types(self, types: Sequence[tuple[str, str]]) -> None:
        self._db.executemany(
            "UPDATE entity SET type = ? WHERE tenant = ? AND id = ?",
            [(type, self._tenant, entity) for entity, type in types],
        )

    def add_assertions(self, assertions: Sequence[PlacedAssertion]) -> None:
        listed = ", ".join(rows.ASSERTION_COLUMNS)
        marks = ", ".join("?" for _ in rows.ASSERTION_COLUMNS)
        names = self._names(assertions)
        self._used = self._used or bool(assertions)
        for placed in assertions:
            self._db.execute(
                f"INSERT INTO assertion (tenant, {listed}) VALUES (?, {marks})",
                (self._tenant, *rows.assertion_values(placed)),
            )
            seq = self._db.last_insert_rowid()
            self._totals.add_assertion(seq, assertion_text(placed.assertion, names))
            self._unembedded.add(Corpus.ASSERTIONS, seq)
        self._insert(
            "INSERT INTO evidence (tenant, assertion, ordinal, episode) VALUES (?, ?, ?, ?)",
            (
                (placed.assertion.id, ordinal, episode)
                for placed in assertions
                for ordinal, episode in enumerate(placed.assertion.evidence)
            ),
        )

    def retract_assertions(self, ids: Collection[str]) -> None:
        self._end("assertion", "id", ids)

    def retract_episodes(self, ids: Collection[str]) -> None:
        self._end("episode", "id", ids)

    def close_facts(self, ids: Collection[str]) -> None:
        self._end("fact", "id", ids)
        self._end("fact_assertion", "fact", ids)

    def open_facts(self, facts: Sequence[FactVersion]) -> None:
        listed = ", ".join(rows.FACT_COLUMNS)
        marks = ", ".join("?" for _ in rows.FACT_COLUMNS)
        self._insert(
            f"INSERT INTO fact (tenant, {listed}, tx_from, tx_to) VALUES (?, {marks}, ?, ?)",
            ((*rows.fact_values(fact), self.tx, FOREVER) for fact in facts),
        )
        self._link((fact.id, role, id) for fact in facts for role, id in sorted(fact.links))

    def change_links(
        self,
        added: Sequence[tuple[str, str, str]],
        removed: Sequence[tuple[str, str, str]],
    ) -> None:
        self._db.executemany(
            f"UPDATE fact_assertion SET tx_to = ? WHERE tenant = ? AND fact = ? AND role = ? "
            f"AND assertion = ? AND tx_to = {FOREVER}",
            [(self.tx, self._tenant, *link) for link in removed],
        )
        self._link(added)

    def set_cardinality(self, predicate: Predicate) -> None:
        self._used = True
        self._db.execute(
            "INSERT OR REPLACE INTO predicate (tenant, name, cardinality, source) "
            "VALUES (?, ?, ?, ?)",
            (self._tenant, predicate.name, predicate.cardinality, predicate.source),
        )

    def set_identities(self, canonical: Mapping[str, str]) -> None:
        self._end("identity", "entity", canonical.keys())
        self._insert(
            "INSERT INTO identity (tenant, entity, canonical, tx_from, tx_to) "
            "VALUES (?, ?, ?, ?, ?)",
            ((id, one, self.tx, FOREVER) for id, one in canonical.items() if one != id),
        )

    def move_assertions(self, placed: Sequence[PlacedAssertion]) -> None:
        self._db.executemany(
            "UPDATE assertion SET slot = ?, family = ?, cardinality = ?, value_key = ? "
            "WHERE tenant = ? AND id = ?",
            [
                (
                    item.slot.key,
                    item.slot.family,
                    item.slot.cardinality,
                    item.value_key,
                    self._tenant,
                    item.assertion.id,
                )
                for item in placed
            ],
        )

    def finish_window(self, window: str, rejected: str | None) -> bool:
        self._db.execute(
            "UPDATE inbox SET state = 'applied', payload = '', extraction = NULL, error = NULL, "
            "rejected = ?, claimed_by = NULL, claimed_until = NULL "
            "WHERE tenant = ? AND id = ? AND state <> 'applied'",
            (rejected, self._tenant, window),
        )
        return self._db.changes() == 1

    def _assertions(self, condition: str, ids: Collection[str]) -> list[PlacedAssertion]:
        if not ids:
            return []
        found = self._db.execute(
            f"SELECT {columns.ASSERTION} FROM assertion a WHERE a.tenant = ? AND {condition}",
            (self._tenant, columns.json_list(ids)),
        )
        return [rows.placed_assertion(row) for row in columns.stream(found)]

    def _names(self, assertions: Sequence[PlacedAssertion]) -> dict[str, str]:
        ids = {placed.assertion.subject for placed in assertions}
        ids |= {placed.assertion.object for placed in assertions if placed.assertion.object}
        found = self._db.execute(
            f"SELECT id, name FROM entity WHERE tenant = ? AND id {_IN}",
            (self._tenant, columns.json_list(ids)),
        )
        return dict(columns.stream(found))

    def _insert(self, statement: str, values: Iterable[rows.Row]) -> None:
        self._db.executemany(statement, [(self._tenant, *row) for row in values])

    def _link(self, links: Iterable[tuple[str, str, str]]) -> None:
        self._insert(
            "INSERT INTO fact_assertion (tenant, fact, role, assertion, tx_from, tx_to) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            ((*link, self.tx, FOREVER) for link in links),
        )

    def _end(self, table: str, column: str, ids: Collection[str]) -> None:
        if ids:
            self._used = True
            self._db.execute(
                f"UPDATE {table} SET tx_to = ? "
                f"WHERE tenant = ? AND {column} {_IN} AND tx_to = {FOREVER}",
                (self.tx, self._tenant, columns.json_list(ids)),
            )
