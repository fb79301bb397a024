"""A question's vectors, and how like it the texts of one corpus are by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitempo.engine.store.port import Corpus, Reader
from bitempo.engine.time import Instant

if TYPE_CHECKING:
    # Arrays take long to import, and a recall without vectors needs none.
    from bitempo.engine.embedding import Embedder, Vector
    from bitempo.engine.late import Late, TokenQuestion


@dataclass(frozen=True, slots=True)
class QuestionVectors:
    """What an embedder made of a question.

    `identity` is the embedder's. `tokens` is None for one that gives no vectors of tokens.
    """

    identity: str
    pooled: Vector
    tokens: TokenQuestion | None = None

    @property
    def kind(self) -> str:
        """What is known of a token: "static" if its vector is the same in every text,
        "contextual" if it is not, "pooled" if there is none."""
        if self.tokens is None:
            return "pooled"
        return "contextual" if self.tokens.by_id is None else "static"


def question_vectors(embedder: Embedder, question: str) -> QuestionVectors:
    """What the embedder makes of the question.

    Raises:
        ModelError: an endpoint failed after all retries.
    """
    from bitempo.engine.embedding import (
        QuestionEmbedder,
        TokenEmbedder,
        VocabularyEmbedder,
        normalised,
    )
    from bitempo.engine.late import TokenQuestion

    if not isinstance(embedder, TokenEmbedder):
        return QuestionVectors(embedder.identity, normalised(embedder.embed([question]))[0])
    if isinstance(embedder, QuestionEmbedder):
        found = embedder.embed_question(question)
    else:
        found = embedder.embed_tokens([question])[0]
    vectors = normalised(found.tokens)
    by_id = None
    if isinstance(embedder, VocabularyEmbedder):
        by_id = vectors @ embedder.vocabulary().T
    tokens = TokenQuestion(found.ids, vectors, by_id)
    return QuestionVectors(embedder.identity, normalised(found.pooled), tokens)


class Likeness:
    """How like the question the texts of one corpus are.

    Where the corpus is small enough, the tokens of all its texts are compared; otherwise those of
    the texts that are the nearest as a whole, and of what is looked at besides.

    Args:
        vectors: of the question; without any, nothing is like it.
        limit: how many of the likest texts are found.
    """

    def __init__(
        self,
        reader: Reader,
        corpus: Corpus,
        vectors: QuestionVectors | None,
        *,
        known_at: Instant,
        limit: int,
    ) -> None:
        self._reader, self._corpus, self._vectors = reader, corpus, vectors
        self.ids: Sequence[str] = ()
        """The likest texts, best first."""
        self.meaning: Mapping[str, float] = {}
        """How near the vector of the whole text is, for the nearest ones, in [0, 1]."""
        self._late: Late | None = None
        if vectors is None:
            return
        found = reader.nearest(corpus, vectors.pooled, known_at=known_at, limit=limit)
        near = {one.id: one.similarity for one in found}
        self.meaning = _stretched(near, min(near.values(), default=0.0))
        self.ids = list(near)
        if vectors.tokens is not None:
            late = reader.late(
                corpus, vectors.tokens, known_at=known_at, limit=limit, among=list(near)
            )
            self.ids = list(dict.fromkeys([*late.ids, *near]))
            self._late = late

    def look_at(self, ids: Collection[str]) -> None:
        """Compare the tokens of these texts too."""
        if self._late is None or self._vectors is None or self._vectors.tokens is None:
            return
        missing = [id for id in ids if id not in self._late.rows]
        self._late = self._late.with_rows(self._late.scanned(missing))
        missing = [id for id in missing if id not in self._late.rows]
        if missing:
            found = self._reader.token_maxima(self._corpus, self._vectors.tokens, missing)
            self._late = self._late.with_rows(found)

    def alone(self) -> dict[str, float]:
        """How well the tokens of the question are met in each text that was looked at."""
        return {} if self._late is None else self._late.alone()

    def together(self, groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """How well they are met in several texts together, by group.

        A token counts with the text that meets it best, as if the texts were one.
        """
        return {} if self._late is None else self._late.relevance(groups)

    def shares(self, met: Mapping[str, float]) -> dict[str, float]:
        """The same numbers, so that those of the worst text are 0 and those of the best 1."""
        if self._late is None:
            return {}
        return _stretched(met, min(self._late.lowest, *met.values(), 1.0))

    def joined(self, other: Likeness) -> Likeness:
        """The same, in which groups may also have the texts of another corpus."""
        both = copy(self)
        if self._late is not None and other._late is not None:
            both._late = self._late.with_rows(other._late.rows)
        return both


def _stretched(scores: Mapping[str, float], lowest: float) -> dict[str, float]:
    """The scores, so that the lowest becomes 0 and the highest 1."""
    span = max(scores.values(), default=lowest) - lowest
    return {id: (score - lowest) / span for id, score in scores.items()} if span > 0 else {}
