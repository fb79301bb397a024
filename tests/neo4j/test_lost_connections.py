"""A connection that is lost anywhere leaves nothing half done and nothing done twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import pytest

from bitempo import Memory, Statement, StoreError, Tenant
from bitempo.engine.store.neo4j import Options
from bitempo.engine.store.port import InboxWindow
from tests.conformance.telling import fresh, instant, unused
from tests.durability.workload import TENANT, lines, tell, uninterrupted
from tests.neo4j.conftest import Opening
from tests.neo4j.wire import Loss, Wire
from tests.neo4j.workload import open_memory
from tests.servers.running import Neo4jServer

STATEMENTS = [
    Statement("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01"),
    Statement("Ana", "LIVES_IN", "Oslo", valid_from="2024-03-01"),
    Statement("Bo", "KNOWS", "Ana"),
]
PATIENT = Options(connect_timeout=60)
"""A busy machine may answer late; that is no loss of the connection."""

PERSISTENT = Options(connect_timeout=60, retry_time=300)
"""For a line that is lost again and again, where each attempt may take long."""

STEPS = 10
"""How many the import of the workload takes, between a first commit and a last one."""

AT_COMMIT = [Loss(commit=1), Loss(commit=1, delivered=True)]


@pytest.fixture
def wire(server: Neo4jServer) -> Iterator[Wire]:
    with Wire(server.location) as between:
        yield between


@pytest.fixture
def far(opened: Opening, wire: Wire) -> Memory:
    """A memory behind the wire."""
    return opened(wire.location, options=PATIENT)


def write(tenant: Tenant) -> dict[str, object]:
    return asdict(tenant.assert_facts(STATEMENTS, episode="E1", occurred_at="2024-02-01"))


def holds_the_write_once(tenant: Tenant, written: dict[str, object]) -> None:
    """What was written is there once, and is what the call said."""
    stats = tenant.stats()
    assert (stats.episodes, stats.assertions, stats.fact_versions) == (1, 3, 3)
    assert stats.transactions == 1
    facts = [*tenant.history("Ana"), *tenant.history("Bo")]
    assert sorted(fact.id for fact in facts) == sorted(written["facts_opened"])  # type: ignore[call-overload]
    assert {fact.tx_from for fact in facts} == {written["tx"]}
    assert [entity.name for entity in tenant.entities("Ana")] == ["Ana"]


@pytest.mark.parametrize("loss", AT_COMMIT, ids=["not delivered", "delivered"])
def test_a_commit_whose_answer_is_lost_is_applied_once_and_told_as_it_was(
    memory: Memory, far: Memory, wire: Wire, loss: Loss
) -> None:
    name = unused()
    wire.lose(loss)
    written = write(far.tenant(name))
    assert wire.lost == 1
    near = memory.tenant(name)
    holds_the_write_once(near, written)
    usual = write(fresh(memory))
    assert {**written, "episode": None} == {**usual, "episode": None}
    assert write(far.tenant(name))["tx"] is None


def test_commits_that_are_lost_again_and_again_are_applied_once(
    memory: Memory, far: Memory, wire: Wire
) -> None:
    name = unused()
    wire.lose(Loss(commit=1), Loss(commit=1), Loss(commit=1, delivered=True))
    written = write(far.tenant(name))
    assert wire.lost == 3
    holds_the_write_once(memory.tenant(name), written)


def test_a_commit_that_never_gets_through_says_that_it_may_be_there(
    memory: Memory, far: Memory, wire: Wire
) -> None:
    name = unused()
    wire.lose(*[Loss(commit=1, delivered=True)] + [Loss(commit=1)] * 20)
    tenant = far.tenant(name)
    # The first got through, so a later attempt finds it and has nothing to commit.
    holds_the_write_once(memory.tenant(name), write(tenant))
    wire.lose(*[Loss(commit=1)] * 20)
    with pytest.raises(StoreError, match="do the same again"):
        tenant.retract(episode="E1")
    assert memory.tenant(name).stats().retracted == 0
    wire.lose()
    assert len(tenant.retract(episode="E1").retracted) == 3


def test_a_retraction_and_a_change_of_cardinality_are_told_right_too(
    memory: Memory, far: Memory, wire: Wire
) -> None:
    name = unused()
    tenant = far.tenant(name)
    write(tenant)
    wire.lose(Loss(commit=1, delivered=True))
    retracted = tenant.retract(episode="E1")
    assert len(retracted.retracted) == len(retracted.facts_closed) == 3
    assert retracted.tx is not None
    wire.lose(Loss(commit=1, delivered=True))
    recast = tenant.set_cardinality("KNOWS", "one")
    stats = memory.tenant(name).stats()
    assert (stats.transactions, stats.last_tx) == (3, instant(recast.tx))


@pytest.mark.parametrize("part", [0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99])
def test_a_connection_lost_after_any_number_of_bytes_changes_nothing_in_the_end(
    memory: Memory, far: Memory, wire: Wire, part: float
) -> None:
    wire.lose()
    write(fresh(far))
    sent = wire.bytes
    name = unused()
    wire.lose(Loss(after_bytes=max(1, int(part * sent))))
    written = write(far.tenant(name))
    assert wire.lost == 1
    holds_the_write_once(memory.tenant(name), written)


def test_an_ingest_over_a_line_that_breaks_at_every_commit_ends_as_on_a_good_one(
    server: Neo4jServer, memory: Memory
) -> None:
    name = unused()
    losses = [Loss(commit=2, delivered=bool(number % 2)) for number in range(12)]
    with (
        Wire(server.location, *losses) as wire,
        open_memory(wire.location, options=PERSISTENT) as far,
    ):
        tell(far.tenant(name))
        assert wire.lost > 6
    assert sorted(lines(memory.tenant(name))) == sorted(lines_of_uninterrupted())


def test_an_ingest_over_a_line_that_breaks_after_some_bytes_ends_as_on_a_good_one(
    server: Neo4jServer, memory: Memory
) -> None:
    name = unused()
    losses = [Loss(after_bytes=9_001 + 911 * number) for number in range(4)]
    with (
        Wire(server.location, *losses) as wire,
        open_memory(wire.location, options=PERSISTENT) as far,
    ):
        tell(far.tenant(name))
        assert wire.lost == 4
    assert sorted(lines(memory.tenant(name))) == sorted(lines_of_uninterrupted())


def test_a_failure_is_counted_once_though_its_commit_was_told_twice(
    memory: Memory, far: Memory, wire: Wire
) -> None:
    name = unused()
    inbox = far._store.inbox(name)
    wire.lose(Loss(commit=1, delivered=True))
    inbox.put([InboxWindow("w", "s", "{}", 0)])
    for attempts in (1, 2):
        wire.lose(Loss(commit=1, delivered=True))
        inbox.fail("w", "no answer")
        assert memory._store.inbox(name).get(["w"])["w"].attempts == attempts
    assert [window.id for window in inbox.pending()] == ["w"]


@pytest.mark.parametrize("delivered", [False, True], ids=["not delivered", "delivered"])
@pytest.mark.parametrize("commit", [1, 2, 6, STEPS, STEPS + 2])
def test_an_import_whose_commit_is_lost_is_there_once(
    memory: Memory, far: Memory, wire: Wire, commit: int, delivered: bool
) -> None:
    exported = lines_of_uninterrupted()
    name = unused()
    wire.lose(Loss(commit=commit, delivered=delivered))
    assert far.tenant(name).import_(exported) == len(exported) - 2
    assert wire.lost == 1
    assert sorted(lines(memory.tenant(name))) == sorted(exported)


@pytest.mark.parametrize("bytes", [1, 400, 900])
def test_a_read_goes_on_over_a_new_connection(
    memory: Memory, far: Memory, wire: Wire, bytes: int
) -> None:
    tenant = far.tenant(unused())
    write(tenant)
    expected = memory.tenant(tenant.name).recall("where does Ana live?")
    wire.lose(Loss(after_bytes=bytes))
    found = tenant.recall("where does Ana live?")
    assert wire.lost == 1
    assert found.receipt == expected.receipt
    assert found.items


_end: list[str] = []


def lines_of_uninterrupted() -> list[str]:
    """All that a run which nothing stopped holds at its end."""
    if not _end:
        _end.extend(uninterrupted().end)
    assert TENANT not in "".join(_end)
    return _end
