"""Everything a tenant holds, out of the graph; `loading` is the way back."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bitempo.engine.errors import StoreBusyError
from bitempo.engine.model import Cardinality, Session
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j import columns, statements
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.inbox import WINDOW, window
from bitempo.engine.store.neo4j.lookup import anything, by, by_key, met_by_now
from bitempo.engine.store.neo4j.reader import last_transaction
from bitempo.engine.store.neo4j.times import optional, start, until
from bitempo.engine.store.port import (
    BelievedFact,
    Link,
    OneWith,
    Predicate,
    Record,
    Transaction,
)
from bitempo.engine.time import BEGINNING, Interval


def dump(graph: Graph) -> Iterator[Record]:
    """Every record of the tenant, in an order that `load` can read in one pass.

    All of one state. The inbox comes last and is read first: what waits in it then may be in the
    graph by now, and applying it again changes nothing.

    Raises:
        StoreBusyError: `set_cardinality` or a merge ran meanwhile, which change records in place.
    """
    windows = graph.firsts(
        f"{by('w:BitempoWindow', 'tenant', 'state')} WHERE w.tenant = $tenant "
        f"AND {anything('w.state')} RETURN {WINDOW} ORDER BY w.number"
    )
    last, recasts = last_transaction(graph), _recasts(graph)
    graph.state = BEGINNING if last is None else last
    if last is not None:
        yield from _sources(graph)
    for (row,) in graph.stream(
        f"{by('a:BitempoAssertion', 'tenant', 'tx_from')} WHERE a.tenant = $tenant "
        f"AND a.tx_from <= $state RETURN {columns.assertion(rows.ASSERTION_COLUMNS)} "
        "ORDER BY a.number"
    ):
        yield rows.placed_assertion(tuple(row))
    yield from _facts(graph)
    yield from map(window, windows)
    if _recasts(graph) != recasts:
        raise StoreBusyError(
            f"the cardinality of a predicate of tenant {graph.tenant!r} was changed, or entities "
            "were merged, while it was read; export it again"
        )


def _sources(graph: Graph) -> Iterator[Record]:
    """What assertions are made of: times, predicates, sessions, entities and episodes."""
    for (tx,) in graph.stream(
        f"{by('x:BitempoTransaction', 'tenant', 'tx')} WHERE x.tenant = $tenant "
        f"AND x.tx <= $state RETURN {optional('x.tx')} ORDER BY x.tx"
    ):
        yield Transaction(tx)
    for name, cardinality, source in graph.stream(
        f"{by('p:BitempoPredicate', 'tenant')} WHERE p.tenant = $tenant "
        f"AND {met_by_now('p')} RETURN p.name, p.cardinality, p.source ORDER BY p.name"
    ):
        yield Predicate(name, Cardinality(cardinality), source)
    for id, started_at, actor, metadata in graph.stream(
        f"{by('s:BitempoSession', 'tenant')} WHERE s.tenant = $tenant "
        f"AND {met_by_now('s')} RETURN s.id, {optional('s.started_at')}, s.actor, s.metadata "
        "ORDER BY s.id"
    ):
        yield Session(id, started_at, actor, json.loads(metadata))
    for (row,) in graph.stream(
        f"{by('n:BitempoEntity', 'tenant', 'id_start')} WHERE n.tenant = $tenant "
        f"AND {anything('n.id_start')} AND {met_by_now('n')} RETURN {columns.ENTITY} "
        "ORDER BY n.created_at, n.id"
    ):
        yield rows.entity(row, graph.state)
    for entity, canonical, began, ended in graph.stream(
        "MATCH (m:BitempoEntity)-[s:SAME_AS]->(c:BitempoEntity) USING INDEX s:SAME_AS(tenant) "
        "WHERE s.tenant = $tenant AND s.tx_from <= $state "
        f"RETURN m.id, c.id, {start('s.tx_from')}, {until('s.tx_to')} ORDER BY s.tx_from, m.id"
    ):
        yield OneWith(entity, canonical, Interval(began, ended))
    for (row,) in graph.stream(
        f"{by('e:BitempoEpisode', 'tenant', 'tx_from')} WHERE e.tenant = $tenant "
        f"AND e.tx_from <= $state RETURN {columns.EPISODE} ORDER BY e.number, e.tx_from, e.id"
    ):
        yield rows.episode(row)


def _recasts(graph: Graph) -> int:
    """How often assertions were put in other slots."""
    return (
        graph.one(f"{by_key('t:BitempoTenant', '$key')} RETURN t.recasts", key=graph.key("")) or 0
    )


def _facts(graph: Graph) -> Iterator[Record]:
    for row, links in graph.stream(
        f"{by('f:BitempoFact', 'tenant', 'tx_from')} WHERE f.tenant = $tenant "
        f"AND f.tx_from <= $state RETURN {columns.fact(rows.FACT_COLUMNS)}, "
        f"[(f)-[l:{statements.ANY_LINK}]->(a:BitempoAssertion) WHERE l.tx_from <= $state | "
        f"[type(l), a.id, {start('l.tx_from')}, {until('l.tx_to')}]] ORDER BY f.tx_from, f.id"
    ):
        found = sorted((statements.ROLES[type], id, s, e) for type, id, s, e in links)
        yield BelievedFact(
            rows.fact_version(tuple(row), ()),
            Interval(row[-2], row[-1]),
            tuple(Link(role, id, Interval(s, e)) for role, id, s, e in found),
        )
