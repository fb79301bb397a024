"""An import is seen whole or not at all, wherever it stops, and however large it is."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from bitempo import Memory, StoreBusyError, Tenant, TenantNotEmptyError
from bitempo.engine.store.neo4j import loading
from bitempo.engine.store.port import Stats
from tests.conformance.telling import fresh, unused
from tests.durability.workload import lines, sessions, uninterrupted
from tests.neo4j.wire import Loss, Wire
from tests.neo4j.workload import open_memory, start
from tests.servers.running import Neo4jServer


@pytest.fixture(scope="module")
def exported() -> list[str]:
    return uninterrupted().end


@pytest.mark.parametrize("commit", [2, 5, 9, 12])
def test_a_killed_import_is_not_seen_and_the_next_one_takes_its_place(
    server: Neo4jServer, memory: Memory, exported: list[str], commit: int
) -> None:
    tenant = memory.tenant(unused())
    with Wire(server.location) as wire:
        process = start(wire.location, "importing", tenant.name)
        wire.lose(Loss(commit=commit, then=process.kill))
        complaint = process.communicate()[1]
        assert (process.returncode, wire.lost) == (-signal.SIGKILL, 1), complaint
    check_empty(tenant)
    for write in (
        lambda: tenant.assert_fact("Ana", "KNOWS", "Bo"),
        lambda: tenant.ingest(sessions()),
        lambda: tenant.retract(episode="E1"),
    ):
        with pytest.raises(StoreBusyError, match="import again"):
            write()
    assert tenant.import_(exported) == len(exported) - 2  # the first line and the last
    assert sorted(lines(tenant)) == sorted(exported)
    assert nodes_of(server, tenant) == nodes_of(server, imported(memory, exported))
    assert tenant.assert_fact("Ana", "KNOWS", "Bo").tx is not None


def test_an_import_that_fails_leaves_nothing_and_the_tenant_can_be_used(
    server: Neo4jServer, exported: list[str]
) -> None:
    class FullError(Exception):
        pass

    def fail(statement: str, parameters: Any) -> None:
        if armed and "BitempoFact" in statement and "rows0" in parameters:
            raise FullError

    armed = True
    with open_memory(server.location, observer=fail) as memory:
        tenant = fresh(memory)
        with pytest.raises(FullError):
            tenant.import_(exported)
        armed = False
        check_empty(tenant)
        assert nodes_of(server, tenant) == {}
        assert tenant.assert_fact("Ana", "KNOWS", "Bo").tx is not None
        with pytest.raises(TenantNotEmptyError):
            tenant.import_(exported)


def test_nothing_of_an_import_is_seen_before_it_is_done(
    server: Neo4jServer, memory: Memory, exported: list[str]
) -> None:
    seen = 0

    def look(_: str, parameters: Any) -> None:
        nonlocal seen
        if "rows0" in parameters:
            check_empty(memory.tenant(name))
            seen += 1

    name = unused()
    with open_memory(server.location, observer=look) as importing:
        importing.tenant(name).import_(exported)
    assert seen > 8
    assert sorted(lines(memory.tenant(name))) == sorted(exported)


def test_of_two_imports_at_once_one_gives_way(
    server: Neo4jServer, memory: Memory, exported: list[str]
) -> None:
    def overtake(statement: str, _: Any) -> None:
        nonlocal locked
        # Each step locks the tenant first, so here no lock is held yet.
        locked += "MERGE (t:BitempoTenant" in statement
        if locked == 6:
            locked += 1
            memory.tenant(name).import_(exported)

    locked, name = 0, unused()
    with (
        open_memory(server.location, observer=overtake) as slower,
        pytest.raises(StoreBusyError, match="another import"),
    ):
        slower.tenant(name).import_(exported)
    assert sorted(lines(memory.tenant(name))) == sorted(exported)


def test_an_import_of_many_steps_is_the_same(
    memory: Memory, exported: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "BATCH", 7)
    tenant = imported(memory, exported)
    assert sorted(lines(tenant)) == sorted(exported)
    assert set(tenant.stats().inbox) == {"applied"}


def imported(memory: Memory, exported: list[str]) -> Tenant:
    tenant = fresh(memory)
    tenant.import_(exported)
    return tenant


def check_empty(tenant: Tenant) -> None:
    """As a tenant that was never written to."""
    assert tenant.stats() == Stats()
    assert tenant.as_of() == tenant.history("Ana", versions=True) == tenant.entities() == []
    assert tenant.entities("Ana") == []
    assert tenant.recall("where does Ana live?").items == ()
    assert len(lines(tenant)) == 2  # the first line and the last
    with tenant._store.read(tenant.name) as reader:
        assert reader.predicates() == []
        assert reader.last_tx() is None


def nodes_of(server: Neo4jServer, tenant: Tenant) -> dict[str, int]:
    """How many nodes of each label there are, but for the tenant itself."""
    with server.driver() as driver:
        found = driver.execute_query(
            "MATCH (n) WHERE n.tenant = $tenant RETURN labels(n)[0] AS label, count(n) AS nodes",
            tenant=tenant.name,
        ).records
    return {record["label"]: record["nodes"] for record in found}
