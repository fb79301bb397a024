"""Transaction time is the store's: one per commit, strictly increasing, whatever the clock says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import Memory, Tenant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh, instant, moment

MICROSECOND = timedelta(microseconds=1)


@settings(max_examples=20, deadline=None)
@given(steps=st.lists(st.integers(-3, 3), min_size=2, max_size=10))
def test_every_write_is_later_than_the_one_before(open_memory: Opener, steps: list[int]) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        tenant = fresh(memory)
        last = None
        for number, step in enumerate(steps):
            clock.advance(timedelta(seconds=step))
            tx = tenant.assert_fact("Ana", "PLAYS", f"game {number}").tx
            assert instant(tx) >= clock.now()
            assert last is None or instant(tx) == max(clock.now(), last + 1)
            last = instant(tx)


def test_all_of_one_commit_carries_one_time(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01", episode="E1")
    written = tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-03-01")
    versions = {fact.id: fact for fact in tenant.history("Ana", "LIVES_IN", versions=True)}
    assert written.facts_opened
    assert written.facts_closed
    assert {versions[id].tx_from for id in written.facts_opened} == {written.tx}
    assert {versions[id].tx_to for id in written.facts_closed} == {written.tx}


def test_a_version_that_is_still_right_is_left_alone(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01", valid_to="2024-02-01")
    [lima] = tenant.history("Ana", "LIVES_IN")
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-03-01")
    assert tenant.history("Ana", "LIVES_IN")[0].id == lima.id


def test_now_includes_the_last_commit_though_the_clock_stands_still(
    tenant: Tenant, clock: FixedClock
) -> None:
    for number in range(3):
        tenant.assert_fact("Ana", "PLAYS", f"game {number}", valid_from="2024-01-01")
    assert len(tenant.as_of("Ana", "PLAYS")) == 3
    clock.set("2029-01-01")
    assert len(tenant.as_of("Ana", "PLAYS")) == 3


def test_a_fact_is_known_from_its_transaction_time_on_and_not_before(tenant: Tenant) -> None:
    written = tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01")
    assert written.tx is not None
    assert tenant.as_of("Ana", known_at=written.tx - MICROSECOND) == []
    assert len(tenant.as_of("Ana", known_at=written.tx)) == 1


def test_retracting_ends_belief_at_its_transaction_time(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01", episode="E1")
    gone = tenant.retract(episode="E1").tx
    assert gone is not None
    assert len(tenant.as_of("Ana", known_at=gone - MICROSECOND)) == 1
    assert tenant.as_of("Ana", known_at=gone) == []


def test_transaction_times_go_on_in_a_memory_opened_again(
    open_memory: Opener, location: str
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(location, clock=clock) as memory:
        tenant = fresh(memory)
        first = tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01").tx
    clock.set("2029-01-01")
    with open_memory(location, clock=clock) as memory:
        tenant = memory.tenant(tenant.name)
        second = tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-02-01").tx
        assert instant(second) == instant(first) + 1
        values = [fact.answer for fact in tenant.history("Ana", "LIVES_IN")]
        assert values == ["Lima", "Oslo"]


def test_tenants_do_not_share_their_times(memory: Memory) -> None:
    one, other = fresh(memory), fresh(memory)
    first = one.assert_fact("Ana", "LIVES_IN", "Lima").tx
    assert other.assert_fact("Ana", "LIVES_IN", "Lima").tx == first


def test_reading_uses_no_transaction_time(tenant: Tenant, clock: FixedClock) -> None:
    first = tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01").tx
    clock.advance(-timedelta(days=1))
    [fact] = tenant.as_of("Ana")
    tenant.history("Ana", versions=True)
    tenant.why(fact)
    tenant.diff("2024-01-01")
    tenant.recall("where does Ana live?")
    tenant.stats()
    assert tenant.assert_fact("Ana", "PLAYS", "go").tx == moment(instant(first) + 1)


def test_stats_name_the_first_and_the_last_time(tenant: Tenant, clock: FixedClock) -> None:
    first = tenant.assert_fact("Ana", "LIVES_IN", "Lima").tx
    clock.set("2030-02-01")
    tenant.assert_fact("Ana", "PLAYS", "go")
    stats = tenant.stats()
    assert (stats.first_tx, stats.last_tx) == (
        instant(first),
        instant(datetime(2030, 2, 1, tzinfo=UTC)),
    )
    assert stats.transactions == 2
