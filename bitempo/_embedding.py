"""What a tenant does with vectors: made after each write, and made anew with another embedder."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from bitempo.engine.errors import BitempoError, InvalidInputError, ModelError
from bitempo.engine.store.port import Store
from bitempo.ingest.embedders import open_embedder
from bitempo.query.vectors import QuestionVectors, question_vectors

if TYPE_CHECKING:
    from bitempo.engine.embedding import Embedder
    from bitempo.ingest.embedding import Embedding

EmbeddingProgress = Callable[[int, int], None]
"""Called with how many of how many turns and assertions have their vector."""


class Embeddings:
    """The embedder of a memory, or none, for all its tenants."""

    def __init__(self, store: Store, embedder: Embedder | str | None) -> None:
        self._store = store
        self.embedder = open_embedder(embedder)
        # Threads that embed for one tenant take turns, so that no text is paid for twice.
        self._turns = defaultdict[str, threading.Lock](threading.Lock)

    def check(self, tenant: str) -> None:
        """Refuse, before anything is written, an embedder that is not the tenant's.

        Raises:
            EmbedderMismatchError: its vectors were made by another.
        """
        if self.embedder is None:
            return
        try:
            self._of(tenant).check()
        except ModelError:
            # An endpoint that is down must not keep anything from being written.
            return

    def complete(self, tenant: str) -> str | None:
        """Embed what a write has added; why that failed, if it did: the write itself stands."""
        if self.embedder is None:
            return None
        try:
            self.embed_missing(tenant)
        except BitempoError as error:
            return str(error)
        return None

    def of_question(self, tenant: str, question: str) -> QuestionVectors | None:
        """The vectors of a question, if the memory has an embedder and the tenant vectors.

        Raises:
            EmbedderMismatchError: the tenant's vectors were made by another embedder.
            ModelError: the embedder failed.
        """
        if self.embedder is None or not isinstance(question, str):
            return None
        with self._store.read(tenant) as reader:
            used = reader.vector_space()
        if used is None:
            return None
        self._of(tenant).check_space(used)
        return question_vectors(self.embedder, question)

    def embed_missing(self, tenant: str, progress: EmbeddingProgress | None = None) -> int:
        """See `Tenant.embed_missing`."""
        with self._turns[tenant]:
            return self._of(tenant).embed_missing(progress)

    def reembed(self, tenant: str, progress: EmbeddingProgress | None = None) -> int:
        """See `Tenant.reembed`."""
        with self._turns[tenant]:
            return self._of(tenant).reembed(progress)

    def _of(self, tenant: str) -> Embedding:
        if self.embedder is None:
            raise InvalidInputError(
                "the memory has no embedder; open it with one, such as "
                'Memory.open(..., embedder="static") or --embedder static'
            )
        # What handles arrays takes long to import, and a memory without an embedder needs none.
        from bitempo.ingest.embedding import Embedding

        return Embedding(self._store, tenant, self.embedder)


class EmbeddingVerbs:
    """The verbs of a tenant that are about its vectors."""

    name: str
    _embeddings: Embeddings

    def embed_missing(self, progress: EmbeddingProgress | None = None) -> int:
        """Embed the turns and assertions that lack a vector; gives how many there were.

        Writes do it by themselves. It is needed after an import, after writes of a memory without
        an embedder, or after an endpoint failed. `stats().unembedded` says how many there are.

        Raises:
            EmbedderMismatchError: the tenant's vectors were made by another embedder.
            ModelError: the embedder failed; what was embedded before stays.
            InvalidInputError: the memory has no embedder.
        """
        return self._embeddings.embed_missing(self.name, progress)

    def reembed(self, progress: EmbeddingProgress | None = None) -> int:
        """Make all vectors anew with the memory's embedder; gives how many were made.

        The old ones are in use until all the new ones are there. Stopped in the middle, it goes
        on where it was when it is called again.

        Raises:
            ModelError: the embedder failed; what was embedded before stays.
            ConflictError: somebody else has begun to reembed with another embedder.
            InvalidInputError: the memory has no embedder.
        """
        return self._embeddings.reembed(self.name, progress)
