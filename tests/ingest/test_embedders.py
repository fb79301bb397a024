"""Embedders take any text, give rows of length 1 in order, and say what they are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bitempo import InvalidInputError, ModelError
from bitempo.engine.embedding import Embedder, TokenEmbedder, normalised
from bitempo.ingest.embedders import open_embedder
from bitempo.ingest.embedders import openai as endpoint
from bitempo.ingest.embedders.minilm import MiniLMEmbedder
from bitempo.ingest.embedders.openai import OpenAIEmbedder
from bitempo.ingest.embedders.static import StaticEmbedder
from bitempo.ingest.embedders.tokens import telling
from bitempo.testing import (
    Call,
    ContextOverflow,
    HashingEmbedder,
    ScriptedModel,
    Status,
    hashed_vector,
)

ODD = [
    "",
    " \n\t ",
    "!!!",
    "a\0b",
    "lone \ud800 surrogate",
    "日本語のテキスト 😀",
    "x" * 60_000,
    "word " * 20_000,
    "\u202eright to left",
]
LOCAL = [StaticEmbedder(), MiniLMEmbedder()]
SENTENCES = [
    "We adopted a puppy last week.",
    "The central bank raised interest rates again.",
    "She plays the violin in an orchestra.",
    "My flight to Lisbon was delayed by three hours.",
]


@pytest.fixture(params=LOCAL, ids=["static", "minilm"])
def local(request: pytest.FixtureRequest) -> TokenEmbedder:
    """An embedder that runs in this process."""
    embedder: TokenEmbedder = request.param
    return embedder


def test_any_text_has_a_row_of_length_one_or_of_zeros(local: TokenEmbedder) -> None:
    rows = local.embed(ODD)
    assert rows.shape == (len(ODD), local.dimension)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))
    assert local.embed([]).shape == (0, local.dimension)


def test_rows_are_in_the_order_of_the_texts(local: TokenEmbedder) -> None:
    texts = ["short", SENTENCES[0] * 5, "another", SENTENCES[1]]
    alone = np.concatenate([local.embed([text]) for text in texts])
    assert np.all(np.sum(local.embed(texts) * alone, axis=1) > 0.99)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("a new dog", 0), ("inflation and the economy", 1), ("a musician", 2), ("an airport", 3)],
)
def test_the_nearest_sentence_is_the_one_about_it(
    local: TokenEmbedder, question: str, answer: int
) -> None:
    similarities = local.embed(SENTENCES) @ local.embed([question])[0]
    assert int(np.argmax(similarities)) == answer


def test_one_encoding_gives_the_text_and_its_tokens(local: TokenEmbedder) -> None:
    texts = [*SENTENCES, "", "who are you?", *ODD]
    found = local.embed_tokens(texts)
    assert len(found) == len(texts)
    pooled = np.array([item.pooled for item in found])
    # An int8 model rounds a batch as a whole, so a text's vector leans on its company a little.
    assert np.linalg.norm(pooled - local.embed(texts), axis=1).max() < 0.2
    for item in found:
        assert item.tokens.shape == (len(item.ids), local.token_dimension)
        assert np.allclose(np.linalg.norm(item.tokens, axis=1), 1, atol=1e-5)
    puppy, nothing, pronouns = found[0], found[4], found[5]
    # We, a and the full stop are left out; a text of nothing else keeps its words.
    assert len(puppy.ids) in (4, 5)
    assert len(nothing.ids) == 0
    assert len(pronouns.ids) == 3


def test_tokens_of_one_word_are_near_each_other(local: TokenEmbedder) -> None:
    one, other = local.embed_tokens(["the violin", "violin and piano"])
    assert one.tokens.shape[0] >= 1
    assert (one.tokens @ other.tokens.T).max() > 0.5


def test_identities_tell_embedders_apart() -> None:
    embedders: list[Embedder] = [*LOCAL, HashingEmbedder(8), HashingEmbedder(9)]
    assert len({embedder.identity for embedder in embedders}) == len(embedders)
    assert StaticEmbedder().identity == StaticEmbedder().identity


@pytest.mark.parametrize(
    ("pieces", "kept"),
    [
        (["▁Where", "▁is", "▁the", "▁dog", "?"], ["▁dog"]),
        (["▁it", "al", "y"], ["▁it", "al", "y"]),
        (["where", "is", "the", "dog", "##gy", "?"], ["dog", "##gy"]),
        (["it", "##aly"], ["it", "##aly"]),
        (["Where", "Ġis", "Ġit", "aly", "?"], ["Ġit", "aly"]),
        (["ĠWhere", "Ġis", "Ġthe", "Ġdog", "gy"], ["Ġdog", "gy"]),
        (["▁who", "▁are", "▁you", "?"], ["▁who", "▁are", "▁you"]),
        (["!", "?"], ["!", "?"]),
        ([], []),
    ],
)
def test_stop_words_and_punctuation_are_left_out(pieces: list[str], kept: list[str]) -> None:
    assert [piece for piece, keep in zip(pieces, telling(pieces), strict=True) if keep] == kept


def test_what_is_not_finite_becomes_nothing() -> None:
    rows = normalised(np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [1e30, 1e30]]))
    assert np.allclose(rows, [[0.6, 0.8], [0, 0], [0, 0], [0, 0], [0.5**0.5, 0.5**0.5]])


def test_a_name_opens_an_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    assert open_embedder("none") is None
    for name, identity in (
        ("static", "wordllama-256/"),
        ("minilm", "minilm-l6-v2-int8/1.0/192-"),
        ("minilm:384", "minilm-l6-v2-int8/1.0"),
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small/1536"),
        ("openai:org/model/64", "openai:org/model/64"),
    ):
        embedder = open_embedder(name)
        assert embedder is not None
        assert embedder.identity.startswith(identity)


@pytest.mark.parametrize(
    "name", ["", "Static", "static:1", "minilm:192x", "openai", "openai:", "none:x"]
)
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="static, minilm, openai:MODEL"):
        open_embedder(name)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bitempo.ingest.embedders.minilm.find_spec", lambda _: None)
    monkeypatch.setattr("bitempo.ingest.embedders.openai.find_spec", lambda _: None)
    with pytest.raises(InvalidInputError, match=r"bitempo\[minilm\]"):
        open_embedder("minilm")
    with pytest.raises(InvalidInputError, match=r"bitempo\[openai\]"):
        open_embedder("openai:x")


def test_a_memory_without_an_embedder_loads_no_arrays() -> None:
    code = (
        "import sys; from bitempo import Memory; t = Memory.open(':memory:').tenant('t'); "
        "t.assert_fact('Ana', 'LIVES_IN', 'Lima'); t.recall('Lima'); t.stats(); "
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def remote(model: ScriptedModel, **settings: object) -> OpenAIEmbedder:
    given: dict[str, object] = {"dimension": None, "max_retries": 0, **settings}
    return OpenAIEmbedder("scripted", base_url=model.url, api_key="test", **given)  # type: ignore[arg-type]


def test_an_endpoint_is_asked_in_batches_and_answers_in_order() -> None:
    texts = [f"text number {number}" for number in range(600)]
    with ScriptedModel(dimensions=32) as model:
        embedder = remote(model)
        rows = embedder.embed([*texts, "", "  "])
        calls = model.embedding_calls
    assert np.allclose(rows[:600], [hashed_vector(text, 32) for text in texts], atol=1e-6)
    assert not rows[600:].any()
    # One to learn the dimension, and three of 256 texts at most.
    assert [len(call.inputs) for call in calls] == [1, 256, 256, 88]
    assert embedder.identity == "openai:scripted/32"


def test_long_texts_go_in_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "_MOST_CHARACTERS", 1000)
    with ScriptedModel(dimensions=8) as model:
        remote(model, dimension=8).embed(["a" * 400] * 5)
        assert [len(call.inputs) for call in model.embedding_calls] == [2, 2, 1]


def test_a_dimension_is_asked_for() -> None:
    with ScriptedModel(dimensions=32) as model:
        assert remote(model, dimension=16).embed(["x"]).shape == (1, 16)
        assert model.embedding_calls[0].body["dimensions"] == 16


def test_a_text_too_long_for_the_model_is_halved() -> None:
    def longest(call: Call) -> ContextOverflow | None:
        return ContextOverflow() if any(len(text) > 3000 for text in call.inputs) else None

    with ScriptedModel(embeddings=longest, dimensions=8) as model:
        rows = remote(model, dimension=8).embed(["short", "word " * 4000, "other"])
    assert np.allclose(rows[0], hashed_vector("short", 8))
    assert np.allclose(rows[2], hashed_vector("other", 8))
    assert rows[1].any()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "OPENAI_API_KEY"),
        (404, "name"),
        (429, "try again later"),
        (500, "server runs"),
    ],
)
def test_a_failure_says_what_to_do(status: int, words: str) -> None:
    with (
        ScriptedModel(embeddings=lambda _: Status(status), dimensions=8) as model,
        pytest.raises(ModelError, match=words),
    ):
        remote(model, dimension=8).embed(["x"])


def test_another_dimension_than_said_is_refused() -> None:
    with ScriptedModel(dimensions=8) as model:
        embedder = remote(model)
        assert embedder.dimension == 8
        model._dimensions = 9
        with pytest.raises(ModelError, match="openai:scripted/9"):
            embedder.embed(["x"])


def test_an_endpoint_without_a_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InvalidInputError, match="OPENAI_API_KEY"):
        OpenAIEmbedder("text-embedding-3-small")


def test_the_root_logger_stays_the_applications() -> None:
    code = (
        "import logging\n"
        "from bitempo.ingest.embedders import open_embedder\n"
        "open_embedder('static').embed(['a text'])\n"
        "root = logging.getLogger()\n"
        "assert (root.level, root.handlers) == (logging.WARNING, []), (root.level, root.handlers)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
