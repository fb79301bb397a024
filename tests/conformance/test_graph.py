"""The graph is what holds at the point: every fact once, and read part by part it is the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import InvalidInputError, Modality, Statement, Tenant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import DAYS, day, fresh, instant, moment
from tests.conformance.test_neighbours import HUB, claims, walk

ROW = [Statement(a, "NEXT_TO", b, valid_from=None) for a, b in ("ab", "bc", "cd", "de")]
EVERYTHING = 1_000


def held(graph: Any) -> dict[str, tuple[str, Any, str]]:
    """By fact of the graph: its subject, its object or value, and its predicate."""
    values = {
        value["fact"]: (node, value["value"], value["predicate"])
        for node, listed in graph.nodes(data="values")
        for value in listed
    }
    edges = {
        fact: (subject, object, attributes["predicate"])
        for subject, object, fact, attributes in graph.edges(keys=True, data=True)
    }
    assert len(values) + len(edges) == len(values | edges)
    return values | edges


@given(
    told=st.lists(claims(), min_size=1, max_size=16),
    retracted=st.integers(0, 16),
    hops=st.integers(1, 3),
    on=st.integers(0, DAYS),
    modality=st.sampled_from((Modality.ACTUAL, None)),
)
@settings(max_examples=12, deadline=None)
def test_it_has_each_fact_of_its_point_once_and_the_nodes_of_those(
    open_memory: Opener,
    told: list[Statement],
    retracted: int,
    hops: int,
    on: int,
    modality: Modality | None,
) -> None:
    clock = FixedClock("2030-01-01")
    tenant = fresh(open_memory(clock=clock))
    written = tenant.assert_facts(told, episode="E")
    first = moment(instant(written.tx))
    clock.advance(timedelta(hours=1))
    tenant.retract(*{*written.assertion_ids[:retracted:2], written.assertion_ids[0]})
    for known in (first, None):
        at: dict[str, Any] = {"valid_at": moment(day(on)), "known_at": known, "modality": modality}
        facts = tenant.as_of(**at)
        graph = tenant.graph(**at)
        assert held(graph) == {
            fact.id: (
                fact.subject.id,
                fact.object.id if fact.object else fact.value,
                fact.predicate,
            )
            for fact in facts
        }
        ends = {end for fact in facts for end in (fact.subject, fact.object) if end is not None}
        assert dict(graph.nodes(data="name")) == {entity.id: entity.name for entity in ends}
        start = [entity.id for entity in tenant.entities(HUB)]
        near = walk(facts, start, hops, EVERYTHING)
        assert held(tenant.graph(HUB, hops=hops, **at)).keys() == {id for _, id in near}
    view = tenant.graph_view(**at)
    view.expand(HUB)
    while view.frontier:
        view.expand(view.frontier[0])
    reached = walk(facts, start, len(facts), EVERYTHING)
    assert held(view.graph) == {id: held(graph)[id] for _, id in reached}


def test_an_edge_tells_both_times_of_its_fact(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024", valid_to="2031", importance=8)
    [fact] = tenant.as_of("Ana")
    [(_, _, key, edge)] = tenant.graph().edges(keys=True, data=True)
    assert key == fact.id
    assert edge == {
        "predicate": "LIVES_IN",
        "text": fact.text,
        "polarity": "+",
        "modality": "actual",
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "granularity": "year",
        "from_inferred": False,
        "tx_from": fact.tx_from,
        "tx_to": None,
        "importance": 8,
        "confidence": 1.0,
        "trust": 5,
    }


def test_it_says_what_it_is_of(tenant: Tenant) -> None:
    graph = tenant.graph(valid_at="2024-05-01", known_at="2024-06-01")
    assert (graph.graph["tenant"], str(graph.graph["valid_at"])[:10]) == (tenant.name, "2024-05-01")
    assert str(graph.graph["known_at"])[:10] == "2024-06-01"


def test_sentences_are_left_out_unless_they_are_wanted(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "STATES", value="I swim.", text="I swim.", cardinality="many")
    assert held(tenant.graph()) == {}
    assert [value for _, value, _ in held(tenant.graph(sentences=True)).values()] == ["I swim."]


def test_what_is_merged_is_one_node_and_the_merge_no_edge(tenant: Tenant) -> None:
    tenant.assert_fact("Mel", "KNOWS", "Bo")
    tenant.assert_fact("Cy", "KNOWS", "Melanie")
    assert len(tenant.graph("Mel", hops=3)) == 2
    tenant.merge("Mel", "Melanie")
    graph = tenant.graph("Melanie")
    assert sorted(name for _, name in graph.nodes(data="name")) == ["Bo", "Cy", "Mel"]
    assert {edge["predicate"] for _, _, edge in graph.edges(data=True)} == {"KNOWS"}


@pytest.mark.parametrize(
    "build", [lambda t, n: t.graph(limit=n), lambda t, n: t.graph("a", hops=8, limit=n)]
)
def test_more_than_its_limit_is_refused_with_what_to_do(
    tenant: Tenant, build: Callable[[Tenant, int | None], Any]
) -> None:
    tenant.assert_facts(ROW)
    assert build(tenant, len(ROW)).number_of_edges() == len(ROW)
    assert build(tenant, None).number_of_edges() == len(ROW)
    with pytest.raises(InvalidInputError, match=r"more than 3 facts.*graph_view"):
        build(tenant, len(ROW) - 1)


@pytest.mark.parametrize(
    "asked", [{"hops": 2}, {"subject": "a", "hops": 9}, {"subject": "a", "hops": 0}, {"limit": 0}]
)
def test_what_cannot_be_asked_is_refused(tenant: Tenant, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=r"hops|limit"):
        tenant.graph(**asked)


def test_a_view_is_read_as_it_is_walked_and_keeps_to_its_point(
    tenant: Tenant, clock: FixedClock
) -> None:
    tenant.assert_facts(ROW)
    view = tenant.graph_view()
    assert sorted(fact.text for fact in view.expand("b")) == ["a next to b", "b next to c"]
    clock.advance(timedelta(hours=1))
    tenant.assert_fact("c", "NEXT_TO", "z", valid_from=None)
    [c] = tenant.entities("c")
    assert c.id in view.frontier
    assert [fact.text for fact in view.expand(c)] == ["c next to d"]
    assert view.expand(c) == []
    assert c.id not in view.frontier
    assert len(tenant.graph("c").nodes) == 4


def test_a_hub_that_was_not_read_whole_stays_in_the_frontier(tenant: Tenant) -> None:
    tenant.assert_facts(
        [Statement("hub", "HOLDS", value=n, cardinality="many", importance=n) for n in (1, 5, 9)]
    )
    view = tenant.graph_view()
    assert [fact.value for fact in view.expand("hub", fan_out=2)] == [9, 5]
    assert len(view.frontier) == 1
    assert [fact.value for fact in view.expand("hub", fan_out=3)] == [1]
    assert view.frontier == []
    assert [value["value"] for value in view.graph.nodes[tenant.entities("hub")[0].id]["values"]]
    with pytest.raises(InvalidInputError, match="fan_out"):
        view.expand("hub", fan_out=0)


def test_without_networkx_it_says_what_to_install(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    for build in (tenant.graph, tenant.graph_view):
        with pytest.raises(InvalidInputError, match=r"bitempo\[graph\]"):
            build()
