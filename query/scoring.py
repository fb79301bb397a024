"""Scoring texts: BM25 with one tenant's own statistics, and the sums that signals make.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
(2009), with the idf of Lucene, ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bitempo.engine.lexical import terms, words
from bitempo.engine.time import DAY, Instant


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each wanted term stands in a text, and how many terms the text has."""

    frequencies: Mapping[str, int]
    length: int

    def __add__(self, other: Counts) -> Counts:
        total = dict(self.frequencies)
        for term, count in other.frequencies.items():
            total[term] = total.get(term, 0) + count
        return Counts(total, self.length + other.length)


class Counter:
    """Counts the wanted terms in texts. It remembers words, so one serves many texts."""

    def __init__(self, wanted: Collection[str]) -> None:
        self._wanted = frozenset(wanted)
        self._terms = _Terms(self._wanted)

    def count(self, text: str) -> Counts:
        """The counts of the wanted terms in the text."""
        if text.isascii():
            # An ASCII word is one term.
            found = words(text)
            hits = filter(None, map(self._terms.__getitem__, found))
        else:
            found = terms(text)
            hits = filter(self._wanted.__contains__, found)
        frequencies: dict[str, int] = {}
        for term in hits:
            frequencies[term] = frequencies.get(term, 0) + 1
        return Counts(frequencies, len(found))


class _Terms(dict[str, str | None]):
    """By ASCII word its term if that is wanted; words that begin like no wanted term are not
    stemmed, and none is twice."""

    def __init__(self, wanted: frozenset[str]) -> None:
        super().__init__()
        self._wanted = wanted
        # Stemming keeps the first two letters of a word, but for dying, lying and tying.
        self._beginnings = {term[:2] for term in wanted}
        self._beginnings |= {term[0] + "y" for term in wanted if term[1:2] == "i"}

    def __missing__(self, word: str) -> str | None:
        term = terms(word)[0] if word[:2] in self._beginnings else None
        self[word] = found = term if term in self._wanted else None
        return found


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

    def scores(self, texts: Mapping[str, Counts]) -> dict[str, float]:
        """The score of each text that has any of the terms, by its key."""
        weights, mean = self.weights(), self.mean_length or 1.0
        scores: dict[str, float] = {}
        for key, counts in texts.items():
            if not counts.frequencies:
                continue
            norm = self.k1 * (1 - self.b + self.b * counts.length / mean)
            score = 0.0
            for term, tf in counts.frequencies.items():
                score += weights.get(term, 0.0) * tf * (self.k1 + 1) / (tf + norm)
            if score > 0:
                scores[key] = score
        return scores


def normalised(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores min-max normalised. The minimum is 0: that of a text with none of the terms."""
    top = max(scores.values(), default=0.0)
    return {key: score / top for key, score in scores.items()} if top > 0 else {}


def document_frequencies(texts: Iterable[Counts]) -> dict[str, int]:
    """In how many of the texts each term stands."""
    found: dict[str, int] = {}
    for counts in texts:
        for term in counts.frequencies:
            found[term] = found.get(term, 0) + 1
    return found


def decay(happened: Instant, clock: Instant, half_life: float) -> float:
    """Recency in (0, 1]: halves every `half_life` days before the clock; 1 from the clock on."""
    age = max(clock - happened, 0) / DAY
    return math.pow(0.5, min(age / half_life, 1_000.0))


def rarest(frequencies: Mapping[str, int], most: int) -> dict[str, int]:
    """The `most` rarest terms with their frequencies, rarest first."""
    ordered: Sequence[str] = sorted(frequencies, key=lambda term: (frequencies[term], term))
    return {term: frequencies[term] for term in ordered[:most]}
