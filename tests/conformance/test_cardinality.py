"""How many values a predicate holds is decided once, and anew only when asked to."""

from __future__ import annotations

import pytest

from bitempo import Memory, PolicyError, PredicatePolicy, Tenant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh

A = ("a", "2024-01-01", "2024-06-01")
B = ("b", "2024-02-01", "2024-06-01")


def held(tenant: Tenant, known_at: str | None = None) -> list[tuple[object, str, str]]:
    return [
        (fact.answer, str(fact.valid_from)[:10], str(fact.valid_to)[:10])
        for fact in tenant.history("Ana", "KARMA", known_at=known_at)
    ]


def tell(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "KARMA", "a", valid_from="2024-01-01")
    tenant.assert_fact("Ana", "KARMA", "b", valid_from="2024-02-01")
    tenant.assert_fact("Ana", "KARMA", polarity="-", valid_from="2024-06-01")


def test_an_unknown_predicate_holds_many_values_and_a_whole_slot_negative_ends_each(
    tenant: Tenant,
) -> None:
    tell(tenant)
    assert held(tenant) == [A, B]


def test_deciding_for_one_value_derives_the_facts_anew_and_keeps_the_old_belief(
    tenant: Tenant, clock: FixedClock
) -> None:
    tell(tenant)
    clock.set("2030-02-01")
    tenant.set_cardinality("karma", "one")
    assert held(tenant) == [("a", "2024-01-01", "2024-02-01"), B]
    assert held(tenant, known_at="2030-01-15") == [A, B]


def test_deciding_back_gives_the_first_facts_again(tenant: Tenant) -> None:
    tell(tenant)
    tenant.set_cardinality("KARMA", "one")
    tenant.set_cardinality("KARMA", "many")
    assert held(tenant) == [A, B]
    tenant.assert_fact("Ana", "KARMA", "c", valid_from="2024-03-01")
    assert held(tenant) == [A, B, ("c", "2024-03-01", "2024-06-01")]


def test_deciding_the_same_again_changes_nothing(tenant: Tenant) -> None:
    tell(tenant)
    before = tenant.stats()
    assert tenant.set_cardinality("KARMA", "many").tx is None
    assert tenant.stats() == before


def test_a_policy_that_differs_from_the_record_is_refused_until_the_record_is_changed(
    open_memory: Opener, location: str, clock: FixedClock
) -> None:
    name = fresh(first := open_memory(location, clock=clock)).name
    tell(first.tenant(name))
    policy = PredicatePolicy.default().with_single("KARMA")
    second: Memory = open_memory(location, clock=clock, policy=policy)
    tenant = second.tenant(name)
    with pytest.raises(PolicyError, match="set_cardinality"):
        tenant.assert_fact("Ana", "KARMA", "c", valid_from="2024-03-01")
    assert held(tenant) == [A, B]
    tenant.set_cardinality("KARMA", "one")
    tenant.assert_fact("Ana", "KARMA", "c", valid_from="2024-03-01")
    assert held(tenant)[-1] == ("c", "2024-03-01", "2024-06-01")
