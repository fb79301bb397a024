"""One tenant's write in progress."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bitempo.engine.model import Assertion, Cardinality, Entity, Episode, Session
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j import columns, nodes, search, statements
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.identity import identities
from bitempo.engine.store.neo4j.lookup import by, by_key, by_keys
from bitempo.engine.store.neo4j.reader import entities_by_id, entities_named, episodes_by_id
from bitempo.engine.store.neo4j.tenants import lock_to_write
from bitempo.engine.store.neo4j.times import moment, stored
from bitempo.engine.store.port import FactVersion, PlacedAssertion, Predicate, Slot
from bitempo.engine.time import FOREVER, Instant, Interval

_FACT = columns.fact(rows.FACT_COLUMNS)
_ASSERTION = columns.assertion(rows.ASSERTION_COLUMNS)


class Neo4jWriteTransaction:
    """Implements `WriteTransaction` inside an open transaction of the driver."""

    def __init__(
        self, graph: Graph, tx: Instant, totals: search.Totals, *, merged: bool = False
    ) -> None:
        self.graph = graph
        self.tx = tx
        self.discarded = False
        self.used = False
        self._totals = totals
        self._merged = merged
        self._entity_names: dict[str, str] = {}

    @classmethod
    def begin(cls, graph: Graph, now: Instant, commit: str) -> Neo4jWriteTransaction:
        """A write at `now`, or just after the tenant's last one if that is later.

        The transaction time it uses is marked with the id of the `commit`.
        Writing to the tenant's node takes its lock, so writers of one tenant queue here.
        """
        found = lock_to_write(graph)
        tx = now if found.last_tx is None else max(now, found.last_tx + 1)
        totals = search.Totals(graph, commit, *found.counts)
        return cls(graph, tx, totals, merged=found.merged)

    def made(self, tx: Instant, commit: str) -> bool:
        """Whether an earlier attempt at the commit did get through, at that transaction time."""
        found = self.graph.one(
            f"{by_key('x:BitempoTransaction', '$key')} AND x.commit = $commit RETURN count(x)",
            key=search.transaction_key(self.graph, tx),
            commit=commit,
        )
        return bool(found)

    def finish(self) -> None:
        """Record the transaction time, if one was used, and the size of the corpora at it."""
        if self.used:
            self._totals.note(self.tx)
            self._totals.write(self.graph)

    def discard(self) -> None:
        self.discarded = True

    def episodes(self, ids: Collection[str]) -> dict[str, Episode]:
        return episodes_by_id(self.graph, ids)

    def predicates(self, names: Collection[str]) -> dict[str, Predicate]:
        found = self.graph.rows(
            f"{by_keys('p:BitempoPredicate')} RETURN p.name, p.cardinality, p.source",
            keys=self.graph.keys(names),
        )
        return {name: Predicate(name, Cardinality(c), source) for name, c, source in found}

    def entities(self, ids: Collection[str]) -> dict[str, Entity]:
        return entities_by_id(self.graph, ids)

    def entities_named(self, names: Collection[str]) -> dict[str, list[Entity]]:
        named = entities_named(self.graph, names)
        self._entity_names |= {e.id: e.name for found in named.values() for e in found}
        return named

    def identities(self, entities: Collection[str]) -> dict[str, str]:
        return identities(self.graph, entities) if self._merged else {}

    def assertions(self, ids: Collection[str]) -> dict[str, PlacedAssertion]:
        if not ids:
            return {}
        found = self._assertions(by_keys("a:BitempoAssertion"), keys=self.graph.keys(ids))
        return {placed.assertion.id: placed for placed in found}

    def evidenced_by(self, episodes: Collection[str]) -> list[Assertion]:
        found = self._assertions(
            "MATCH (e:BitempoEpisode)<-[:SUPPORTED_BY]-(a:BitempoAssertion) "
            "USING INDEX e:BitempoEpisode(key) "
            "WHERE e.key IN $keys AND a.tx_to = $end WITH DISTINCT a",
            keys=self.graph.keys(episodes),
        )
        return [placed.assertion for placed in found]

    def live_assertions(self, slots: Collection[str]) -> list[PlacedAssertion]:
        return self._assertions(
            f"{by('a:BitempoAssertion', 'tenant', 'slot', 'tx_to')} "
            "WHERE a.tenant = $tenant AND a.slot IN $slots AND a.tx_to = $end "
            "AND NOT EXISTS { MATCH (c:BitempoAssertion)-[:CORRECTS]->(a) "
            "WHERE c.tx_to = $end }",
            slots=list(slots),
        )

    def unretracted_in_families(self, families: Collection[str]) -> list[PlacedAssertion]:
        return self._assertions(
            f"{by('a:BitempoAssertion', 'tenant', 'family')} WHERE a.tenant = $tenant "
            "AND a.family IN $families AND a.tx_to = $end",
            families=list(families),
        )

    def assertions_of_predicate(self, name: str) -> list[PlacedAssertion]:
        return self._assertions(
            f"{by('a:BitempoAssertion', 'predicate_key')} WHERE a.predicate_key = $key",
            key=self.graph.key(name),
        )

    def assertions_about(self, entities: Collection[str]) -> list[PlacedAssertion]:
        return self._assertions(
            "MATCH (n:BitempoEntity)<-[:SUBJECT|OBJECT]-(a:BitempoAssertion) "
            "USING INDEX n:BitempoEntity(key) WHERE n.key IN $keys WITH DISTINCT a",
            keys=self.graph.keys(entities),
        )

    def slots_of_families(self, families: Collection[str]) -> list[Slot]:
        found = self.graph.rows(
            f"{by('a:BitempoAssertion', 'tenant', 'family')} WHERE a.tenant = $tenant "
            "AND a.family IN $families RETURN DISTINCT a.slot, a.family, a.cardinality",
            families=list(families),
        )
        return [Slot(key, family, Cardinality(c)) for key, family, c in found]

    def current_facts(self, slots: Collection[str]) -> list[FactVersion]:
        return self._current(
            f"{by('f:BitempoFact', 'tenant', 'slot', 'tx_to')} WHERE f.tenant = $tenant "
            "AND f.slot IN $slots AND f.tx_to = $end",
            slots=list(slots),
        )

    def facts_about(self, subjects: Collection[str], predicate: str) -> list[FactVersion]:
        return self._current(
            f"{by('f:BitempoFact', 'subject_key', 'predicate_key')} "
            "WHERE f.subject_key IN $subjects AND f.predicate_key = $predicate AND f.tx_to = $end",
            subjects=self.graph.keys(subjects),
            predicate=self.graph.key(predicate),
        )

    def _current(self, match: str, **parameters: Any) -> list[FactVersion]:
        found = self.graph.gather(
            match,
            f"[{_FACT}, [(f)-[l:{statements.ANY_LINK}]->(a:BitempoAssertion) "
            "WHERE l.tx_to = $end | [type(l), a.id]]]",
            **parameters,
        )
        return [
            rows.fact_version(tuple(row), [(statements.ROLES[type], id) for type, id in links])
            for row, links in found
        ]

    def add_sessions(self, sessions: Sequence[Session]) -> None:
        self._each(
            statements.SESSION, [nodes.session(self.graph, item, self.tx) for item in sessions]
        )

    def add_episodes(self, episodes: Sequence[Episode]) -> None:
        self.used = self.used or bool(episodes)
        found = [nodes.episode(self.graph, item, self.tx) for item in episodes]
        self._each(statements.EPISODE, [self._counted(node) for node in found])

    def add_predicates(self, predicates: Sequence[Predicate]) -> None:
        self._each(
            statements.PREDICATE,
            [nodes.predicate(self.graph, item, self.tx) for item in predicates],
        )

    def add_entities(self, entities: Sequence[Entity]) -> None:
        self._entity_names |= {item.id: item.name for item in entities}
        self._each(
            statements.ENTITY, [nodes.entity(self.graph, item, self.tx) for item in entities]
        )
        self.add_aliases([(item.id, item.name) for item in entities])

    def add_aliases(self, aliases: Sequence[tuple[str, str]]) -> None:
        self._each(statements.NAME, [nodes.name(self.graph, *alias, self.tx) for alias in aliases])

    def set_entity_types(self, types: Sequence[tuple[str, str]]) -> None:
        self._each(
            f"{by_key('n:BitempoEntity', 'row[0]')} SET n.type = row[1]",
            [[self.graph.key(entity), type] for entity, type in types],
        )

    def add_assertions(self, assertions: Sequence[PlacedAssertion]) -> None:
        self.used = self.used or bool(assertions)
        names = self._names(assertions)
        found = [nodes.assertion(self.graph, item, names) for item in assertions]
        self._each(statements.ASSERTION, [self._counted(node) for node in found])

    def retract_assertions(self, ids: Collection[str]) -> None:
        self._end(by_key("n:BitempoAssertion", "row"), self.graph.keys(ids))

    def retract_episodes(self, ids: Collection[str]) -> None:
        self._end(by_key("n:BitempoEpisode", "row"), self.graph.keys(ids))

    def close_facts(self, ids: Collection[str]) -> None:
        keys = self.graph.keys(ids)
        self._end(by_key("n:BitempoFact", "row"), keys)
        self._end(
            f"MATCH (f:BitempoFact)-[n:{statements.ANY_LINK}]->(:BitempoAssertion) "
            "USING INDEX f:BitempoFact(key) WHERE f.key = row",
            keys,
        )

    def open_facts(self, facts: Sequence[FactVersion]) -> None:
        believed = Interval(self.tx)
        self._each(statements.FACT, [nodes.fact(self.graph, fact, believed) for fact in facts])
        self._each(statements.SUPERSEDES, [self.graph.key(fact.id) for fact in facts])
        self._link([(fact.id, role, id) for fact in facts for role, id in sorted(fact.links)])

    def change_links(
        self,
        added: Sequence[tuple[str, str, str]],
        removed: Sequence[tuple[str, str, str]],
    ) -> None:
        for role, statement in statements.UNLINKS.items():
            self._end(statement, self._keys(removed, role))
        self._link(added)

    def set_cardinality(self, predicate: Predicate) -> None:
        self.used = True
        self.graph.change(
            "MERGE (p:BitempoPredicate {key: $key}) SET p.tenant = $tenant, p.name = $name, "
            "p.cardinality = $cardinality, p.source = $source",
            key=self.graph.key(predicate.name),
            name=predicate.name,
            cardinality=predicate.cardinality,
            source=predicate.source,
        )

    def set_identities(self, canonical: Mapping[str, str]) -> None:
        self._merged = True
        self._each(f"{by_key('t:BitempoTenant', 'row')} SET t.merged = true", [self.graph.key("")])
        self._end(
            "MATCH (m:BitempoEntity)-[n:SAME_AS]->(:BitempoEntity) "
            "USING INDEX m:BitempoEntity(key) WHERE m.key = row",
            self.graph.keys(canonical),
        )
        self._each(
            statements.ONE_WITH,
            [
                nodes.one_with(self.graph, id, one, Interval(self.tx))
                for id, one in canonical.items()
                if one != id
            ],
        )

    def move_assertions(self, placed: Sequence[PlacedAssertion]) -> None:
        # Says to an export under way that records were changed in place.
        self._each(
            f"{by_key('t:BitempoTenant', 'row')} SET t.recasts = t.recasts + 1",
            [self.graph.key("")],
        )
        self._each(
            f"{by_key('a:BitempoAssertion', 'row[0]')} SET a.slot = row[1], a.family = row[2], "
            "a.cardinality = row[3], a.value_key = row[4]",
            [
                [
                    self.graph.key(item.assertion.id),
                    item.slot.key,
                    item.slot.family,
                    str(item.slot.cardinality),
                    item.value_key,
                ]
                for item in placed
            ],
        )

    def finish_window(self, window: str, rejected: str | None) -> bool:
        found = self.graph.one(
            f"{by_key('w:BitempoWindow', '$key')} AND w.state <> 'applied' "
            "SET w.state = 'applied', w.payload = '', w.extraction = null, w.error = null, "
            "w.rejected = $rejected, w.claimed_by = null, w.claimed_until = null RETURN count(w)",
            key=self.graph.key(window),
            rejected=rejected,
        )
        return bool(found)

    def _counted(self, node: nodes.Node) -> dict[str, Any]:
        self._totals.add(node)
        return node.row

    def _assertions(self, match: str, **parameters: Any) -> list[PlacedAssertion]:
        found = self.graph.gather(match, _ASSERTION, **parameters)
        return [rows.placed_assertion(tuple(row)) for row in found]

    def _names(self, assertions: Sequence[PlacedAssertion]) -> dict[str, str]:
        """The names of what the assertions are about; most were met when they were resolved."""
        ids = {placed.assertion.subject for placed in assertions}
        ids |= {placed.assertion.object for placed in assertions if placed.assertion.object}
        unknown = ids - self._entity_names.keys()
        if unknown:
            self._entity_names |= dict(
                self.graph.rows(
                    f"{by_keys('n:BitempoEntity')} RETURN n.id, n.name",
                    keys=self.graph.keys(unknown),
                )
            )
        return self._entity_names

    def _keys(self, links: Sequence[tuple[str, str, str]], role: str) -> list[list[str]]:
        return [[*self.graph.keys((fact, id))] for fact, other, id in links if other == role]

    def _link(self, links: Sequence[tuple[str, str, str]]) -> None:
        believed = [moment(self.tx), moment(FOREVER)]
        for role, statement in statements.LINKS.items():
            self._each(statement, [[*keys, *believed] for keys in self._keys(links, role)])

    def _each(self, statement: str, found: Sequence[Any]) -> None:
        self.graph.change_each(statement, found)

    def _end(self, match: str, found: Sequence[Any]) -> None:
        if found:
            self.used = True
            tx = moment(self.tx)
            self._each(
                f"WITH row[0] AS row, row[1] AS tx {match} "
                f"WITH n, tx WHERE n.tx_to = $end SET n.tx_to = {stored('tx')}",
                [[row, tx] for row in found],
            )
