"""The server's vector index finds a tenant's true neighbours, however small its share is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
import pytest

from bitempo import Memory, Statement, Tenant
from bitempo.engine.embedding import Matrix, normalised
from bitempo.engine.store.neo4j import spaces
from bitempo.engine.store.port import Corpus
from bitempo.engine.store.vector_port import VectorSpace
from bitempo.testing import HashingEmbedder
from tests.conformance.telling import fresh
from tests.servers.running import Neo4jServer

NOW = 2**60
SIZES = (400, 40)
QUESTIONS = 20


class Clustered(HashingEmbedder):
    """Vectors in clusters, as those of texts are, and no two alike."""

    def __init__(self) -> None:
        super().__init__(48, name="clustered")
        self._centres = np.random.default_rng(7).standard_normal((20, 48))

    def embed(self, texts: Sequence[str]) -> Matrix:
        return normalised(np.array([self._row(text) for text in texts]).reshape(len(texts), 48))

    def _row(self, text: str) -> np.ndarray:
        seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
        drawn = np.random.default_rng(seed)
        row: np.ndarray = self._centres[drawn.integers(20)] + 0.7 * drawn.standard_normal(48)
        return row


@pytest.fixture
def by_index(server: Neo4jServer) -> Iterator[Memory]:
    """A memory that asks the server's index, whatever the size of a tenant."""
    separator = "&" if "?" in server.location else "?"
    location = f"{server.location}{separator}exact_vectors=0"
    with Memory.open(location, embedder=Clustered()) as memory:
        yield memory


def noted(memory: Memory, size: int) -> Tenant:
    tenant = fresh(memory)
    tenant.assert_facts([Statement("Ana", "NOTES", value=f"note {n}") for n in range(size)])
    return tenant


def nearest(tenant: Tenant, question: str, known_at: int = NOW) -> list[str]:
    vector = Clustered().embed([question])[0]
    with tenant._store.read(tenant.name) as reader:
        found = reader.nearest(Corpus.ASSERTIONS, vector, known_at=known_at, limit=10)
    similarities = [item.similarity for item in found]
    assert similarities == sorted(similarities, reverse=True)
    assert -1.001 <= min(similarities, default=0) <= max(similarities, default=0) <= 1.001
    return [item.id for item in found]


def test_the_index_finds_what_an_exact_scan_finds(by_index: Memory, server: Neo4jServer) -> None:
    tenants = [noted(by_index, size) for size in SIZES]
    with Memory.open(server.location, embedder=Clustered()) as exact:
        for tenant in tenants:
            same = exact.tenant(tenant.name)
            found = [
                len(set(nearest(tenant, f"question {n}")) & set(nearest(same, f"question {n}")))
                for n in range(QUESTIONS)
            ]
            assert sum(found) >= 0.98 * 10 * QUESTIONS


def test_the_index_sees_what_was_known_then(by_index: Memory) -> None:
    tenant = fresh(by_index)
    first = [Statement("Ana", "NOTES", value=f"early {number}") for number in range(5)]
    early = set(tenant.assert_facts(first).assertion_ids)
    known = tenant.stats().last_tx or 0
    tenant.assert_facts([Statement("Ana", "NOTES", value=f"late {n}") for n in range(300)])
    tenant.retract(sorted(early)[0])
    assert set(nearest(tenant, "question", known)) == early
    assert sorted(early)[0] not in nearest(tenant, "question")
    assert nearest(tenant, "question", known - 1) == []


def test_the_syntax_of_the_index_is_that_of_the_servers_version() -> None:
    space = VectorSpace("model/1", 8)
    older, newer = (
        [line for line in spaces.index_statements(space, clause) if "VECTOR" in line]
        for clause in (False, True)
    )
    assert all(line.startswith("CYPHER 5 ") and "WITH [" not in line for line in older)
    assert all(line.startswith("CYPHER 25 ") and "WITH [n.tenant]" in line for line in newer)
    assert len(older) == len(newer) == 2
    assert (5, 26) < spaces.SEARCH_CLAUSE <= (2026, 9)
