"""Exactly one of Allen's relations holds of any two intervals, whatever ends they have."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.time import BEGINNING, FOREVER, Interval
from bitempo.query.relations import Relation, relation

DEFINITIONS = {
    # Allen 1983, figure 2: each by its starts and ends.
    Relation.BEFORE: lambda a, b: a.end < b.start,
    Relation.MEETS: lambda a, b: a.end == b.start,
    Relation.OVERLAPS: lambda a, b: a.start < b.start < a.end < b.end,
    Relation.STARTS: lambda a, b: a.start == b.start and a.end < b.end,
    Relation.DURING: lambda a, b: b.start < a.start and a.end < b.end,
    Relation.FINISHES: lambda a, b: b.start < a.start and a.end == b.end,
    Relation.EQUALS: lambda a, b: a.start == b.start and a.end == b.end,
    Relation.FINISHED_BY: lambda a, b: a.start < b.start and a.end == b.end,
    Relation.CONTAINS: lambda a, b: a.start < b.start and b.end < a.end,
    Relation.STARTED_BY: lambda a, b: a.start == b.start and b.end < a.end,
    Relation.OVERLAPPED_BY: lambda a, b: b.start < a.start < b.end < a.end,
    Relation.MET_BY: lambda a, b: b.end == a.start,
    Relation.AFTER: lambda a, b: b.end < a.start,
}
COMPOSED = {
    # Allen 1983, figure 4: what may hold of a and c, by what holds of a and b, and of b and c.
    ("before", "before"): "before",
    ("before", "meets"): "before",
    ("meets", "meets"): "before",
    ("meets", "starts"): "meets",
    ("meets", "during"): "overlaps starts during",
    ("meets", "met_by"): "finishes finished_by equals",
    ("overlaps", "overlaps"): "before meets overlaps",
    ("overlaps", "during"): "overlaps starts during",
    ("starts", "during"): "during",
    ("starts", "started_by"): "starts started_by equals",
    ("during", "during"): "during",
    ("during", "before"): "before",
    ("finishes", "starts"): "during",
    ("finishes", "finished_by"): "finishes finished_by equals",
    ("contains", "contains"): "contains",
    ("contains", "starts"): "overlaps contains finished_by",
    ("started_by", "starts"): "starts started_by equals",
    ("after", "after"): "after",
    ("met_by", "finished_by"): "met_by",
    ("overlapped_by", "after"): "after",
}
ENDS = st.integers(0, 6)


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    """Intervals of few instants, so that ends fall together, and with ends that there are not."""
    start = draw(st.one_of(st.just(BEGINNING), ENDS))
    end = draw(st.one_of(st.just(FOREVER), ENDS.map(lambda end: max(start, 0) + 1 + end)))
    return Interval(start, end)


@given(one=intervals(), other=intervals())
@settings(max_examples=600, deadline=None)
def test_exactly_one_relation_holds_and_it_is_the_one_given(one: Interval, other: Interval) -> None:
    holding = [name for name, holds in DEFINITIONS.items() if holds(one, other)]
    assert holding == [relation(one, other)]


@given(one=intervals(), other=intervals())
@settings(max_examples=200, deadline=None)
def test_seen_from_the_other_it_is_the_converse(one: Interval, other: Interval) -> None:
    found = relation(one, other)
    assert relation(other, one) is found.converse
    assert found.converse.converse is found


def test_only_equals_is_its_own_converse() -> None:
    assert [one for one in Relation if one.converse is one] == [Relation.EQUALS]
    assert len(Relation) == 13


@given(one=intervals(), other=intervals())
@settings(max_examples=200, deadline=None)
def test_they_share_an_instant_unless_apart(one: Interval, other: Interval) -> None:
    apart = {Relation.BEFORE, Relation.MEETS, Relation.MET_BY, Relation.AFTER}
    assert one.overlaps(other) is (relation(one, other) not in apart)


@pytest.mark.parametrize(("first", "second"), COMPOSED)
def test_relations_compose_as_in_the_table(first: str, second: str) -> None:
    small = [Interval(start, end) for start in range(6) for end in range(start + 1, 7)]
    found = {
        relation(a, c)
        for b in small
        for a in small
        if relation(a, b) == first
        for c in small
        if relation(b, c) == second
    }
    assert found == set(COMPOSED[first, second].split())


def test_what_nothing_has_ended_ends_together() -> None:
    since = {year: Interval(year, FOREVER) for year in (1, 2)}
    assert relation(since[2], since[1]) is Relation.FINISHES
    assert relation(Interval(), since[1]) is Relation.FINISHED_BY
    assert relation(Interval(BEGINNING, 3), Interval(BEGINNING, 5)) is Relation.STARTS
    assert relation(Interval(), Interval()) is Relation.EQUALS
