"""The projection of MiniLM's token vectors: what it keeps, and that it is a model of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bitempo import EmbedderMismatchError, InvalidInputError, Memory
from bitempo.bench.locomo import read_conversations
from bitempo.engine.embedding import TokenVectors, normalised
from bitempo.engine.late import pack, unpack
from bitempo.ingest.embedders.minilm import PLAIN, PROJECTED, PROJECTION, MiniLMEmbedder
from bitempo.testing import HashingEmbedder
from tests.shared import shared
from tools.token_projection import FRAMES, fitted, framed, main, sentences, spread

PLAIN_TOKENS = MiniLMEmbedder(token_dimension=PLAIN)
EMBEDDER = MiniLMEmbedder()
CHAT = [
    "Ada: Guess what, we finally got the keys to the flat in Rotterdam on Friday!",
    "Bo: Congratulations! Is the kitchen as small as you feared?",
    "Ada: Smaller. My brother is building shelves, and the cat has moved into the oven drawer.",
    "Bo: I ran my first half marathon last weekend, and my knees still hate me.",
    "Ada: The doctor says that I may swim again in March.",
    "Bo: Mum retired from the post office after thirty-one years.",
]
QUESTIONS = [
    "Where did Ada move to?",
    "What sport does Bo do?",
    "Who built furniture?",
    "What was Bo's mother's job?",
]


def cosines(found: list[TokenVectors], of: list[TokenVectors]) -> np.ndarray:
    return (
        np.concatenate([one.tokens for one in found]) @ np.concatenate([one.tokens for one in of]).T
    )


def errors(texts: list[str], questions: list[str]) -> np.ndarray:
    """How far the cosine of each question's token and each text's moves by the projection."""
    plain, projected = (
        cosines(embedder.embed_tokens(questions), embedder.embed_tokens(texts))
        for embedder in (PLAIN_TOKENS, EMBEDDER)
    )
    return projected - plain


def test_the_columns_are_orthonormal() -> None:
    columns = np.load(PROJECTION, allow_pickle=False)
    assert (columns.shape, columns.dtype) == ((PLAIN, PROJECTED), np.float16)
    exact = columns.astype(np.float64)
    assert exact.T @ exact == pytest.approx(np.eye(PROJECTED), abs=1e-3)


def test_cosines_of_tokens_stay_what_they_were() -> None:
    moved = errors(CHAT, QUESTIONS)
    assert np.sqrt((moved**2).mean()) < 0.035
    assert abs(moved.mean()) < 0.02


def test_cosines_of_tokens_stay_what_they_were_in_real_chats() -> None:
    (chat, *_) = read_conversations(shared("data", "locomo_dev.json"))
    texts = [f"{turn.actor}: {turn.text}" for turn in chat.sessions[0].turns]
    moved = errors(texts, list(chat.questions[:20]))
    assert np.sqrt((moved**2).mean()) < 0.035


def test_the_nearest_token_stays_the_nearest_or_nearly() -> None:
    questions = PLAIN_TOKENS.embed_tokens(QUESTIONS), EMBEDDER.embed_tokens(QUESTIONS)
    texts = PLAIN_TOKENS.embed_tokens(CHAT), EMBEDDER.embed_tokens(CHAT)
    plain, projected = (cosines(*pair) for pair in zip(questions, texts, strict=True))
    found = plain[np.arange(len(plain)), projected.argmax(axis=1)]
    assert (plain.max(axis=1) - found).max() < 0.1


def test_a_text_and_which_tokens_are_kept_stay_what_they_were() -> None:
    for plain, projected in zip(
        PLAIN_TOKENS.embed_tokens(CHAT), EMBEDDER.embed_tokens(CHAT), strict=True
    ):
        assert np.array_equal(plain.pooled, projected.pooled)
        assert np.array_equal(plain.ids, projected.ids)
    assert np.array_equal(PLAIN_TOKENS.embed(CHAT), EMBEDDER.embed(CHAT))


def test_stop_words_and_punctuation_take_no_room() -> None:
    said, without = EMBEDDER.embed_tokens(
        ["He was at the harbour, and she is in the orchestra.", "harbour orchestra"]
    )
    assert said.ids.tolist() == without.ids.tolist()
    assert said.tokens.shape == (len(without.ids), PROJECTED)


def test_a_token_takes_a_byte_for_each_number_and_four_for_its_id() -> None:
    (one,) = EMBEDDER.embed_tokens(CHAT[:1])
    packed = pack(one, with_codes=True)
    assert len(packed) == len(one.ids) * (PROJECTED + 4)
    ids, codes = unpack(packed, PROJECTED)
    assert np.array_equal(ids, one.ids)
    assert codes / 127 == pytest.approx(one.tokens, abs=0.5 / 127 + 1e-6)


def test_the_same_texts_give_the_same_vectors() -> None:
    again = MiniLMEmbedder().embed_tokens(CHAT)
    for one, other in zip(EMBEDDER.embed_tokens(CHAT), again, strict=True):
        assert np.array_equal(one.tokens, other.tokens)


def test_the_projection_is_part_of_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MiniLMEmbedder().identity == EMBEDDER.identity != PLAIN_TOKENS.identity
    monkeypatch.setattr("bitempo.ingest.embedders.minilm.PROJECTION", Path(__file__))
    assert MiniLMEmbedder().identity != EMBEDDER.identity
    assert MiniLMEmbedder(token_dimension=PLAIN).identity == PLAIN_TOKENS.identity


def test_a_memory_of_plain_tokens_is_refused_until_it_is_embedded_anew(tmp_path: Path) -> None:
    file = str(tmp_path / "memory.db")
    with Memory.open(file, embedder="minilm:384") as memory:
        memory.tenant("t").assert_fact("Ana", "LIVES_IN", "Porto")
    with Memory.open(file, embedder="minilm") as memory:
        tenant = memory.tenant("t")
        with pytest.raises(EmbedderMismatchError, match="reembed"):
            tenant.assert_fact("Bo", "LIVES_IN", "Faro")
        assert tenant.reembed() == 1
        tenant.assert_fact("Bo", "LIVES_IN", "Faro")
        assert tenant.recall("Where is the home of Bo?").items[0].text.startswith("Bo")


def test_other_dimensions_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="192 or 384"):
        MiniLMEmbedder(token_dimension=100)


def test_fitting_finds_the_directions_in_which_tokens_lie() -> None:
    embedder = HashingEmbedder(16)
    texts = ["harbour", "harbour violin", "violin harbour", "orchestra"]
    columns, share = fitted(embedder, texts, 3)
    again, _ = fitted(embedder, texts, 3)
    assert np.array_equal(columns, again)
    assert share == pytest.approx(1)
    (said,) = embedder.embed_tokens(["harbour violin orchestra"])
    projected = normalised(said.tokens @ columns.astype(np.float32))
    assert projected @ projected.T == pytest.approx(said.tokens @ said.tokens.T, abs=5e-3)


def test_sentences_come_from_texts_and_from_what_code_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 'The boat left the harbour.'  # no word of this one here\n")
    (tmp_path / "b.md").write_text("# Title\n\nIt rained all day. We stayed at home.\nToo short.\n")
    (tmp_path / "c.bin").write_bytes(b"\xff\xfe not a text at all")
    assert sentences(tmp_path) == [
        "The boat left the harbour.",
        "It rained all day.",
        "We stayed at home.",
    ]


def test_what_is_taken_of_many_is_spread_over_them() -> None:
    texts = [str(number) for number in range(10)]
    assert spread(texts, 5) == ["0", "2", "4", "6", "8"]
    assert spread(texts, 20) == texts


def test_words_are_put_into_frames_two_at_a_time() -> None:
    made = framed(["harbour", "[PAD]", "##ing", "of", "violin", "bread", "moon", "oar"], 4)
    assert made == [FRAMES[0].format("harbour", "violin"), FRAMES[1].format("bread", "moon")]


def test_the_tool_writes_a_projection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.token_projection.WORDS", 40)
    (tmp_path / "text.md").write_text("\n\n".join(CHAT))
    for name in ("one.npy", "other.npy"):
        main([str(tmp_path / "text.md"), "--columns", "8", "--out", str(tmp_path / name)])
    assert (tmp_path / "one.npy").read_bytes() == (tmp_path / "other.npy").read_bytes()
    assert np.load(tmp_path / "one.npy", allow_pickle=False).shape == (PLAIN, 8)
