"""The verb of a tenant that computes an earlier recall again."""

from __future__ import annotations

from bitempo._embedding import Embeddings
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.reranking import Reranker
from bitempo.engine.store.port import Store
from bitempo.query.receipts import Receipt
from bitempo.query.replaying import Replay, check_reranker, compared, recall_again
from bitempo.query.reranking import reranked


class Replaying:
    """Replays of one tenant's recalls."""

    name: str
    _store: Store
    _embeddings: Embeddings
    _reranker: Reranker | None

    def replay(self, receipt: Receipt | str) -> Replay:
        """Compute a recall again at the basis of its receipt, and compare.

        Whatever was written since, it gives the same items and the same receipt, byte for byte.
        A question that was rewritten is searched by the text on record; no rewriter is asked.
        `Replay.difference` is None then; else it says which items are gone from the memory, since
        they were erased, and which are no longer answers, are new, or score otherwise.

        Args:
            receipt: of `recall(...).receipt`, or as its JSON.

        Raises:
            InvalidRecordError: the text is no receipt.
            InvalidInputError: the receipt is of another tenant, or is neither.
            EmbedderMismatchError: the memory is open with another embedder than the receipt's, or
                the tenant's vectors are of another.
            RerankerMismatchError: the receipt's reranker is not the memory's.
            ModelError: the embedder or the reranker failed.
            NotFoundError: the memory does not have the transaction that the receipt rests on.
        """
        known = Receipt.from_json(receipt) if isinstance(receipt, str) else receipt
        if not isinstance(known, Receipt):
            raise InvalidInputError(
                f"replay needs a receipt or its JSON text, not {type(receipt).__name__}"
            )
        if known.tenant != self.name:
            raise InvalidInputError(
                f"the receipt is of the tenant {known.tenant!r}, and this is {self.name!r}"
            )
        reranker = self._reranker if known.reranker is not None else None
        check_reranker(known, None if reranker is None else reranker.identity)
        vectors = None
        if known.embedder is not None:
            vectors = self._embeddings.of_question(self.name, known.searched)
        with self._store.read(self.name) as reader:
            again = recall_again(reader, known, vectors)
        if reranker is not None:
            again = reranked(again, reranker, known.settings)
        with self._store.read(self.name) as reader:
            return compared(reader, known, again)
