"""An import: in steps, each a transaction, and all of it seen at once or nothing.

One transaction would have to fit into the server's memory. So what is loaded stays unseen, since
readers see nothing of a tenant without a last transaction time, and the last step sets that. Until
then nothing else can be written. What an interrupted import has left is removed by the next one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from bitempo.engine.errors import StoreBusyError, StoreError, TenantNotEmptyError
from bitempo.engine.model import Entity, Episode, Session
from bitempo.engine.store.neo4j import nodes, statements
from bitempo.engine.store.neo4j.graph import Graph, Scope
from bitempo.engine.store.neo4j.inbox import add_windows
from bitempo.engine.store.neo4j.lookup import anything, by, by_key
from bitempo.engine.store.neo4j.search import Totals
from bitempo.engine.store.neo4j.tenants import Locked, lock
from bitempo.engine.store.neo4j.times import moment
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
from bitempo.engine.time import BEGINNING, Instant

BATCH = 2_000
"""How many rows a step writes."""

Write = Callable[[Callable[[Graph], Any]], Any]
"""Runs a function of the graph in one transaction, again if the connection is lost."""

Step = tuple[str, list[Any]]
Kinds = dict[type[Any], list[Any]]


def load(write: Write, tenant: str, records: Sequence[Record], mark: str) -> int:
    """Restore what `dump` gave into an empty tenant; how many records there were.

    `mark` tells this import from every other.

    Raises:
        TenantNotEmptyError: the tenant holds something already.
        StoreBusyError: another import of the tenant has begun meanwhile.
    """
    kinds: Kinds = defaultdict(list)
    for record in records:
        kinds[type(record)].append(record)
    totals = Totals(Scope(tenant), mark)
    if write(partial(_begin, mark=mark)):
        _clear(write, mark)
    try:
        for number, step in enumerate(_steps(Scope(tenant), kinds, totals), 1):
            write(partial(_apply, mark=mark, number=number, step=step))
        write(partial(_finish, mark=mark, totals=totals, kinds=kinds))
    except BaseException:
        # Should this fail too, the next import clears up.
        with suppress(StoreError):
            _clear(write, mark)
            write(partial(_abandon, mark=mark))
        raise
    return len(records)


def _begin(graph: Graph, mark: str) -> bool:
    """Mark the tenant; whether there is something to clear that an earlier import left."""
    found = lock(graph)
    if found.loading is None:
        _require_empty(graph)
    _set(graph, "t.loading = $mark, t.steps = 0", mark)
    return found.loading not in (None, mark)


def _apply(graph: Graph, mark: str, number: int, step: Step) -> None:
    if _ours(graph, mark).steps < number:
        graph.change_each(*step)
        _set(graph, f"t.steps = {number:d}", mark)


def _finish(graph: Graph, mark: str, totals: Totals, kinds: Kinds) -> None:
    if lock(graph).loaded == mark:
        return
    _ours(graph, mark)
    windows: list[InboxWindow] = kinds[InboxWindow]
    for first in range(0, len(windows), BATCH):
        add_windows(graph, windows[first : first + BATCH])
    totals.write_last(graph)
    merged = "true" if kinds[OneWith] else "false"
    _set(graph, f"t.loaded = $mark, t.loading = null, t.steps = null, t.merged = {merged}", mark)


def _abandon(graph: Graph, mark: str) -> None:
    _ours(graph, mark)
    _set(graph, "t.loading = null, t.steps = null", mark)


def _clear(write: Write, mark: str) -> None:
    """Remove what the tenant holds, a batch at a time."""

    def remove(graph: Graph, statement: str) -> int:
        _ours(graph, mark)
        removed: int = graph.one(statement, batch=BATCH)
        return removed

    for statement in _REMOVALS:
        while write(partial(remove, statement=statement)):
            pass


def _ours(graph: Graph, mark: str) -> Locked:
    found = lock(graph)
    if found.loading != mark:
        raise StoreBusyError(f"another import into tenant {graph.tenant!r} has begun meanwhile")
    return found


def _set(graph: Graph, change: str, mark: str) -> None:
    graph.change(f"{by_key('t:BitempoTenant', '$key')} SET {change}", key=graph.key(""), mark=mark)


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


def _steps(scope: Scope, kinds: Kinds, totals: Totals) -> Iterator[Step]:
    for statement, rows in _rows(scope, kinds, totals):
        for first in range(0, len(rows), BATCH):
            yield statement, rows[first : first + BATCH]


def _rows(scope: Scope, kinds: Kinds, totals: Totals) -> Iterator[Step]:
    """All rows of each statement, in an order in which a node comes before what leads to it."""
    predicates: list[Predicate] = kinds[Predicate]
    sessions: list[Session] = kinds[Session]
    entities: list[Entity] = kinds[Entity]
    facts: list[BelievedFact] = kinds[BelievedFact]
    yield statements.PREDICATE, [nodes.predicate(scope, item, BEGINNING) for item in predicates]
    yield statements.SESSION, [nodes.session(scope, item, BEGINNING) for item in sessions]
    yield statements.ENTITY, [nodes.entity(scope, item, BEGINNING) for item in entities]
    named = [(entity.id, *item) for entity in entities for item in entity.names_learnt()]
    yield statements.NAME, [nodes.name(scope, *item) for item in named]
    merged: list[OneWith] = kinds[OneWith]
    yield (
        statements.ONE_WITH,
        [nodes.one_with(scope, item.entity, item.canonical, item.believed) for item in merged],
    )
    yield from _documents(scope, kinds, totals)
    yield statements.FACT, [nodes.fact(scope, item.fact, item.believed) for item in facts]
    yield statements.SUPERSEDES, [scope.key(item.fact.id) for item in facts]
    for role, statement in statements.LINKS.items():
        links = [(f.fact.id, link) for f in facts for link in f.links if link.role == role]
        yield statement, [_link(scope, *item) for item in links]


def _documents(scope: Scope, kinds: Kinds, totals: Totals) -> Iterator[Step]:
    """Episodes and assertions by transaction time, so that the corpora are counted as they grew."""
    names = {entity.id: entity.name for entity in kinds[Entity]}
    episodes: dict[Instant, list[Episode]] = defaultdict(list)
    assertions: dict[Instant, list[PlacedAssertion]] = defaultdict(list)
    for episode in kinds[Episode]:
        episodes[episode.believed.start].append(episode)
    for placed in kinds[PlacedAssertion]:
        assertions[placed.assertion.recorded_at].append(placed)
    turns: list[Any] = []
    claims: list[Any] = []
    used = {record.tx for record in kinds[Transaction]}
    for tx in sorted({*used, *episodes, *assertions}):
        for found, documents in (
            (turns, [nodes.episode(scope, item, tx) for item in episodes[tx]]),
            (claims, [nodes.assertion(scope, item, names) for item in assertions[tx]]),
        ):
            for document in documents:
                totals.add(document)
                found.append(document.row)
        totals.note(tx)
    yield statements.EPISODE, turns
    yield statements.ASSERTION, claims
    yield statements.TRANSACTION, totals.noted


def _link(scope: Scope, fact: str, link: Link) -> list[Any]:
    return [
        scope.key(fact),
        scope.key(link.assertion),
        moment(link.believed.start),
        moment(link.believed.end),
    ]


def _removal(pattern: str, *index: str, besides: str = "") -> str:
    conditions = " AND ".join(["n.tenant = $tenant", *(anything(f"n.{name}") for name in index)])
    return (
        f"{by(pattern, 'tenant', *index)} WHERE {conditions} WITH n LIMIT $batch {besides} "
        f"DETACH DELETE n{', m' if besides else ''} RETURN count(DISTINCT n)"
    )


_REMOVALS = (
    _removal("n:BitempoFact", "tx_from"),
    _removal("n:BitempoAssertion", "tx_from"),
    _removal("n:BitempoEpisode", "tx_from"),
    _removal(
        "n:BitempoEntity", "id_start", besides="OPTIONAL MATCH (n)-[:CALLED]->(m:BitempoName)"
    ),
    _removal("n:BitempoSession"),
    _removal("n:BitempoPredicate"),
    _removal("n:BitempoTransaction", "tx"),
)
