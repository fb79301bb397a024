"""Which spaces a tenant has vectors of, and the indexes that each needs.

A space has properties of its own on the nodes that it has vectors of, so that a new space can be
filled while the old one is searched, and tenants with different embedders share a database. Their
names end in a digest of the space:

    vector_...   the vector, as the server's vector index takes it
    codes_...    the same as 8-bit codes, and `scale_...`, as they are read into memory
    number_...   the how-manieth of the tenant it was, from 0
    tokens_...   the tokens, for late interaction, where the embedder has them
    text_...     a digest of the tenant and the text, by which it is used again

Which space is in use and which is coming stands on the tenant's node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bitempo.engine.names import digest
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import by_key
from bitempo.engine.store.neo4j.times import optional
from bitempo.engine.store.port import Corpus
from bitempo.engine.store.vector_port import VectorSpace
from bitempo.engine.time import BEGINNING, Instant

LABELS = {Corpus.ASSERTIONS: "BitempoAssertion", Corpus.TURNS: "BitempoEpisode"}
SEARCH_CLAUSE = (2026, 4)
"""From this release on the procedure is deprecated and the SEARCH clause filters by tenant."""

_MARK_LENGTH = 12
_OF_NODES = ("vector", "codes", "scale", "tokens", "number", "text")
UP_TO = {Corpus.TURNS: "turns_to", Corpus.ASSERTIONS: "assertions_to"}
_OF_TENANT = ("identity", "dimension", "generation", "count", *UP_TO.values())


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a space's properties and indexes, by its mark."""

    mark: str

    @classmethod
    def of(cls, space: VectorSpace) -> Names:
        return cls(digest(space.identity, str(space.dimension))[:_MARK_LENGTH])

    def __getattr__(self, name: str) -> str:
        """`names.vector` is the property `vector_...`; likewise for all that the module names."""
        if name in _OF_NODES or name in _OF_TENANT:
            return f"{name}_{self.mark}"
        raise AttributeError(name)

    @property
    def of_nodes(self) -> list[str]:
        """All its properties of turns and assertions."""
        return [f"{name}_{self.mark}" for name in _OF_NODES]

    @property
    def of_tenant(self) -> list[str]:
        """All its properties of the tenant's node."""
        return [f"{name}_{self.mark}" for name in _OF_TENANT]

    def up_to(self, corpus: Corpus) -> str:
        """The property of the tenant up to when everything of the corpus has a vector."""
        return f"{UP_TO[corpus]}_{self.mark}"

    def index(self, corpus: Corpus, search_clause: bool) -> str:
        """The vector index of the corpus; one that filters is another than one that does not."""
        kind = "near_in_tenant" if search_clause else "near"
        return f"bitempo_{corpus}_{kind}_{self.mark}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A space on record: what is on the tenant's node of it."""

    space: VectorSpace
    generation: int
    count: int
    complete: Mapping[Corpus, Instant]
    """Up to when, by transaction time, everything has a vector."""

    @property
    def names(self) -> Names:
        return Names.of(self.space)


@dataclass(frozen=True, slots=True)
class Spaces:
    """A tenant's spaces. `dropped` are the marks of those whose vectors are still to be removed.

    `last_tx` is the tenant's latest transaction time; None when there is nothing to embed.
    """

    used: Recorded | None
    coming: Recorded | None
    dropped: tuple[str, ...]
    last_tx: Instant | None

    def find(self, space: VectorSpace) -> Recorded | None:
        """The space, if it is on record."""
        for found in (self.used, self.coming):
            if found is not None and found.space == space:
                return found
        return None


def read(graph: Graph) -> Spaces:
    """What is on record of the tenant's spaces."""
    found = graph.rows(
        f"{by_key('t:BitempoTenant', '$key')} RETURN {_recorded('t.space_used')}, "
        f"{_recorded('t.space_coming')}, coalesce(t.spaces_dropped, []), {optional('t.last_tx')}",
        key=graph.key(""),
    )
    if not found:
        return Spaces(None, None, (), None)
    used, coming, dropped, last_tx = found[0]
    return Spaces(_of(used), _of(coming), tuple(dropped), last_tx)


def index_statements(space: VectorSpace, search_clause: bool) -> Iterator[str]:
    """What makes the indexes of a space."""
    names = Names.of(space)
    for corpus, label in LABELS.items():
        stem = f"bitempo_{corpus}"
        yield (
            f"CYPHER 5 CREATE INDEX {stem}_number_{names.mark} IF NOT EXISTS FOR (n:{label}) "
            f"ON (n.tenant, n.{names.number})"
        )
        yield (
            f"CYPHER 5 CREATE INDEX {stem}_text_{names.mark} IF NOT EXISTS FOR (n:{label}) "
            f"ON (n.{names.text})"
        )
        # Quantised, it would find 80 to 91 of 100 true neighbours.
        options = (
            f"OPTIONS {{indexConfig: {{`vector.dimensions`: {space.dimension:d}, "
            "`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}"
        )
        name = names.index(corpus, search_clause)
        made = f"CREATE VECTOR INDEX {name} IF NOT EXISTS FOR (n:{label})"
        if search_clause:
            yield f"CYPHER 25 {made} ON n.{names.vector} WITH [n.tenant] {options}"
        else:
            yield f"CYPHER 5 {made} ON (n.{names.vector}) {options}"


def make_indexes(create: Callable[[str], None], space: VectorSpace, *, search_clause: bool) -> None:
    """Make the indexes of a space that are not there yet."""
    for statement in index_statements(space, search_clause):
        create(statement)


def _recorded(mark: str) -> str:
    wanted = [f"t['{name}_' + {mark}]" for name in ("identity", "dimension", "generation", "count")]
    wanted += [optional(f"t['{up_to}_' + {mark}]") for up_to in UP_TO.values()]
    return f"CASE WHEN {mark} IS NULL THEN null ELSE [{', '.join(wanted)}] END"


def _of(found: list[Any] | None) -> Recorded | None:
    if found is None:
        return None
    identity, dimension, generation, count, *times = found
    complete = {
        corpus: BEGINNING if at is None else at for corpus, at in zip(UP_TO, times, strict=True)
    }
    return Recorded(VectorSpace(identity, dimension), generation, count, complete)
