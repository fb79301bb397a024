"""Search by vector: an exact scan in memory, or the server's index for tenants too large for it.

The server's index holds all tenants. From 2026 on the SEARCH clause filters by tenant inside the
index; before that the procedure finds the nearest of all tenants, so as many more are asked for as
it takes until enough of them are the tenant's. Filtered once and never asked again, it would find
a sixth of a tenant's true neighbours. Which of the two is decided once, by the server's version.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from bitempo.engine.embedding import Vector
from bitempo.engine.late import Late, LoadedTokens, TokenCorpus, TokenQuestion
from bitempo.engine.store.neo4j import spaces
from bitempo.engine.store.neo4j.asof import believed
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import by, by_keys
from bitempo.engine.store.neo4j.spaces import LABELS, Names, Recorded
from bitempo.engine.store.neo4j.times import start
from bitempo.engine.store.port import Corpus
from bitempo.engine.store.tokens import best, rows_of
from bitempo.engine.store.vector_port import Near
from bitempo.engine.store.vectors import (
    Corpus as Held,
)
from bitempo.engine.store.vectors import (
    Loaded,
    VectorCache,
    believed_first,
    check_vector,
)
from bitempo.engine.time import Instant

_PART = 5_000
"""Rows that are read into memory at a time."""

_FEWEST = 200
"""How many the index is asked for at least: with fewer it looks less far, and finds less."""

_MORE = 4
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Search:
    """How vectors are searched on this server.

    `exact` is the largest number of vectors of a tenant that is scanned in memory.
    """

    cache: VectorCache
    exact: int
    search_clause: bool

    def nearest(
        self, graph: Graph, corpus: Corpus, vector: Vector, known_at: Instant, limit: int
    ) -> list[Near]:
        """What is believed at `known_at` and most like the vector, best first."""
        used = spaces.read(graph).used
        if used is None or limit < 1:
            return []
        check_vector(vector, used.space)
        if used.count > self.exact and np.any(vector):
            return self._by_index(graph, corpus, used, vector, known_at, limit)
        held, count = self._held(graph, corpus, used)
        ids = _believed(graph, corpus, known_at)
        return believed_first(held.nearest_first(vector, count, known_at), ids, limit)

    def late(
        self,
        graph: Graph,
        corpus: Corpus,
        question: TokenQuestion,
        known_at: Instant,
        limit: int,
        among: Collection[str],
    ) -> Late:
        """What is believed at `known_at` and meets the question's tokens best."""
        used = spaces.read(graph).used
        if used is None:
            return Late((), {}, np.zeros(len(question.ids), np.float32))
        held, count = self._held_tokens(graph, corpus, used, question)
        return best(
            held,
            count,
            question,
            known_at=known_at,
            believed=_believed(graph, corpus, known_at),
            limit=limit,
            among=among,
            item=graph.key,
        )

    def token_maxima(
        self, graph: Graph, corpus: Corpus, question: TokenQuestion, ids: Collection[str]
    ) -> dict[str, Vector]:
        """How these texts meet the question's tokens."""
        used = spaces.read(graph).used
        if used is None:
            return {}
        held, _ = self._held_tokens(graph, corpus, used, question)
        return rows_of(held, question, ids, graph.key)

    def _held(self, graph: Graph, corpus: Corpus, used: Recorded) -> tuple[Held[str], int]:
        names = used.names

        def load(held: Held[str]) -> None:
            wanted = f"n.{names.scale}, n.{names.codes}"
            for part in _rows(graph, corpus, names, held.last, wanted):
                numbers, keys, recorded, scales, codes = zip(*part, strict=True)
                held.extend(Loaded(numbers, keys, recorded, scales, b"".join(codes)))

        key = (graph.tenant, names.mark, used.generation, corpus, "vectors")
        return self.cache.up_to_date(key, used.count - 1, lambda: Held(used.space.dimension), load)

    def _held_tokens(
        self, graph: Graph, corpus: Corpus, used: Recorded, question: TokenQuestion
    ) -> tuple[TokenCorpus[str], int]:
        names, kept = used.names, question.kept_dimension

        def load(held: TokenCorpus[str]) -> None:
            for part in _rows(graph, corpus, names, held.last, f"n.{names.tokens}"):
                numbers, keys, recorded, tokens = zip(*part, strict=True)
                held.extend(LoadedTokens(numbers, keys, recorded, [t or b"" for t in tokens]))

        key = (graph.tenant, names.mark, used.generation, corpus, "tokens", kept)
        return self.cache.up_to_date(key, used.count - 1, lambda: TokenCorpus(kept), load)

    def _by_index(
        self,
        graph: Graph,
        corpus: Corpus,
        used: Recorded,
        vector: Vector,
        known_at: Instant,
        limit: int,
    ) -> list[Near]:
        wanted = max(_FEWEST, limit * _MORE)
        while True:
            looked_at, found = self._ask(graph, corpus, used, vector, known_at, wanted)
            if len(found) >= limit or looked_at < wanted or wanted >= _MOST:
                # The server's score of a cosine c is (1 + c) / 2.
                return [Near(id, 2 * score - 1) for id, score in found[:limit]]
            wanted *= _MORE

    def _ask(
        self,
        graph: Graph,
        corpus: Corpus,
        used: Recorded,
        vector: Vector,
        known_at: Instant,
        wanted: int,
    ) -> tuple[int, list[tuple[str, float]]]:
        """How many the index gave, and which of them are the tenant's and believed then."""
        condition, parameters = believed("n", known_at)
        index = used.names.index(corpus, self.search_clause)
        asked = {"vector": vector.tolist(), "wanted": wanted, **parameters}
        kept = (
            f"RETURN count(n), collect(CASE WHEN n.tenant = $tenant AND {condition} "
            "THEN [n.id, score] END)"
        )
        if self.search_clause:
            [(count, found)] = graph.modern_rows(
                f"MATCH (n:{LABELS[corpus]}) SEARCH n IN (VECTOR INDEX {index} FOR $vector "
                f"WHERE n.tenant = $tenant LIMIT $wanted) SCORE AS score {kept}",
                **asked,
            )
        else:
            [(count, found)] = graph.rows(
                "CALL db.index.vector.queryNodes($index, $wanted, $vector) "
                f"YIELD node AS n, score {kept}",
                index=index,
                **asked,
            )
        hits = [(id, score) for id, score in found]
        return count, sorted(hits, key=lambda hit: -hit[1])


def _believed(
    graph: Graph, corpus: Corpus, known_at: Instant
) -> Callable[[list[str]], dict[str, str]]:
    """Says which of some nodes, by their keys, are believed at `known_at`, with their ids."""
    condition, parameters = believed("n", known_at)

    def ids(keys: list[str]) -> dict[str, str]:
        found = graph.rows(
            f"{by_keys(f'n:{LABELS[corpus]}')} AND {condition} RETURN n.key, n.id",
            keys=keys,
            **parameters,
        )
        return dict(map(tuple, found))

    return ids


def _rows(
    graph: Graph, corpus: Corpus, names: Names, after: int, wanted: str
) -> Iterator[list[tuple[Any, ...]]]:
    found = iter(
        graph.stream(
            f"{by(f'n:{LABELS[corpus]}', 'tenant', names.number)} "
            f"WHERE n.tenant = $tenant AND n.{names.number} > $after "
            f"RETURN n.{names.number} AS number, n.key, {start('n.tx_from')}, {wanted} "
            "ORDER BY number",
            after=after,
        )
    )
    while part := [tuple(row) for row in islice(found, _PART)]:
        yield part
