"""A tenant sees, closes and counts nothing of another, whatever names and ids they share."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import Memory, NotFoundError, Tenant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.model import Told
from tests.conformance.telling import batches, fresh, grid, moment, tell
from tests.conformance.telling import day as day_of

steps = st.lists(st.tuples(st.booleans(), batches(2), st.booleans()), min_size=1, max_size=6)
MINUTE = timedelta(minutes=1)


def everything(tenant: Tenant) -> list[str]:
    """All that the tenant holds, transaction times included."""
    return list(tenant.export())


def do(tenant: Tenant, number: int, told: list[Told], retract: bool) -> None:
    tell(tenant, f"E{number}", told)
    if retract:
        tenant.retract(episode=f"E{number}")


@settings(max_examples=25, deadline=None)
@given(steps=steps)
def test_a_tenant_among_others_holds_exactly_what_it_would_hold_alone(
    open_memory: Opener, steps: list[tuple[bool, list[Told], bool]]
) -> None:
    shared_clock, alone_clock = FixedClock("2030-01-01"), FixedClock("2030-01-01")
    with open_memory(clock=shared_clock) as memory, open_memory(clock=alone_clock) as other:
        ours, theirs, alone = fresh(memory), fresh(memory), fresh(other)
        for number, (is_ours, told, retract) in enumerate(steps):
            do(ours if is_ours else theirs, number, told, retract)
            if is_ours:
                do(alone, number, told, retract)
            shared_clock.advance(MINUTE)
            alone_clock.advance(MINUTE)
        assert everything(ours) == everything(alone)
        assert ours.stats() == alone.stats()
        assert ours.entities() == alone.entities()
        assert grid(ours) == grid(alone)


@pytest.fixture
def pair(memory: Memory) -> tuple[Tenant, Tenant]:
    """Two tenants of one memory; the first has been told something."""
    ours, theirs = fresh(memory), fresh(memory)
    ours.assert_fact("Ana", "LIVES_IN", "Lima", valid_from=moment(day_of(1)), episode="E1")
    return ours, theirs


def test_an_unused_tenant_is_empty(pair: tuple[Tenant, Tenant]) -> None:
    _, theirs = pair
    assert theirs.as_of() == []
    assert theirs.as_of("Ana") == []
    assert theirs.history("Ana", versions=True) == []
    assert theirs.entities() == theirs.entities("Ana") == []
    assert theirs.stats().assertions == theirs.stats().facts == theirs.stats().episodes == 0
    assert theirs.recall("where does Ana live?").items == ()


def test_another_tenants_ids_name_nothing(pair: tuple[Tenant, Tenant]) -> None:
    ours, theirs = pair
    [fact] = ours.as_of()
    before = everything(ours)
    attempts: list[Any] = [
        lambda: theirs.retract(fact.support[0]),
        lambda: theirs.retract(episode="E1"),
        lambda: theirs.why(fact),
        lambda: theirs.assert_fact("Ana", "LIVES_IN", "Oslo", corrects=fact.support[0]),
    ]
    for attempt in attempts:
        with pytest.raises(NotFoundError):
            attempt()
    assert theirs.as_of(fact.subject) == []
    assert everything(ours) == before
    assert theirs.stats().assertions == 0


def test_one_episode_id_means_another_episode_in_another_tenant(
    pair: tuple[Tenant, Tenant],
) -> None:
    ours, theirs = pair
    theirs.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from=moment(day_of(1)), episode="E1")
    theirs.retract(episode="E1")
    assert [fact.answer for fact in ours.as_of("Ana", "LIVES_IN")] == ["Lima"]
    assert theirs.as_of("Ana", "LIVES_IN") == []


def test_names_of_tenants_are_compared_exactly(memory: Memory) -> None:
    name = fresh(memory).name
    memory.tenant(name).assert_fact("Ana", "LIVES_IN", "Lima")
    for other in (name.upper(), name + " ", name[:-1], name + "'; --", name + "%"):
        assert memory.tenant(other).stats().assertions == 0
    assert memory.tenant(name).stats().assertions == 1
