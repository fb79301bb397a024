"""Scoring texts: BM25 with one tenant's own statistics, and the sums that signals make.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
(2009), with the idf of Lucene, ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bitempo.engine.time import DAY, Instant
from bitempo.query.counting import Counts


@dataclass(frozen=True, slots=True)
class Bm25:
    """BM25 over a corpus of `documents` texts of `mean_length` terms."""

    frequencies: Mapping[str, int]
    documents: int
    mean_length: float
    k1: float
    b: float

    def weights(self) -> dict[str, float]:
        """The idf of each term."""
        return {
            term: math.log(1 + (max(self.documents - df, 0) + 0.5) / (df + 0.5))
            for term, df in self.frequencies.items()
        }

    def scores(self, texts: Counts) -> dict[str, float]:
        """The score of each text that has any of the terms, by its key."""
        k1, mean = self.k1, self.mean_length or 1.0
        base, slope = 1 - self.b, self.b
        norms = {key: k1 * (base + slope * n / mean) for key, n in texts.lengths.items()}
        weights = self.weights()
        scores: dict[str, float] = {}
        for term, of in texts.terms.items():
            weight = weights.get(term, 0.0)
            for key, tf in of.items() if weight else ():
                scores[key] = scores.get(key, 0.0) + weight * tf * (k1 + 1) / (tf + norms[key])
        return scores


def normalised(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores min-max normalised. The minimum is 0: that of a text with none of the terms."""
    top = max(scores.values(), default=0.0)
    return {key: score / top for key, score in scores.items()} if top > 0 else {}


def decay(happened: Instant, clock: Instant, half_life: float) -> float:
    """Recency in (0, 1]: halves every `half_life` days before the clock; 1 from the clock on."""
    age = max(clock - happened, 0) / DAY
    return math.pow(0.5, min(age / half_life, 1_000.0))


def rarest(frequencies: Mapping[str, int], most: int) -> dict[str, int]:
    """The `most` rarest terms with their frequencies, rarest first."""
    ordered: Sequence[str] = sorted(frequencies, key=lambda term: (frequencies[term], term))
    return {term: frequencies[term] for term in ordered[:most]}
