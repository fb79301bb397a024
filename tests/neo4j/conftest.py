"""A real server that all tests share, memories on it, and tenants that nobody has used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from bitempo import Memory, Tenant
from tests.conformance.telling import fresh
from tests.neo4j.workload import open_memory
from tests.servers.neo4j import neo4j_server
from tests.servers.running import Neo4jServer

Opening = Callable[..., Memory]


@pytest.fixture(scope="session")
def server() -> Iterator[Neo4jServer]:
    """The shared server; it must not be stopped."""
    with neo4j_server() as running:
        yield running


@pytest.fixture
def opened(server: Neo4jServer) -> Iterator[Opening]:
    """Opens memories, on the server or at another location, and closes them after the test."""
    with ExitStack() as closing:

        def open_one(location: str | None = None, **options: Any) -> Memory:
            memory = open_memory(server.location if location is None else location, **options)
            closing.callback(memory.close)
            return memory

        yield open_one


@pytest.fixture
def memory(opened: Opening) -> Memory:
    """A memory whose clock stands still."""
    return opened()


@pytest.fixture
def tenant(memory: Memory) -> Tenant:
    """A tenant that holds nothing."""
    return fresh(memory)
