"""A server that is stopped, killed and started again under a client that is at work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bitempo import StoreError
from bitempo.engine.store.neo4j import Options
from tests.conformance.telling import unused
from tests.durability.workload import Homes, lines, tell, uninterrupted
from tests.neo4j.conftest import Opening
from tests.servers.neo4j import own_neo4j_server
from tests.servers.running import Neo4jServer

pytestmark = pytest.mark.timeout(600)

ANSWER = 60.0
"""Seconds: a server that has just started on a busy machine may take long to answer."""


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    with own_neo4j_server(tmp_path_factory.mktemp("own")) as running:
        yield running


class InTheMiddle:
    """Does something when the n-th window is extracted."""

    def __init__(self, nth: int, work: Callable[[], None]) -> None:
        self._left = nth
        self._work = work

    def __call__(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._work()


def test_an_ingest_waits_for_a_killed_server_that_comes_back_and_goes_on(
    opened: Opening, own_server: Neo4jServer
) -> None:
    starting = threading.Thread(target=own_server.start)

    def restart() -> None:
        own_server.kill()
        # It starts while the client tries again and again to get through.
        starting.start()

    patient = Options(retry_time=300, connect_timeout=ANSWER)
    memory = opened(
        own_server.location, extractor=Homes(before=InTheMiddle(3, restart)), options=patient
    )
    tenant = memory.tenant(unused())
    tell(tenant)
    starting.join()
    assert sorted(lines(tenant)) == sorted(uninterrupted().end)


def test_an_ingest_whose_server_is_stopped_says_so_and_can_be_resumed(
    opened: Opening, own_server: Neo4jServer, tmp_path: Path
) -> None:
    calls = tmp_path / "calls"
    lose = InTheMiddle(2, own_server.stop)
    impatient = Options(retry_time=0, connect_timeout=ANSWER)
    memory = opened(own_server.location, extractor=Homes(calls, before=lose), options=impatient)
    tenant = memory.tenant(unused())
    try:
        with pytest.raises(StoreError, match="cannot be reached; check that the server runs"):
            tell(tenant)
        for use in (tenant.as_of, tenant.stats, lambda: tenant.assert_fact("Ana", "LIKES", "it")):
            with pytest.raises(StoreError, match="cannot be reached"):
                use()
    finally:
        own_server.start()
    # The same memory goes on; nothing has to be opened again.
    tenant.resume()
    tell(tenant)
    assert sorted(lines(tenant)) == sorted(uninterrupted().end)
    assert len(calls.read_text().split()) == 5


def test_a_read_after_a_restart_needs_no_new_memory(
    opened: Opening, own_server: Neo4jServer
) -> None:
    tenant = opened(own_server.location, options=Options(connect_timeout=ANSWER)).tenant(unused())
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01")
    before = tenant.as_of("Ana")
    own_server.restart()
    assert tenant.as_of("Ana") == before
