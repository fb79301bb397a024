"""What a reranker's scores do to the order: by their order and distances, never by their scale."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.store.port import Point
from bitempo.query.recall import Recall, RecallItem, RecallSettings, Receipt
from bitempo.query.reranking import deep_enough, reranked
from bitempo.query.settings import RecallWeights

SCORES = st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=12)


class Given:
    """A reranker that gives these scores."""

    identity = "given"

    def __init__(self, scores: Sequence[float]) -> None:
        self._scores = scores

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:  # noqa: ARG002
        return self._scores[: len(texts)]


def recalled(scores: Sequence[float], settings: RecallSettings) -> Recall:
    """Items with these scores, best first."""
    items = tuple(
        RecallItem(
            "turn", f"t{place}", f"text {place}", score, {"turn": score}, {"turn": score}, ()
        )
        for place, score in enumerate(sorted(scores, reverse=True))
    )
    named = tuple((item.kind, item.id, item.score) for item in items)
    return Recall(items, Receipt("asked", Point(0, None), 0, deep_enough(settings), named))


def settings(weight: float = 1.0, limit: int = 50, seen: int = 50) -> RecallSettings:
    weights = RecallWeights(rerank=weight)
    return RecallSettings(weights=weights, limit=limit, rerank_candidates=seen)


@given(scores=SCORES, limit=st.integers(1, 12), seen=st.integers(1, 12), weight=st.floats(0, 100))
def test_items_come_by_their_scores_and_each_is_the_sum_of_its_parts(
    scores: list[float], limit: int, seen: int, weight: float
) -> None:
    chosen = settings(weight, limit, seen)
    before = recalled(scores, chosen)
    found = reranked(before, Given(scores), chosen)
    assert len(found.items) == min(limit, len(scores))
    assert [-item.score for item in found.items] == sorted(-item.score for item in found.items)
    for item in found.items:
        assert item.score == pytest.approx(sum(item.contributions.values()))
        assert ("rerank" in item.signals) == (int(item.id[1:]) < seen)
        assert 0 <= item.signals.get("rerank", 0) <= 1
    assert found.receipt.items == tuple((i.kind, i.id, i.score) for i in found.items)
    assert found.receipt.settings == chosen


@given(scores=SCORES, factor=st.sampled_from([0.25, 2.0, 1e6]), shift=st.integers(-100, 100))
def test_the_scale_of_the_scores_is_nothing(scores: list[float], factor: float, shift: int) -> None:
    chosen = settings()
    before = recalled(scores, chosen)
    one = reranked(before, Given(scores), chosen)
    other = reranked(before, Given([factor * (score + shift) for score in scores]), chosen)
    assert [item.score for item in one.items] == pytest.approx([i.score for i in other.items])


@given(scores=SCORES)
def test_equal_scores_change_nothing(scores: list[float]) -> None:
    chosen = settings()
    before = recalled(scores, chosen)
    found = reranked(before, Given([7.0] * len(scores)), chosen)
    assert [item.id for item in found.items] == [item.id for item in before.items]
    assert [item.score for item in found.items] == [item.score for item in before.items]


def test_scores_at_the_ends_of_what_a_float_holds_are_taken() -> None:
    chosen = settings(100)
    found = reranked(recalled([3, 2, 1], chosen), Given([-1.7e308, 0.0, 1.7e308]), chosen)
    assert [item.signals["rerank"] for item in found.items] == [1.0, 0.5, 0.0]
    assert [item.id for item in found.items] == ["t2", "t1", "t0"]
