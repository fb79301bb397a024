"""The port of embedders: from text to vectors. Knows no model; `bitempo.ingest.embedders` does.

Vectors are rows of float32 with length 1, so that their dot product is the cosine. A text that
holds nothing a model can read has a row of zeros, which is like nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bitempo.engine.lexical import assertion_text
from bitempo.engine.model import Assertion, Episode

Vector: TypeAlias = NDArray[np.float32]
"""One vector: of `dimension` numbers."""

Matrix: TypeAlias = NDArray[np.float32]
"""Vectors, a row each."""


class Embedder(Protocol):
    """Turns texts into vectors. Must not raise on any text, however long or odd.

    Safe to share between threads.
    """

    @property
    def identity(self) -> str:
        """Name and version ("minilm-l6-v2-int8/1.0"). Two with one identity give one vector."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has.

        Raises:
            ModelError: it is not known before the endpoint is asked, and the endpoint failed.
        """
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """A row of length 1 for each text, in their order; batched as the model likes it.

        Raises:
            ModelError: an endpoint failed after all retries; the message says what to do.
        """
        ...


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """What one encoding of a text gives: the vector of the whole, and those of its tokens.

    `pooled` has `dimension` numbers. `tokens` has a row of length 1, of `token_dimension` numbers,
    for each token that is kept, and `ids` says which tokens of the model's vocabulary they are.
    """

    pooled: Vector
    tokens: Matrix
    ids: NDArray[np.int32]


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives a vector for each token, for late interaction."""

    @property
    def token_dimension(self) -> int:
        """How many numbers a token's vector has."""
        ...

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """The vectors of each text and of its tokens, from one encoding of it.

        Punctuation and stop words are left out, unless the text has nothing else.
        """
        ...


@runtime_checkable
class QuestionEmbedder(TokenEmbedder, Protocol):
    """A token embedder that tells questions from the texts that answer them."""

    def embed_question(self, question: str) -> TokenVectors:
        """As `embed_tokens`, of a question."""
        ...


@runtime_checkable
class VocabularyEmbedder(TokenEmbedder, Protocol):
    """A token embedder whose token has the same vector in every text."""

    def vocabulary(self) -> Matrix:
        """The vector of each token of the vocabulary, a row of length 1, or zeros, for each id."""
        ...


def turn_passage(episode: Episode) -> str:
    """What of a turn is embedded: who spoke, and what was said.

    Its date is not: the same words said twice then need one encoding.
    """
    return f"{episode.actor}: {episode.text}" if episode.actor else episode.text


def assertion_passage(assertion: Assertion, names: Mapping[str, str]) -> str:
    """What of an assertion is embedded; `names` maps entity ids to names."""
    return assertion_text(assertion, names)


def normalised(matrix: NDArray[np.floating]) -> Matrix:
    """The rows with length 1; zeros for one of zeros, or with a number that is not finite."""
    rows = np.asarray(matrix, dtype=np.float32)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=-1, keepdims=True)
    sound = np.isfinite(lengths) & (lengths > 0)
    scaled = np.divide(rows, lengths, out=np.zeros_like(rows, dtype=np.float64), where=sound)
    return np.ascontiguousarray(scaled, dtype=np.float32)
