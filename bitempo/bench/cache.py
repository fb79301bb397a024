"""Vectors kept in a folder, so that a benchmark that is run again need not make them again.

A text has a file of its own, named by a hash of the text, under a folder named by the identity of
the embedder. It holds plain arrays (`numpy.save`, nothing pickled), to the last bit those that the
embedder gave. A file that is cut off or damaged is made anew. About 50 kB for each long turn with
the tokens of MiniLM.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bitempo.engine.embedding import (
    Embedder,
    Matrix,
    QuestionEmbedder,
    TokenEmbedder,
    TokenVectors,
    Vector,
    VocabularyEmbedder,
)
from bitempo.engine.errors import InvalidInputError
from bitempo.ingest.embedders import open_embedder

_Array = NDArray[np.float32] | NDArray[np.int32]
_Made = TypeVar("_Made")
_READABLE = 40
"""How much of an identity stands in the name of its folder, for people."""


def embedder_of(embedder: str | Embedder | None, cache: str | Path | None) -> Embedder | None:
    """The embedder that is meant, with its vectors kept in the cache, if there is one.

    Raises:
        InvalidInputError: there is no such embedder, or none to keep vectors of.
    """
    opened = open_embedder(embedder)
    if cache is None:
        return opened
    if opened is None:
        raise InvalidInputError("a cache keeps vectors; name what makes them with --embedder")
    return cached(opened, cache)


def cached(embedder: Embedder, folder: str | Path) -> Embedder:
    """The embedder, with the vectors that it makes kept in the folder, and taken from there.

    One that looks its vectors up in a table is given back as it is: a file is no quicker.
    """
    if isinstance(embedder, VocabularyEmbedder):
        return embedder
    if isinstance(embedder, QuestionEmbedder):
        return CachedQuestionEmbedder(embedder, folder)
    if isinstance(embedder, TokenEmbedder):
        return CachedTokenEmbedder(embedder, folder)
    return CachedEmbedder(embedder, folder)


class CachedEmbedder:
    """Implements `Embedder` over another, whose identity it has."""

    def __init__(self, embedder: Embedder, folder: str | Path) -> None:
        self._embedder = embedder
        self._files = _Files(Path(folder), embedder.identity)

    @property
    def identity(self) -> str:
        """That of the embedder: the vectors are the same."""
        return self._embedder.identity

    @property
    def dimension(self) -> int:
        """That of the embedder."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """As `Embedder.embed`; only texts without a file are embedded."""
        found = self._files.get("text", texts, self._read, self._make)
        rows = [found[text] for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dimension)

    def _read(self, arrays: Sequence[_Array]) -> Vector | None:
        (vector,) = arrays
        return _floats(vector, (self.dimension,))

    def _make(self, texts: Sequence[str]) -> list[tuple[Vector, list[_Array]]]:
        return [(vector, [vector]) for vector in self._embedder.embed(texts)]


class CachedTokenEmbedder(CachedEmbedder):
    """Implements `TokenEmbedder` over another, whose identity it has."""

    def __init__(self, embedder: TokenEmbedder, folder: str | Path) -> None:
        super().__init__(embedder, folder)
        self._tokens = embedder

    @property
    def token_dimension(self) -> int:
        """That of the embedder."""
        return self._tokens.token_dimension

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """As `TokenEmbedder.embed_tokens`; only texts without a file are embedded."""
        found = self._files.get("tokens", texts, self._read_tokens, self._make_tokens)
        return [found[text] for text in texts]

    def _read_tokens(self, arrays: Sequence[_Array]) -> TokenVectors | None:
        pooled, tokens, ids = arrays
        vector = _floats(pooled, (self.dimension,))
        rows = _floats(tokens, (len(ids), self.token_dimension))
        if vector is None or rows is None or ids.dtype != np.int32:
            return None
        return TokenVectors(vector, rows, ids.astype(np.int32, copy=False))

    def _make_tokens(self, texts: Sequence[str]) -> list[tuple[TokenVectors, list[_Array]]]:
        made = self._tokens.embed_tokens(texts)
        return [(one, [one.pooled, one.tokens, one.ids]) for one in made]


class CachedQuestionEmbedder(CachedTokenEmbedder):
    """Implements `QuestionEmbedder` over another, whose identity it has; keeps no questions."""

    def __init__(self, embedder: QuestionEmbedder, folder: str | Path) -> None:
        super().__init__(embedder, folder)
        self._questions = embedder

    def embed_question(self, question: str) -> TokenVectors:
        """That of the embedder."""
        return self._questions.embed_question(question)


class _Files:
    """The files of one embedder."""

    def __init__(self, folder: Path, identity: str) -> None:
        readable = re.sub(r"[^\w.-]+", "_", identity)[:_READABLE]
        self._folder = folder / f"{readable}-{_hash(identity)[:12]}"

    def get(
        self,
        kind: str,
        texts: Sequence[str],
        read: Callable[[Sequence[_Array]], _Made | None],
        make: Callable[[Sequence[str]], list[tuple[_Made, list[_Array]]]],
    ) -> dict[str, _Made]:
        """What belongs to each text: read from its file, else made and written there."""
        found: dict[str, _Made] = {}
        for text in dict.fromkeys(texts):
            kept = self._kept(self._path(kind, text), read)
            if kept is not None:
                found[text] = kept
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            for text, (made, arrays) in zip(missing, make(missing), strict=True):
                _write(self._path(kind, text), arrays)
                found[text] = made
        return found

    def _kept(self, path: Path, read: Callable[[Sequence[_Array]], _Made | None]) -> _Made | None:
        try:
            return read(_read(path))
        except (OSError, ValueError, EOFError):
            # Not there, cut off, or no arrays: it is made anew.
            return None

    def _path(self, kind: str, text: str) -> Path:
        name = _hash(text)
        return self._folder / kind / name[:2] / f"{name[2:]}.npy"


def _read(path: Path) -> list[_Array]:
    arrays: list[_Array] = []
    with path.open("rb") as file:
        end = os.fstat(file.fileno()).st_size
        while file.tell() < end:
            arrays.append(np.load(file, allow_pickle=False))
    return arrays


def _write(path: Path, arrays: Sequence[_Array]) -> None:
    """Write a file that is there whole or not at all, whoever else writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            for array in arrays:
                np.save(file, array, allow_pickle=False)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise


def _floats(array: _Array, shape: tuple[int, ...]) -> NDArray[np.float32] | None:
    """The array, if it holds finite numbers in that shape."""
    if array.dtype != np.float32 or array.shape != shape or not np.isfinite(array).all():
        return None
    return array.astype(np.float32, copy=False)


def _hash(text: str) -> str:
    # A lone surrogate is text too, and stands for itself.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
