"""Late interaction: how well each token of a question is met by some token of a text.

The relevance of a text is `sum_i w_i * max_j cos(q_i, d_j) / sum_i w_i` over the tokens i of the
question and j of the text: MaxSim of ColBERT (Khattab and Zaharia, 2020), with the weight
`w_i = ln((N + 1) / (df_i + 1))` of a token that stands in df_i of N texts.

A text's tokens are kept as their numbers in the model's vocabulary and, where a token's vector
depends on the text, as 8-bit codes of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitempo.engine.embedding import Matrix, TokenVectors, Vector
from bitempo.engine.postings import Postings
from bitempo.engine.time import Instant

Item = TypeVar("Item", int, str)
"""How a store finds the row of an item again."""

_LEVELS = 127
_BLOCK = 8_192
"""Tokens that are turned into floats at a time."""

_SMALLEST = 1_024
_TAIL = 16_384


@dataclass(frozen=True, slots=True)
class TokenQuestion:
    """The tokens of a question, to be compared with those of texts.

    `ids` are their numbers in the vocabulary, `vectors` a row of length 1 for each. Where a token
    has the same vector in every text, `by_id` has a row for each token of the question and a
    column for each of the vocabulary, with their cosine; else it is None.
    """

    ids: NDArray[np.int32]
    vectors: Matrix
    by_id: Matrix | None = None

    @property
    def kept_dimension(self) -> int:
        """How many numbers are kept of each token of a text."""
        return 0 if self.by_id is not None else int(self.vectors.shape[1])


@dataclass(frozen=True)
class Late:
    """How texts meet a question.

    `ids` are those that meet it best, best first. `rows` has for each text that was looked at the
    best cosine of every token of the question; `weights` are those of the tokens, and `lowest` is
    the smallest relevance of any text. `scanned` gives the rows of those of some more texts that
    were compared on the way.
    """

    ids: tuple[str, ...]
    rows: Mapping[str, Vector]
    weights: Vector
    lowest: float = 0.0
    scanned: Callable[[Collection[str]], Mapping[str, Vector]] = lambda _: {}

    def with_rows(self, rows: Mapping[str, Vector]) -> Late:
        """With more texts looked at."""
        return replace(self, rows={**self.rows, **rows})

    def alone(self) -> dict[str, float]:
        """The relevance of each text that was looked at."""
        if not self.rows:
            return {}
        places, rows = self._placed
        return dict(zip(places, relevance(rows, self.weights).tolist(), strict=True))

    def relevance(self, groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """The relevance of groups of texts, as if the texts of each were one."""
        places, rows = self._placed
        keys: list[str] = []
        flat: list[int] = []
        starts: list[int] = []
        for key, ids in groups.items():
            known = [places[id] for id in ids if id in places]
            if known:
                keys.append(key)
                starts.append(len(flat))
                flat += known
        if not keys:
            return {}
        maxima = rows[np.array(flat, np.int64)]
        if len(flat) > len(keys):
            maxima = np.maximum.reduceat(maxima, starts, axis=0)
        return dict(zip(keys, relevance(maxima, self.weights).tolist(), strict=True))

    @cached_property
    def _placed(self) -> tuple[Mapping[str, int], Matrix]:
        """The rows as a matrix, and the place of each text in it: several kinds of groups ask."""
        places = {id: place for place, id in enumerate(self.rows)}
        return places, np.array(list(self.rows.values()), np.float32)


def pack(vectors: TokenVectors, *, with_codes: bool) -> bytes:
    """The tokens of a text as a store keeps them; `unpack` reads them."""
    ids = np.ascontiguousarray(vectors.ids, np.int32).tobytes()
    if not with_codes:
        return ids
    return ids + np.rint(vectors.tokens * _LEVELS).astype(np.int8).tobytes()


def unpack(data: bytes, dimension: int) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """The numbers of the tokens, and their codes: a row of `dimension` for each, perhaps 0."""
    count = len(data) // (4 + dimension)
    ids = np.frombuffer(data, np.int32, count)
    codes = np.frombuffer(data, np.int8, count * dimension, 4 * count)
    return ids, codes.reshape(count, dimension)


def relevance(maxima: Matrix, weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """The relevance of each text, from the maxima of the question's tokens."""
    total = float(weights.sum())
    if total <= 0:
        return np.zeros(len(maxima), np.float32)
    found: NDArray[np.float32] = (maxima @ weights / total).astype(np.float32)
    return found


@dataclass(frozen=True, slots=True)
class LoadedTokens(Generic[Item]):
    """Tokens of texts as they come from a store: numbers that only grow, and the item of each."""

    numbers: Sequence[int]
    items: Sequence[Item]
    recorded: Sequence[Instant]
    tokens: Sequence[bytes]


class TokenCorpus(Generic[Item]):
    """The tokens of one corpus of one tenant in memory, in the order of the texts' numbers.

    It only grows: what is not believed at the time asked for is left out by whoever asks.

    Args:
        dimension: how many numbers are kept of each token.
        tail: how many tokens are read through at most before postings are made of them.
    """

    def __init__(self, dimension: int, *, tail: int = _TAIL) -> None:
        self.dimension = dimension
        self._tail = tail
        self._postings = Postings()
        self.items: list[Item] = []
        self.growing = threading.Lock()
        self._places: dict[Item, int] = {}
        self._numbers = np.empty(0, np.int64)
        self._recorded = np.empty(0, np.int64)
        self._ends = np.empty(0, np.int64)
        self._ids = np.empty(0, np.int32)
        self._codes = np.empty((0, dimension), np.int8)

    @property
    def last(self) -> int:
        """The number of the last text; -1 when there is none."""
        count = len(self.items)
        return int(self._numbers[count - 1]) if count else -1

    @property
    def size(self) -> int:
        """Bytes that it takes, roughly."""
        arrays = self._codes.nbytes + self._ids.nbytes + self._postings.size
        return arrays + 250 * len(self.items)

    def count_until(self, number: int) -> int:
        """How many texts have this number or a smaller one."""
        return int(np.searchsorted(self._numbers[: len(self.items)], number, side="right"))

    def place(self, item: Item) -> int | None:
        """Where the item stands; None when it has no tokens here."""
        return self._places.get(item)

    def extend(self, loaded: LoadedTokens[Item]) -> None:
        """Add texts with larger numbers. Whoever reads meanwhile sees all that it did before."""
        count, more = len(self.items), len(loaded.tokens)
        first = int(self._ends[count - 1]) if count else 0
        lengths = [len(data) // (4 + self.dimension) for data in loaded.tokens]
        ends = first + np.cumsum(lengths, dtype=np.int64)
        last = int(ends[-1]) if more else first
        self._reserve(count + more, last)
        new, tokens = slice(count, count + more), slice(first, last)
        self._numbers[new] = loaded.numbers
        self._recorded[new] = loaded.recorded
        self._ends[new] = ends
        if last > first:
            self._ids[tokens], self._codes[tokens] = _unpacked(loaded.tokens, self.dimension)
        self._places |= {item: count + n for n, item in enumerate(loaded.items)}
        if last - self._postings.tokens > self._tail:
            self._postings = self._postings.until(self._ids[:last], self._ends[: count + more])
        # Last, since the items say how many texts there are.
        self.items.extend(loaded.items)

    def recorded_until(self, count: int, known_at: Instant) -> NDArray[np.int64]:
        """The places, of the first `count`, of texts that were recorded by then."""
        return np.flatnonzero(self._recorded[:count] <= known_at)

    def weights(self, question: TokenQuestion, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """The weight of each token of the question among the texts at these places."""
        found = self._counted(set(question.ids.tolist()), places)
        counts = np.array([found[id] for id in question.ids.tolist()], np.int64)
        weights: NDArray[np.float32] = np.log((len(places) + 1) / (counts + 1)).astype(np.float32)
        return weights

    def _counted(self, ids: set[int], places: NDArray[np.int64]) -> dict[int, int]:
        """In how many of the texts at these places each token stands."""
        known, tokens, ends = self._postings, self._ids, self._ends
        here = np.zeros(max(len(ends), known.texts), np.bool_)
        here[places] = True
        # What came after the postings were made is read through.
        last = int(ends[places[-1]]) if len(places) else 0
        tail = tokens[known.tokens : max(last, known.tokens)]

        found = {id: sum(int(here[part].sum()) for part in known.of(id)) for id in ids}
        if len(tail):
            for id in ids:
                at = known.tokens + np.flatnonzero(tail == id)
                texts = np.unique(np.searchsorted(ends[: int(places[-1])], at, side="right"))
                found[id] += int(here[texts].sum())
        return found

    def maxima(self, question: TokenQuestion, places: NDArray[np.int64]) -> Matrix:
        """For each text the best cosine of each token of the question, a row for each text."""
        found = np.zeros((len(places), len(question.ids)), np.float32)
        starts = self._starts()
        lengths = self._ends[places] - starts[places]
        for part in _parts(lengths):
            chosen = places[part]
            rows = _ranges(starts[chosen], lengths[part])
            similar = self._similar(question, rows)
            filled = lengths[part] > 0
            if len(rows):
                at = (np.cumsum(lengths[part]) - lengths[part])[filled]
                found[np.arange(part.start, part.stop)[filled]] = np.maximum.reduceat(
                    similar, at, axis=1
                ).T
        return found

    def _similar(self, question: TokenQuestion, rows: NDArray[np.int64]) -> Matrix:
        """A row for each token of the question, a column for each of these tokens of texts."""
        if question.by_id is not None:
            by_id: Matrix = question.by_id[:, self._ids[rows]]
            return by_id
        codes = self._codes[rows].astype(np.float32)
        similar: Matrix = question.vectors @ codes.T / np.float32(_LEVELS)
        return similar

    def _starts(self) -> NDArray[np.int64]:
        count = len(self.items)
        return np.concatenate([np.zeros(1, np.int64), self._ends[: max(count - 1, 0)]])

    def _reserve(self, texts: int, tokens: int) -> None:
        if texts > len(self._ends):
            capacity = max(texts, len(self._ends) * 3 // 2, _SMALLEST)
            self._numbers = _grown(self._numbers, capacity)
            self._recorded = _grown(self._recorded, capacity)
            self._ends = _grown(self._ends, capacity)
        if tokens > len(self._ids):
            capacity = max(tokens, len(self._ids) * 3 // 2, _SMALLEST)
            self._ids, self._codes = _grown(self._ids, capacity), _grown(self._codes, capacity)


def _unpacked(
    packed: Sequence[bytes], dimension: int
) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """The numbers of the tokens of all these texts, and their codes."""
    if not dimension:
        return unpack(b"".join(packed), 0)
    parts = [unpack(data, dimension) for data in packed]
    return np.concatenate([ids for ids, _ in parts]), np.concatenate([codes for _, codes in parts])


def _grown(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    larger = np.empty((capacity, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _parts(lengths: NDArray[np.int64]) -> Iterator[slice]:
    """Runs of texts that have about a block of tokens together."""
    start, size = 0, 0
    for place, length in enumerate(lengths.tolist()):
        if size and size + length > _BLOCK:
            yield slice(start, place)
            start, size = place, 0
        size += length
    if start < len(lengths):
        yield slice(start, len(lengths))


def _ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each start on, as many as its length says, one after another."""
    before = np.cumsum(lengths) - lengths
    ranges: NDArray[np.int64] = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return ranges
