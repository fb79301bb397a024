"""A model of tokens from a local folder; the one here is our own, so its vectors are known."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from bitempo import EmbedderMismatchError, InvalidInputError, Memory
from bitempo.bench.cache import cached
from bitempo.engine.embedding import (
    QuestionEmbedder,
    TokenEmbedder,
    VocabularyEmbedder,
    normalised,
)
from bitempo.ingest.embedders import open_embedder
from bitempo.ingest.embedders.onnx import OnnxTokenEmbedder
from bitempo.query.vectors import question_vectors
from tests.onnx_files import SHARE, VOCABULARY, WIDTH, write_cross_encoder, write_token_model

TEXTS = ["Where is the harbour?", "violin", "", "Ana plays violin every evening. " * 3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_token_model(tmp_path / "model")


def expected(text: str) -> np.ndarray:
    """The output of the tiny model for each word of the text."""
    words = text.lower().replace("?", " ?").replace(".", " .").split()
    one = np.eye(WIDTH, dtype=np.float32)[[VOCABULARY.index(word) for word in words]]
    return one + SHARE * one.sum(axis=0)


def test_a_token_has_the_vector_that_its_text_gives_it(folder: Path) -> None:
    embedder = OnnxTokenEmbedder(folder)
    assert (embedder.dimension, embedder.token_dimension) == (WIDTH, WIDTH)
    (found,) = embedder.embed_tokens(["Ana plays violin."])
    assert [VOCABULARY[id] for id in found.ids] == ["ana", "plays", "violin"]
    assert found.tokens == pytest.approx(normalised(expected("ana plays violin ."))[:3], abs=1e-6)


def test_stop_words_punctuation_and_marks_are_no_tokens(folder: Path) -> None:
    (found,) = OnnxTokenEmbedder(folder).embed_tokens([TEXTS[0]])
    assert [VOCABULARY[id] for id in found.ids] == ["harbour"]


def test_the_vector_of_a_text_is_the_mean_of_its_pieces(folder: Path) -> None:
    embedder = OnnxTokenEmbedder(folder)
    states = expected("violin")
    # The two that mark the ends have the share alone.
    mean = (states.sum(axis=0) + 2 * SHARE * states[0] / (1 + SHARE)) / 3
    assert embedder.embed(["violin"])[0] == pytest.approx(normalised(mean), abs=1e-6)
    pooled = np.array([one.pooled for one in embedder.embed_tokens(TEXTS)])
    assert pooled == pytest.approx(embedder.embed(TEXTS), abs=1e-6)


def test_vectors_do_not_depend_on_what_else_is_embedded(folder: Path) -> None:
    embedder = OnnxTokenEmbedder(folder)
    together = embedder.embed_tokens(TEXTS * 20)
    for text, one in zip(TEXTS * 20, together, strict=True):
        (alone,) = embedder.embed_tokens([text])
        assert np.allclose(one.tokens, alone.tokens, atol=1e-6)
        assert one.ids.tolist() == alone.ids.tolist()


def test_any_text_can_be_embedded(folder: Path) -> None:
    odd = ["", " \n", "!!!", "a\0b", "lone \ud800 surrogate", "日本語 😀", "harbour " * 20_000]
    embedder = OnnxTokenEmbedder(folder)
    rows = embedder.embed(odd)
    lengths = np.linalg.norm(rows, axis=1)
    assert rows.dtype == np.float32
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))
    assert [len(one.tokens) == len(one.ids) for one in embedder.embed_tokens(odd)] == [True] * 7
    assert embedder.embed([]).shape == (0, WIDTH)


def test_it_is_a_token_embedder_whose_identity_is_that_of_the_content(
    folder: Path, tmp_path: Path
) -> None:
    embedder = open_embedder(f"onnx:{folder}")
    assert isinstance(embedder, TokenEmbedder)
    assert not isinstance(embedder, VocabularyEmbedder)
    moved = shutil.copytree(folder, tmp_path / "elsewhere")
    assert OnnxTokenEmbedder(moved).identity == embedder.identity
    other = write_token_model(tmp_path / "other", scale=2.0)
    assert OnnxTokenEmbedder(other).identity != embedder.identity


MARKED = {
    "config_sentence_transformers.json": {"query_prefix": "[Q] ", "document_prefix": "[D]"},
    "onnx_config.json": {"query_prefix": "[Q]", "document_prefix": "[D]", "embedding_dim": WIDTH},
    "artifact.metadata": {"query_token_id": "[Q]", "doc_token_id": "[D]"},
}


@pytest.mark.parametrize("name", MARKED)
def test_questions_and_texts_are_marked_as_the_folder_says(folder: Path, name: str) -> None:
    plain = OnnxTokenEmbedder(folder)
    (folder / name).write_text(json.dumps(MARKED[name]), encoding="utf-8")
    marked = OnnxTokenEmbedder(folder)
    assert isinstance(marked, QuestionEmbedder)
    assert marked.identity != plain.identity
    question, (text,) = marked.embed_question("violin"), marked.embed_tokens(["violin"])
    q, d = VOCABULARY.index("[Q]"), VOCABULARY.index("[D]")
    # The marks are no tokens themselves; the tokens have a share of them.
    assert [VOCABULARY[id] for id in question.ids] == ["violin"]
    assert [VOCABULARY[id] for id in text.ids] == ["violin"]
    assert (question.tokens[0, q] > 0, question.tokens[0, d] > 0) == (True, False)
    assert (text.tokens[0, q] > 0, text.tokens[0, d] > 0) == (False, True)
    assert (text.pooled[d] > 0, marked.embed(["violin"])[0, d] > 0) == (True, True)
    assert plain.embed_question("violin").tokens[0, [q, d]].tolist() == [0, 0]
    kept = cached(marked, folder / "cache")
    assert isinstance(kept, QuestionEmbedder)
    assert np.array_equal(kept.embed_question("violin").tokens, question.tokens)
    found = question_vectors(marked, "violin").tokens
    assert found is not None
    assert found.vectors == pytest.approx(question.tokens, abs=1e-6)


def test_a_mark_leaves_room_for_itself(folder: Path) -> None:
    (folder / "onnx_config.json").write_text(json.dumps(MARKED["onnx_config.json"]))
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 8}', encoding="utf-8")
    (found,) = OnnxTokenEmbedder(folder).embed_tokens(["violin " * 20])
    assert len(found.ids) == 8 - 3


def test_a_mark_that_the_tokenizer_does_not_know_is_refused(folder: Path) -> None:
    (folder / "artifact.metadata").write_text('{"doc_token_id": "[unused1]"}', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"\[unused1\]"):
        OnnxTokenEmbedder(folder).embed(TEXTS)


def test_settings_that_are_not_json_are_told(folder: Path) -> None:
    (folder / "onnx_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"onnx_config\.json is not JSON"):
        OnnxTokenEmbedder(folder)


def test_a_model_without_vectors_of_tokens_is_refused(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "pairs")
    with pytest.raises(InvalidInputError, match="last hidden states"):
        OnnxTokenEmbedder(folder).embed(TEXTS)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"model\.onnx"):
        open_embedder(f"onnx:{tmp_path}")


def test_a_memory_recalls_by_its_tokens(folder: Path, tmp_path: Path) -> None:
    location = tmp_path / "memory.db"
    with Memory.open(location, embedder=f"onnx:{folder}") as memory:
        tenant = memory.tenant("t")
        said = [{"role": "user", "name": "Bo", "content": text} for text in TEXTS if text]
        assert tenant.ingest(said, session="s", started_at="2024-01-01").embedding_error is None
        found = tenant.recall("is the harbour full of boats?")
        assert found.items[0].text == TEXTS[0]
        assert found.items[0].signals["tokens"] == 1
        assert tenant.replay(found.receipt).same
    other = write_token_model(tmp_path / "other", scale=2.0)
    with (
        Memory.open(location, embedder=f"onnx:{other}") as memory,
        pytest.raises(EmbedderMismatchError, match="onnx:"),
    ):
        memory.tenant("t").recall("harbour")
