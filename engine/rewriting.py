"""The port of question rewriters: from a question to the text that is searched with.

Knows no model; `bitempo.ingest.rewriters` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class QuestionRewriter(Protocol):
    """Makes of a question one text that says by itself what is asked.

    No text may make it fail, however long or odd. Safe to share between threads. What it gives
    is only searched with, whatever it says.
    """

    @property
    def identity(self) -> str:
        """Name and version; stands in the receipts of what it rewrote."""
        ...

    def rewrite(self, question: str, context: Sequence[str], asked_at: str) -> str:
        """The text to search with in place of the question; "" or the question to leave it.

        Args:
            question: what was asked: "And where does she work?"
            context: the messages before it in the chat, oldest first; may be empty.
            asked_at: the time from which the question is asked, as ISO 8601 in UTC.

        Raises:
            ModelError: a model or an endpoint failed after all retries; the message says what
                to do.
        """
        ...
