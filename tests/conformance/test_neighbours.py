"""What stands around an entity is what a walk in breadth finds, on every store the same."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import Fact, InvalidInputError, Statement, Tenant, Turn
from bitempo.engine.model import Modality
from bitempo.engine.time import Instant, to_datetime
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import DAYS, day, fresh, instant, moment

NAMES = tuple("abcdefg")
PREDICATES = ("KNOWS", "LIKES")
HUB = "a"
ALONG = ((None, Modality.ACTUAL), ("KNOWS", Modality.ACTUAL), (None, None))


@st.composite
def claims(draw: st.DrawFn) -> Statement:
    """An edge of a small graph with a hub, in a time that may have ended; or a leaf."""
    start = draw(st.one_of(st.none(), st.integers(0, DAYS)))
    literal = draw(st.integers(0, 4)) == 0
    return Statement(
        subject=draw(st.sampled_from((*NAMES, HUB, HUB))),
        predicate=draw(st.sampled_from(PREDICATES)),
        object=None if literal else draw(st.sampled_from(NAMES)),
        value=draw(st.integers(0, 9)) if literal else None,
        valid_from=None if start is None else to_datetime(day(start)),
        valid_to=draw(st.sampled_from((None, None, to_datetime(day((start or 0) + 3))))),
        modality=draw(st.sampled_from((*[Modality.ACTUAL] * 4, Modality.PLANNED))),
        importance=draw(st.sampled_from((3, 5, 5, 9))),
        cardinality="many",
    )


def walk(
    facts: Iterable[Fact], start: Iterable[str], hops: int, fan_out: int
) -> list[tuple[int, str]]:
    """The oracle: breadth first over all facts of the point, by the text of the port."""
    around: dict[str, list[Fact]] = {}
    for fact in sorted(facts, key=order):
        for end in {fact.subject.id, fact.object.id if fact.object else fact.subject.id}:
            around.setdefault(end, []).append(fact)
    distances: dict[str, tuple[int, Fact]] = {}
    reached, frontier = set(start), set(start)
    for distance in range(1, hops + 1):
        taken = [fact for entity in frontier for fact in around.get(entity, [])[:fan_out]]
        for fact in taken:
            distances.setdefault(fact.id, (distance, fact))
        ends = {end.id for fact in taken for end in (fact.subject, fact.object) if end}
        frontier = ends - reached
        reached |= ends
    nearest = sorted(distances.values(), key=lambda found: (found[0], *order(found[1])))
    return [(distance, fact.id) for distance, fact in nearest]


def order(fact: Fact) -> tuple[int, Instant, str]:
    return (-fact.importance, -fact.valid.start, fact.id)


@given(
    told=st.lists(claims(), min_size=1, max_size=24),
    retracted=st.integers(0, 24),
    hops=st.integers(1, 3),
    fan_out=st.integers(1, 5),
    on=st.integers(0, DAYS),
    along=st.sampled_from(ALONG),
)
@settings(max_examples=40, deadline=None)
def test_it_is_what_a_walk_in_breadth_finds(
    open_memory: Opener,
    told: list[Statement],
    retracted: int,
    hops: int,
    fan_out: int,
    on: int,
    along: tuple[str | None, Modality | None],
) -> None:
    predicate, modality = along
    clock = FixedClock("2030-01-01")
    tenant = fresh(open_memory(clock=clock))
    written = tenant.assert_facts(told, episode="E")
    first = moment(instant(written.tx))
    clock.advance(timedelta(hours=1))
    tenant.retract(*{*written.assertion_ids[:retracted:2], written.assertion_ids[0]})
    for known in (first, None):
        at = {"valid_at": moment(day(on)), "known_at": known}
        facts = [
            fact
            for fact in tenant.as_of(**at, modality=modality)  # type: ignore[arg-type]
            if predicate in (None, fact.predicate)
        ]
        for name in (HUB, "g"):
            start = [entity.id for entity in tenant.entities(name)]
            found = tenant.neighbours(
                name,
                hops=hops,
                fan_out=fan_out,
                predicate=predicate,
                modality=modality,
                **at,  # type: ignore[arg-type]
            )
            expected = walk(facts, start, hops, fan_out)
            assert [(one.distance, one.fact.id) for one in found] == expected
            by_id = {fact.id: fact for fact in facts}
            assert [one.fact for one in found] == [by_id[one.fact.id] for one in found]


def test_a_hub_gives_its_most_important_and_latest_facts_and_no_more(tenant: Tenant) -> None:
    spokes = [
        Statement(
            "hub", "HOLDS", f"spoke {n}", valid_from=to_datetime(day(n)), importance=1 + n % 2
        )
        for n in range(300)
    ]
    tenant.assert_facts([*spokes, Statement("spoke 299", "HOLDS", "rim", valid_from=None)])
    near = tenant.neighbours("hub", hops=3, fan_out=4)
    assert [(one.distance, one.fact.answer) for one in near] == [
        *((1, f"spoke {n}") for n in (299, 297, 295, 293)),
        (2, "rim"),
    ]


def test_each_entity_is_looked_at_once_so_a_ring_ends(tenant: Tenant) -> None:
    ring = [Statement(f"n{n}", "NEXT_TO", f"n{(n + 1) % 5}", cardinality="many") for n in range(5)]
    tenant.assert_facts([*ring, Statement("n0", "NEXT_TO", "n0", cardinality="many")])
    found = [one.distance for one in tenant.neighbours("n0", hops=8)]
    assert found == [1, 1, 1, 2, 2, 3]


def test_both_times_count(tenant: Tenant, clock: FixedClock) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01")
    early = clock.now()
    tenant.assert_fact("Bo", "LIVES_IN", "Lima", valid_from="2024-01-01", valid_to="2024-03-01")
    clock.advance(timedelta(days=1))
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-05-01")

    def near(**when: object) -> list[str]:
        found = tenant.neighbours("Ana", hops=2, **when)  # type: ignore[arg-type]
        return [f"{one.fact.subject.name} {one.fact.answer}" for one in found]

    assert near() == ["Ana Oslo"]
    assert near(valid_at="2024-02-01") == ["Ana Lima", "Bo Lima"]
    assert near(valid_at="2024-04-01") == ["Ana Lima"]
    assert near(known_at=moment(early + 1_000_000)) == ["Ana Lima"]


def test_sentences_can_be_passed_over(tenant: Tenant) -> None:
    said = "I went to the sea today."
    tenant.append("s", Turn(said, "Ana", day(1)))
    tenant.assert_fact("Ana", "STATES", value=said, cardinality="many")
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from=None)
    every = {one.fact.predicate for one in tenant.neighbours("Ana")}
    assert every >= {"STATES", "LIVES_IN"}
    typed = {one.fact.predicate for one in tenant.neighbours("Ana", sentences=False)}
    assert typed == every - {"STATES"}
    assert tenant.neighbours("Ana", sentences=False, predicate="states") == []


def test_nothing_is_around_what_nobody_knows(tenant: Tenant) -> None:
    assert tenant.neighbours("Ana", hops=3) == []


@pytest.mark.parametrize("asked", [{"hops": 0}, {"hops": 9}, {"fan_out": 0}])
def test_a_walk_has_bounds(tenant: Tenant, asked: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(asked))):
        tenant.neighbours("Ana", **asked)  # type: ignore[arg-type]


def test_another_tenant_s_facts_are_not_around(open_memory: Opener) -> None:
    memory = open_memory()
    ours, theirs = fresh(memory), fresh(memory)
    ours.assert_fact("Ana", "KNOWS", "Bo")
    theirs.assert_facts([Statement("Ana", "KNOWS", "Cy"), Statement("Bo", "KNOWS", "Di")])
    assert [one.fact.answer for one in ours.neighbours("Ana", hops=3)] == ["Bo"]


def test_what_was_merged_stands_in_one_place(tenant: Tenant, clock: FixedClock) -> None:
    tenant.assert_fact("Mel", "LIKES", "tea", valid_from=None, cardinality="many")
    tenant.assert_fact("Melanie", "KNOWS", "Bo", valid_from=None, cardinality="many")
    tenant.assert_fact("Cy", "KNOWS", "Mel", valid_from=None, cardinality="many")
    before = moment(clock.now() + 60_000_000)
    clock.advance(timedelta(hours=1))
    tenant.merge("Mel", "Melanie")

    def near(**when: object) -> set[str]:
        found = tenant.neighbours("Mel", **when)  # type: ignore[arg-type]
        return {
            f"{one.fact.predicate} {one.fact.answer}"
            for one in found
            if one.fact.predicate != "SAME_AS"
        }

    assert {fact.split()[0] for fact in near()} == {"LIKES", "KNOWS"}
    assert len(near()) == 3
    assert near(known_at=before) == {"LIKES tea", "KNOWS Mel"}
