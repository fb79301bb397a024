"""Replays in a file: after very many writes, and to the last bit of a similarity."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import Memory, Statement
from bitempo.engine.store.vectors import Corpus, Loaded, quantise
from bitempo.testing import FixedClock

unhurried = settings(deadline=None)

WRITES = 10_000


def test_a_recall_gives_the_same_bytes_after_ten_thousand_later_writes() -> None:
    with Memory.open(":memory:", clock=FixedClock("2030-01-01")) as memory:
        tenant = memory.tenant("acme")
        for number in range(30):
            tenant.assert_fact(f"P{number}", "PLAYS", "violin", valid_from="2024")
        tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024")
        said = [{"role": "user", "name": "Ana", "content": "I play the violin in Lima."}]
        tenant.ingest(said, session="s", started_at="2024-01-01")
        recalls = [
            tenant.recall(question, **when)
            for question in ("Who plays the violin?", "Where does Ana live?", "violin in Lima")
            for when in ({}, {"known_at": "2999-01-01"}, {"valid_at": "2024-06-01"})
        ]
        for start in range(0, WRITES, 1_000):
            tenant.assert_facts(
                [
                    Statement("Ana", "LIVES_IN", "Lima", text=f"Ana lives in Lima {n}")
                    if n % 10 == 0
                    else Statement(f"Q{n}", "PLAYS", "violin", text="plays the violin in Lima")
                    for n in range(start, start + 1_000)
                ]
            )
        for recall in recalls:
            replay = tenant.replay(recall.receipt.to_json())
            assert replay.same, replay.difference
            assert replay.recall.receipt.to_json() == recall.receipt.to_json()


@unhurried
@given(first=st.integers(1, 40), later=st.integers(1, 40), dimension=st.sampled_from((3, 64, 256)))
def test_vectors_that_are_added_later_change_no_bit_of_a_similarity(
    first: int, later: int, dimension: int
) -> None:
    random = np.random.default_rng(first * 100 + later)
    vectors = random.standard_normal((first + later, dimension)).astype(np.float32)
    question = random.standard_normal(dimension).astype(np.float32)
    corpus: Corpus[int] = Corpus(dimension)
    add(corpus, vectors[:first])
    before = list(corpus.nearest_first(question, first, 0))
    add(corpus, vectors[first:])
    after = [one for one in corpus.nearest_first(question, first + later, 0) if one[0] < first]
    assert after == before


def add(corpus: Corpus[int], vectors: np.ndarray) -> None:
    codes, scales = quantise(vectors)
    numbers = range(len(corpus.items), len(corpus.items) + len(vectors))
    corpus.extend(Loaded(numbers, numbers, [0] * len(vectors), scales.tolist(), codes.tobytes()))
