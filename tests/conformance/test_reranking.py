"""A reranker has its say in the order of a recall, and the receipt tells; on every store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bitempo import (
    Memory,
    ModelError,
    RecallSettings,
    RerankerMismatchError,
    Tenant,
)
from bitempo.query.settings import RecallWeights
from bitempo.testing import FixedClock, HashingReranker
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh

QUESTION = "What did Ana say about the harbour?"
SAID = (
    ("Ana", "The harbour is full of boats."),
    ("Bo", "Do you still play the violin by the harbour?"),
    ("Ana", "Every evening, when the harbour is quiet."),
    ("Bo", "My boat has left the harbour."),
)


class LastFirst(HashingReranker):
    """Holds the last text for the best."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        super().scores(question, texts)
        return [float(place) for place in range(len(texts))]


@pytest.fixture
def reranker() -> HashingReranker:
    return LastFirst("last-first")


@pytest.fixture
def tenant(open_memory: Opener, reranker: HashingReranker) -> Tenant:
    return told(open_memory(clock=FixedClock("2030-01-01"), reranker=reranker))


def told(memory: Memory) -> Tenant:
    tenant = fresh(memory)
    said = [{"role": "user", "name": name, "content": text} for name, text in SAID]
    tenant.ingest(said, session="s", started_at="2024-01-01T00:00:00Z")
    tenant.assert_fact("Ana", "LIVES_IN", "harbour", valid_from="2024", episode="home")
    return tenant


def other_face(tenant: Tenant, reranker: Any) -> Tenant:
    """The same tenant's memory, open with another reranker or none."""
    return Memory(tenant._store, clock=FixedClock("2030-01-01"), reranker=reranker).tenant(
        tenant.name
    )


def weighing(weight: float, **settings: Any) -> RecallSettings:
    return RecallSettings(weights=RecallWeights(rerank=weight), **settings)


def test_a_heavy_reranker_decides_the_order(tenant: Tenant, reranker: HashingReranker) -> None:
    plain = other_face(tenant, None).recall(QUESTION, settings=weighing(0))
    found = tenant.recall(QUESTION, settings=weighing(100))
    assert len(plain.items) >= 4
    assert {item.kind for item in plain.items} == {"turn", "fact"}
    assert [item.id for item in found.items] == [item.id for item in reversed(plain.items)]
    question, texts = reranker.asked[-1]
    assert question == QUESTION
    assert "Ana: The harbour is full of boats." in texts


def test_the_score_is_the_sum_of_its_parts_and_explains_itself(tenant: Tenant) -> None:
    found = tenant.recall(QUESTION)
    assert sorted(item.signals["rerank"] for item in found.items)[:: len(found.items) - 1] == [0, 1]
    for item in found.items:
        assert item.score == pytest.approx(sum(item.contributions.values()))
        assert item.contributions["rerank"] == item.weights["rerank"] * item.signals["rerank"]
    assert "rerank: +1.000 = 1.000 x 1.000" in "".join(item.explain() for item in found.items)
    assert [item.score for item in found.items] == sorted(
        (item.score for item in found.items), reverse=True
    )


def test_a_weightless_reranker_changes_no_order(tenant: Tenant) -> None:
    plain = other_face(tenant, None).recall(QUESTION, settings=weighing(0))
    found = tenant.recall(QUESTION, settings=weighing(0))
    assert [(item.id, item.score) for item in found.items] == [
        (item.id, item.score) for item in plain.items
    ]


def test_it_sees_the_best_so_many_and_can_lift_beyond_the_limit(
    tenant: Tenant, reranker: HashingReranker
) -> None:
    plain = other_face(tenant, None).recall(QUESTION, settings=weighing(0))
    found = tenant.recall(QUESTION, settings=weighing(100, limit=1, rerank_candidates=3))
    assert len(reranker.asked[-1][1]) == 3
    assert [item.id for item in found.items] == [plain.items[2].id]
    deep = tenant.recall(QUESTION, settings=weighing(100, limit=10, rerank_candidates=1))
    assert len(reranker.asked[-1][1]) == 1
    assert [item.id for item in deep.items] == [item.id for item in plain.items]


def test_a_question_without_a_match_asks_nothing(open_memory: Opener) -> None:
    reranker = HashingReranker()
    tenant = fresh(open_memory(clock=FixedClock("2030-01-01"), reranker=reranker))
    receipt = tenant.recall(QUESTION).receipt
    assert receipt.items == ()
    assert reranker.asked == []
    assert tenant.replay(receipt).same


def test_a_receipt_names_the_reranker_and_replays_with_it(tenant: Tenant) -> None:
    found = tenant.recall(QUESTION, limit=2)
    assert found.receipt.reranker == "last-first"
    assert found.receipt.settings.limit == 2
    tenant.ingest([{"role": "user", "content": "The harbour!"}], session="t", started_at="2024-02")
    replay = tenant.replay(found.receipt.to_json())
    assert replay.same, replay.difference
    assert replay.recall.items == found.items


@pytest.mark.parametrize("other", [None, HashingReranker("other")], ids=["none", "another"])
def test_a_replay_with_another_reranker_or_none_is_refused(
    tenant: Tenant, other: HashingReranker | None
) -> None:
    receipt = tenant.recall(QUESTION).receipt
    with pytest.raises(RerankerMismatchError, match=r"last-first.*open the memory with"):
        other_face(tenant, other).replay(receipt)


def test_a_receipt_without_a_reranker_replays_without_it(
    tenant: Tenant, reranker: HashingReranker
) -> None:
    receipt = other_face(tenant, None).recall(QUESTION).receipt
    assert receipt.reranker is None
    assert tenant.replay(receipt).same
    assert reranker.asked == []


@pytest.mark.parametrize("error", [ModelError("it is down"), RuntimeError("it is down")])
def test_a_reranker_that_fails_is_an_error(
    tenant: Tenant, reranker: HashingReranker, error: Exception
) -> None:
    reranker.failing = error
    with pytest.raises(ModelError, match="it is down"):
        tenant.recall(QUESTION)


def test_without_it_only_where_that_is_said_and_it_is_told(
    tenant: Tenant, reranker: HashingReranker
) -> None:
    settings = RecallSettings(rerank_required=False)
    assert tenant.recall(QUESTION, settings=settings).rerank_error is None
    reranker.failing = ModelError("it is down")
    found = tenant.recall(QUESTION, settings=settings)
    assert found.rerank_error == "it is down"
    assert found.receipt.reranker is None
    assert found.items == other_face(tenant, None).recall(QUESTION, settings=settings).items
    assert tenant.replay(found.receipt).same


class Wrong(HashingReranker):
    def __init__(self, given: list[float]) -> None:
        super().__init__("wrong")
        self._given = given

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:  # noqa: ARG002
        return self._given


@pytest.mark.parametrize("given", [[], [1.0], [float("nan")] * 5, [float("inf")] * 5])
def test_scores_that_do_not_fit_are_refused(tenant: Tenant, given: list[float]) -> None:
    with pytest.raises(ModelError, match="wrong"):
        other_face(tenant, Wrong(given)).recall(QUESTION)


def test_the_store_is_free_while_the_model_is_asked(tenant: Tenant) -> None:
    class Writing(HashingReranker):
        def scores(self, question: str, texts: Sequence[str]) -> list[float]:
            tenant.assert_fact("Bo", "LIKES", "harbour", valid_from="2024", episode="while")
            return super().scores(question, texts)

    found = other_face(tenant, Writing()).recall(QUESTION)
    assert found.items
    assert "while" not in {source for item in found.items for source in item.sources}
