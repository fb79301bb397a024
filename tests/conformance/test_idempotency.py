"""A replay changes nothing and costs nothing; a refused write leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import (
    BitempoError,
    EntityRef,
    EpisodeConflictError,
    InvalidInputError,
    InvalidTimeError,
    NotFoundError,
    PolicyError,
    Statement,
    Tenant,
)
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.model import Told
from tests.conformance.telling import batches, fresh, tell
from tests.conformance.test_tenants import everything

LIMA = Statement("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01")


@settings(max_examples=20, deadline=None)
@given(told=st.lists(batches(3), min_size=1, max_size=4), data=st.data())
def test_replaying_any_episode_at_any_later_time_changes_nothing(
    open_memory: Opener, told: list[list[Told]], data: st.DataObject
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        tenant = fresh(memory)
        ids = [tell(tenant, f"E{i}", batch) for i, batch in enumerate(told)]
        if data.draw(st.booleans()):
            tenant.retract(episode="E0")
        before = everything(tenant)
        for i in data.draw(st.permutations(range(len(told)))):
            clock.advance(timedelta(days=1))
            assert tell(tenant, f"E{i}", told[i]) == ids[i]
        assert everything(tenant) == before


def test_statements_without_an_episode_id_are_the_same_at_the_same_time(tenant: Tenant) -> None:
    first = tenant.assert_facts([LIMA], occurred_at="2024-02-01")
    again = tenant.assert_facts([LIMA], occurred_at="2024-02-01")
    later = tenant.assert_facts([LIMA], occurred_at="2024-02-02")
    assert again.assertion_ids == first.assertion_ids
    assert (again.tx, again.facts_opened) == (None, ())
    assert later.assertion_ids != first.assertion_ids


def test_an_episode_without_a_stated_time_can_be_replayed_later(
    tenant: Tenant, clock: FixedClock
) -> None:
    first = tenant.assert_facts([LIMA], episode="E1")
    clock.advance(timedelta(days=3))
    assert tenant.assert_facts([LIMA], episode="E1").tx is None
    assert tenant.assert_facts([LIMA], episode="E1").assertion_ids == first.assertion_ids


def test_replaying_a_retracted_episode_does_not_bring_it_back(tenant: Tenant) -> None:
    tenant.assert_facts([LIMA], episode="E1")
    tenant.retract(episode="E1")
    assert tenant.assert_facts([LIMA], episode="E1").tx is None
    assert tenant.as_of("Ana") == []


def test_retracting_twice_costs_nothing(tenant: Tenant) -> None:
    written = tenant.assert_facts([LIMA], episode="E1")
    tenant.retract(written.assertion_id)
    tenant.retract(episode="E1")
    before = everything(tenant)
    for again in (tenant.retract(written.assertion_id), tenant.retract(episode="E1")):
        assert (again.tx, again.retracted) == (None, ())
    assert everything(tenant) == before


@pytest.mark.parametrize(
    "change",
    [
        {"object": "Oslo"},
        {"object": None, "value": "Lima"},
        {"subject": "Bo"},
        {"predicate": "WORKS_IN"},
        {"valid_from": "2024-01-02"},
        {"valid_from": None},
        {"valid_to": "2025"},
        {"polarity": "-"},
        {"modality": "planned"},
        {"trust": 6},
        {"importance": 6},
        {"confidence": 0.5},
        {"due": "2025-01-01"},
        {"text": "Ana lives in Lima now"},
    ],
    ids="-".join,
)
def test_an_episode_id_with_other_content_is_refused(
    tenant: Tenant, change: dict[str, Any]
) -> None:
    tenant.assert_facts([LIMA], episode="E1")
    before = everything(tenant)
    with pytest.raises(EpisodeConflictError, match="E1"):
        tenant.assert_facts([replace(LIMA, **change)], episode="E1")
    assert everything(tenant) == before


def test_an_episode_id_at_another_time_or_with_more_statements_is_refused(tenant: Tenant) -> None:
    tenant.assert_facts([LIMA], episode="E1", occurred_at="2024-02-01")
    before = everything(tenant)
    for statements, occurred in (([LIMA], "2024-02-02"), ([LIMA, LIMA], "2024-02-01")):
        with pytest.raises(EpisodeConflictError):
            tenant.assert_facts(statements, episode="E1", occurred_at=occurred)
    assert everything(tenant) == before


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (Statement("Ana", "LIVES_IN"), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", value="Lima"), InvalidInputError),
        (Statement("", "LIVES_IN", "Lima"), InvalidInputError),
        (Statement("Ana", "LIVES_IN", " "), InvalidInputError),
        (Statement("Ana", "1", "Lima"), PolicyError),
        (Statement("Ana", "", "Lima"), PolicyError),
        (Statement("Ana", "LIVES_IN", "Lima", valid_from="soon"), InvalidTimeError),
        (Statement("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01T00:00:00"), InvalidTimeError),
        (
            Statement("Ana", "LIVES_IN", "Lima", valid_from="2024", valid_to="2024"),
            InvalidTimeError,
        ),
        (
            Statement("Ana", "LIVES_IN", "Lima", valid_from="2024", valid_to="2023"),
            InvalidTimeError,
        ),
        (Statement("Ana", "LIVES_IN", "Lima", trust=0), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", trust=11), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", importance=0), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", confidence=1.1), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", confidence=float("nan")), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", polarity="no"), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", modality="dreamt"), InvalidInputError),
        (Statement("Ana", "LIKES", "Lima", cardinality="two"), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", corrects="E9#0000"), NotFoundError),
        (Statement("Ana", "LIVES_IN", "Lima", trust=2.5), InvalidInputError),  # type: ignore[arg-type]
        (Statement("Ana", "LIVES_IN", "Lima", importance=True), InvalidInputError),
        (Statement("Ana", "LIVES_IN", "Lima", confidence="high"), InvalidInputError),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_one_bad_statement_refuses_the_whole_write_and_leaves_no_trace(
    tenant: Tenant, bad: Statement, error: type[BitempoError]
) -> None:
    tenant.assert_facts([replace(LIMA, object="Oslo")], episode="E0")
    before = everything(tenant)
    with pytest.raises(error):
        tenant.assert_facts([LIMA, bad], episode="E1")
    assert everything(tenant) == before
    assert tenant.assert_facts([LIMA], episode="E1").tx is not None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subject", None),
        ("subject", 7),
        ("object", ["Lima"]),
        ("predicate", None),
        ("value", [1]),
        ("value", {"cm": 171}),
        ("value", b"171"),
        ("value", float("nan")),
        ("value", float("-inf")),
        ("value", 2**63),
        ("value", 10**5000),
    ],
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_what_is_no_name_or_literal_makes_no_statement(field: str, value: Any) -> None:
    fields: dict[str, Any] = {"subject": "Ana", "predicate": "HEIGHT", "value": 1, field: value}
    with pytest.raises(InvalidInputError):
        Statement(**fields)


def test_an_assertion_cannot_correct_itself(tenant: Tenant) -> None:
    with pytest.raises(InvalidInputError):
        tenant.assert_facts([replace(LIMA, corrects="E1#0000")], episode="E1")
    assert tenant.stats().episodes == 0


@pytest.mark.parametrize("id", ["\ud800", "a\0b", " "], ids=["surrogate", "nul", "blank"])
def test_an_id_that_stores_cannot_hold_is_refused_and_leaves_no_trace(
    tenant: Tenant, id: str
) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: tenant.assert_facts([LIMA], episode=id),
        lambda: tenant.assert_facts([replace(LIMA, corrects=id)]),
        lambda: tenant.retract(id),
        lambda: tenant.retract(episode=id),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidInputError, match="cannot be the id of"):
            attempt()
    assert tenant.stats().episodes == 0


def test_no_statement_and_nothing_to_retract_are_refused(tenant: Tenant) -> None:
    with pytest.raises(InvalidInputError):
        tenant.assert_facts([])
    with pytest.raises(InvalidInputError):
        tenant.retract()


@pytest.mark.parametrize(
    "name",
    [
        "Robert'); DROP TABLE fact;--",
        "👩‍👩‍👧",
        "مريم \u202e",
        "東京 タワー",
        "a\0b",
        "\ud800x",
        "%_*?[",
        "x" * 5000,
    ],
    ids=["sql", "emoji", "rtl", "cjk", "nul", "surrogate", "wildcards", "long"],
)
def test_any_name_can_be_told_found_and_replayed(tenant: Tenant, name: str) -> None:
    statement = Statement(name, "LIVES_IN", name, valid_from="2024-01-01", text=name)
    literal = Statement(name, "SAID", value=name)
    first = tenant.assert_facts([statement, literal], episode="E1", occurred_at="2024-01-01")
    again = tenant.assert_facts([statement, literal], episode="E1", occurred_at="2024-01-01")
    assert (again.tx, again.assertion_ids) == (None, first.assertion_ids)
    [fact] = tenant.as_of(name, "LIVES_IN")
    assert fact.subject.name == str(fact.answer)
    assert [entity.id for entity in tenant.entities(name)] == [fact.subject.id]
    tenant.retract(episode="E1")
    assert tenant.as_of(name) == []


@pytest.mark.parametrize("value", ["", "1", 1, 1.0, 0, -0.5, True, False, 2**63 - 1, -(2**63)])
def test_literals_come_back_as_what_they_were(tenant: Tenant, value: str | float) -> None:
    tenant.assert_fact("Ana", "HEIGHT", value=value, valid_from="2024-01-01")
    [fact] = tenant.as_of("Ana", "HEIGHT")
    assert (fact.answer, type(fact.answer), fact.object) == (value, type(value), None)


def test_one_name_typed_twice_over_is_two_entities(tenant: Tenant) -> None:
    person, place = EntityRef("Jordan", "person"), EntityRef("Jordan", "place")
    tenant.assert_facts([Statement(person, "LIVES_IN", place, valid_from="2024")])
    [fact] = tenant.as_of(person, "LIVES_IN")
    assert (fact.subject.type, fact.object.type if fact.object else None) == ("person", "place")
    assert tenant.as_of(place, "LIVES_IN") == []


def test_a_time_spelled_in_another_way_is_the_same_statement(tenant: Tenant) -> None:
    spelled = ["2024-01-01", date(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC)]
    for when in spelled:
        tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from=when, episode="E1")
    assert tenant.stats().assertions == 1


def test_a_negative_limit_is_refused(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima")
    for read in (tenant.as_of, tenant.entities):
        with pytest.raises(InvalidInputError, match="negative"):
            read(limit=-1)
        assert len(read(limit=1)) == 1
        assert read(limit=0) == []
