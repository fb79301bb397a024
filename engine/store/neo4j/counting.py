"""How much a tenant holds, as of the state that is read."""

from __future__ import annotations

from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import anything, by, by_key, met_by_now
from bitempo.engine.store.neo4j.times import optional
from bitempo.engine.store.port import Stats
from bitempo.engine.time import Instant


def _count(label: str, index: tuple[str, ...], condition: str) -> str:
    found = by(f"n:{label}", "tenant", *index)
    return f"COUNT {{ {found} WHERE n.tenant = $tenant AND {condition} }}"


_BY_NOW = "n.tx_from <= $state"
_COUNTS = {
    "sessions": _count("BitempoSession", (), met_by_now("n")),
    "episodes": _count("BitempoEpisode", ("tx_from",), _BY_NOW),
    "entities": _count(
        "BitempoEntity", ("id_start",), f"{anything('n.id_start')} AND {met_by_now('n')}"
    ),
    "assertions": _count("BitempoAssertion", ("tx_from",), _BY_NOW),
    "retracted": _count("BitempoAssertion", ("tx_from",), f"{_BY_NOW} AND n.tx_to <= $state"),
    "facts": _count("BitempoFact", ("tx_from",), f"{_BY_NOW} AND n.tx_to > $state"),
    "fact_versions": _count("BitempoFact", ("tx_from",), _BY_NOW),
    "predicates": _count("BitempoPredicate", (), met_by_now("n")),
    "transactions": _count("BitempoTransaction", ("tx",), "n.tx <= $state"),
}
_OF_TENANT = "WHERE n.tenant = $tenant"
_OF_TENANT_AT = "WHERE x.tenant = $tenant AND x.tx = $state"
_STATS = (
    "CALL () { "
    f"{by('n:BitempoTransaction', 'tenant', 'tx')} {_OF_TENANT} AND {anything('n.tx')} "
    f"RETURN min(n.tx) AS first }} "
    f"CALL () {{ {by('n:BitempoWindow', 'tenant', 'state')} {_OF_TENANT} "
    f"AND {anything('n.state')} WITH n.state AS state, count(n) AS windows "
    "RETURN collect([state, windows]) AS inbox } "
    f"CALL () {{ OPTIONAL {by_key('t:BitempoTenant', '$key')} "
    "RETURN t['identity_' + t.space_used] AS embedder, "
    "coalesce(t['count_' + t.space_used], 0) AS vectors } "
    f"CALL () {{ OPTIONAL {by('x:BitempoTransaction', 'tenant', 'tx')} {_OF_TENANT_AT} "
    "RETURN coalesce(x.assertions + x.turns, 0) AS searchable } "
    f"RETURN {', '.join(_COUNTS.values())}, inbox, {optional('first')}, embedder, vectors, "
    "searchable"
)


def stats(graph: Graph, last_tx: Instant | None) -> Stats:
    """All counts in one statement."""
    [found] = graph.rows(_STATS, key=graph.key(""))
    *counts, inbox, first, embedder, vectors, searchable = found
    waiting = dict(sorted((state, number) for state, number in inbox))
    if last_tx is None:
        return Stats(inbox=waiting, embedder=embedder)
    return Stats(
        **dict(zip(_COUNTS, counts, strict=True)),
        inbox=waiting,
        first_tx=first,
        last_tx=last_tx,
        embedder=embedder,
        vectors=vectors,
        unembedded=searchable - vectors,
    )
