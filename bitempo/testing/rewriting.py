"""A question rewriter without a model, for tests of what it is used for."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence


class ScriptedRewriter:
    """Implements `QuestionRewriter`: gives what a test says for a question.

    Args:
        rewritings: the text to search with, by question; any other question is left as it is.
        name: its identity.

    Attributes:
        asked: every question with its context and the time from which it was asked, in order.
        failing: an error to raise instead, for as long as it is there.
    """

    def __init__(self, rewritings: Mapping[str, str] | None = None, name: str = "scripted") -> None:
        self.identity = name
        self.asked: list[tuple[str, list[str], str]] = []
        self.failing: Exception | None = None
        self._rewritings = dict(rewritings or {})
        self._lock = threading.Lock()

    def rewrite(self, question: str, context: Sequence[str], asked_at: str) -> str:
        """The text that the test says, or the question."""
        with self._lock:
            self.asked.append((question, list(context), asked_at))
        if self.failing is not None:
            raise self.failing
        return self._rewritings.get(question, question)
