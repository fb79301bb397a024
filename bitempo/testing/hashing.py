"""An embedder and a reranker without a model, for tests of what they are used for."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bitempo.testing.embedding import DIMENSIONS, hashed_scores, hashed_vector

if TYPE_CHECKING:
    from bitempo.engine.embedding import Matrix, TokenVectors


class HashingEmbedder:
    """Implements `TokenEmbedder` deterministically: texts are the nearer the more words they share.

    Args:
        dimension: how many numbers a vector has.
        name: what its identity begins with; two of other names are other embedders.

    Attributes:
        texts: every text it was asked to embed, in order.
        failing: an error to raise instead, for as long as it is there.
    """

    def __init__(self, dimension: int = DIMENSIONS, *, name: str = "hashing") -> None:
        self.dimension = dimension
        self.token_dimension = dimension
        self.identity = f"{name}/{dimension}"
        self.texts: list[str] = []
        self.failing: Exception | None = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """A vector of each text."""
        import numpy as np

        if self.failing is not None:
            raise self.failing
        with self._lock:
            self.texts += texts
        rows = [hashed_vector(text, self.dimension) for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dimension)

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """A vector of each text and of each of its words."""
        import numpy as np

        from bitempo.engine.embedding import TokenVectors

        found = []
        for text, pooled in zip(texts, self.embed(texts), strict=True):
            words = re.findall(r"\w+", text.casefold())
            rows = [hashed_vector(word, self.dimension) for word in words]
            tokens = np.array(rows, np.float32).reshape(len(words), self.dimension)
            found.append(TokenVectors(pooled, tokens, tokens.argmax(axis=1).astype(np.int32)))
        return found


class HashingReranker:
    """Implements `Reranker` deterministically: a text scores the more words it shares.

    Args:
        name: its identity; two of other names are other rerankers.

    Attributes:
        asked: every question with its texts, in order.
        failing: an error to raise instead, for as long as it is there.
    """

    def __init__(self, name: str = "hashing") -> None:
        self.identity = name
        self.asked: list[tuple[str, list[str]]] = []
        self.failing: Exception | None = None
        self._lock = threading.Lock()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How near each text is to the question, from 0 to 1."""
        if self.failing is not None:
            raise self.failing
        with self._lock:
            self.asked.append((question, list(texts)))
        return hashed_scores(question, texts)
