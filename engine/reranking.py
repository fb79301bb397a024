"""The port of rerankers: how well texts answer a question, judged by a model that reads both.

Knows no model; `bitempo.ingest.rerankers` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores texts against a question. Must not raise on any text, however long or odd.

    Safe to share between threads.
    """

    @property
    def identity(self) -> str:
        """Name and version. Two with one identity give the same scores."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the question, in their order; batched as the model likes it.

        The higher the better, on whatever scale: only scores of one call are compared.

        Raises:
            ModelError: a model or an endpoint failed after all retries; the message says what
                to do.
        """
        ...
