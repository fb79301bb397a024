"""One tenant's reads, inside one read transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from bitempo.engine.model import Assertion, Cardinality, Entity, Episode, Fact, Modality, Session
from bitempo.engine.store import rows
from bitempo.engine.store.port import (
    Corpus,
    FactQuery,
    Matches,
    Neighbour,
    OneWith,
    Point,
    Predicate,
    Role,
    Stats,
)
from bitempo.engine.store.sqlite import columns, identity, search
from bitempo.engine.store.sqlite.asof import as_of, believed
from bitempo.engine.store.sqlite.neighbourhood import distances
from bitempo.engine.store.sqlite.vector_spaces import USED, count_in, spaces_of
from bitempo.engine.store.vector_port import Near, VectorSpace
from bitempo.engine.time import FOREVER, Instant

if TYPE_CHECKING:
    from bitempo.engine.embedding import Vector
    from bitempo.engine.late import Late, TokenQuestion
    from bitempo.engine.once import Once
    from bitempo.engine.store.vectors import VectorCache

_IN = "IN (SELECT value FROM json_each(?))"


def episodes_by_id(
    connection: apsw.Connection, tenant: int, ids: Collection[str]
) -> dict[str, Episode]:
    """The tenant's episodes with these ids."""
    if not ids:
        return {}
    found = connection.execute(
        f"SELECT {columns.EPISODE} FROM episode e WHERE e.tenant = ? AND e.id {_IN}",
        (tenant, columns.json_list(ids)),
    )
    return {row[0]: rows.episode(row) for row in columns.stream(found)}


def entities_by_id(
    connection: apsw.Connection,
    tenant: int,
    ids: Collection[str],
    known_at: Instant | None = None,
) -> dict[str, Entity]:
    """The tenant's entities with these ids, with the aliases known then."""
    if not ids:
        return {}
    found = connection.execute(
        f"SELECT {columns.ENTITY} FROM entity n WHERE n.tenant = ? AND n.id {_IN}",
        (tenant, columns.json_list(ids)),
    )
    return {row[0]: rows.entity(row, known_at) for row in columns.stream(found)}


def entities_named(
    connection: apsw.Connection,
    tenant: int,
    names: Collection[str],
    known_at: Instant | None = None,
) -> dict[str, list[Entity]]:
    """The tenant's entities by normalised name or alias, as known then, oldest first."""
    if not names:
        return {}
    found = connection.execute(
        f"SELECT {columns.ENTITY}, m.normal FROM entity_name m "
        "JOIN entity n ON n.tenant = m.tenant AND n.id = m.entity "
        f"WHERE m.tenant = ? AND m.normal {_IN} AND m.tx_from <= ? ORDER BY n.seq",
        (tenant, columns.json_list(names), FOREVER if known_at is None else known_at),
    )
    named: dict[str, list[Entity]] = {}
    for row in columns.stream(found):
        named.setdefault(row[-1], []).append(rows.entity(row, known_at))
    return named


class SqliteReader:
    """Implements `Reader`. A tenant that was never written to reads as empty."""

    def __init__(self, connection: apsw.Connection, tenant: str, cache: Once[VectorCache]) -> None:
        self._db = connection
        self._cache = cache
        row = connection.execute(
            "SELECT id, last_tx FROM tenant WHERE name = ?", (tenant,)
        ).fetchone()
        self._tenant: int = row[0] if row else -1
        self._last_tx: Instant | None = row[1] if row else None

    def last_tx(self, until: Instant | None = None) -> Instant | None:
        if until is None or self._last_tx is None or self._last_tx <= until:
            return self._last_tx
        found: Instant | None = self._db.execute(
            "SELECT max(tx) FROM tx WHERE tenant = ? AND tx <= ?", (self._tenant, until)
        ).get
        return found

    def facts(self, query: FactQuery) -> list[Fact]:
        conditions, parameters = self._conditions(query)
        known_at = None if query.point is None else query.point.known_at
        return self._facts(conditions, parameters, query, known_at)

    def neighbourhood(
        self,
        entities: Collection[str],
        point: Point,
        *,
        hops: int,
        fan_out: int,
        predicates: Collection[str] | None = None,
        modality: Modality | None = None,
    ) -> list[Neighbour]:
        far = distances(
            self._db,
            self._tenant,
            entities,
            point,
            hops=hops,
            fan_out=fan_out,
            predicates=predicates,
            modality=modality,
        )
        found = self.facts(FactQuery(point=point, ids=far.keys()))
        return rows.nearest_first(Neighbour(fact, far[fact.id]) for fact in found)

    def changed_facts(self, after: Instant, until: Instant) -> list[Fact]:
        condition = (
            "((f.tx_from > :after AND f.tx_from <= :until) "
            "OR (f.tx_to > :after AND f.tx_to <= :until))"
        )
        parameters = {"tenant": self._tenant, "after": after, "until": until}
        return self._facts(["f.tenant = :tenant", condition], parameters, FactQuery(), until)

    def assertions(self, ids: Collection[str]) -> dict[str, Assertion]:
        if not ids:
            return {}
        found = self._db.execute(
            f"SELECT {columns.ASSERTION} FROM assertion a WHERE a.tenant = ? AND a.id {_IN}",
            (self._tenant, columns.json_list(ids)),
        )
        return {row[0]: rows.placed_assertion(row).assertion for row in columns.stream(found)}

    def evidenced_by(self, episodes: Collection[str], known_at: Instant) -> dict[str, list[str]]:
        condition, parameters = believed("a", known_at)
        found = self._db.execute(
            "SELECT v.episode, v.assertion FROM evidence v JOIN assertion a "
            "ON a.tenant = v.tenant AND a.id = v.assertion WHERE v.tenant = :tenant "
            f"AND v.episode IN (SELECT value FROM json_each(:ids)) AND {condition} ORDER BY a.seq",
            {**parameters, "tenant": self._tenant, "ids": columns.json_list(episodes)},
        )
        return rows.grouped(columns.stream(found))

    def episodes(self, ids: Collection[str]) -> dict[str, Episode]:
        return episodes_by_id(self._db, self._tenant, ids)

    def sessions(self, ids: Collection[str]) -> dict[str, Session]:
        found = self._db.execute(
            f"SELECT id, started_at, actor, metadata FROM session WHERE tenant = ? AND id {_IN}",
            (self._tenant, columns.json_list(ids)),
        )
        return {row[0]: rows.session(row) for row in columns.stream(found)}

    def turns(self, session: str, last: int | None = None) -> list[Episode]:
        found = self._db.execute(
            f"SELECT {columns.EPISODE} FROM episode e WHERE e.tenant = ? AND e.session = ? "
            "ORDER BY e.position DESC, e.seq DESC LIMIT ?",
            (self._tenant, session, -1 if last is None else last),
        )
        return [rows.episode(row) for row in columns.stream(found)][::-1]

    def neighbours(self, episodes: Collection[str], reach: int) -> dict[str, Episode]:
        if not episodes:
            return {}
        found = self._db.execute(
            # Distinct by number: to compare whole rows costs more than to read them.
            f"SELECT {columns.EPISODE} FROM episode e WHERE e.seq IN ("
            "SELECT n.seq FROM episode o JOIN episode n "
            "ON n.tenant = o.tenant AND n.session = o.session "
            "AND n.position BETWEEN o.position - :reach AND o.position + :reach "
            "WHERE o.tenant = :tenant AND o.id IN (SELECT value FROM json_each(:ids)))",
            {"tenant": self._tenant, "ids": columns.json_list(episodes), "reach": reach},
        )
        near = {row[0]: rows.episode(row) for row in columns.stream(found)}
        alone = [id for id in episodes if id not in near]
        return near | self.episodes(alone)

    def entities(self, ids: Collection[str], known_at: Instant | None = None) -> dict[str, Entity]:
        return entities_by_id(self._db, self._tenant, ids, known_at)

    def entities_named(
        self, names: Collection[str], known_at: Instant | None = None
    ) -> dict[str, list[Entity]]:
        return entities_named(self._db, self._tenant, names, known_at)

    def entities_sharing(self, words: Collection[str], limit: int) -> list[Entity]:
        return identity.sharing(self._db, self._tenant, words, limit)

    def identities(self, entities: Collection[str] | None, known_at: Instant) -> dict[str, str]:
        return identity.identities(self._db, self._tenant, entities, known_at)

    def stood_for(self, entities: Collection[str]) -> list[OneWith]:
        return identity.stood_for(self._db, self._tenant, entities)

    def list_entities(
        self, after: str | None, limit: int | None, known_at: Instant | None = None
    ) -> list[Entity]:
        condition, parameters = believed("i", FOREVER - 1 if known_at is None else known_at)
        found = self._db.execute(
            f"SELECT {columns.ENTITY} FROM entity n WHERE n.tenant = :tenant AND n.id > :after "
            "AND n.created_at <= :known_at AND NOT EXISTS (SELECT 1 FROM identity i "
            f"WHERE i.tenant = n.tenant AND i.entity = n.id AND {condition}) "
            "ORDER BY n.id LIMIT :limit",
            {
                **parameters,
                "tenant": self._tenant,
                "after": after or "",
                "limit": -1 if limit is None else limit,
            },
        )
        return [rows.entity(row, known_at) for row in columns.stream(found)]

    def predicates(self) -> list[Predicate]:
        found = self._db.execute(
            "SELECT name, cardinality, source FROM predicate WHERE tenant = ? ORDER BY name",
            (self._tenant,),
        )
        return [Predicate(n, Cardinality(c), source) for n, c, source in columns.stream(found)]

    def search(
        self, corpus: Corpus, terms: Sequence[str], *, known_at: Instant, limit: int
    ) -> Matches:
        return search.search(self._db, self._tenant, corpus, terms, known_at=known_at, limit=limit)

    def vector_space(self) -> VectorSpace | None:
        found = spaces_of(self._db, self._tenant).get(USED)
        return None if found is None else found[1]

    def nearest(
        self, corpus: Corpus, vector: Vector, *, known_at: Instant, limit: int
    ) -> list[Near]:
        from bitempo.engine.store.sqlite import vectors

        return vectors.nearest(
            self._db, self._cache(), self._tenant, corpus, vector, known_at, limit
        )

    def late(
        self,
        corpus: Corpus,
        question: TokenQuestion,
        *,
        known_at: Instant,
        limit: int,
        among: Collection[str] = (),
    ) -> Late:
        from bitempo.engine.store.sqlite import vectors

        return vectors.late(
            self._db, self._cache(), self._tenant, corpus, question, known_at, limit, among
        )

    def token_maxima(
        self, corpus: Corpus, question: TokenQuestion, ids: Collection[str]
    ) -> dict[str, Vector]:
        from bitempo.engine.store.sqlite import vectors

        return vectors.token_maxima(self._db, self._cache(), self._tenant, corpus, question, ids)

    def stats(self) -> Stats:
        def count(table: str, condition: str = "1") -> int:
            found = self._db.execute(
                f"SELECT count(*) FROM {table} WHERE tenant = ? AND {condition}", (self._tenant,)
            ).get
            return int(found)

        inbox = self._db.execute(
            "SELECT state, count(*) FROM inbox WHERE tenant = ? GROUP BY state", (self._tenant,)
        )
        space = spaces_of(self._db, self._tenant).get(USED)
        embedded = 0 if space is None else count_in(self._db, "vector", space[0])
        searchable = self._db.execute(
            "SELECT assertions + turns FROM tenant WHERE id = ?", (self._tenant,)
        ).get
        first = self._db.execute("SELECT min(tx) FROM tx WHERE tenant = ?", (self._tenant,))
        return Stats(
            sessions=count("session"),
            episodes=count("episode"),
            entities=count("entity"),
            assertions=count("assertion"),
            retracted=count("assertion", f"tx_to <> {FOREVER}"),
            facts=count("fact", f"tx_to = {FOREVER}"),
            fact_versions=count("fact"),
            predicates=count("predicate"),
            transactions=count("tx"),
            inbox=dict(columns.stream(inbox)),
            first_tx=first.get,
            last_tx=self._last_tx,
            embedder=None if space is None else space[1].identity,
            vectors=embedded,
            unembedded=(searchable or 0) - embedded,
        )

    def _conditions(self, query: FactQuery) -> tuple[list[str], dict[str, Any]]:
        conditions = ["f.tenant = :tenant"]
        parameters: dict[str, Any] = {"tenant": self._tenant}
        for column, values in (
            ("id", query.ids),
            ("subject", query.subjects),
            ("predicate", query.predicates),
            ("object", query.objects),
            ("slot", query.slots),
        ):
            if values is not None:
                conditions.append(f"f.{column} IN (SELECT value FROM json_each(:{column}))")
                parameters[column] = columns.json_list(values)
        if query.support is not None:
            link, known = ("1", {}) if query.point is None else believed("l", query.point.known_at)
            conditions.append(
                "f.id IN (SELECT l.fact FROM fact_assertion l WHERE l.tenant = :tenant AND "
                "l.assertion IN (SELECT value FROM json_each(:support)) "
                f"AND l.role = '{Role.SUPPORTS}' AND {link})"
            )
            parameters |= {"support": columns.json_list(query.support), **known}
        if query.modality is not None:
            conditions.append("f.modality = :modality")
            parameters["modality"] = query.modality
        if query.point is not None:
            condition, point = as_of("f", query.point)
            conditions.append(condition)
            parameters |= point
        return conditions, parameters

    def _facts(
        self,
        conditions: Sequence[str],
        parameters: Mapping[str, Any],
        query: FactQuery,
        known_at: Instant | None,
    ) -> list[Fact]:
        """The facts, with entities by the names that were known then."""
        found = list(
            columns.stream(
                self._db.execute(
                    f"SELECT {columns.FACT}, f.tx_from, f.tx_to FROM fact f "
                    f"WHERE {' AND '.join(conditions)} "
                    "ORDER BY f.valid_from, f.tx_from, f.id LIMIT :limit",
                    {**parameters, "limit": -1 if query.limit is None else query.limit},
                )
            )
        )
        links = self._links([row[0] for row in found], query)
        entities = self.entities(
            {row[3] for row in found} | {row[5] for row in found if row[5]},
            known_at,
        )
        return [
            rows.fact(
                row,
                links.get(row[0], ()),
                entities[row[3]],
                entities[row[5]] if row[5] else None,
            )
            for row in found
        ]

    def _links(self, facts: Collection[str], query: FactQuery) -> dict[str, list[tuple[str, str]]]:
        if not facts:
            return {}
        condition, parameters = (
            ("1", {}) if query.point is None else believed("l", query.point.known_at)
        )
        found = self._db.execute(
            "SELECT DISTINCT l.fact, l.role, l.assertion FROM fact_assertion l "
            "WHERE l.tenant = :tenant AND l.fact IN (SELECT value FROM json_each(:facts)) "
            f"AND {condition} ORDER BY l.assertion",
            {**parameters, "tenant": self._tenant, "facts": columns.json_list(facts)},
        )
        links: dict[str, list[tuple[str, str]]] = {}
        for fact, role, assertion in columns.stream(found):
            links.setdefault(fact, []).append((role, assertion))
        return links
