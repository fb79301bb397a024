"""What other tenants hold changes nothing: not what is found, not its rank, not its scores."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import Memory
from bitempo.engine.store.port import Corpus, Matches
from bitempo.engine.store.sqlite import SqliteStore, search
from bitempo.engine.time import parse_instant
from bitempo.testing import FixedClock
from tests.store.telling import Scripted, each_says, session

WORDS = "apple pear plum fig lime date kiwi nut oat rye".split()
ALL = [*WORDS, "january", "ana", "nobody"]


def texts(seed: int, count: int) -> list[str]:
    """Sentences in which the first words are common and the last ones rare."""
    chosen = random.Random(seed)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    return [" ".join(chosen.choices(WORDS, weights, k=chosen.randint(3, 12))) for _ in range(count)]


def told(order: Sequence[tuple[str, int]]) -> SqliteStore:
    """A store in which each tenant was told, in turn, sentences of its own."""
    store, clock = SqliteStore(":memory:"), FixedClock("2024-06-01")
    memory = Memory(store, clock=clock, extractor=Scripted(each_says))
    said: dict[str, int] = {}
    for tenant, count in order:
        start = said.get(tenant, 0)
        said[tenant] = start + count
        sentences = texts(sum(map(ord, tenant)), start + count)[start:]
        memory.tenant(tenant).ingest(session(sentences, f"s{start}"))
        if start:
            memory.tenant(tenant).retract(episode=f"s{start}-0")
    return store


def found(store: SqliteStore, tenant: str, known_at: int, limit: int) -> list[Matches]:
    with store.read(tenant) as reader:
        return [
            reader.search(corpus, terms, known_at=known_at, limit=limit)
            for corpus in Corpus
            for terms in (ALL, WORDS[:2], WORDS[-3:], ["nobody"], [])
        ]


@settings(max_examples=15, deadline=None)
@given(
    order=st.lists(st.sampled_from(["ours", "1", "2", "11", "ours2"]), min_size=3, max_size=12),
    budget=st.sampled_from([5, 50, 8_000]),
)
def test_a_search_finds_the_same_among_other_tenants_as_alone(
    order: list[str], budget: int
) -> None:
    steps = [(tenant, 7) for tenant in order]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "ROW_BUDGET", budget)
        alone, among = told([step for step in steps if step[0] == "ours"]), told(steps)
        with closing(alone), closing(among):
            for known_at in [parse_instant("2024-06-01") + n for n in range(-1, 8)]:
                for limit in (3, 100):
                    expected = found(alone, "ours", known_at, limit)
                    assert found(among, "ours", known_at, limit) == expected


def test_a_recall_among_twenty_other_tenants_is_the_same_as_alone() -> None:
    others = [(f"other {n}", 40) for n in range(20)]
    half = len(others) // 2
    questions = [*texts(99, 5), "what did Ana say about figs?", "January"]
    alone = told([("ours", 30), ("ours", 30)])
    among = told([*others[:half], ("ours", 30), *others[half:], ("ours", 30), *others])
    answers = []
    for store in (alone, among):
        memory = Memory(store, clock=FixedClock("2024-06-01"), extractor=Scripted(each_says))
        answers.append([memory.tenant("ours").recall(question) for question in questions])
        memory.close()
    assert answers[0] == answers[1]
    assert all(answer.items for answer in answers[0])
