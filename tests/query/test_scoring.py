"""Counting and scoring texts."""

from __future__ import annotations

import math
from collections import Counter as Tally

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.lexical import terms, words
from bitempo.query.scoring import Bm25, Counter, Counts, decay, normalised, rarest

STEMS = "die lie tie sky hope date trouble relation sensible happy dog run news idle early".split()
ENDINGS = ["", "s", "es", "ed", "ing", "ly", "er", "ies", "iness", "fully", "ational", "ibility"]
IRREGULAR = ["dying", "lying", "tying", "skies", "cried", "only", "ugly", "gently", "yes", "Yard"]
WORDS = st.one_of(
    st.builds(
        lambda stem, ending: stem.rstrip("ey") + ending, *map(st.sampled_from, (STEMS, ENDINGS))
    ),
    st.sampled_from(IRREGULAR),
    st.text(max_size=6),
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
DAY = 86_400_000_000


@given(st.lists(TEXTS, max_size=6), st.lists(WORDS, max_size=4))
def test_counts_are_those_of_the_terms_one_by_one(texts: list[str], asked: list[str]) -> None:
    wanted = {term for word in asked for term in terms(word)}
    counter = Counter(wanted)
    for text in texts:
        found = terms(text)
        expected = Tally(term for term in found if term in wanted)
        assert counter.count(text) == Counts(dict(expected), len(found))


@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_ascii_text_has_the_words_that_any_text_has(text: str) -> None:
    beside = "\u00e9 "
    assert words(text) == words(beside + text)[1:]


def test_bm25_is_the_formula() -> None:
    texts = {"a": Counts({"x": 2, "y": 1}, 10), "b": Counts({"x": 1}, 5), "c": Counts({}, 7)}
    scores = Bm25({"x": 2, "y": 1}, documents=3, mean_length=8, k1=1.2, b=0.75).scores(texts)
    rare, common = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    norm_a, norm_b = 1.2 * (0.25 + 0.75 * 10 / 8), 1.2 * (0.25 + 0.75 * 5 / 8)
    assert scores == {
        "a": pytest.approx(common * 2 * 2.2 / (2 + norm_a) + rare * 2.2 / (1 + norm_a)),
        "b": pytest.approx(common * 2.2 / (1 + norm_b)),
    }


def test_a_term_that_stands_everywhere_still_counts_a_little() -> None:
    scores = Bm25({"x": 3}, documents=3, mean_length=1, k1=1.2, b=0.75).scores(
        {"a": Counts({"x": 1}, 1)}
    )
    assert 0 < scores["a"] < 0.2


def test_the_best_score_becomes_one_and_none_becomes_nothing() -> None:
    assert normalised({"a": 4.0, "b": 1.0}) == {"a": 1.0, "b": 0.25}
    assert normalised({}) == {}


def test_recency_halves_with_the_half_life_and_never_exceeds_one() -> None:
    assert decay(0, 30 * DAY, 30) == 0.5
    assert decay(0, 60 * DAY, 30) == 0.25
    assert decay(5 * DAY, 0, 30) == 1.0
    assert decay(-(2**62), 2**62, 1e-6) >= 0.0


def test_the_rarest_terms_are_kept_and_equals_go_by_name() -> None:
    assert list(rarest({"b": 2, "a": 2, "c": 1, "d": 9}, 3)) == ["c", "a", "b"]
