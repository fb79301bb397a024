"""One tenant's reads, all of one state: that of the tenant's last transaction time.

Neo4j reads what is committed at the moment of each statement. So a reader notes the last
transaction time when it begins, and takes nothing that is later: neither what began to be
believed after it nor that something stopped being believed after it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bitempo.engine.model import Assertion, Cardinality, Entity, Episode, Fact, Modality, Session
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j import columns, counting, identity, search, spaces, statements
from bitempo.engine.store.neo4j.asof import as_of, believed
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import anything, by, by_key, by_keys, met_by_now
from bitempo.engine.store.neo4j.neighbourhood import around
from bitempo.engine.store.neo4j.nodes import LONGEST_START, session_key
from bitempo.engine.store.neo4j.times import asked, optional
from bitempo.engine.store.port import (
    Corpus,
    FactQuery,
    Matches,
    Neighbour,
    OneWith,
    Point,
    Predicate,
    Stats,
)
from bitempo.engine.store.vector_port import Near, VectorSpace
from bitempo.engine.time import BEGINNING, FOREVER, Instant

if TYPE_CHECKING:
    from bitempo.engine.embedding import Vector
    from bitempo.engine.late import Late, TokenQuestion
    from bitempo.engine.once import Once
    from bitempo.engine.store.neo4j.nearest import Search

_FACT = columns.fact(rows.FACT_COLUMNS)
_ASSERTION = columns.assertion(rows.ASSERTION_COLUMNS)
_ORDER = "f.valid_from IS NOT NULL, f.valid_from, f.tx_from, f.id"


def episodes_by_id(graph: Graph, ids: Collection[str]) -> dict[str, Episode]:
    """The tenant's episodes with these ids."""
    if not ids:
        return {}
    found = graph.gather(
        f"{by_keys('e:BitempoEpisode')} AND e.tx_from <= $state",
        columns.EPISODE,
        keys=graph.keys(ids),
    )
    return {row[0]: rows.episode(row) for row in found}


def entities_by_id(
    graph: Graph, ids: Collection[str], known_at: Instant | None = None
) -> dict[str, Entity]:
    """The tenant's entities with these ids, with the aliases known then."""
    if not ids:
        return {}
    found = graph.gather(by_keys("n:BitempoEntity"), columns.ENTITY, keys=graph.keys(ids))
    return {row[0]: rows.entity(row, known_at) for row in found}


def entities_named(
    graph: Graph, names: Collection[str], known_at: Instant = FOREVER
) -> dict[str, list[Entity]]:
    """The tenant's entities by normalised name or alias, as known then, oldest first."""
    if not names:
        return {}
    found = graph.rows(
        "MATCH (m:BitempoName)<-[c:CALLED]-(n:BitempoEntity) USING INDEX m:BitempoName(key) "
        "WHERE m.key IN $keys AND coalesce(c.tx_from, n.created_at) <= $known_at "
        f"RETURN m.name, {columns.ENTITY} ORDER BY n.created_at, n.id",
        keys=[graph.key("name\x1f" + name) for name in names],
        known_at=asked(known_at),
    )
    named: dict[str, list[Entity]] = {}
    for name, row in found:
        named.setdefault(name, []).append(rows.entity(row, known_at))
    return named


def last_transaction(graph: Graph) -> Instant | None:
    """The tenant's latest transaction time."""
    return _tenant(graph)[0]


def _tenant(graph: Graph) -> tuple[Instant | None, bool]:
    """The tenant's latest transaction time, and whether entities were ever merged."""
    found = graph.rows(
        f"{by_key('t:BitempoTenant', '$key')} "
        f"RETURN {optional('t.last_tx')}, coalesce(t.merged, false)",
        key=graph.key(""),
    )
    return (found[0][0], found[0][1]) if found else (None, False)


class Neo4jReader:
    """Implements `Reader`.

    A tenant without a last transaction time reads as empty: nothing was written to it yet, or it
    is being imported.
    """

    def __init__(self, graph: Graph, search: Once[Search]) -> None:
        self._graph = graph
        self._vector_search = search
        self._last_tx, self._merged = _tenant(graph)
        graph.state = BEGINNING if self._last_tx is None else self._last_tx

    def last_tx(self, until: Instant | None = None) -> Instant | None:
        if until is None or self._last_tx is None or self._last_tx <= until:
            return self._last_tx
        found: Instant | None = self._graph.one(
            f"{by('x:BitempoTransaction', 'tenant', 'tx')} WHERE x.tenant = $tenant "
            f"AND x.tx <= $until RETURN {optional('x.tx')} ORDER BY x.tx DESC LIMIT 1",
            until=asked(until),
        )
        return found

    def facts(self, query: FactQuery) -> list[Fact]:
        match, parameters = self._matching(query)
        known_at = None if query.point is None else query.point.known_at
        return self._facts(match, parameters, query, known_at)

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
        if not entities:
            return []
        query = FactQuery(point, predicates=predicates, modality=modality)
        conditions, parameters = self._conditions(query)
        about = anything("f.predicate_key") if predicates is None else conditions.pop(0)
        found = self._told(
            around(hops, " AND ".join(conditions), about),
            {**parameters, "keys": self._graph.keys(entities), "fan_out": fan_out},
            query,
            "distance",
        )
        known = self._seen(point.known_at)
        return rows.nearest_first(Neighbour(_fact(row[:4], known), row[4]) for row in found)

    def changed_facts(self, after: Instant, until: Instant) -> list[Fact]:
        found = [
            f"{by('f:BitempoFact', 'tenant', end)} WHERE f.tenant = $tenant "
            f"AND f.{end} > $after AND f.{end} <= $until RETURN f"
            for end in ("tx_from", "tx_to")
        ]
        return self._facts(
            f"CALL () {{ {' UNION '.join(found)} }} WITH f",
            {"after": asked(after), "until": asked(self._seen(until))},
            FactQuery(),
            until,
        )

    def assertions(self, ids: Collection[str]) -> dict[str, Assertion]:
        if not ids:
            return {}
        found = self._graph.gather(
            f"{by_keys('a:BitempoAssertion')} AND a.tx_from <= $state",
            _ASSERTION,
            keys=self._graph.keys(ids),
        )
        return {row[0]: rows.placed_assertion(tuple(row)).assertion for row in found}

    def evidenced_by(self, episodes: Collection[str], known_at: Instant) -> dict[str, list[str]]:
        condition, parameters = believed("a", self._seen(known_at))
        found = self._graph.rows(
            "MATCH (e:BitempoEpisode)<-[:SUPPORTED_BY]-(a:BitempoAssertion) "
            "USING INDEX e:BitempoEpisode(key) "
            f"WHERE e.key IN $keys AND {condition} RETURN e.id, a.id ORDER BY a.tx_from, a.id",
            keys=self._graph.keys(episodes),
            **parameters,
        )
        return rows.grouped(found)

    def episodes(self, ids: Collection[str]) -> dict[str, Episode]:
        return episodes_by_id(self._graph, ids)

    def sessions(self, ids: Collection[str]) -> dict[str, Session]:
        found = self._graph.rows(
            f"{by_keys('s:BitempoSession')} AND {met_by_now('s')} "
            f"RETURN s.id, {optional('s.started_at')}, s.actor, s.metadata",
            keys=[session_key(self._graph, id) for id in ids],
        )
        return {row[0]: rows.session(tuple(row)) for row in found}

    def turns(self, session: str, last: int | None = None) -> list[Episode]:
        found = self._graph.gather(
            f"{by('e:BitempoEpisode', 'session_key', 'position')} WHERE e.session_key = $session "
            f"AND {anything('e.position')} AND e.tx_from <= $state "
            "WITH e ORDER BY e.position DESC, e.tx_from DESC, e.id DESC LIMIT $limit",
            columns.EPISODE,
            session=session_key(self._graph, session),
            limit=_limit(last),
        )
        return [rows.episode(row) for row in reversed(found)]

    def neighbours(self, episodes: Collection[str], reach: int) -> dict[str, Episode]:
        if not episodes:
            return {}
        found = self._graph.gather(
            f"{by_keys('o:BitempoEpisode')} "
            f"{by('e:BitempoEpisode', 'session_key', 'position')} "
            "WHERE e.session_key = o.session_key "
            "AND e.position >= o.position - $reach AND e.position <= o.position + $reach "
            "AND e.tx_from <= $state WITH DISTINCT e",
            columns.EPISODE,
            keys=self._graph.keys(episodes),
            reach=reach,
        )
        near = {row[0]: rows.episode(row) for row in found}
        alone = [id for id in episodes if id not in near]
        return near | self.episodes(alone)

    def entities(self, ids: Collection[str], known_at: Instant | None = None) -> dict[str, Entity]:
        if self._last_tx is None:
            return {}
        return entities_by_id(self._graph, ids, self._seen(known_at))

    def entities_named(
        self, names: Collection[str], known_at: Instant | None = None
    ) -> dict[str, list[Entity]]:
        if self._last_tx is None:
            return {}
        return entities_named(self._graph, names, self._seen(known_at))

    def entities_sharing(self, words: Collection[str], limit: int) -> list[Entity]:
        if self._last_tx is None or not words:
            return []
        return identity.sharing(self._graph, words, limit)

    def identities(self, entities: Collection[str] | None, known_at: Instant) -> dict[str, str]:
        # Most tenants have no merges, which is known without a question.
        if not self._merged:
            return {}
        return identity.identities(self._graph, entities, self._seen(known_at))

    def stood_for(self, entities: Collection[str]) -> list[OneWith]:
        return identity.stood_for(self._graph, entities) if self._merged else []

    def list_entities(
        self, after: str | None, limit: int | None, known_at: Instant | None = None
    ) -> list[Entity]:
        if self._last_tx is None:
            return []
        known = self._seen(known_at)
        condition, parameters = believed("s", known)
        found = self._graph.gather(
            f"{by('n:BitempoEntity', 'tenant', 'id_start')} WHERE n.tenant = $tenant "
            f"AND n.id_start >= $start AND n.id > $after AND {met_by_now('n')} "
            "AND n.created_at <= $known_at "
            f"AND NOT EXISTS {{ (n)-[s:SAME_AS]->(:BitempoEntity) WHERE {condition} }} "
            "WITH n ORDER BY n.id_start, n.id LIMIT $limit",
            columns.ENTITY,
            start=(after or "")[:LONGEST_START],
            after=after or "",
            limit=_limit(limit),
            **parameters,
        )
        return [rows.entity(row, known) for row in found]

    def predicates(self) -> list[Predicate]:
        if self._last_tx is None:
            return []
        found = self._graph.rows(
            f"{by('p:BitempoPredicate', 'tenant')} WHERE p.tenant = $tenant "
            "RETURN p.name, p.cardinality, p.source ORDER BY p.name"
        )
        return [Predicate(name, Cardinality(c), source) for name, c, source in found]

    def search(
        self, corpus: Corpus, terms: Sequence[str], *, known_at: Instant, limit: int
    ) -> Matches:
        known = self._seen(known_at)
        return search.search(self._graph, corpus, terms, known_at=known, limit=limit)

    def vector_space(self) -> VectorSpace | None:
        used = spaces.read(self._graph).used
        return None if used is None else used.space

    def nearest(
        self, corpus: Corpus, vector: Vector, *, known_at: Instant, limit: int
    ) -> list[Near]:
        known = self._seen(known_at)
        return self._vector_search().nearest(self._graph, corpus, vector, known, limit)

    def late(
        self,
        corpus: Corpus,
        question: TokenQuestion,
        *,
        known_at: Instant,
        limit: int,
        among: Collection[str] = (),
    ) -> Late:
        known = self._seen(known_at)
        search = self._vector_search()
        return search.late(self._graph, corpus, question, known, limit, among)

    def token_maxima(
        self, corpus: Corpus, question: TokenQuestion, ids: Collection[str]
    ) -> dict[str, Vector]:
        return self._vector_search().token_maxima(self._graph, corpus, question, ids)

    def stats(self) -> Stats:
        return counting.stats(self._graph, self._last_tx)

    def _seen(self, known_at: Instant | None) -> Instant:
        """The same answers, though others write meanwhile: later than the last is as the last."""
        return self._graph.state if known_at is None else min(known_at, self._graph.state)

    def _matching(self, query: FactQuery) -> tuple[str, dict[str, Any]]:
        """The pattern by the best index for what is asked, all conditions, and parameters."""
        conditions, parameters = self._conditions(query)
        if query.support is not None:
            link, known = self._links_at(query)
            parameters |= {"support": self._graph.keys(query.support), **known}
            match = (
                "MATCH (s:BitempoAssertion)<-[l:SUPPORTED_BY]-(f:BitempoFact) "
                "USING INDEX s:BitempoAssertion(key) "
                f"WHERE s.key IN $support AND {link} WITH DISTINCT f"
            )
        else:
            match, given = _best_index(query)
            conditions[:0] = given
        return f"{match} WHERE {' AND '.join(conditions)} WITH f", parameters

    def _conditions(self, query: FactQuery) -> tuple[list[str], dict[str, Any]]:
        """What is asked of a fact, support aside: conditions, in the order of the query's fields,
        and their parameters."""
        conditions: list[str] = []
        parameters: dict[str, Any] = {}
        for column, ids in (
            ("key", query.ids),
            ("subject_key", query.subjects),
            ("predicate_key", query.predicates),
            ("object_key", query.objects),
        ):
            if ids is not None:
                conditions.append(f"f.{column} IN ${column}")
                parameters[column] = self._graph.keys(ids)
        if query.slots is not None:
            conditions.append("f.slot IN $slots")
            parameters["slots"] = list(query.slots)
        if query.modality is not None:
            conditions.append("f.modality = $modality")
            parameters["modality"] = query.modality
        if query.point is None:
            conditions.append("f.tx_from <= $state")
        else:
            known_at = self._seen(query.point.known_at)
            condition, point = as_of("f", known_at, query.point.valid_at)
            conditions.append(condition)
            parameters |= point
        return conditions, parameters

    def _links_at(self, query: FactQuery) -> tuple[str, dict[str, Any]]:
        """Which links of a fact to follow: those believed then, or all if all versions are read."""
        if query.point is None:
            return "l.tx_from <= $state", {}
        return believed("l", self._seen(query.point.known_at))

    def _facts(
        self,
        match: str,
        parameters: Mapping[str, Any],
        query: FactQuery,
        known_at: Instant | None,
    ) -> list[Fact]:
        """The facts, with entities by the names that were known then."""
        known = self._seen(known_at)
        return [_fact(row, known) for row in self._told(match, parameters, query)]

    def _told(
        self, match: str, parameters: Mapping[str, Any], query: FactQuery, beside: str = ""
    ) -> list[Any]:
        """A list for each fact `f` that is matched: what `_fact` takes, then what stands beside."""
        link, known = self._links_at(query)
        kept, wanted = (f"f, {beside}", f", {beside}") if beside else ("f", "")
        found: list[Any] = self._graph.gather(
            f"{match} ORDER BY {_ORDER} LIMIT $limit "
            "MATCH (f)-[:SUBJECT]->(n:BitempoEntity) "
            f"WITH {kept}, {columns.ENTITY} AS subject "
            "OPTIONAL MATCH (f)-[:OBJECT]->(n:BitempoEntity) "
            f"WITH {kept}, subject, "
            f"CASE WHEN n IS NULL THEN null ELSE {columns.ENTITY} END AS object, "
            f"[(f)-[l:{statements.ANY_LINK}]->(a:BitempoAssertion) WHERE {link} | [type(l), a.id]] "
            f"AS links ORDER BY {_ORDER}",
            f"[{_FACT}, subject, object, links{wanted}]",
            **{**parameters, **known, "limit": _limit(query.limit)},
        )
        return found


def _best_index(query: FactQuery) -> tuple[str, list[str]]:
    """The pattern of a fact by an index, and what has to be said for the index to be used."""
    fact, ours = "f:BitempoFact", "f.tenant = $tenant"
    if query.ids is not None:
        return by(fact, "key"), []
    if query.slots is not None:
        return by(fact, "tenant", "slot", "tx_to"), [ours, anything("f.tx_to")]
    if query.subjects is not None:
        given = [] if query.predicates is not None else [anything("f.predicate_key")]
        return by(fact, "subject_key", "predicate_key"), given
    if query.objects is not None:
        return by(fact, "object_key"), []
    return by(fact, "tenant", "tx_from"), [ours, anything("f.tx_from")]


def _fact(found: Sequence[Any], known_at: Instant) -> Fact:
    row, subject, object, links = found
    known = sorted({(type, assertion) for type, assertion in links})
    return rows.fact(
        tuple(row),
        [(statements.ROLES[type], assertion) for type, assertion in known],
        rows.entity(subject, known_at),
        rows.entity(object, known_at) if object is not None else None,
    )


def _limit(limit: int | None) -> int:
    return 2**31 - 1 if limit is None else limit
