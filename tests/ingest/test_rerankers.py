"""Rerankers give a score for each text in order, take any text, and say what failed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bitempo import InvalidInputError, Memory, ModelError
from bitempo.ingest.rerankers import endpoint, open_reranker
from bitempo.ingest.rerankers.endpoint import EndpointReranker
from bitempo.testing import (
    Call,
    ContextOverflow,
    Dropped,
    Held,
    ScriptedModel,
    Status,
    hashed_scores,
)

QUESTION = "where is the harbour?"
TEXTS = ["the violin", "the harbour is here", "where is it?"]


def remote(model: ScriptedModel, **settings: object) -> EndpointReranker:
    given: dict[str, object] = {"max_retries": 0, "api_key": "test", **settings}
    return EndpointReranker("scripted", base_url=model.url, **given)  # type: ignore[arg-type]


def test_the_scores_of_an_endpoint_come_in_the_order_of_the_texts() -> None:
    with ScriptedModel(api_key="test") as model:
        found = remote(model).scores(QUESTION, TEXTS)
        (call,) = model.rerank_calls
    assert found == pytest.approx(hashed_scores(QUESTION, TEXTS))
    assert found[1] > found[0]
    assert (call.path, call.question, call.documents) == ("/v1/rerank", QUESTION, TEXTS)
    assert call.body == {"model": "scripted", "query": QUESTION, "documents": TEXTS, "top_n": 3}


def test_texts_go_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"text number {number}" for number in range(250)]
    with ScriptedModel(rerankings=lambda call: [float(t.split()[-1]) for t in call.documents]) as m:
        assert remote(m).scores(QUESTION, texts) == [float(number) for number in range(250)]
        assert [len(call.documents) for call in m.rerank_calls] == [100, 100, 50]
        monkeypatch.setattr(endpoint, "_MOST_CHARACTERS", 30)
        m.forget_calls()
        remote(m).scores(QUESTION, texts[:3])
        assert [len(call.documents) for call in m.rerank_calls] == [2, 1]


def test_any_text_can_be_scored() -> None:
    odd = ["", " \n", "a\0b", "lone \ud800 surrogate", "日本語 😀", "x" * 60_000]
    with ScriptedModel() as model:
        assert len(remote(model).scores("\ud800", odd)) == len(odd)
        assert all(text.strip() for call in model.rerank_calls for text in call.documents)
        assert remote(model).scores(QUESTION, []) == []


def test_what_is_too_long_for_the_model_is_halved() -> None:
    def longest(call: Call) -> ContextOverflow | None:
        return ContextOverflow() if any(len(text) > 3000 for text in call.documents) else None

    texts = ["the harbour", "word " * 4000, "where is it?"]
    with ScriptedModel(rerankings=longest) as model:
        found = remote(model).scores(QUESTION, texts)
    assert found[0] == pytest.approx(hashed_scores(QUESTION, texts[:1])[0])
    assert found[2] == pytest.approx(hashed_scores(QUESTION, texts[2:])[0])


def test_an_endpoint_that_takes_no_text_at_all_is_an_error() -> None:
    with (
        ScriptedModel(rerankings=lambda _: ContextOverflow()) as model,
        pytest.raises(ModelError, match="context length"),
    ):
        remote(model).scores(QUESTION, TEXTS)


@pytest.mark.parametrize(
    "failure", [Status(429, retry_after=0), Status(503, retry_after=0), Dropped()]
)
def test_a_request_is_tried_again(
    failure: Status | Dropped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "_backoff", lambda _: 0.0)
    with ScriptedModel(rerankings=[failure, failure]) as model:
        assert remote(model, max_retries=2).scores(QUESTION, TEXTS)
        assert len(model.rerank_calls) == 3


def test_it_waits_as_long_as_the_server_says_and_longer_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(endpoint, "_pause", waits.append)
    failures = [Status(429, retry_after=7), Status(500), Status(500), Status(429, retry_after=999)]
    with ScriptedModel(rerankings=failures) as model:
        remote(model, max_retries=4).scores(QUESTION, TEXTS)
    assert waits[0] == 7
    assert all(low <= wait <= high for wait, low, high in zip(
        waits[1:], (0.75, 1.5, 3.0), (1.0, 2.0, 4.0), strict=True))  # fmt: skip


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "reranking model"),
        (401, "BITEMPO_RERANK_KEY"),
        (404, "name"),
        (429, "try again later"),
        (500, "server runs"),
    ],
)
def test_a_failure_says_what_to_do(status: int, words: str) -> None:
    with (
        ScriptedModel(rerankings=lambda _: Status(status)) as model,
        pytest.raises(ModelError, match=words),
    ):
        remote(model).scores(QUESTION, TEXTS)
    assert len(model.rerank_calls) == 1


def test_an_endpoint_that_does_not_answer_is_an_error() -> None:
    with (
        ScriptedModel(rerankings=lambda _: Held()) as model,
        pytest.raises(ModelError, match="server runs"),
    ):
        remote(model, timeout=0.1).scores(QUESTION, TEXTS)
    with pytest.raises(ModelError, match="server runs"):
        EndpointReranker("m", base_url="http://127.0.0.1:1", max_retries=0).scores("q", ["x"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"results": "none"},
        {"results": [{"index": 0, "relevance_score": 1}]},
        {"results": [{"index": 0, "relevance_score": 1}] * 3},
        {"results": [{"index": place, "relevance_score": "high"} for place in range(3)]},
        [1, 2, 3],
        None,
    ],
)
def test_an_answer_without_a_score_for_each_text_is_refused(
    body: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "_json", lambda _: body)
    with ScriptedModel() as model, pytest.raises(ModelError, match="reranking model"):
        remote(model).scores(QUESTION, TEXTS)


def test_the_key_and_the_url_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedModel(api_key="secret-key") as model:
        monkeypatch.setenv("BITEMPO_RERANK_URL", f"{model.url}/")
        monkeypatch.setenv("BITEMPO_RERANK_KEY", "secret-key")
        reranker = open_reranker("endpoint:org/model")
        assert reranker is not None
        assert reranker.identity == "endpoint:org/model"
        assert len(reranker.scores(QUESTION, TEXTS)) == 3
        monkeypatch.setenv("BITEMPO_RERANK_KEY", "wrong-key")
        with pytest.raises(ModelError, match="BITEMPO_RERANK_KEY") as raised:
            EndpointReranker("m").scores(QUESTION, TEXTS)
        assert "wrong-key" not in str(raised.value)


@pytest.mark.parametrize("url", [None, "", "localhost:8000/v1", "file:///v1"])
def test_an_endpoint_needs_a_url(url: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BITEMPO_RERANK_URL", raising=False)
    with pytest.raises(InvalidInputError, match=r"http://"):
        EndpointReranker("m", base_url=url)


@pytest.mark.parametrize("name", ["", "endpoint", "endpoint:", "onnx:", "none:x", "Endpoint:m"])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="endpoint:MODEL"):
        open_reranker(name)
    assert open_reranker("none") is None


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    missing: Callable[[str], None] = lambda _: None  # noqa: E731
    monkeypatch.setattr("bitempo.ingest.rerankers.endpoint.find_spec", missing)
    with pytest.raises(InvalidInputError, match=r"bitempo\[rerank\]"):
        open_reranker("endpoint:m")


def test_a_recall_is_reranked_by_an_endpoint() -> None:
    said = [{"role": "user", "name": "Ana", "content": text} for text in TEXTS]
    with ScriptedModel(rerankings=lambda call: [-float(len(t)) for t in call.documents]) as model:
        memory = Memory.open(":memory:", reranker=remote(model))
        tenant = memory.tenant("t")
        tenant.ingest(said, session="s", started_at="2024-01-01")
        found = tenant.recall("harbour, violin")
        assert found.receipt.reranker == "endpoint:scripted"
        assert {t for call in model.rerank_calls for t in call.documents} >= {"Ana: the violin"}
        assert max(found.items, key=lambda item: item.signals["rerank"]).text == "the violin"
        assert tenant.replay(found.receipt).same
