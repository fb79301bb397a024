"""Sessions come in once, in any order and any number of pieces, and can be taken back by turn."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from bitempo import (
    EpisodeConflictError,
    InvalidInputError,
    Memory,
    PredicatePolicy,
    SourceSession,
    Tenant,
)
from bitempo.ingest.sessions import parse_messages
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh
from tests.conformance.test_tenants import everything


def message(text: str, day: str, **fields: Any) -> dict[str, Any]:
    return {
        "role": "user",
        "name": "Ana",
        "content": text,
        "timestamp": f"{day}T12:00:00Z",
    } | fields


def session(id: str, *messages: dict[str, Any]) -> SourceSession:
    return parse_messages(messages, session=id)


def homes(tenant: Tenant) -> list[tuple[str, str, str]]:
    """Where Ana lived, from when, until when."""
    return [
        (str(fact.answer), str(fact.valid_from)[:10], str(fact.valid_to)[:10])
        for fact in tenant.history("Ana", "LIVES_IN")
    ]


SESSIONS = (
    session("s1", message("I live in Lima.", "2024-01-05")),
    session(
        "s2", message("Good morning!", "2024-03-05"), message("I live in Cusco.", "2024-03-06")
    ),
    session("s3", message("I live in Lima.", "2024-06-05")),
)
HOMES = [
    ("Lima", "2024-01-05", "2024-03-06"),
    ("Cusco", "2024-03-06", "2024-06-05"),
    ("Lima", "2024-06-05", "None"),
]


@pytest.fixture
def memory(open_memory: Opener, clock: FixedClock) -> Memory:
    """A memory with the vocabulary that ships."""
    return open_memory(clock=clock, policy=PredicatePolicy.default())


@pytest.mark.parametrize("order", [*permutations(range(3))], ids=str)
def test_sessions_in_any_order_and_in_bulk_give_one_timeline(
    memory: Memory, order: tuple[int, ...]
) -> None:
    one_by_one, in_bulk = fresh(memory), fresh(memory)
    for number in order:
        one_by_one.ingest(SESSIONS[number])
    in_bulk.ingest([SESSIONS[number] for number in order])
    assert homes(one_by_one) == homes(in_bulk) == HOMES


def test_a_session_handed_in_again_changes_nothing(tenant: Tenant, clock: FixedClock) -> None:
    first = tenant.ingest(SESSIONS)
    assert (first.sessions, first.turns, first.new_turns) == (3, 4, 4)
    before = everything(tenant)
    clock.advance(timedelta(days=1))
    again = tenant.ingest(SESSIONS)
    assert (again.turns, again.new_turns, again.facts_opened, again.last_tx) == (4, 0, 0, None)
    assert everything(tenant) == before


def test_a_longer_version_of_a_session_adds_only_its_new_turns(memory: Memory) -> None:
    said = [message("I live in Lima.", "2024-01-05"), message("I live in Cusco.", "2024-03-06")]
    grown, whole = fresh(memory), fresh(memory)
    assert grown.ingest(said[:1], session="s").new_turns == 1
    assert grown.ingest(said, session="s").new_turns == 1
    whole.ingest(said, session="s")
    assert homes(grown) == homes(whole)
    assert grown.stats().episodes == whole.stats().episodes == 2


def test_a_turn_of_other_content_under_a_known_id_is_refused(tenant: Tenant) -> None:
    tenant.ingest([message("I live in Lima.", "2024-01-05", id="m1")], session="s")
    before = everything(tenant)
    with pytest.raises(EpisodeConflictError, match="m1"):
        tenant.ingest([message("I live in Cusco.", "2024-01-05", id="m1")], session="s")
    assert everything(tenant) == before
    assert [home for home, _, _ in homes(tenant)] == ["Lima"]


def test_one_message_id_may_stand_in_two_tenants(memory: Memory) -> None:
    ours, theirs = fresh(memory), fresh(memory)
    ours.ingest([message("I live in Lima.", "2024-01-05", id="m1")], session="s")
    theirs.ingest([message("I live in Cusco.", "2024-01-05", id="m1")], session="s")
    assert [home for home, _, _ in homes(ours)] == ["Lima"]
    assert [home for home, _, _ in homes(theirs)] == ["Cusco"]


def test_taking_back_a_turn_opens_again_what_it_superseded(tenant: Tenant) -> None:
    tenant.ingest(SESSIONS[:2])
    [cusco] = tenant.as_of("Ana", "LIVES_IN")
    [evidence] = tenant.why(cusco).support
    [turn] = evidence.episodes
    assert turn.text == "I live in Cusco."
    tenant.retract(episode=turn.id)
    assert homes(tenant) == [("Lima", "2024-01-05", "None")]
    tenant.ingest(SESSIONS[:2])
    assert homes(tenant) == [("Lima", "2024-01-05", "None")]


def test_a_statement_and_a_turn_about_one_slot_share_its_timeline(tenant: Tenant) -> None:
    tenant.ingest(SESSIONS[0])
    tenant.assert_fact("ana", "lives in", "Quito", valid_from="2024-02-01", trust=9)
    assert homes(tenant)[-1] == ("Quito", "2024-02-01", "None")


def test_every_turn_is_kept_whether_it_makes_facts_or_not(tenant: Tenant) -> None:
    tenant.ingest(session("s", message("Good morning!", "2024-01-05")))
    assert (tenant.stats().episodes, tenant.stats().assertions) == (1, 0)


def test_an_export_of_ingested_sessions_comes_back_and_knows_their_messages(
    memory: Memory,
) -> None:
    # Messages without an id are known by a hash that takes in the tenant: these have one.
    said = [
        message("I live in Lima.", "2024-01-05", id="m1"),
        message("I live in Cusco.", "2024-03-06", id="m2"),
    ]
    original, copy = fresh(memory), fresh(memory)
    original.ingest(said, session="s")
    copy.import_(everything(original))
    before = everything(copy)
    assert before == everything(original)
    assert homes(copy) == homes(original)
    assert copy.ingest(said, session="s").new_turns == 0
    assert everything(copy) == before


def test_messages_are_appended_as_they_are_said(tenant: Tenant, clock: FixedClock) -> None:
    clock.set("2030-01-01")
    tenant.append("chat", {"role": "user", "content": "I live in Turin."}, actor="Nora")
    clock.set("2030-02-01")
    said = [
        {"role": "assistant", "content": "How nice."},
        {"role": "user", "content": "I moved to Genoa."},
    ]
    tenant.append("chat", said, actor="Nora")
    places = [
        (fact.answer, str(fact.valid_from)[:10]) for fact in tenant.history("Nora", "LIVES_IN")
    ]
    assert places == [("Turin", "2030-01-01"), ("Genoa", "2030-02-01")]


def test_what_is_appended_must_be_a_turn_or_a_message(tenant: Tenant) -> None:
    with pytest.raises(InvalidInputError, match="message 1"):
        tenant.append("chat", ["hello"])  # type: ignore[list-item]
    assert tenant.stats().episodes == 0


def test_a_source_of_low_trust_supersedes_nothing_and_one_of_high_trust_does(
    memory: Memory,
) -> None:
    tenant = fresh(memory)
    tenant.append("s", message("I live in Lima.", "2024-01-05"))
    tenant.append("s", message("I live in Cusco.", "2024-03-06", metadata={"trust": 3}))
    assert homes(tenant) == [("Lima", "2024-01-05", "None")]
    assert tenant.as_of("Ana", "LIVES_IN", valid_at="2024-04-01")[0].contested
    tenant.append("s", message("I live in Quito.", "2024-05-05", metadata={"trust": 8}))
    assert homes(tenant) == [
        ("Lima", "2024-01-05", "2024-05-05"),
        ("Quito", "2024-05-05", "None"),
    ]


def test_what_is_trusted_less_than_its_source_stays_so(memory: Memory) -> None:
    tenant = fresh(memory)
    told = "Luis told me he moved to Cusco. Kim works at Acme."
    tenant.append("s", message(told, "2024-01-05", metadata={"trust": 9}))
    facts = tenant.as_of(valid_at="2024-02-01")
    assert {fact.subject.name: fact.trust for fact in facts if fact.inferred} == {
        "Luis": 3,
        "Kim": 4,
    }


@pytest.mark.parametrize("trust", [0, 11, "high", True, None, 5.0])
def test_a_trust_that_there_is_not_is_refused(tenant: Tenant, trust: Any) -> None:
    with pytest.raises(InvalidInputError, match="trust in the metadata must be a whole number"):
        tenant.append("s", message("I live in Lima.", "2024-01-05", metadata={"trust": trust}))
    assert tenant.stats().inbox == {}
