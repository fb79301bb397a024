"""Late interaction is the sum of maxima that it says it is, whatever the texts are."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.embedding import TokenVectors
from bitempo.engine.late import (
    LoadedTokens,
    TokenCorpus,
    TokenQuestion,
    pack,
    relevance,
    unpack,
)

VOCABULARY = 12
DIMENSION = 8
TABLE = np.linalg.qr(np.random.default_rng(7).normal(size=(VOCABULARY, DIMENSION)))[0].astype(
    np.float32
)
TABLE /= np.linalg.norm(TABLE, axis=1, keepdims=True)

texts = st.lists(st.lists(st.integers(0, VOCABULARY - 1), max_size=6), min_size=1, max_size=12)
questions = st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=5)


def tokens(ids: list[int]) -> TokenVectors:
    chosen = np.array(ids, np.int32)
    return TokenVectors(
        np.zeros(DIMENSION, np.float32), TABLE[chosen].reshape(-1, DIMENSION), chosen
    )


def asked(ids: list[int], *, static: bool) -> TokenQuestion:
    vectors = TABLE[np.array(ids)]
    return TokenQuestion(np.array(ids, np.int32), vectors, vectors @ TABLE.T if static else None)


def corpus_of(
    told: list[list[int]], *, static: bool, parts: int = 1, tail: int = 100
) -> TokenCorpus[int]:
    corpus: TokenCorpus[int] = TokenCorpus(0 if static else DIMENSION, tail=tail)
    packed = [pack(tokens(ids), with_codes=not static) for ids in told]
    size = max(1, len(told) // parts)
    for start in range(0, len(told), size):
        numbers = list(range(start, min(start + size, len(told))))
        corpus.extend(LoadedTokens(numbers, numbers, numbers, [packed[n] for n in numbers]))
    return corpus


@settings(max_examples=150, deadline=None)
@given(texts, questions, st.booleans(), st.integers(1, 6), st.sampled_from([0, 4, 100]))
def test_maxima_and_weights_are_those_of_a_loop(
    told: list[list[int]], question: list[int], static: bool, parts: int, tail: int
) -> None:
    corpus = corpus_of(told, static=static, parts=parts, tail=tail)
    asks = asked(question, static=static)
    places = corpus.recorded_until(len(told), len(told))
    maxima = corpus.maxima(asks, places)
    for place, ids in enumerate(told):
        for column, token in enumerate(question):
            expected = max((float(TABLE[token] @ TABLE[id]) for id in ids), default=0.0)
            assert abs(maxima[place, column] - expected) < 0.02
    for column, token in enumerate(question):
        df = sum(token in ids for ids in told)
        expected = np.log((len(told) + 1) / (df + 1))
        assert abs(corpus.weights(asks, places)[column] - expected) < 1e-5


@given(texts, questions, st.sampled_from([0, 4, 100]))
def test_what_was_recorded_later_counts_for_nothing(
    told: list[list[int]], question: list[int], tail: int
) -> None:
    asks = asked(question, static=True)
    whole, part = corpus_of(told, static=True, tail=tail), corpus_of(told[:1], static=True)
    until = whole.recorded_until(len(told), 0)
    assert np.array_equal(until, [0])
    assert np.array_equal(whole.weights(asks, until), part.weights(asks, until))


@given(st.lists(st.integers(0, VOCABULARY - 1), max_size=6))
def test_what_is_packed_is_read_again(ids: list[int]) -> None:
    read, codes = unpack(pack(tokens(ids), with_codes=True), DIMENSION)
    assert read.tolist() == ids
    assert np.allclose(
        codes / 127, TABLE[np.array(ids, np.int32)].reshape(-1, DIMENSION), atol=0.005
    )
    assert unpack(pack(tokens(ids), with_codes=False), 0)[0].tolist() == ids


def test_tokens_that_all_texts_have_make_nothing_relevant() -> None:
    assert relevance(np.ones((3, 2), np.float32), np.zeros(2, np.float32)).tolist() == [0, 0, 0]
