"""Full text: Neo4j's Lucene indexes find candidates, by terms that carry the tenant's mark.

`2f6a..._lisbon` stands in one property of a turn or an assertion and is split at spaces, so one
tenant's words are looked up and counted without touching another's. What is found is ranked by
`bitempo.query`, as for every store.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bitempo.engine.store.neo4j import statements
from bitempo.engine.store.neo4j.asof import believed
from bitempo.engine.store.neo4j.graph import Graph, Scope
from bitempo.engine.store.neo4j.lookup import by, by_key
from bitempo.engine.store.neo4j.nodes import Node, quoted
from bitempo.engine.store.neo4j.times import asked, moment
from bitempo.engine.store.port import Corpus, Matches
from bitempo.engine.time import Instant

ROW_BUDGET = 6_000
"""How many documents a search may look at; also how many of one term are counted.

The index knows no times. A search of the past asks it for as many more as were recorded since, so
that these take nothing from what was there.
"""

_INDEXES = {
    Corpus.ASSERTIONS: "bitempo_assertion_terms",
    Corpus.TURNS: "bitempo_episode_terms",
}
_COUNTS = {
    Corpus.ASSERTIONS: "[x.assertions, x.assertion_terms]",
    Corpus.TURNS: "[x.turns, x.turn_terms]",
}
_DOCUMENTS = {Corpus.ASSERTIONS: "t.assertions", Corpus.TURNS: "t.turns"}


class Totals:
    """Keeps count of documents and terms per corpus, as they were at each transaction time.

    Each is marked with the id of the `commit` that used it.
    """

    def __init__(
        self,
        scope: Scope,
        commit: str,
        assertions: int = 0,
        assertion_terms: int = 0,
        turns: int = 0,
        turn_terms: int = 0,
    ) -> None:
        self._scope = scope
        self._commit = commit
        self._counts = {
            "assertions": assertions,
            "assertion_terms": assertion_terms,
            "turns": turns,
            "turn_terms": turn_terms,
        }
        self.noted: list[dict[str, Any]] = []
        """Rows of transaction times, with the counts at each."""

    def add(self, node: Node) -> None:
        """Count a new document, and number it; a node that is none has no length."""
        kind = "turn" if node.corpus is Corpus.TURNS else "assertion"
        if node.length is not None:
            self._counts[f"{kind}s"] += 1
            self._counts[f"{kind}_terms"] += node.length
        node.row["properties"]["number"] = self._counts[f"{kind}s"]

    def note(self, tx: Instant) -> None:
        """Remember how large the corpora are at the transaction time."""
        properties = {
            **self._counts,
            "key": transaction_key(self._scope, tx),
            "tenant": self._scope.tenant,
            "commit": self._commit,
        }
        self.noted.append({"properties": properties, "times": [moment(tx)]})

    def write(self, graph: Graph) -> None:
        """Store what was noted, and the last of it on the tenant."""
        graph.change_each(statements.TRANSACTION, self.noted)
        self.write_last(graph)

    def write_last(self, graph: Graph) -> None:
        """Store the last of what was noted on the tenant."""
        totals = {"key": graph.key(""), "counts": self._counts}
        last = [{**totals, "times": row["times"]} for row in self.noted[-1:]]
        graph.change_each(statements.TOTALS, last)


def transaction_key(scope: Scope, tx: Instant) -> str:
    """The key of a transaction time that was used."""
    return scope.key(f"tx\x1f{tx}")


def search(
    graph: Graph, corpus: Corpus, wanted: Sequence[str], *, known_at: Instant, limit: int
) -> Matches:
    """The documents believed at `known_at` that hold any of the terms, best first."""
    documents, total, later, frequencies = _counted(graph, corpus, wanted, known_at)
    mean = total / documents if documents else 0.0
    kept, dropped = _within_budget(frequencies)
    if not kept:
        return Matches((), frequencies, documents, mean)
    condition, parameters = believed("node", known_at)
    ids = graph.gather(
        "UNWIND $terms AS term "
        "CALL (term) { CALL db.index.fulltext.queryNodes($index, term.query, {limit: $budget}) "
        "YIELD node RETURN node } "
        f"WITH node, sum(term.weight) AS weight WHERE {condition} "
        "WITH node, weight ORDER BY weight DESC, node.number DESC LIMIT $limit",
        "node.id",
        terms=[
            {
                "query": quoted(graph.tenant, term),
                "weight": _weight(frequencies[term], documents),
            }
            for term in kept
        ],
        index=_INDEXES[corpus],
        budget=ROW_BUDGET + later,
        limit=limit,
        **parameters,
    )
    return Matches(ids, frequencies, documents, mean, tuple(dropped))


def _counted(
    graph: Graph, corpus: Corpus, wanted: Sequence[str], known_at: Instant
) -> tuple[int, int, int, dict[str, int]]:
    """Documents, terms in all of them, how many documents came later, and in how many each of the
    terms stands, as known then.

    The last are counted up to the budget.
    """
    found = graph.rows(
        "CALL () { "
        f"{by('x:BitempoTransaction', 'tenant', 'tx')} WHERE x.tenant = $tenant "
        f"AND x.tx <= $known_at RETURN {_COUNTS[corpus]} AS counts ORDER BY x.tx DESC LIMIT 1 }} "
        f"CALL () {{ {by_key('t:BitempoTenant', '$key')} "
        f"RETURN {_DOCUMENTS[corpus]} AS documents_now }} "
        "WITH counts, documents_now - counts[0] AS later UNWIND $terms AS term "
        "CALL (term, later) { "
        "CALL db.index.fulltext.queryNodes($index, term[1], {limit: $budget + later}) "
        "YIELD node WHERE node.tx_from <= $known_at RETURN count(node) AS documents } "
        "RETURN counts, later, collect([term[0], documents])",
        terms=[[term, quoted(graph.tenant, term)] for term in wanted],
        index=_INDEXES[corpus],
        budget=ROW_BUDGET,
        key=graph.key(""),
        known_at=asked(known_at),
    )
    if not found:
        return 0, 0, 0, {}
    (documents, total), later, by_term = found[0]
    counted = {term: min(number, ROW_BUDGET) for term, number in by_term if number}
    return documents, total, later, counted


def _within_budget(frequencies: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """The terms to look up, rarest first, and those that are not looked up in full."""
    kept: list[str] = []
    dropped: list[str] = []
    cost = 0
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term)):
        cost += frequencies[term]
        if cost > ROW_BUDGET:
            dropped.append(term)
        if not kept or cost <= ROW_BUDGET:
            kept.append(term)
    return kept, dropped


def _weight(frequency: int, documents: int) -> float:
    return math.log(1 + (max(documents - frequency, 0) + 0.5) / (frequency + 0.5))
