"""What embedders share whose model gives a vector for each token, as the text around it has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bitempo.engine.embedding import Matrix, TokenVectors, normalised
from bitempo.engine.once import Once
from bitempo.ingest.embedders.tokens import telling
from bitempo.ingest.onnx import Encoded, OnnxModel


class ContextualEmbedder:
    """Implements `TokenEmbedder` but for the identity, with a model that is loaded at first use.

    A text's vector is the mean of the output of its pieces, those that mark its ends included.

    Args:
        load: loads the model.
        dimension: how many numbers a vector has; asked of the model by default.
        projection: gives what the vectors of tokens are multiplied with, orthonormal columns of
            `dimension` numbers; by default they stay as they are.
    """

    def __init__(
        self,
        load: Callable[[], OnnxModel],
        dimension: int | None = None,
        *,
        projection: Callable[[], Matrix] | None = None,
    ) -> None:
        self._loaded = Once(load)
        self._dimension = Once(lambda: dimension or self._asked_dimension())
        self._projection = Once(projection) if projection is not None else None

    @property
    def dimension(self) -> int:
        """As `Embedder.dimension`."""
        return self._dimension()

    @property
    def token_dimension(self) -> int:
        """As `TokenEmbedder.token_dimension`; that of texts, where nothing is projected."""
        return self._dimension() if self._projection is None else self._projection().shape[1]

    def embed(self, texts: Sequence[str]) -> Matrix:
        """As `Embedder.embed`."""
        pooled = np.zeros((len(texts), self.dimension), np.float32)
        for place, _, states in self._states(texts):
            pooled[place] = states.mean(axis=0)
        return normalised(pooled)

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """As `TokenEmbedder.embed_tokens`."""
        found = {place: self._kept(one, states) for place, one, states in self._states(texts)}
        return [found[place] for place in range(len(texts))]

    def _mark(self) -> int | None:
        """The number of the piece that marks a text as no question; None where there is none."""
        return None

    def _kept(self, encoded: Encoded, states: Matrix) -> TokenVectors:
        """The vectors of the pieces that carry a meaning; those that mark the ends do not."""
        own = [place for place, special in enumerate(encoded.special) if not special]
        pieces = [encoded.pieces[place] for place in own]
        places = np.array(own, np.int64)[telling(pieces)]
        tokens = states[places] if self._projection is None else states[places] @ self._projection()
        ids = np.array(encoded.ids, np.int32)[places]
        return TokenVectors(normalised(states.mean(axis=0)), normalised(tokens), ids)

    def _states(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoded, Matrix]]:
        return self._run(texts, self._mark())

    def _run(self, texts: Sequence[str], mark: int | None) -> Iterator[tuple[int, Encoded, Matrix]]:
        """The place, the encoding and the output of each text, a row for each piece."""
        model = self._loaded()
        encodings = model.encode(texts, mark)
        for place, states in model.run(encodings):
            yield place, encodings[place], states[: len(encodings[place].ids)]

    def _asked_dimension(self) -> int:
        ((_, _, states),) = self._states(["dimension"])
        return int(states.shape[1])
