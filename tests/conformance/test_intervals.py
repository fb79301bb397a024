"""When facts hold, what their ends come from and how sure they are, and how they lie to others."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import (
    Bound,
    Fact,
    InvalidInputError,
    NotFoundError,
    Origin,
    Relation,
    Statement,
    Tenant,
    relation,
)
from bitempo.engine.time import BEGINNING, FOREVER, Instant, parse_instant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.model import Told
from tests.conformance.telling import SLOTS, batches, fresh, moment, tell

UNBOUNDED = {BEGINNING: "-inf", FOREVER: "inf"}


def shown(bound: Bound) -> tuple[str, str, str, str]:
    return (str(bound.origin), *(day(one) for one in (bound.at, bound.earliest, bound.latest)))


def day(at: Instant) -> str:
    return UNBOUNDED[at] if at in UNBOUNDED else str(moment(at))[:10]


def ends(tenant: Tenant, *asked: Any, **when: Any) -> list[tuple[Any, ...]]:
    """Each interval as (value, start, end)."""
    return [
        (one.fact.answer, shown(one.start), shown(one.end)) for one in tenant.when(*asked, **when)
    ]


def test_a_stated_end_is_as_sure_as_its_unit(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "PLAYS", "go", valid_from="2019", valid_to="2021-06-01")
    tenant.assert_fact("Ana", "PLAYS", "chess", valid_from="2019-05-03T10:00Z")
    tenant.assert_fact("Ana", "PLAYS", "tennis", valid_from=None, valid_to="2020-01-01")
    assert ends(tenant, "Ana", "PLAYS") == [
        ("tennis", ("open", "-inf", "-inf", "-inf"), ("stated", *["2020-01-01"] * 3)),
        (
            "go",
            ("stated", "2019-01-01", "2019-01-01", "2019-12-31"),
            ("stated", "2021-06-01", "2020-05-31", "2021-06-01"),
        ),
        ("chess", ("stated", *["2019-05-03"] * 3), ("open", "inf", "inf", "inf")),
    ]


def test_what_nobody_dated_began_at_the_latest_when_it_was_said(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", occurred_at="2024-01-10")
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-03")
    tenant.assert_fact("Ana", "LIVES_IN", "Rome", occurred_at="2024-06-01")
    assert ends(tenant, "Ana", "LIVES_IN") == [
        (
            "Lima",
            ("inferred", "2024-01-10", "-inf", "2024-01-10"),
            ("superseded", "2024-03-01", "2024-03-01", "2024-03-31"),
        ),
        (
            "Oslo",
            ("stated", "2024-03-01", "2024-03-01", "2024-03-31"),
            ("superseded", "2024-06-01", "2024-03-01", "2024-06-01"),
        ),
        ("Rome", ("inferred", "2024-06-01", "-inf", "2024-06-01"), ("open", "inf", "inf", "inf")),
    ]


def test_what_resumes_and_what_is_denied_is_told_from_what_was_stated(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2020-01-01")
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2021-01-01", valid_to="2022-01-01")
    tenant.assert_fact("Ana", "LIVES_IN", valid_from="2023-01-01", polarity="-")
    assert ends(tenant, "Ana", "LIVES_IN") == [
        (
            "Lima",
            ("stated", *["2020-01-01"] * 3),
            ("superseded", *["2021-01-01"] * 3),
        ),
        (
            "Oslo",
            ("stated", *["2021-01-01"] * 3),
            ("stated", "2022-01-01", "2021-12-31", "2022-01-01"),
        ),
        (
            "Lima",
            ("resumed", "2022-01-01", "2021-12-31", "2022-01-01"),
            ("denied", "2023-01-01", "2022-01-01", "2023-01-01"),
        ),
    ]


@given(told=st.lists(batches(), min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_each_end_lies_between_its_bounds_and_every_fact_has_both(
    open_memory: Opener, told: list[list[Told]]
) -> None:
    tenant = fresh(open_memory(clock=FixedClock("2030-01-01")))
    for number, batch in enumerate(told):
        tell(tenant, f"E{number}", batch)
    for subject, predicate in SLOTS:
        found = tenant.when(subject, predicate)
        assert [one.fact for one in found] == tenant.history(subject, predicate)
        for one in found:
            assert (one.start.at, one.end.at) == (one.fact.valid.start, one.fact.valid.end)
            for bound in (one.start, one.end):
                assert bound.earliest <= bound.at <= bound.latest
            assert (one.start.origin is Origin.OPEN) == (one.start.at == BEGINNING)
            assert (one.end.origin is Origin.OPEN) == (one.end.at == FOREVER)
            assert one.inner is None or (
                one.outer.start <= one.inner.start and one.inner.end <= one.outer.end
            )


def test_it_is_asked_of_one_fact_or_of_a_value_too(tenant: Tenant, clock: FixedClock) -> None:
    tenant.assert_facts(
        [
            Statement("Ana", "LIVES_IN", "Lima", valid_from="2020"),
            Statement("Ana", "AGE", value=34, valid_from="2021"),
            Statement("Ana", "AGE", value=35, valid_from="2022"),
            Statement("Ana", "STATES", value="I swim.", text="I swim.", cardinality="many"),
        ]
    )
    known = clock.now()
    [lima] = tenant.as_of("Ana", "LIVES_IN")
    clock.advance(timedelta(hours=1))
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024")
    assert [one.fact.answer for one in tenant.when("Ana")] == ["Lima", 34, 35, "Oslo"]
    assert [one.fact.answer for one in tenant.when("Ana", "AGE", 35)] == [35]
    assert [one.fact.answer for one in tenant.when("Ana", "AGE", "35")] == [35]
    assert [one.fact.answer for one in tenant.when("Ana", object="lima")] == ["Lima"]
    assert [one.end.origin for one in tenant.when("Ana", object="Lima")] == [Origin.SUPERSEDED]
    # The version that was given up holds as it was believed.
    for asked in (lima, lima.id):
        assert [one.end.origin for one in tenant.when(asked)] == [Origin.OPEN]
    then = tenant.when("Ana", "LIVES_IN", known_at=moment(known + 60_000_000))
    assert [one.end.origin for one in then] == [Origin.OPEN]
    with pytest.raises(NotFoundError):
        tenant.when("fact_" + "0" * 24)
    with pytest.raises(InvalidInputError, match="alone"):
        tenant.when(lima, "LIVES_IN")


def texts(facts: Iterable[Fact]) -> list[str]:
    return [fact.text for fact in facts]


def test_facts_are_found_by_how_they_lie_to_another(tenant: Tenant) -> None:
    tenant.assert_facts(
        [
            Statement("Ana", "LIVES_IN", "Lima", valid_from="2010", valid_to="2015"),
            Statement("Ana", "LIVES_IN", "Oslo", valid_from="2015", valid_to="2020"),
            Statement("Ana", "PLAYS", "go", valid_from="2016", valid_to="2018"),
            Statement("Ana", "PLAYS", "chess", valid_from="2012", valid_to="2017"),
            Statement("Bo", "PLAYS", "go", valid_from="2016", valid_to="2017"),
        ]
    )
    [oslo] = tenant.as_of("Ana", "LIVES_IN", valid_at="2016")
    assert texts(tenant.related(oslo, "during")) == ["Ana plays go"]
    assert texts(tenant.related(oslo.id, ["meets", Relation.OVERLAPS])) == [
        "Ana lives in Lima",
        "Ana plays chess",
    ]
    assert texts(tenant.related(oslo, "during", subject="Bo")) == ["Bo plays go"]
    assert tenant.related(oslo, "during", predicate="LIVES_IN") == []
    assert tenant.related(oslo, "equals") == []
    for other in tenant.history("Ana", "PLAYS"):
        assert tenant.relation(other, oslo.id) is relation(other.valid, oslo.valid)
        assert tenant.relation(oslo, other) is tenant.relation(other, oslo).converse
    with pytest.raises(InvalidInputError, match="'during'"):
        tenant.related(oslo, "within")
    with pytest.raises(NotFoundError):
        tenant.relation(oslo, "fact_" + "0" * 24)
    with pytest.raises(NotFoundError):
        tenant.relation(oslo, oslo, known_at=moment(parse_instant("2000-01-01")))
