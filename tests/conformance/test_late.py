"""Late interaction compares tokens, exactly, at one point in time, on either store."""

from __future__ import annotations

import numpy as np
import pytest

from bitempo import Memory, Tenant
from bitempo.engine.late import TokenQuestion
from bitempo.engine.store.port import Corpus
from bitempo.engine.time import Instant
from bitempo.query.vectors import question_vectors
from bitempo.testing import FixedClock, HashingEmbedder
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh

NOW = 2**60
LINES = (
    "the harbour was full of boats",
    "my sister plays the violin in a harbour",
    "boats and more boats",
    "nothing of the kind",
)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder(64)


@pytest.fixture
def memory(open_memory: Opener, location: str, embedder: HashingEmbedder) -> Memory:
    return open_memory(location, clock=FixedClock("2030-01-01"), embedder=embedder)


@pytest.fixture
def tenant(memory: Memory) -> Tenant:
    tenant = fresh(memory)
    say(tenant, *LINES)
    return tenant


def say(tenant: Tenant, *lines: str, session: str = "s") -> Instant:
    messages = [{"role": "user", "name": "Ana", "content": line} for line in lines]
    last = tenant.ingest(messages, session=session, started_at="2024-01-01T00:00:00Z").last_tx
    assert last is not None
    return last


def tokens_of(embedder: HashingEmbedder, question: str) -> TokenQuestion:
    tokens = question_vectors(embedder, question).tokens
    assert tokens is not None
    return tokens


def best(
    tenant: Tenant, embedder: HashingEmbedder, question: str, known_at: Instant, limit: int = 9
) -> list[str]:
    with tenant._store.read(tenant.name) as reader:
        late = reader.late(
            Corpus.TURNS, tokens_of(embedder, question), known_at=known_at, limit=limit
        )
        found = reader.episodes(late.ids)
    return [found[id].text for id in late.ids]


def test_each_token_is_compared_with_every_token_of_the_text(
    tenant: Tenant, embedder: HashingEmbedder
) -> None:
    question = tokens_of(embedder, "violin boats")
    with tenant._store.read(tenant.name) as reader:
        late = reader.late(Corpus.TURNS, question, known_at=NOW, limit=9)
        texts = {id: episode.text for id, episode in reader.episodes(late.ids).items()}
    assert sorted(texts.values()) == sorted(LINES)
    for id, text in texts.items():
        told = embedder.embed_tokens([f"Ana: {text}"])[0].tokens
        # Codes of 8 bits err by half a step in each of 64 numbers at most.
        assert np.allclose(late.rows[id], (question.vectors @ told.T).max(axis=1), atol=0.02)
    # "violin" stands in one of four texts, "boats" in two.
    assert np.allclose(late.weights, np.log([5 / 2, 5 / 3]))
    assert late.lowest <= min(late.relevance({id: (id,) for id in late.ids}).values()) + 1e-6


def test_the_best_met_come_first(tenant: Tenant, embedder: HashingEmbedder) -> None:
    assert best(tenant, embedder, "violin", NOW, limit=1) == [LINES[1]]
    assert set(best(tenant, embedder, "boats", NOW, limit=2)) == {LINES[0], LINES[2]}


def test_what_was_not_known_then_is_neither_found_nor_counted(
    tenant: Tenant, embedder: HashingEmbedder
) -> None:
    with tenant._store.read(tenant.name) as reader:
        before = reader.last_tx()
    assert before is not None
    question = tokens_of(embedder, "violin")
    with tenant._store.read(tenant.name) as reader:
        first = reader.late(Corpus.TURNS, question, known_at=before, limit=9)
    say(tenant, "a violin", "a violin again", session="later")
    with tenant._store.read(tenant.name) as reader:
        again = reader.late(Corpus.TURNS, question, known_at=before, limit=9)
        now = reader.late(Corpus.TURNS, question, known_at=NOW, limit=9)
    assert again.ids == first.ids
    assert np.array_equal(again.weights, first.weights)
    assert len(now.ids) == len(first.ids) + 2
    assert now.weights[0] < first.weights[0]
    assert best(tenant, embedder, "violin", before - 1) == []


def test_what_was_retracted_is_found_at_its_time_only(
    tenant: Tenant, embedder: HashingEmbedder
) -> None:
    with tenant._store.read(tenant.name) as reader:
        before = reader.last_tx()
        late = reader.late(Corpus.TURNS, tokens_of(embedder, "violin"), known_at=NOW, limit=1)
    assert before is not None
    tenant.retract(episode=late.ids[0])
    assert LINES[1] not in best(tenant, embedder, "violin", NOW)
    assert best(tenant, embedder, "violin", before, limit=1) == [LINES[1]]


def test_texts_together_meet_a_token_as_well_as_the_best_of_them(
    tenant: Tenant, embedder: HashingEmbedder
) -> None:
    with tenant._store.read(tenant.name) as reader:
        late = reader.late(Corpus.TURNS, tokens_of(embedder, "violin boats"), known_at=NOW, limit=9)
    pairs = {"both": late.ids[:2]}
    both = late.relevance(pairs)["both"]
    rows = np.maximum(late.rows[late.ids[0]], late.rows[late.ids[1]])
    assert both == pytest.approx(float(rows @ late.weights / late.weights.sum()))


def test_tenants_do_not_see_each_other(
    memory: Memory, tenant: Tenant, embedder: HashingEmbedder
) -> None:
    other = fresh(memory)
    say(other, "a violin of another")
    assert best(other, embedder, "violin boats", NOW) == ["a violin of another"]
    assert "a violin of another" not in best(tenant, embedder, "violin", NOW)


def test_only_those_asked_for_are_compared_by_id(tenant: Tenant, embedder: HashingEmbedder) -> None:
    question = tokens_of(embedder, "violin")
    with tenant._store.read(tenant.name) as reader:
        late = reader.late(Corpus.TURNS, question, known_at=NOW, limit=9)
        some = list(late.ids[1:3])
        found = reader.token_maxima(Corpus.TURNS, question, [*some, "nobody"])
    assert found.keys() == set(some)
    assert all(np.allclose(found[id], late.rows[id]) for id in some)


def test_what_was_compared_on_the_way_is_there_for_whoever_asks_for_it(
    tenant: Tenant, embedder: HashingEmbedder
) -> None:
    question = tokens_of(embedder, "violin boats")
    with tenant._store.read(tenant.name) as reader:
        before = reader.last_tx()
        every = reader.late(Corpus.TURNS, question, known_at=NOW, limit=9).ids
    assert before is not None
    say(tenant, "a violin", session="later")
    with tenant._store.read(tenant.name) as reader:
        (later,) = set(reader.late(Corpus.TURNS, question, known_at=NOW, limit=9).ids) - {*every}
        late = reader.late(Corpus.TURNS, question, known_at=before, limit=1)
        found = late.scanned([*every, later, "nobody"])
        again = reader.token_maxima(Corpus.TURNS, question, every)
    assert found.keys() == set(every)
    assert all(np.allclose(found[id], again[id]) for id in every)


def test_the_same_after_it_was_opened_anew(
    open_memory: Opener, location: str, tenant: Tenant, embedder: HashingEmbedder
) -> None:
    again = open_memory(location, embedder=embedder).tenant(tenant.name)
    assert best(again, embedder, "violin boats", NOW) == best(tenant, embedder, "violin boats", NOW)


def test_recall_finds_by_meaning_and_says_by_which_embedder(
    open_memory: Opener, location: str
) -> None:
    embedder = HashingEmbedder(64)
    memory = open_memory(location, clock=FixedClock("2030-01-01"), embedder=embedder)
    tenant = fresh(memory)
    say(tenant, *LINES)
    recalled = tenant.recall("violin")
    assert recalled.items[0].episode is not None
    assert recalled.items[0].episode.text == LINES[1]
    assert recalled.items[0].signals["tokens"] == pytest.approx(1.0)
    assert recalled.receipt.embedder == embedder.identity
    words = open_memory(location).tenant(tenant.name).recall("violin")
    assert words.receipt.embedder is None
    assert words.receipt.settings != recalled.receipt.settings
