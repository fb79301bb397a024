"""Everything a tenant holds, out of the graph and into it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from bitempo.engine.errors import StoreBusyError, TenantNotEmptyError
from bitempo.engine.model import Cardinality, Entity, Episode, Session
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j import columns, nodes, statements
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.inbox import WINDOW, add_windows, window
from bitempo.engine.store.neo4j.lookup import anything, by, by_key, met_by_now
from bitempo.engine.store.neo4j.reader import last_transaction
from bitempo.engine.store.neo4j.search import Totals
from bitempo.engine.store.neo4j.times import moment, optional, start, until
from bitempo.engine.store.port import (
    BelievedFact,
    InboxWindow,
    Link,
    PlacedAssertion,
    Predicate,
    Record,
    Transaction,
)
from bitempo.engine.time import BEGINNING, Instant, Interval

_BATCH = 2_000
Item = TypeVar("Item")


def dump(graph: Graph) -> Iterator[Record]:
    """Every record of the tenant, in an order that `load` can read in one pass.

    All of one state. The inbox comes last and is read first: what waits in it then may be in the
    graph by now, and applying it again changes nothing.

    Raises:
        StoreBusyError: `set_cardinality` ran meanwhile, which changes records in place.
    """
    windows = graph.firsts(
        f"{by('w:BitempoWindow', 'tenant', 'state')} WHERE w.tenant = $tenant "
        f"AND {anything('w.state')} RETURN {WINDOW} ORDER BY w.number"
    )
    last, recasts = last_transaction(graph), _recasts(graph)
    graph.state = BEGINNING if last is None else last
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
            f"the cardinality of a predicate of tenant {graph.tenant!r} was changed while it was "
            "read; export it again"
        )


def load(graph: Graph, records: Sequence[Record], mark: str) -> int:
    """Restore what `dump` gave into an empty tenant; how many records there were.

    `mark` tells this load, should it be sent again after a lost connection, from another one.
    """
    graph.change(statements.TENANT, key=graph.key(""))
    if graph.one(
        f"{by_key('t:BitempoTenant', '$key')} AND t.loaded = $mark RETURN t.loaded",
        key=graph.key(""),
        mark=mark,
    ):
        return len(records)
    _require_empty(graph)
    kinds: dict[type[Any], list[Any]] = defaultdict(list)
    for record in records:
        kinds[type(record)].append(record)
    each = _Batches(graph)
    each(
        statements.PREDICATE, kinds[Predicate], lambda item: nodes.predicate(graph, item, BEGINNING)
    )
    each(statements.SESSION, kinds[Session], lambda item: nodes.session(graph, item, BEGINNING))
    each(statements.ENTITY, kinds[Entity], lambda item: nodes.entity(graph, item, BEGINNING))
    names = [(n.id, name) for n in kinds[Entity] for name in (n.name, *n.aliases)]
    each(statements.NAME, names, lambda item: nodes.name(graph, *item))
    _load_documents(graph, each, kinds, mark)
    facts: list[BelievedFact] = kinds[BelievedFact]
    each(statements.FACT, facts, lambda item: nodes.fact(graph, item.fact, item.believed))
    each(statements.SUPERSEDES, facts, lambda item: graph.key(item.fact.id))
    for role, statement in statements.LINKS.items():
        found = [(f.fact.id, link) for f in facts for link in f.links if link.role == role]
        each(statement, found, lambda item: _link(graph, *item))
    windows: list[InboxWindow] = kinds[InboxWindow]
    for first in range(0, len(windows), _BATCH):
        add_windows(graph, windows[first : first + _BATCH])
    graph.change(
        f"{by_key('t:BitempoTenant', '$key')} SET t.loaded = $mark", key=graph.key(""), mark=mark
    )
    return len(records)


class _Batches:
    """Runs a statement over many items, a few thousand at a time."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __call__(self, statement: str, items: Sequence[Item], row: Callable[[Item], Any]) -> None:
        for first in range(0, len(items), _BATCH):
            found = [row(item) for item in items[first : first + _BATCH]]
            self._graph.change_each(statement, found)
            # One statement a batch, not all in one: their plan is made once.
            self._graph.flush()


def _load_documents(
    graph: Graph, each: _Batches, kinds: dict[type[Any], list[Any]], mark: str
) -> None:
    """Episodes and assertions by transaction time, so that the corpora are counted as they grew."""
    names = {entity.id: entity.name for entity in kinds[Entity]}
    episodes: dict[Instant, list[Episode]] = defaultdict(list)
    assertions: dict[Instant, list[PlacedAssertion]] = defaultdict(list)
    for episode in kinds[Episode]:
        episodes[episode.believed.start].append(episode)
    for placed in kinds[PlacedAssertion]:
        assertions[placed.assertion.recorded_at].append(placed)
    totals = Totals(graph, mark)
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
    graph.flush()


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
        yield rows.entity(row)
    for (row,) in graph.stream(
        f"{by('e:BitempoEpisode', 'tenant', 'tx_from')} WHERE e.tenant = $tenant "
        f"AND e.tx_from <= $state RETURN {columns.EPISODE} ORDER BY e.number, e.tx_from, e.id"
    ):
        yield rows.episode(row)


def _recasts(graph: Graph) -> int:
    """How often a cardinality was changed."""
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


def _link(graph: Graph, fact: str, link: Link) -> list[Any]:
    return [
        graph.key(fact),
        graph.key(link.assertion),
        moment(link.believed.start),
        moment(link.believed.end),
    ]


def _require_empty(graph: Graph) -> None:
    found = graph.one(
        "RETURN "
        f"EXISTS {{ {by('n:BitempoTransaction', 'tenant', 'tx')} WHERE n.tenant = $tenant "
        f"AND {anything('n.tx')} }} "
        f"OR EXISTS {{ {by('n:BitempoWindow', 'tenant', 'state')} WHERE n.tenant = $tenant "
        f"AND {anything('n.state')} }} "
        f"OR EXISTS {{ {by('n:BitempoSession', 'tenant')} WHERE n.tenant = $tenant }}"
    )
    if found:
        raise TenantNotEmptyError(
            f"tenant {graph.tenant!r} holds something already; import into a new tenant"
        )
