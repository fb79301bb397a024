"""Counting and scoring texts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.lexical import terms, words
from bitempo.query.counting import LONGEST_KEPT, Counts, count
from bitempo.query.scoring import Bm25, decay, normalised, rarest

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
    wanted = list(dict.fromkeys(term for word in asked for term in terms(word)))
    found = {text: terms(text) for text in texts}
    for _ in range(2):
        # What is kept of a text since the first time counts the same.
        counts = count({text: text for text in texts}, wanted)
        assert counts.lengths == {text: len(of) for text, of in found.items()}
        assert list(counts.terms) == wanted
        for term, of_term in counts.terms.items():
            assert of_term == {text: n for text, of in found.items() if (n := of.count(term))}


def test_a_text_too_long_to_be_kept_is_counted_alike() -> None:
    long = "Lisbon is far, " * LONGEST_KEPT
    counts = count({"long": long, "short": "Lisbon"}, ["lisbon"])
    assert counts == Counts({"lisbon": {"long": LONGEST_KEPT, "short": 1}}, counts.lengths)
    assert counts.lengths == {"long": 3 * LONGEST_KEPT, "short": 1}


@st.composite
def rows_of_texts(draw: st.DrawFn) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Texts by key, of which some follow another."""
    texts = draw(st.lists(TEXTS, min_size=1, max_size=6))
    joined = draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    pairs = [(str(n), str(n + 1)) for n in range(len(texts) - 1) if joined[n]]
    return texts, {second: first for first, second in pairs}, dict(pairs)


@given(rows_of_texts())
def test_a_window_counts_as_its_texts_together(
    row: tuple[list[str], dict[str, str], dict[str, str]],
) -> None:
    texts, before, after = row
    alone = {str(n): text for n, text in enumerate(texts)}
    wanted = list(dict.fromkeys(term for text in texts for term in terms(text)))
    joined = {
        key: " ".join([text, *(alone[near[key]] for near in (before, after) if key in near)])
        for key, text in alone.items()
    }
    assert count(alone, wanted).windows(before, after) == count(joined, wanted)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, max_size=4), st.data())
def test_what_is_added_to_texts_counts_as_if_it_stood_in_them(
    texts: list[str], more: list[str], data: st.DataObject
) -> None:
    owners = st.lists(st.sampled_from(range(len(texts))), unique=True)
    places = {f"more {n}": [str(place) for place in data.draw(owners)] for n in range(len(more))}
    wanted = list(dict.fromkeys(term for text in (*texts, *more) for term in terms(text)))
    added = {f"more {n}": text for n, text in enumerate(more)}
    whole = {
        str(n): " ".join([text, *(added[key] for key, of in places.items() if str(n) in of)])
        for n, text in enumerate(texts)
    }
    alone = count({str(n): text for n, text in enumerate(texts)}, wanted)
    assert count(added, wanted).added_to(alone, places) == count(whole, wanted)


@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_ascii_text_has_the_words_that_any_text_has(text: str) -> None:
    beside = "\u00e9 "
    assert words(text) == words(beside + text)[1:]


def test_bm25_is_the_formula() -> None:
    texts = Counts({"x": {"a": 2, "b": 1}, "y": {"a": 1}}, {"a": 10, "b": 5, "c": 7})
    scores = Bm25({"x": 2, "y": 1}, documents=3, mean_length=8, k1=1.2, b=0.75).scores(texts)
    rare, common = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    norm_a, norm_b = 1.2 * (0.25 + 0.75 * 10 / 8), 1.2 * (0.25 + 0.75 * 5 / 8)
    assert scores == {
        "a": pytest.approx(common * 2 * 2.2 / (2 + norm_a) + rare * 2.2 / (1 + norm_a)),
        "b": pytest.approx(common * 2.2 / (1 + norm_b)),
    }


def test_a_term_that_stands_everywhere_still_counts_a_little() -> None:
    scores = Bm25({"x": 3}, documents=3, mean_length=1, k1=1.2, b=0.75).scores(
        Counts({"x": {"a": 1}}, {"a": 1})
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
