"""The folder of vectors: what is kept is what was made, and nothing is made twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bitempo.bench.asking import Asking
from bitempo.bench.cache import cached
from bitempo.bench.locomo import read_conversations
from bitempo.engine.embedding import Embedder, Matrix, TokenEmbedder, VocabularyEmbedder
from bitempo.ingest.embedders.static import StaticEmbedder
from bitempo.testing import HashingEmbedder
from tests.bench.test_locomo import conversation, written


class PooledEmbedder:
    """An embedder without tokens."""

    dimension = 8
    identity = "pooled/8"

    def __init__(self) -> None:
        self.inner = HashingEmbedder(8)

    def embed(self, texts: Sequence[str]) -> Matrix:
        return self.inner.embed(texts)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def tokens_of(embedder: Embedder, texts: Sequence[str]) -> list[tuple[bytes, bytes, bytes]]:
    assert isinstance(embedder, TokenEmbedder)
    return [
        (one.pooled.tobytes(), one.tokens.tobytes(), one.ids.tobytes())
        for one in embedder.embed_tokens(texts)
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.text(max_size=30), max_size=6))
def test_what_is_kept_is_what_was_made_to_the_last_bit(tmp_path: Path, texts: list[str]) -> None:
    plain = HashingEmbedder()
    for _ in range(2):
        kept = cached(HashingEmbedder(), tmp_path)
        assert tokens_of(kept, texts) == tokens_of(plain, texts)
        assert kept.embed(texts).tobytes() == plain.embed(texts).tobytes()
        assert kept.embed(texts).shape == (len(texts), plain.dimension)


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    first, second = HashingEmbedder(), HashingEmbedder()
    tokens_of(cached(first, tmp_path), ["one", "two", "one"])
    assert first.texts == ["one", "two"]
    tokens_of(cached(second, tmp_path), ["two", "three"])
    assert second.texts == ["three"]


def test_two_embedders_share_no_vectors(tmp_path: Path) -> None:
    tokens_of(cached(HashingEmbedder(), tmp_path), ["one"])
    for other in (HashingEmbedder(name="other"), HashingEmbedder(16)):
        tokens_of(cached(other, tmp_path), ["one"])
        assert other.texts == ["one"]


def test_a_cached_embedder_is_of_the_kind_and_identity_of_its_own(tmp_path: Path) -> None:
    pooled = cached(PooledEmbedder(), tmp_path)
    tokens = cached(HashingEmbedder(), tmp_path)
    assert (pooled.identity, pooled.dimension) == ("pooled/8", 8)
    assert not isinstance(pooled, TokenEmbedder)
    assert isinstance(tokens, TokenEmbedder)
    assert not isinstance(tokens, VocabularyEmbedder)
    assert pooled.embed(["one"]).tobytes() == HashingEmbedder(8).embed(["one"]).tobytes()
    table = StaticEmbedder()
    assert cached(table, tmp_path) is table


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:0],
        lambda data: b"\x80\x04K\x01." + data,
        lambda data: data + data,
    ],
    ids=["cut off", "empty", "pickled", "too much"],
)
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    whole = tokens_of(cached(HashingEmbedder(), tmp_path), ["one two"])
    (file,) = files(tmp_path)
    before = file.read_bytes()
    file.write_bytes(damage(before))
    assert tokens_of(cached(HashingEmbedder(), tmp_path), ["one two"]) == whole
    assert file.read_bytes() == before
    assert files(tmp_path) == [file]


def test_nothing_that_is_pickled_is_read(tmp_path: Path) -> None:
    tokens_of(cached(HashingEmbedder(), tmp_path), ["one"])
    (file,) = files(tmp_path)
    with file.open("wb") as out:
        np.save(out, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    again = HashingEmbedder()
    tokens_of(cached(again, tmp_path), ["one"])
    assert again.texts == ["one"]


def test_rankings_are_the_same_with_the_cache_full_empty_and_without(tmp_path: Path) -> None:
    asked = read_conversations(written(tmp_path, conversation()))
    folder = tmp_path / "cache"
    plain, *kept = [
        [
            ranking.turns
            for result in Asking(20, embedder=one).rank(asked)
            for ranking in result.rankings
        ]
        for one in (HashingEmbedder(), *(cached(HashingEmbedder(), folder) for _ in range(2)))
    ]
    assert kept == [plain, plain]
    again = HashingEmbedder()
    Asking(20, embedder=cached(again, folder)).rank(asked)
    assert again.texts == []
