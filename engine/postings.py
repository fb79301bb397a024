"""In which texts a token stands, without reading them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Run:
    """The texts of each token, of a run of texts of a corpus.

    `texts` and `tokens` are where the run ends in the corpus. Of the token `ids[n]` the texts
    stand in `places` from `starts[n]` to `starts[n + 1]`, each once.
    """

    texts: int
    tokens: int
    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    places: NDArray[np.int32]

    def of(self, id: int) -> NDArray[np.int32]:
        """The places of the texts that have the token."""
        at = int(np.searchsorted(self.ids, id))
        if at == len(self.ids) or int(self.ids[at]) != id:
            return self.places[:0]
        return self.places[int(self.starts[at]) : int(self.starts[at + 1])]


@dataclass(frozen=True, slots=True)
class Postings:
    """The texts of each token, in runs that follow each other and get shorter.

    A run is at least twice as long as the next one, so there are few, and each text is taken into a
    new run a few times at most while the corpus grows.
    """

    runs: tuple[Run, ...] = ()

    @property
    def texts(self) -> int:
        """How many texts are covered, from the first."""
        return self.runs[-1].texts if self.runs else 0

    @property
    def tokens(self) -> int:
        """How many tokens these have together."""
        return self.runs[-1].tokens if self.runs else 0

    @property
    def size(self) -> int:
        """Bytes that they take, roughly."""
        return sum(run.places.nbytes for run in self.runs)

    def of(self, id: int) -> Iterator[NDArray[np.int32]]:
        """The places of the texts that have the token."""
        return (run.of(id) for run in self.runs)

    def until(self, ids: NDArray[np.int32], ends: NDArray[np.int64]) -> Postings:
        """Those of all these texts, of which the first ones are covered already.

        Args:
            ids: the tokens of the texts, one text after the other.
            ends: where each text ends in them.
        """
        runs = list(self.runs)
        first = self._start(len(runs))
        while runs and len(ids) - first[1] > (first[1] - self._start(len(runs) - 1)[1]) // 2:
            runs.pop()
            first = self._start(len(runs))
        return Postings((*runs, _run(first, ids, ends)))

    def _start(self, number: int) -> tuple[int, int]:
        """Where the run of that number begins: its first text and token."""
        before = self.runs[number - 1] if number else None
        return (0, 0) if before is None else (before.texts, before.tokens)


def _run(first: tuple[int, int], ids: NDArray[np.int32], ends: NDArray[np.int64]) -> Run:
    text, token = first
    lengths = np.diff(ends[text:], prepend=token)
    texts = np.repeat(np.arange(text, len(ends), dtype=np.int32), lengths)
    # Stable, so that the repeats of a token in a text follow each other; and short numbers, which
    # vocabularies mostly have, are sorted several times as fast.
    keys = ids[token:]
    short = len(keys) > 0 and int(keys.min()) >= 0 and int(keys.max()) < 1 << 16
    order = np.argsort(keys.astype(np.uint16) if short else keys, kind="stable")
    tokens, places = ids[token:][order], texts[order]
    new = np.ones(len(tokens), np.bool_)
    new[1:] = tokens[1:] != tokens[:-1]
    kept = new.copy()
    kept[1:] |= places[1:] != places[:-1]
    starts = np.append(np.flatnonzero(new[kept]), int(kept.sum())).astype(np.int64)
    return Run(len(ends), len(ids), tokens[new], starts, places[kept])
