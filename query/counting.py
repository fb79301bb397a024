"""Counting the terms of a question in many texts.

A text never changes, so the words that it is made of are kept in memory, under the text itself:
what is kept is right for any store, tenant and time. Words are kept as they stand, and only those
that may be a term of the question are stemmed.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from bitempo.engine.lexical import terms, words

MOST_TEXTS = 8_192
"""How many texts' words are kept in memory; those that were used longest ago are dropped.

Those of a turn of 25 words take about 4 KB.
"""

LONGEST_KEPT = 2_000
"""The longest text, in characters, of which the words are kept."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each wanted term stands in each of some texts, and how many terms each text has.

    `terms` has by term the texts that it stands in, `lengths` all texts.
    """

    terms: Mapping[str, Mapping[str, int]]
    lengths: Mapping[str, int]

    @property
    def mean_length(self) -> float:
        """How many terms a text has on average."""
        return sum(self.lengths.values()) / len(self.lengths) if self.lengths else 0.0

    def frequencies(self) -> dict[str, int]:
        """In how many of the texts each term stands, of those that do."""
        return {term: len(texts) for term, texts in self.terms.items() if texts}

    def added_to(self, texts: Counts, places: Mapping[str, Iterable[str]]) -> Counts:
        """The counts of other texts, as if each of these stood in the ones that `places` names."""
        lengths = dict(texts.lengths)
        for key, owners in places.items():
            for owner in owners:
                lengths[owner] += self.lengths[key]
        found = {term: dict(of) for term, of in texts.terms.items()}
        for term, of in self.terms.items():
            total = found.setdefault(term, {})
            for key, number in of.items():
                for owner in places.get(key, ()):
                    total[owner] = total.get(owner, 0) + number
        return Counts(found, lengths)

    def windows(self, before: Mapping[str, str], after: Mapping[str, str]) -> Counts:
        """The counts of each text with the one before it and the one after it, where there are."""
        own = self.lengths
        lengths = dict(own)
        for near in (before, after):
            for key, other in near.items():
                lengths[key] += own[other]
        found = {}
        for term, of in self.terms.items():
            found[term] = total = dict(of)
            for key, number in of.items():
                # It stands in the window of the one before it, and of the one after it.
                for near in (before, after):
                    if key in near:
                        total[near[key]] = total.get(near[key], 0) + number
        return Counts(found, lengths)


def count(texts: Mapping[str, str], wanted: Iterable[str]) -> Counts:
    """The counts of the wanted terms in the texts."""
    found = {
        key: _kept(text) if len(text) <= LONGEST_KEPT else _words_of(text)
        for key, text in texts.items()
    }
    by_term: dict[str, dict[str, int]] = {term: {} for term in wanted}
    terms_of = _Terms(by_term.keys())
    for key, text in found.items():
        near = terms_of.beginnings if text.plain else by_term.keys()
        for start in text.by_start.keys() & near:
            for word, number in text.by_start[start]:
                term = terms_of[word] if text.plain else word
                if term is not None:
                    of = by_term[term]
                    of[key] = of.get(key, 0) + number
    return Counts(by_term, {key: text.length for key, text in found.items()})


class _Words(NamedTuple):
    """How often each word stands in a text.

    A `plain` text is of ASCII words, each one term; of others these are the terms themselves.
    Plain words are found by their first two letters, terms by themselves. `length` counts terms.
    """

    by_start: Mapping[str, tuple[tuple[str, int], ...]]
    length: int
    plain: bool


def _words_of(text: str) -> _Words:
    plain = text.isascii()
    found = words(text) if plain else terms(text)
    by_start: dict[str, tuple[tuple[str, int], ...]] = {}
    for word, number in Tally(found).items():
        # One string for a word, in however many texts it stands.
        start = intern(word[:2] if plain else word)
        by_start[start] = (*by_start.get(start, ()), (intern(word), number))
    return _Words(by_start, len(found), plain)


_kept = lru_cache(maxsize=MOST_TEXTS)(_words_of)


class _Terms(dict[str, str | None]):
    """By ASCII word its term if that is wanted; none is stemmed twice.

    `beginnings` are the first two letters of the words whose terms may be wanted.
    """

    def __init__(self, wanted: Collection[str]) -> None:
        super().__init__()
        self._wanted = wanted
        # Stemming keeps the first two letters of a word, but for dying, lying and tying.
        self.beginnings = {term[:2] for term in wanted}
        self.beginnings |= {term[0] + "y" for term in wanted if term[1:2] == "i"}

    def __missing__(self, word: str) -> str | None:
        term = terms(word)[0]
        self[word] = found = term if term in self._wanted else None
        return found
