"""Paths are the shortest there are, all of them, and a hub costs no more than its fan-out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import Fact, InvalidInputError, Modality, Statement, Tenant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import DAYS, day, fresh, moment
from tests.conformance.test_neighbours import NAMES, claims

PLENTY = 1_000


def shortest(facts: Iterable[Fact], start: str, goal: str, most_hops: int) -> set[tuple[str, ...]]:
    """The oracle: all shortest paths of networkx, each way between two nodes by each fact."""
    graph = networkx.MultiGraph()
    for fact in facts:
        if fact.object is not None:
            graph.add_edge(fact.subject.id, fact.object.id, key=fact.id)
    if start not in graph or goal not in graph or not networkx.has_path(graph, start, goal):
        return set()
    found: set[tuple[str, ...]] = set()
    for nodes in networkx.all_shortest_paths(graph, start, goal):
        ways: list[tuple[str, ...]] = [()]
        for here, there in pairwise(nodes):
            ways = [(*way, fact) for way in ways for fact in graph[here][there]]
        found.update(way for way in ways if len(way) <= most_hops)
    return found


def rank(fact: Fact) -> tuple[int, int, str]:
    return (-fact.importance, -fact.valid.start, fact.id)


@given(
    told=st.lists(claims(), min_size=1, max_size=20),
    goal=st.sampled_from(NAMES[1:]),
    most_hops=st.integers(1, 6),
    on=st.integers(0, DAYS),
    modality=st.sampled_from((Modality.ACTUAL, None)),
)
@settings(max_examples=24, deadline=None)
def test_they_are_all_the_shortest_in_order_and_a_narrow_search_finds_true_ones(
    open_memory: Opener,
    told: list[Statement],
    goal: str,
    most_hops: int,
    on: int,
    modality: Modality | None,
) -> None:
    tenant = fresh(open_memory(clock=FixedClock("2030-01-01")))
    tenant.assert_facts([*told, Statement("a", "IS", value=1), Statement(goal, "IS", value=1)])
    at: dict[str, Any] = {"valid_at": moment(day(on)), "modality": modality}
    start_id, goal_id = (tenant.entities(name)[0].id for name in ("a", goal))
    expected = shortest(tenant.as_of(**at), start_id, goal_id, most_hops)
    found = tenant.paths("a", goal, most_hops=most_hops, fan_out=PLENTY, limit=PLENTY, **at)
    assert found.whole
    assert len(found) == len(expected)
    assert {tuple(fact.id for fact in path) for path in found} == expected
    ranks = [[rank(fact) for fact in path] for path in found]
    assert ranks == sorted(ranks)
    narrow = tenant.paths("a", goal, most_hops=most_hops, fan_out=2, limit=2, **at)
    assert all(connects(path, start_id, goal_id) for path in narrow)
    assert len(narrow) <= 2
    if narrow.whole:
        assert narrow.paths == found.paths


def connects(path: Iterable[Fact], start: str, goal: str) -> bool:
    """Whether the facts lead from the start to the goal, each on from where the last arrived."""
    here = start
    for fact in path:
        assert fact.object is not None
        [here] = {fact.subject.id, fact.object.id} - {here}
    return here == goal


def test_a_hub_in_the_middle_is_met_from_its_spokes(tenant: Tenant) -> None:
    spokes = [Statement(f"person {n}", "WORKS_AT", "hub", valid_from=None) for n in range(200)]
    tenant.assert_facts([*spokes, Statement("person 7", "KNOWS", "Ana", valid_from=None)])
    found = tenant.paths("Ana", "person 150", fan_out=5)
    assert [[fact.text for fact in path] for path in found] == [
        ["person 7 knows Ana", "person 7 works at hub", "person 150 works at hub"]
    ]
    assert found.whole
    assert [len(path) for path in tenant.paths("hub", "Ana", fan_out=5)] == [2]
    assert tenant.paths("hub", "Ana", fan_out=5).whole


def test_two_hubs_may_leave_something_out_and_that_is_said(tenant: Tenant) -> None:
    tenant.assert_facts(
        [
            Statement(hub, "HOLDS", f"{hub} {n}", valid_from=None, importance=n)
            for hub in ("left", "right")
            for n in (7, 8, 9)
        ]
    )
    tenant.assert_fact("left", "TOUCHES", "right", valid_from=None, importance=1)
    assert [len(path) for path in tenant.paths("left", "right", fan_out=4)] == [1]
    assert tenant.paths("left", "right", fan_out=4).whole
    narrow = tenant.paths("left", "right", fan_out=3)
    assert (list(narrow), narrow.whole) == ([], False)


def test_a_search_that_grows_too_large_is_given_up_and_says_so(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = [Statement(f"n{n}", "NEXT_TO", f"n{n + 1}", valid_from=None) for n in range(7)]
    tenant.assert_facts(row)
    assert [len(path) for path in tenant.paths("n0", "n7", most_hops=7)] == [7]
    assert tenant.paths("n0", "n7", most_hops=6).whole
    monkeypatch.setattr("bitempo.query.paths.MOST_LOOKED_AT", 3)
    found = tenant.paths("n0", "n7", most_hops=7)
    assert (list(found), found.whole) == ([], False)


def test_more_paths_than_wanted_are_said_to_be_there(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "KNOWS", "Bo", valid_from=None)
    tenant.assert_fact("Bo", "TRUSTS", "Ana", valid_from=None, importance=9)
    both = tenant.paths("Ana", "Bo", limit=2)
    assert [path[0].predicate for path in both] == ["TRUSTS", "KNOWS"]
    assert both.whole
    one = tenant.paths("Ana", "Bo", limit=1)
    assert ([path[0].predicate for path in one], one.whole) == (["TRUSTS"], False)


def test_both_times_count(tenant: Tenant, clock: FixedClock) -> None:
    tenant.assert_fact("Ana", "KNOWS", "Bo", valid_from="2020", valid_to="2022")
    early = moment(clock.now())
    clock.advance(timedelta(hours=1))
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2021")
    tenant.assert_fact("Bo", "LIVES_IN", "Lima", valid_from="2021")
    assert [len(path) for path in tenant.paths("Ana", "Bo", valid_at="2021-06")] == [1]
    assert [len(path) for path in tenant.paths("Ana", "Bo", valid_at="2023")] == [2]
    assert list(tenant.paths("Ana", "Bo", valid_at="2023", known_at=early)) == []


def test_what_is_merged_is_passed_through_and_is_reached_from_itself(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "KNOWS", "Mel", valid_from=None)
    tenant.assert_fact("Melanie", "KNOWS", "Bo", valid_from=None)
    assert list(tenant.paths("Ana", "Bo")) == []
    tenant.merge("Mel", "Melanie")
    assert [len(path) for path in tenant.paths("Ana", "Bo")] == [2]
    assert tenant.paths("Mel", "Melanie").paths == ((),)


def test_there_is_no_path_to_what_nobody_knows(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "KNOWS", "Bo")
    found = tenant.paths("Ana", "Nobody")
    assert (list(found), found.whole) == ([], True)


@pytest.mark.parametrize(
    "asked", [{"most_hops": 0}, {"most_hops": 9}, {"fan_out": 0}, {"limit": 0}]
)
def test_a_search_has_bounds(tenant: Tenant, asked: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(asked))):
        tenant.paths("Ana", "Bo", **asked)  # type: ignore[arg-type]
