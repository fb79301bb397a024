"""Keeping a tenant's vectors complete: what lacks one is found, embedded and put in its place.

Models are asked outside of every transaction. Whatever is stopped, and wherever, loses nothing:
what still lacks a vector is found the next time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bitempo.engine.embedding import Embedder, Matrix, TokenEmbedder, VocabularyEmbedder, normalised
from bitempo.engine.errors import BitempoError, ConflictError, EmbedderMismatchError, ModelError
from bitempo.engine.late import pack
from bitempo.engine.store.port import Store
from bitempo.engine.store.vector_port import Embedded, Passage, VectorSpace

BATCH = 512
"""How many passages are embedded, and then put in their place, at a time."""

Progress = Callable[[int, int], None]
"""Called with how many of how many passages are done."""


class Embedding:
    """Embeds for one tenant.

    Args:
        store: where the tenant is kept.
        tenant: the tenant's name.
        embedder: what makes its vectors.
    """

    def __init__(self, store: Store, tenant: str, embedder: Embedder) -> None:
        self._store = store
        self._tenant = tenant
        self._vectors = store.vectors(tenant)
        self._embedder = embedder

    def check(self) -> None:
        """Refuse an embedder that is not the one on record.

        Raises:
            EmbedderMismatchError: the tenant's vectors were made by another.
            ModelError: the embedder's dimension has to be asked for, and the endpoint failed.
        """
        used = self._vectors.space()
        if used is not None:
            self.check_space(used)

    def check_space(self, used: VectorSpace) -> None:
        """As `check`, where the space on record has been read already."""
        space = self._space()
        if used != space:
            raise EmbedderMismatchError(
                f"the vectors of tenant {self._tenant!r} were made by {used.identity} "
                f"({used.dimension} numbers), and the embedder is {space.identity} "
                f"({space.dimension}). Use that one, or make them anew: bitempo reembed"
            )

    def embed_missing(self, progress: Progress | None = None) -> int:
        """Embed what lacks a vector; how many there were.

        A text that the tenant has a vector of already is not embedded again.

        Raises:
            EmbedderMismatchError: the tenant's vectors were made by another embedder.
            ModelError: the embedder failed; what was embedded before stays.
        """
        if self._vectors.space() is None:
            if self._is_empty():
                return 0
            self._vectors.begin(self._space())
        # Of several that begin at once, with embedders of their own, one was the first.
        self.check()
        return self._embed(self._space(), progress)

    def reembed(self, progress: Progress | None = None) -> int:
        """Make all vectors anew with this embedder; how many were made.

        Until all are there the old ones are in use; then they are dropped at once. Stopped in the
        middle, it goes on where it was.

        Raises:
            ModelError: the embedder failed; what was embedded before stays.
            ConflictError: somebody else has begun to reembed with another embedder.
        """
        if self._is_empty():
            return 0
        space = self._space()
        self._vectors.begin(space, replacing=True)
        done = self._embed(space, progress)
        while not self._vectors.finish(space):
            # Something was written since; or somebody else makes other vectors now.
            more = self._embed(space, None)
            if not more and space not in (self._vectors.space(), self._vectors.coming()):
                raise ConflictError(
                    f"the vectors of tenant {self._tenant!r} are being made anew with another "
                    "embedder; reembed again when that is done"
                )
            done += more
        return done

    def _is_empty(self) -> bool:
        with self._store.read(self._tenant) as reader:
            return reader.last_tx() is None

    def _space(self) -> VectorSpace:
        return VectorSpace(self._embedder.identity, self._embedder.dimension)

    def _embed(self, space: VectorSpace, progress: Progress | None) -> int:
        total = self._vectors.count_missing(space) if progress is not None else 0
        done = 0
        while True:
            passages = self._vectors.missing(space, BATCH)
            if passages:
                self._vectors.put(space, passages, self._embedded(space, passages))
                done += len(passages)
                if progress is not None:
                    progress(done, max(total, done))
            # What others write meanwhile is theirs to embed.
            if len(passages) < BATCH:
                return done

    def _embedded(self, space: VectorSpace, passages: Sequence[Passage]) -> list[Embedded]:
        """What each passage is embedded to; only texts that are not there yet are embedded."""
        texts = list(dict.fromkeys(passage.text for passage in passages))
        found = self._vectors.known(space, texts)
        new = [text for text in texts if text not in found]
        if new:
            try:
                found |= zip(new, self._embed_new(new), strict=True)
            except BitempoError:
                raise
            except Exception as error:
                raise ModelError(f"the embedder {space.identity} failed: {error!r}") from error
            self._check_shapes([found[text] for text in new])
        return [found[passage.text] for passage in passages]

    def _embed_new(self, texts: Sequence[str]) -> list[Embedded]:
        embedder = self._embedder
        if not isinstance(embedder, TokenEmbedder):
            return [Embedded(vector) for vector in _finite(embedder.embed(texts))]
        # Where a token has one vector in every text, to know which token it is, is enough.
        with_codes = not isinstance(embedder, VocabularyEmbedder)
        return [
            Embedded(_finite(one.pooled), pack(one, with_codes=with_codes))
            for one in embedder.embed_tokens(texts)
        ]

    def _check_shapes(self, embedded: Sequence[Embedded]) -> None:
        space = self._space()
        for one in embedded:
            if one.vector.shape != (space.dimension,):
                raise ModelError(
                    f"the embedder {space.identity} gave a vector of shape {one.vector.shape}, "
                    f"and its vectors have {space.dimension} numbers"
                )


def _finite(vectors: Matrix) -> Matrix:
    """The vectors with length 1.

    Raises:
        ModelError: one has a number that is not finite, so that nothing could be like it.
    """
    if not np.isfinite(vectors).all():
        raise ModelError("the embedder gave numbers that are not finite")
    return normalised(vectors)
