"""A recall can be computed again from its receipt, whatever was written since, on every store."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from bitempo import (
    EmbedderMismatchError,
    EntityRef,
    InvalidInputError,
    Memory,
    NotFoundError,
    Recall,
    RecallSettings,
    Statement,
    Tenant,
)
from bitempo.testing import FixedClock, HashingEmbedder
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh, unused

QUESTIONS = (
    "Where does Ana live?",
    "Who plays the violin in Lima?",
    "What did Ana say about the harbour?",
)
PLAYERS = 6
TURNS = (
    ("Ana", "I live in Lima now, by the harbour."),
    ("Bo", "Do you still play the violin?"),
    ("Ana", "Every evening. The harbour is full of boats."),
)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder(64)


@pytest.fixture
def memory(open_memory: Opener, embedder: HashingEmbedder) -> Memory:
    return open_memory(clock=FixedClock("2030-01-01"), embedder=embedder)


@pytest.fixture
def tenant(memory: Memory) -> Tenant:
    """Some turns and facts, with vectors."""
    tenant = fresh(memory)
    tenant.ingest(messages(*TURNS), session="s", started_at="2024-01-01T00:00:00Z")
    for number in range(PLAYERS):
        tenant.assert_fact(f"P{number}", "PLAYS", "violin", valid_from="2024", episode=f"p{number}")
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2020", episode="oslo")
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024", episode="lima")
    return tenant


def messages(*said: tuple[str, str]) -> list[dict[str, object]]:
    return [{"role": "user", "name": name, "content": text} for name, text in said]


def asked(tenant: Tenant) -> list[Recall]:
    """Recalls at now, in the past and ahead of what is recorded, and of every valid time."""
    found = [tenant.recall(question) for question in QUESTIONS]
    found.append(tenant.recall(QUESTIONS[0], valid_at="2021-06-01"))
    found.append(tenant.recall(QUESTIONS[0], known_at="2999-01-01"))
    assert all(recall.items for recall in found)
    return found


def check(tenant: Tenant, recalls: list[Recall]) -> None:
    for recall in recalls:
        replay = tenant.replay(recall.receipt.to_json())
        assert replay.same, replay.difference
        assert replay.recall.receipt.to_json() == recall.receipt.to_json()
        assert [(i.id, i.text, i.signals, i.contributions) for i in replay.recall.items] == [
            (i.id, i.text, i.signals, i.contributions) for i in recall.items
        ]


def many_facts(tenant: Tenant) -> None:
    """Facts with the words of the questions."""
    tenant.assert_facts(
        [
            Statement(f"Ana{n}", "PLAYS", "violin", text=f"Ana{n} plays in the Lima harbour")
            for n in range(300)
        ]
    )


def more_of_the_session(tenant: Tenant) -> None:
    tenant.append("s", messages(("Bo", "The harbour, the violin!"), ("Ana", "I live in Quito.")))
    tenant.ingest(messages(("Zoe", "Ana lives by the harbour")), session="a", started_at="2023")


def corrections(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Quito", valid_from="2024", corrects="lima#0000")
    tenant.retract(episode="oslo")
    tenant.retract(*[f"p{number}#0000" for number in range(PLAYERS // 2)])
    tenant.retract(episode=tenant.recall(QUESTIONS[2], settings=TURNS_ONLY).items[0].id)


def merges(tenant: Tenant) -> None:
    tenant.merge("Ana", "P3", reason="they live together as one")
    tenant.merge("Lima", "violin")
    tenant.unmerge("Lima", "violin")


def names(tenant: Tenant) -> None:
    for number in range(3):
        ref = EntityRef("Boat" + str(number), "person", aliases=("Ana", "harbour", "Lima"))
        tenant.assert_fact(ref, "LIVES_IN", "Porto", valid_from="2022")


def cardinalities(tenant: Tenant) -> None:
    tenant.set_cardinality("PLAYS", "one")
    tenant.set_cardinality("LIVES_IN", "many")
    # As the policy of the memory has them, without which nothing more can be written.
    tenant.set_cardinality("PLAYS", "many")
    tenant.set_cardinality("LIVES_IN", "one")


TURNS_ONLY = RecallSettings(include=("turns",))
LATER = (more_of_the_session, names, merges, corrections, cardinalities, many_facts)


def test_a_recall_gives_the_same_bytes_whatever_is_written_later(tenant: Tenant) -> None:
    recalls = asked(tenant)
    check(tenant, recalls)
    for write in LATER:
        write(tenant)
        check(tenant, recalls[:1])
    check(tenant, recalls)
    assert tenant.recall(QUESTIONS[0]).receipt.items != recalls[0].receipt.items


def test_a_recall_of_an_empty_memory_stays_empty(memory: Memory) -> None:
    empty = fresh(memory)
    receipt = empty.recall(QUESTIONS[0], known_at="2999-01-01").receipt
    assert (receipt.last_tx, receipt.items) == (None, ())
    empty.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024")
    assert empty.recall(QUESTIONS[0]).items
    assert empty.replay(receipt).same


@pytest.mark.parametrize("receipt", [None, 5, b"{}"])
def test_what_is_no_receipt_is_refused(tenant: Tenant, receipt: Any) -> None:
    with pytest.raises(InvalidInputError, match="needs a receipt"):
        tenant.replay(receipt)


def test_weights_and_settings_of_the_call_are_those_of_the_replay(tenant: Tenant) -> None:
    recall = tenant.recall("violin", settings=RecallSettings(limit=3, half_life=2, k1=0.5))
    assert recall.receipt.settings.limit == 3
    assert recall.receipt.settings.weights is not None
    check(tenant, [recall])


def test_another_embedder_is_refused_and_told(
    open_memory: Opener, location: str, embedder: HashingEmbedder
) -> None:
    name, clock = unused(), FixedClock("2030-01-01")
    with_it = open_memory(location, clock=clock, embedder=embedder).tenant(name)
    with_it.ingest(messages(*TURNS), session="s", started_at="2024-01-01T00:00:00Z")
    receipt = with_it.recall("violin").receipt
    without = open_memory(location, clock=clock).tenant(name)
    words = without.recall("violin").receipt
    with pytest.raises(EmbedderMismatchError, match=embedder.identity):
        without.replay(receipt)
    assert with_it.replay(words).same
    other = HashingEmbedder(32, name="other")
    changed = open_memory(location, clock=clock, embedder=other).tenant(name)
    with pytest.raises(EmbedderMismatchError, match=embedder.identity):
        changed.replay(receipt)
    changed.reembed()
    with pytest.raises(EmbedderMismatchError):
        with_it.replay(receipt)
    with pytest.raises(EmbedderMismatchError, match=embedder.identity):
        changed.replay(receipt)
    with_it.reembed()
    assert with_it.replay(receipt).same


def test_what_is_gone_from_the_memory_is_named(memory: Memory, tenant: Tenant) -> None:
    recall = tenant.recall(QUESTIONS[2], settings=TURNS_ONLY)
    gone = recall.items[0].id
    copy = fresh(memory)
    copy.import_(without(tenant.export(), gone))
    copy.embed_missing()
    named = recall.receipt.to_json().replace(f'"{tenant.name}"', f'"{copy.name}"')
    replay = copy.replay(named)
    assert replay.difference is not None
    assert replay.difference.missing == (("turn", gone),)
    assert replay.difference.lost == ()
    assert f"turn {gone} is gone from the memory" in replay.difference.to_text()
    assert gone not in {item.id for item in replay.recall.items}


def without(lines: Iterable[str], id: str) -> list[str]:
    """An export as if what names the id had never been recorded."""
    *kept, last = [line for line in lines if id not in line]
    return [*kept, json.dumps(json.loads(last) | {"records": len(kept) - 1})]


def test_a_receipt_of_another_tenant_or_memory_is_refused(memory: Memory, tenant: Tenant) -> None:
    receipt = tenant.recall("violin").receipt
    with pytest.raises(InvalidInputError, match="tenant"):
        fresh(memory).replay(receipt)
    empty = fresh(memory)
    empty.assert_fact("Ana", "PLAYS", "violin")
    ours = receipt.to_json().replace(f'"{tenant.name}"', f'"{empty.name}"')
    with pytest.raises(NotFoundError, match="transaction"):
        empty.replay(ours)


def test_a_fact_that_was_asserted_directly_quotes_nothing(tenant: Tenant) -> None:
    only = RecallSettings(include=("facts",), limit=50)
    items = tenant.recall("Who lives in Lima, who plays the violin?", settings=only).items
    stated = [item for item in items if item.sources[0].startswith(("p", "lima"))]
    assert stated
    assert all(item.spans == () and item.explain() for item in stated)
