"""The floor that recall has to beat: plain BM25 over the turns, with nothing added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bitempo.engine.lexical import query_terms, terms
from bitempo.ingest.sessions import SourceSession
from bitempo.query.scoring import Bm25, Counts, document_frequencies

_K1 = 1.2
_B = 0.75


class PlainBm25:
    """BM25 over `speaker: text` of every turn of a conversation, in memory."""

    def __init__(self, sessions: Sequence[SourceSession]) -> None:
        self._texts: dict[str, Counts] = {}
        for session in sessions:
            for turn in session.turns:
                found = terms(f"{turn.actor}: {turn.text}")
                self._texts[turn.id or ""] = Counts(Counter(found), len(found))
        lengths = [counts.length for counts in self._texts.values()]
        self._mean = sum(lengths) / max(len(lengths), 1)
        self._frequencies = document_frequencies(self._texts.values())

    def best(self, question: str, limit: int) -> tuple[str, ...]:
        """The ids of the best turns, best first."""
        wanted = {
            term: self._frequencies[term]
            for term in query_terms(question)
            if term in self._frequencies
        }
        texts = {
            id: Counts(
                {term: counts.frequencies[term] for term in wanted if term in counts.frequencies},
                counts.length,
            )
            for id, counts in self._texts.items()
        }
        scores = Bm25(wanted, len(self._texts), self._mean, _K1, _B).scores(texts)
        return tuple(sorted(scores, key=lambda id: (-scores[id], id))[:limit])
