"""Static vectors: WordLlama, whose weights come with its package; no model runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitempo.engine.embedding import Matrix, TokenVectors, normalised
from bitempo.engine.names import clean_text
from bitempo.engine.once import Once
from bitempo.ingest.embedders.tokens import telling

_DIMENSION = 256
_LONGEST_TEXT = 20_000
"""How many characters of a text are read: beyond them a mean says little of anything."""

_BATCH = 256


class StaticEmbedder:
    """Implements `TokenEmbedder` with a vector for each word piece, looked up in a table.

    A text's vector is the mean over its pieces (WordLlama 256, MIT licence). It knows no context,
    and is some hundred times as fast as a small model. Of a text the first 20,000 characters are
    read.
    """

    def __init__(self) -> None:
        self._loaded = Once(_load)
        self._vocabulary = Once(lambda: normalised(self._loaded()[0]))
        # Looking a release up reads a file, and every question asks for it.
        self._identity = Once(_identity)

    @property
    def identity(self) -> str:
        """The table's name and dimension, and the release that it came with."""
        return self._identity()

    @property
    def dimension(self) -> int:
        """256."""
        return _DIMENSION

    @property
    def token_dimension(self) -> int:
        """256."""
        return _DIMENSION

    def embed(self, texts: Sequence[str]) -> Matrix:
        """As `Embedder.embed`."""
        table, tokenizer = self._loaded()
        pooled = [table[ids].mean(axis=0) for ids, _ in _encoded(tokenizer, texts, len(table) - 1)]
        return normalised(np.array(pooled, np.float32).reshape(len(texts), _DIMENSION))

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """As `TokenEmbedder.embed_tokens`."""
        table, tokenizer = self._loaded()
        found = _encoded(tokenizer, texts, len(table) - 1)
        return [_tokens(table[ids], ids, pieces) for ids, pieces in found]

    def vocabulary(self) -> Matrix:
        """As `VocabularyEmbedder.vocabulary`."""
        return self._vocabulary()


def _identity() -> str:
    release = ".".join(metadata.version("wordllama").split(".")[:2])
    return f"wordllama-{_DIMENSION}/{release}"


def _tokens(rows: Matrix, ids: NDArray[np.int32], pieces: Sequence[str]) -> TokenVectors:
    # A text without pieces has the row of zeros alone: that is its vector, and no token.
    kept = telling(pieces)
    return TokenVectors(
        pooled=normalised(rows.mean(axis=0)),
        tokens=normalised(rows[: len(pieces)][kept]),
        ids=ids[: len(pieces)][kept],
    )


def _encoded(
    tokenizer: Any, texts: Sequence[str], nothing: int
) -> Iterator[tuple[NDArray[np.int32], list[str]]]:
    """The ids and pieces of each text; for one without pieces, the id `nothing`."""
    for first in range(0, len(texts), _BATCH):
        part = [clean_text(text[:_LONGEST_TEXT]) for text in texts[first : first + _BATCH]]
        for encoded in tokenizer.encode_batch(part, add_special_tokens=False):
            ids = np.array(encoded.ids or [nothing], np.int32)
            yield np.where(ids < nothing, ids, nothing), encoded.tokens


def _load() -> tuple[Matrix, Any]:
    """The table, with a row of zeros at its end, and the tokenizer."""
    with _logging_as_it_is():
        import wordllama

    # Without these two it would look for its files in a cache, and then on a hub.
    model = wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )
    model.tokenizer.no_padding()
    model.tokenizer.no_truncation()
    zeros = np.zeros((1, _DIMENSION), np.float32)
    return np.concatenate([model.embedding, zeros]), model.tokenizer


@contextmanager
def _logging_as_it_is() -> Iterator[None]:
    """Undo what an import does to the root logger, which is the application's to set up."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
