"""The floor that recall has to beat: plain BM25 over the turns, with nothing added."""

from __future__ import annotations

from collections.abc import Sequence

from bitempo.engine.lexical import query_terms, terms
from bitempo.ingest.sessions import SourceSession
from bitempo.query.counting import Counts
from bitempo.query.scoring import Bm25

_K1 = 1.2
_B = 0.75


class PlainBm25:
    """BM25 over `speaker: text` of every turn of a conversation, in memory."""

    def __init__(self, sessions: Sequence[SourceSession]) -> None:
        by_term: dict[str, dict[str, int]] = {}
        self._lengths: dict[str, int] = {}
        for session in sessions:
            for turn in session.turns:
                id, found = turn.id or "", terms(f"{turn.actor}: {turn.text}")
                self._lengths[id] = len(found)
                for term in found:
                    of_term = by_term.setdefault(term, {})
                    of_term[id] = of_term.get(id, 0) + 1
        self._by_term = by_term

    def best(self, question: str, limit: int) -> tuple[str, ...]:
        """The ids of the best turns, best first."""
        wanted = {
            term: self._by_term[term] for term in query_terms(question) if term in self._by_term
        }
        texts = Counts(wanted, self._lengths)
        bm25 = Bm25(texts.frequencies(), len(self._lengths), texts.mean_length, _K1, _B)
        scores = bm25.scores(texts)
        return tuple(sorted(scores, key=lambda id: (-scores[id], id))[:limit])
