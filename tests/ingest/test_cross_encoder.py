"""A cross-encoder from a local folder scores pairs of texts; the model here is one of our own."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bitempo import InvalidInputError, Memory
from bitempo.ingest.rerankers import open_reranker
from bitempo.ingest.rerankers.cross_encoder import CrossEncoderReranker
from tests.onnx_files import write_cross_encoder, write_token_model

QUESTION = "Where is the harbour?"
TEXTS = ["Ana plays violin", "the harbour is quiet", "the boats", "is the harbour full?", ""]
SHARED = [0.0, 3.0, 1.0, 4.0, 0.0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_cross_encoder(tmp_path / "model")


@pytest.mark.parametrize("columns", [1, 2])
def test_the_logits_are_the_scores(tmp_path: Path, columns: int) -> None:
    folder = write_cross_encoder(tmp_path / "model", columns=columns)
    found = CrossEncoderReranker(folder).scores(QUESTION, TEXTS)
    assert found == pytest.approx(SHARED)


def test_scores_do_not_depend_on_what_else_is_scored(folder: Path) -> None:
    reranker = CrossEncoderReranker(folder)
    texts = [("the harbour " * (number % 7)).strip() for number in range(100)]
    assert reranker.scores(QUESTION, texts) == pytest.approx([2.0 * (n % 7) for n in range(100)])
    assert reranker.scores(QUESTION, []) == []


def test_any_text_can_be_scored(folder: Path) -> None:
    odd = ["", " \n", "a\0b", "lone \ud800 surrogate", "日本語 😀", "harbour " * 20_000]
    found = CrossEncoderReranker(folder).scores("\ud800 harbour " * 500, odd)
    assert len(found) == len(odd)
    assert found[-1] > 0


def test_long_texts_are_cut_to_what_the_tokenizer_says(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 12}', encoding="utf-8")
    found = CrossEncoderReranker(folder).scores("harbour", ["harbour " * 100])
    # Three pieces part the texts, and one is the question.
    assert found == pytest.approx([8.0])


def test_the_identity_is_that_of_the_content(folder: Path, tmp_path: Path) -> None:
    identity = CrossEncoderReranker(folder).identity
    moved = shutil.copytree(folder, tmp_path / "elsewhere")
    assert CrossEncoderReranker(moved).identity == identity
    (moved / "tokenizer_config.json").write_text('{"model_max_length": 12}', encoding="utf-8")
    assert CrossEncoderReranker(moved).identity != identity
    two = write_cross_encoder(tmp_path / "two", columns=2)
    assert CrossEncoderReranker(two).identity != identity


def test_the_model_may_lie_in_a_folder_of_its_own(folder: Path) -> None:
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert CrossEncoderReranker(folder).scores(QUESTION, TEXTS) == pytest.approx(SHARED)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_missing_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InvalidInputError, match=name):
        open_reranker(f"onnx:{folder}")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_damaged_is_told(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:40])
    with pytest.raises(InvalidInputError, match="cannot be loaded"):
        CrossEncoderReranker(folder).scores(QUESTION, TEXTS)


def test_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    for folder in (
        write_token_model(tmp_path / "tokens"),
        write_cross_encoder(tmp_path / "three", columns=3),
    ):
        with pytest.raises(InvalidInputError, match="one or two logits"):
            CrossEncoderReranker(folder).scores(QUESTION, TEXTS)


def test_a_missing_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bitempo.ingest.onnx.find_spec", lambda _: None)
    with pytest.raises(InvalidInputError, match=r"bitempo\[minilm\]"):
        open_reranker(f"onnx:{folder}")


def test_threads_can_share_it(folder: Path) -> None:
    reranker = CrossEncoderReranker(folder)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: reranker.scores(QUESTION, TEXTS), range(16)))
    assert all(scores == pytest.approx(SHARED) for scores in found)


def test_a_recall_is_reranked_by_it(folder: Path) -> None:
    with Memory.open(":memory:", reranker=f"onnx:{folder}") as memory:
        tenant = memory.tenant("t")
        said = [{"role": "user", "name": "Bo", "content": text} for text in TEXTS[:4]]
        tenant.ingest(said, session="s", started_at="2024-01-01")
        found = tenant.recall(QUESTION)
        best = max(found.items, key=lambda item: item.signals["rerank"])
        assert best.text == "is the harbour full?"
        assert tenant.replay(found.receipt).same
