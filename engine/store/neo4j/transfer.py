"""Everything a tenant holds, out of the graph and into it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from bitempo.engine.errors import TenantNotEmptyError
from bitempo.engine.model import Cardinality, Entity, Episode, Session
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j import columns, nodes, statements
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.inbox import WINDOW, add_windows, window
from bitempo.engine.store.neo4j.search import Totals
from bitempo.engine.store.neo4j.times import end, moment, optional, start
from bitempo.engine.store.port import (
    BelievedFact,
    InboxWindow,
    Link,
    PlacedAssertion,
    Predicate,
    Record,
    Transaction,
)
from bitempo.engine.time import Instant, Interval

_BATCH = 2_000
Item = TypeVar("Item")


def dump(graph: Graph) -> Iterator[Record]:
    """Every record of the tenant, in an order that `load` can read in one pass."""
    for tx in graph.stream(
        "MATCH (x:BitempoTransaction) WHERE x.tenant = $tenant "
        f"RETURN {optional('x.tx')} ORDER BY x.tx"
    ):
        yield Transaction(tx)
    for row in graph.stream(
        "MATCH (p:BitempoPredicate) WHERE p.tenant = $tenant "
        "RETURN [p.name, p.cardinality, p.source] ORDER BY p.name"
    ):
        yield Predicate(row[0], Cardinality(row[1]), row[2])
    for row in graph.stream(
        "MATCH (s:BitempoSession) WHERE s.tenant = $tenant "
        f"RETURN [s.id, {optional('s.started_at')}, s.actor, s.metadata] ORDER BY s.id"
    ):
        yield Session(row[0], row[1], row[2], json.loads(row[3]))
    for row in graph.stream(
        f"MATCH (n:BitempoEntity) WHERE n.tenant = $tenant RETURN {columns.ENTITY} "
        "ORDER BY n.created_at, n.id"
    ):
        yield rows.entity(row)
    for row in graph.stream(
        f"MATCH (e:BitempoEpisode) WHERE e.tenant = $tenant RETURN {columns.EPISODE} "
        "ORDER BY e.number, e.tx_from, e.id"
    ):
        yield rows.episode(row)
    for row in graph.stream(
        "MATCH (a:BitempoAssertion) WHERE a.tenant = $tenant "
        f"RETURN {columns.assertion(rows.ASSERTION_COLUMNS)} ORDER BY a.number"
    ):
        yield rows.placed_assertion(tuple(row))
    yield from _facts(graph)
    for row in graph.stream(
        f"MATCH (w:BitempoWindow) WHERE w.tenant = $tenant RETURN {WINDOW} ORDER BY w.number"
    ):
        yield window(row)


def load(graph: Graph, records: Sequence[Record]) -> int:
    """Restore what `dump` gave into an empty tenant; how many records there were."""
    _require_empty(graph)
    kinds: dict[type[Any], list[Any]] = defaultdict(list)
    for record in records:
        kinds[type(record)].append(record)
    graph.change(statements.TENANT, key=graph.key(""))
    each = _Batches(graph)
    each(statements.PREDICATE, kinds[Predicate], lambda item: nodes.predicate(graph, item))
    each(statements.SESSION, kinds[Session], lambda item: nodes.session(graph, item))
    each(statements.ENTITY, kinds[Entity], lambda item: nodes.entity(graph, item))
    names = [(n.id, name) for n in kinds[Entity] for name in (n.name, *n.aliases)]
    each(statements.NAME, names, lambda item: nodes.name(graph, *item))
    _load_documents(graph, each, kinds)
    facts: list[BelievedFact] = kinds[BelievedFact]
    each(statements.FACT, facts, lambda item: nodes.fact(graph, item.fact, item.believed))
    each(statements.SUPERSEDES, facts, lambda item: graph.key(item.fact.id))
    for role, statement in statements.LINKS.items():
        found = [(f.fact.id, link) for f in facts for link in f.links if link.role == role]
        each(statement, found, lambda item: _link(graph, *item))
    add_windows(graph, kinds[InboxWindow])
    return len(records)


class _Batches:
    """Runs a statement over many items, a few thousand at a time."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __call__(self, statement: str, items: Sequence[Item], row: Callable[[Item], Any]) -> None:
        for first in range(0, len(items), _BATCH):
            found = [row(item) for item in items[first : first + _BATCH]]
            self._graph.change_each(statement, found)


def _load_documents(graph: Graph, each: _Batches, kinds: dict[type[Any], list[Any]]) -> None:
    """Episodes and assertions by transaction time, so that the corpora are counted as they grew."""
    names = {entity.id: entity.name for entity in kinds[Entity]}
    episodes: dict[Instant, list[Episode]] = defaultdict(list)
    assertions: dict[Instant, list[PlacedAssertion]] = defaultdict(list)
    for episode in kinds[Episode]:
        episodes[episode.believed.start].append(episode)
    for placed in kinds[PlacedAssertion]:
        assertions[placed.assertion.recorded_at].append(placed)
    totals = Totals(graph)
    turns: list[Any] = []
    claims: list[Any] = []
    used = {record.tx for record in kinds[Transaction]}
    for tx in sorted({*used, *episodes, *assertions}):
        for found, documents in (
            (turns, [nodes.episode(graph, item, tx) for item in episodes[tx]]),
            (claims, [nodes.assertion(graph, item, names) for item in assertions[tx]]),
        ):
            for document in documents:
                totals.add(document)
                found.append(document.row)
        totals.note(tx)
    each(statements.EPISODE, turns, lambda row: row)
    each(statements.ASSERTION, claims, lambda row: row)
    totals.write()


def _facts(graph: Graph) -> Iterator[Record]:
    for row, links in graph.pairs(
        f"MATCH (f:BitempoFact) WHERE f.tenant = $tenant "
        f"RETURN {columns.fact(rows.FACT_COLUMNS)}, "
        f"[(f)-[l:{statements.ANY_LINK}]->(a:BitempoAssertion) | "
        f"[type(l), a.id, {start('l.tx_from')}, {end('l.tx_to')}]] ORDER BY f.tx_from, f.id"
    ):
        found = sorted((statements.ROLES[type], id, s, e) for type, id, s, e in links)
        yield BelievedFact(
            rows.fact_version(tuple(row), ()),
            Interval(row[-2], row[-1]),
            tuple(Link(role, id, Interval(s, e)) for role, id, s, e in found),
        )


def _link(graph: Graph, fact: str, link: Link) -> list[Any]:
    return [
        graph.key(fact),
        graph.key(link.assertion),
        moment(link.believed.start),
        moment(link.believed.end),
    ]


def _require_empty(graph: Graph) -> None:
    found = graph.one(
        "RETURN EXISTS { MATCH (n:BitempoTransaction) WHERE n.tenant = $tenant } "
        "OR EXISTS { MATCH (n:BitempoWindow) WHERE n.tenant = $tenant } "
        "OR EXISTS { MATCH (n:BitempoSession) WHERE n.tenant = $tenant }"
    )
    if found:
        raise TenantNotEmptyError(
            f"tenant {graph.tenant!r} holds something already; import into a new tenant"
        )
