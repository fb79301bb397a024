"""How much a tenant holds, as of the state that is read."""

from __future__ import annotations

from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import anything, by, met_by_now
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
_STATS = (
    "CALL () { "
    f"{by('n:BitempoTransaction', 'tenant', 'tx')} {_OF_TENANT} AND {anything('n.tx')} "
    f"RETURN min(n.tx) AS first }} "
    f"CALL () {{ {by('n:BitempoWindow', 'tenant', 'state')} {_OF_TENANT} "
    f"AND {anything('n.state')} WITH n.state AS state, count(n) AS windows "
    "RETURN collect([state, windows]) AS inbox } "
    f"RETURN {', '.join(_COUNTS.values())}, inbox, {optional('first')}"
)


def stats(graph: Graph, last_tx: Instant | None) -> Stats:
    """All counts in one statement."""
    *counts, inbox, first = graph.rows(_STATS)[0]
    waiting = dict(sorted((state, number) for state, number in inbox))
    if last_tx is None:
        return Stats(inbox=waiting)
    return Stats(
        **dict(zip(_COUNTS, counts, strict=True)),
        inbox=waiting,
        first_tx=first,
        last_tx=last_tx,
    )
