"""One tenant's reads, inside one read transaction.

Neo4j reads what is committed at the moment of each statement. Reads are still of one state,
since they ask as of a transaction time that has passed: whatever commits meanwhile carries a
later one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bitempo.engine.model import Assertion, Cardinality, Entity, Episode, Fact
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j import columns, search, statements
from bitempo.engine.store.neo4j.asof import as_of, believed
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.times import asked, optional
from bitempo.engine.store.port import Corpus, FactQuery, Matches, Predicate, Role, Stats
from bitempo.engine.time import Instant, Interval

_FACT = columns.fact(rows.FACT_COLUMNS)
_ASSERTION = columns.assertion(rows.ASSERTION_COLUMNS)


def episodes_by_id(graph: Graph, ids: Collection[str]) -> dict[str, Episode]:
    """The tenant's episodes with these ids."""
    if not ids:
        return {}
    found = graph.firsts(
        f"MATCH (e:BitempoEpisode) WHERE e.key IN $keys RETURN {columns.EPISODE}",
        keys=graph.keys(ids),
    )
    return {row[0]: rows.episode(row) for row in found}


def entities_named(graph: Graph, names: Collection[str]) -> dict[str, list[Entity]]:
    """The tenant's entities by normalised name or alias, oldest first."""
    if not names:
        return {}
    found = graph.rows(
        "MATCH (m:BitempoName)<-[:CALLED]-(n:BitempoEntity) WHERE m.key IN $keys "
        f"RETURN m.name, {columns.ENTITY} ORDER BY n.created_at, n.id",
        keys=[graph.key("name\x1f" + name) for name in names],
    )
    named: dict[str, list[Entity]] = {}
    for name, row in found:
        named.setdefault(name, []).append(rows.entity(row))
    return named


class Neo4jReader:
    """Implements `Reader`. A tenant that was never written to reads as empty."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._last_tx: Instant | None = graph.one(
            f"MATCH (t:BitempoTenant {{key: $key}}) RETURN {optional('t.last_tx')}",
            key=graph.key(""),
        )

    def last_tx(self, until: Instant | None = None) -> Instant | None:
        if until is None or self._last_tx is None or self._last_tx <= until:
            return self._last_tx
        found: Instant | None = self._graph.one(
            "MATCH (x:BitempoTransaction) WHERE x.tenant = $tenant AND x.tx <= $until "
            f"RETURN {optional('x.tx')} ORDER BY x.tx DESC LIMIT 1",
            until=asked(until),
        )
        return found

    def facts(self, query: FactQuery) -> list[Fact]:
        match, conditions, parameters = self._conditions(query)
        return self._facts(match, conditions, parameters, query)

    def changed_facts(self, after: Instant, until: Instant) -> list[Fact]:
        condition = (
            "((f.tx_from > $after AND f.tx_from <= $until) "
            "OR (f.tx_to > $after AND f.tx_to <= $until))"
        )
        parameters = {"after": asked(after), "until": asked(until)}
        return self._facts(
            "MATCH (f:BitempoFact)", ["f.tenant = $tenant", condition], parameters, FactQuery()
        )

    def assertions(self, ids: Collection[str]) -> dict[str, Assertion]:
        if not ids:
            return {}
        found = self._graph.firsts(
            f"MATCH (a:BitempoAssertion) WHERE a.key IN $keys RETURN {_ASSERTION}",
            keys=self._graph.keys(ids),
        )
        return {row[0]: rows.placed_assertion(tuple(row)).assertion for row in found}

    def correctors(self, ids: Collection[str]) -> dict[str, list[str]]:
        found = self._graph.rows(
            "MATCH (a:BitempoAssertion) WHERE a.tenant = $tenant AND a.corrects IN $ids "
            "RETURN a.corrects, a.id ORDER BY a.tx_from, a.id",
            ids=list(ids),
        )
        return _grouped(found)

    def evidenced_by(self, episodes: Collection[str], known_at: Instant) -> dict[str, list[str]]:
        condition, parameters = believed("a", known_at)
        found = self._graph.rows(
            "MATCH (e:BitempoEpisode)<-[:SUPPORTED_BY]-(a:BitempoAssertion) "
            f"WHERE e.key IN $keys AND {condition} RETURN e.id, a.id ORDER BY a.tx_from, a.id",
            keys=self._graph.keys(episodes),
            **parameters,
        )
        return _grouped(found)

    def episodes(self, ids: Collection[str]) -> dict[str, Episode]:
        return episodes_by_id(self._graph, ids)

    def turns(self, session: str, last: int | None = None) -> list[Episode]:
        found = self._graph.firsts(
            "MATCH (e:BitempoEpisode) WHERE e.tenant = $tenant AND e.session = $session "
            f"RETURN {columns.EPISODE} "
            "ORDER BY e.position DESC, e.tx_from DESC, e.id DESC LIMIT $limit",
            session=session,
            limit=_limit(last),
        )
        return [rows.episode(row) for row in reversed(found)]

    def neighbours(self, episodes: Collection[str], reach: int) -> dict[str, Episode]:
        if not episodes:
            return {}
        found = self._graph.firsts(
            "MATCH (o:BitempoEpisode) WHERE o.key IN $keys "
            "MATCH (e:BitempoEpisode) WHERE e.tenant = $tenant AND e.session = o.session "
            "AND e.position >= o.position - $reach AND e.position <= o.position + $reach "
            f"WITH DISTINCT e RETURN {columns.EPISODE}",
            keys=self._graph.keys(episodes),
            reach=reach,
        )
        near = {row[0]: rows.episode(row) for row in found}
        alone = [id for id in episodes if id not in near]
        return near | self.episodes(alone)

    def entities(self, ids: Collection[str]) -> dict[str, Entity]:
        if not ids:
            return {}
        found = self._graph.firsts(
            f"MATCH (n:BitempoEntity) WHERE n.key IN $keys RETURN {columns.ENTITY}",
            keys=self._graph.keys(ids),
        )
        return {row[0]: rows.entity(row) for row in found}

    def entities_named(self, names: Collection[str]) -> dict[str, list[Entity]]:
        return entities_named(self._graph, names)

    def list_entities(self, after: str | None, limit: int | None) -> list[Entity]:
        found = self._graph.firsts(
            "MATCH (n:BitempoEntity) WHERE n.tenant = $tenant AND n.id > $after "
            f"RETURN {columns.ENTITY} ORDER BY n.id LIMIT $limit",
            after=after or "",
            limit=_limit(limit),
        )
        return [rows.entity(row) for row in found]

    def predicates(self) -> list[Predicate]:
        found = self._graph.rows(
            "MATCH (p:BitempoPredicate) WHERE p.tenant = $tenant "
            "RETURN p.name, p.cardinality, p.source ORDER BY p.name"
        )
        return [Predicate(name, Cardinality(c), source) for name, c, source in found]

    def search(
        self, corpus: Corpus, terms: Sequence[str], *, known_at: Instant, limit: int
    ) -> Matches:
        return search.search(self._graph, corpus, terms, known_at=known_at, limit=limit)

    def stats(self) -> Stats:
        def count(label: str, condition: str = "true") -> int:
            found: int = self._graph.one(
                f"MATCH (n:{label}) WHERE n.tenant = $tenant AND {condition} RETURN count(n)"
            )
            return found

        inbox = self._graph.rows(
            "MATCH (w:BitempoWindow) WHERE w.tenant = $tenant RETURN w.state, count(w)"
        )
        return Stats(
            sessions=count("BitempoSession"),
            episodes=count("BitempoEpisode"),
            entities=count("BitempoEntity"),
            assertions=count("BitempoAssertion"),
            retracted=count("BitempoAssertion", "n.tx_to <> $end"),
            facts=count("BitempoFact", "n.tx_to = $end"),
            fact_versions=count("BitempoFact"),
            predicates=count("BitempoPredicate"),
            transactions=count("BitempoTransaction"),
            inbox=dict(sorted((state, number) for state, number in inbox)),
            first_tx=self._graph.one(
                "MATCH (x:BitempoTransaction) WHERE x.tenant = $tenant "
                f"RETURN {optional('x.tx')} ORDER BY x.tx LIMIT 1"
            ),
            last_tx=self._last_tx,
        )

    def _conditions(self, query: FactQuery) -> tuple[str, list[str], dict[str, Any]]:
        match = "MATCH (f:BitempoFact)"
        conditions = ["f.tenant = $tenant"]
        parameters: dict[str, Any] = {}
        if query.ids is not None:
            conditions.append("f.key IN $keys")
            parameters["keys"] = self._graph.keys(query.ids)
        for column, values in (
            ("subject", query.subjects),
            ("predicate", query.predicates),
            ("object", query.objects),
            ("slot", query.slots),
        ):
            if values is not None:
                conditions.append(f"f.{column} IN ${column}")
                parameters[column] = list(values)
        if query.support is not None:
            link, known = _links_at(query)
            match = (
                "MATCH (s:BitempoAssertion)<-[l:SUPPORTED_BY]-(f:BitempoFact) "
                f"WHERE s.key IN $support AND {link} WITH DISTINCT f"
            )
            parameters |= {"support": self._graph.keys(query.support), **known}
        if query.modality is not None:
            conditions.append("f.modality = $modality")
            parameters["modality"] = query.modality
        if query.point is not None:
            condition, point = as_of("f", query.point)
            conditions.append(condition)
            parameters |= point
        return match, conditions, parameters

    def _facts(
        self,
        match: str,
        conditions: Sequence[str],
        parameters: Mapping[str, Any],
        query: FactQuery,
    ) -> list[Fact]:
        link, known = _links_at(query)
        found = self._graph.rows(
            f"{match} WHERE {' AND '.join(conditions)} "
            "WITH f ORDER BY f.valid_from IS NOT NULL, f.valid_from, f.tx_from, f.id LIMIT $limit "
            "MATCH (f)-[:SUBJECT]->(n:BitempoEntity) "
            f"WITH f, {columns.ENTITY} AS subject "
            "OPTIONAL MATCH (f)-[:OBJECT]->(n:BitempoEntity) "
            f"RETURN {_FACT}, subject, CASE WHEN n IS NULL THEN null ELSE {columns.ENTITY} END, "
            f"[(f)-[l:{statements.ANY_LINK}]->(a:BitempoAssertion) WHERE {link} | [type(l), a.id]] "
            "ORDER BY f.valid_from IS NOT NULL, f.valid_from, f.tx_from, f.id",
            **{**parameters, **known, "limit": _limit(query.limit)},
        )
        return [_fact(*row) for row in found]


def _fact(row: Any, subject: Any, object: Any, links: Sequence[Sequence[str]]) -> Fact:
    version = rows.fact_version(tuple(row), ())
    by_role: dict[str, list[str]] = {role: [] for role in Role}
    for type, assertion in sorted({(type, assertion) for type, assertion in links}):
        by_role[statements.ROLES[type]].append(assertion)
    return Fact(
        id=version.id,
        slot=version.slot,
        subject=rows.entity(subject),
        predicate=version.predicate,
        object=rows.entity(object) if object is not None else None,
        value=version.value,
        text=version.text,
        valid=version.valid,
        believed=Interval(row[-2], row[-1]),
        modality=version.modality,
        granularity=version.granularity,
        from_inferred=version.from_inferred,
        due=version.due,
        importance=version.importance,
        confidence=version.confidence,
        trust=version.trust,
        inferred=version.inferred,
        support=tuple(by_role[Role.SUPPORTS]),
        contested=tuple(by_role[Role.CONTESTS]),
        conflicts=tuple(by_role[Role.CONFLICTS]),
    )


def _links_at(query: FactQuery) -> tuple[str, dict[str, Any]]:
    """Which links of a fact to follow: those believed then, or all when all versions are read."""
    return ("true", {}) if query.point is None else believed("l", query.point.known_at)


def _limit(limit: int | None) -> int:
    return 2**31 - 1 if limit is None else limit


def _grouped(pairs: Sequence[Sequence[Any]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for key, value in pairs:
        grouped.setdefault(key, []).append(value)
    return grouped
