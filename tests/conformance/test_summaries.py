"""Counts, firsts, lasts and durations, each with the facts and the turns that it comes from."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import InvalidTimeError, Statement, Tenant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.model import Told
from tests.conformance.telling import DAYS, SLOTS, answers, batches, day, fresh, moment, tell

YEAR = timedelta(days=365)


@pytest.fixture
def told(tenant: Tenant) -> Tenant:
    """A tenant that knows two jobs that overlap, a gap, and one that goes on."""
    for episode, *job in (
        ("E1", "Acme", "2010-01-01T00:00Z", "2012-01-01T00:00Z"),
        ("E2", "Beta", "2011-01-01T00:00Z", "2013-01-01T00:00Z"),
        ("E3", "Acme", "2028-01-01T00:00Z", None),
    ):
        name, start, end = job
        tenant.assert_fact(
            "Ana", "WORKS_FOR", name, valid_from=start, valid_to=end, episode=episode
        )
    return tenant


def test_a_count_has_its_facts_and_their_sources(told: Tenant) -> None:
    found = told.count("Ana", "WORKS_FOR")
    assert (found.number, found.values, found.at_least, found.at_most) == (3, 2, 3, 3)
    assert found.facts == tuple(told.history("Ana", "WORKS_FOR"))
    assert found.sources == ("E1", "E2", "E3")
    early = told.count("Ana", "WORKS_FOR", between=(None, "2011"))
    assert (early.number, early.sources) == (1, ("E1",))
    assert told.count("Ana", "WORKS_FOR", "acme", between=("2011", None)).number == 2
    assert told.count("Ana", "WORKS_FOR", between=("2014", "2028")).number == 0
    assert told.count("Bo", "WORKS_FOR").number == 0
    with pytest.raises(InvalidTimeError):
        told.count("Ana", "WORKS_FOR", between=("2014", "2014"))


def test_the_first_and_the_last_are_picked_by_their_start(told: Tenant) -> None:
    first, last = told.first("Ana", "WORKS_FOR"), told.last("Ana", "WORKS_FOR")
    assert first.fact is not None
    assert (first.fact.answer, first.sources, first.sure) == ("Acme", ("E1",), True)
    assert (last.sources, last.sure) == (("E3",), True)
    second = told.last("Ana", "WORKS_FOR", between=("2010", "2020"))
    assert second.facts[0].answer == "Beta"
    nothing = told.first("Ana", "WORKS_FOR", "Gamma")
    assert (nothing.fact, nothing.facts, nothing.sure) == (None, (), True)


def test_what_is_too_coarse_to_be_ordered_has_rivals(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "PLAYS", "go", valid_from="2019", episode="E1")
    tenant.assert_fact("Ana", "PLAYS", "chess", valid_from="2019-05", episode="E2")
    tenant.assert_fact("Ana", "PLAYS", "tennis", valid_from="2020", episode="E3")
    first = tenant.first("Ana", "PLAYS")
    assert first.fact is not None
    assert (first.fact.answer, first.sure, first.sources) == ("go", False, ("E1", "E2"))
    assert [fact.answer for fact in first.possible] == ["chess"]
    assert tenant.last("Ana", "PLAYS").sure
    found = tenant.count("Ana", "PLAYS", between=("2019-03", "2019-04"))
    assert (found.number, found.at_least, found.at_most) == (1, 0, 1)


def test_a_duration_counts_shared_time_once_and_ends_at_the_clock(
    told: Tenant, clock: FixedClock
) -> None:
    found = told.how_long("Ana", "WORKS_FOR")
    assert found.until == datetime(2030, 1, 1, tzinfo=UTC)
    assert found.held == 3 * YEAR + 2 * YEAR + 2 * timedelta(days=1)
    assert found.at_least == found.at_most == found.held
    assert found.sources == ("E1", "E2", "E3")
    clock.advance(timedelta(days=10))
    assert told.how_long("Ana", "WORKS_FOR").held == found.held + timedelta(days=10)
    acme = told.how_long("Ana", "WORKS_FOR", "Acme", between=("2011", "2029"))
    assert acme.held == YEAR + YEAR + timedelta(days=1)
    early = told.how_long("Ana", "WORKS_FOR", valid_at="2010-01-11")
    assert (early.held, early.sources) == (timedelta(days=10), ("E1",))
    assert told.how_long("Ana", "WORKS_FOR", between=("2031", None)).held == timedelta(0)


def test_a_duration_is_as_sure_as_what_was_said(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "PLAYS", "go", valid_from="2019", valid_to="2021-01-01T00:00Z")
    tenant.assert_fact("Bo", "PLAYS", "go", occurred_at="2029-01-01")
    ana = tenant.how_long("Ana", "PLAYS")
    assert ana.held == ana.at_most == 2 * YEAR + timedelta(days=1)
    assert ana.at_least == timedelta(microseconds=1)
    bo = tenant.how_long("Bo", "PLAYS")
    assert (bo.held, bo.at_least, bo.at_most) == (YEAR, YEAR, None)
    last_year = tenant.how_long("Bo", "PLAYS", between=("2028", "2029"))
    assert (last_year.held, last_year.at_most) == (timedelta(0), YEAR + timedelta(days=1))
    assert [fact.answer for fact in last_year.possible] == ["go"]


@given(told=st.lists(batches(), min_size=1, max_size=3))
@settings(max_examples=12, deadline=None)
def test_a_duration_and_a_count_are_what_looking_at_each_day_gives(
    open_memory: Opener, told: list[list[Told]]
) -> None:
    tenant = fresh(open_memory(clock=FixedClock("2030-01-01")))
    for number, batch in enumerate(told):
        tell(tenant, f"E{number}", batch)
    window = (moment(day(-1)), moment(day(DAYS + 5)))
    for subject, predicate in SLOTS[:2]:
        seen = [answers(tenant, subject, predicate, day(number)) for number in range(-1, DAYS + 5)]
        held = tenant.how_long(subject, predicate, between=window)
        assert held.held == timedelta(days=sum(bool(values) for values in seen))
        oslo = tenant.how_long(subject, predicate, "Oslo", between=window)
        assert oslo.held == timedelta(days=sum("Oslo" in values for values in seen))
        found = tenant.count(subject, predicate, between=window)
        begun = sum(
            (Counter(now) - Counter(before)).total() for before, now in pairwise([[], *seen])
        )
        assert found.number == begun
        assert found.at_least <= found.number <= found.at_most
        assert {fact.answer for fact in found.facts} == {one for values in seen for one in values}


def test_each_is_of_what_was_known_then(tenant: Tenant, clock: FixedClock) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2020-01-01T00:00Z")
    early = datetime(2030, 1, 1, 0, 30, tzinfo=UTC)
    clock.advance(timedelta(hours=1))
    tenant.assert_facts(
        [
            Statement("Ana", "LIVES_IN", "Oslo", valid_from="2019-01-01T00:00Z"),
            Statement("Ana", "LIVES_IN", "Rome", valid_from="2021-01-01T00:00Z"),
        ]
    )
    assert tenant.count("Ana", "LIVES_IN").number == 3
    assert tenant.count("Ana", "LIVES_IN", known_at=early).number == 1
    now, then = tenant.first("Ana", "LIVES_IN"), tenant.first("Ana", "LIVES_IN", known_at=early)
    assert [pick.facts[0].answer for pick in (now, then)] == ["Oslo", "Lima"]
    lima = tenant.how_long("Ana", "LIVES_IN", "Lima", valid_at="2022")
    assert lima.held == YEAR + timedelta(days=1)
    assert tenant.how_long(
        "Ana", "LIVES_IN", "Lima", valid_at="2022", known_at=early
    ).held == 2 * YEAR + timedelta(days=1)
