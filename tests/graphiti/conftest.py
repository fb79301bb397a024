"""A Neo4j server, and Graphiti graphs on it that Graphiti's own classes wrote."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator

import pytest

from bitempo import Memory
from bitempo.testing import FixedClock
from tests.graphiti.graph import Graph, tell
from tests.servers.neo4j import neo4j_server
from tests.servers.running import Neo4jServer


@pytest.fixture(scope="session")
def server() -> Iterator[Neo4jServer]:
    """The server that both graphs live on."""
    for noisy in ("neo4j", "graphiti_core"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    with neo4j_server() as running:
        yield running


@pytest.fixture(scope="session")
def told(server: Neo4jServer) -> Iterator[Graph]:
    """Two groups that `add_episode` has written; tests leave them as they are."""
    graph = Graph(server, _unique("told"), _unique("other"))
    tell(graph)
    yield graph
    graph.remove()


@pytest.fixture
def graph(server: Neo4jServer) -> Iterator[Graph]:
    """Two groups with nothing in them."""
    graph = Graph(server, _unique("graph"), _unique("other"))
    yield graph
    graph.remove()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock("2025-01-01")


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    with Memory.open(":memory:", clock=clock) as memory:
        yield memory


def _unique(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:12]}"
