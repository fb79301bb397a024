"""Vectors in memory: int8 codes of one tenant's corpus, scanned exactly.

A vector is kept as 8-bit codes and one scale, `v ~ codes * scale` with `scale = max|v| / 127`, a
quarter of its size. The question's vector is not rounded, so that the error of a similarity stays
near 1/(127 * sqrt(12)) of a code. What is in memory only grows: vectors are never changed, and
what is not believed at the time asked for is left out by the store's as-of predicate.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitempo.engine.embedding import Matrix, Vector
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.store import forks
from bitempo.engine.store.vector_port import Near, VectorSpace
from bitempo.engine.time import Instant

Item = TypeVar("Item", int, str)
"""How a store finds the row of an item again."""

Held = TypeVar("Held", bound="Growing")

MOST_BYTES = 1 << 30
"""How much memory a store may fill with vectors; what was used longest ago is dropped first."""

_LEVELS = 127
_BLOCK = 1024
"""Rows that are turned into floats at a time: few enough to stay in the processor's cache."""

_FIRST = 64
_SMALLEST = 1024


def quantise(matrix: Matrix) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The codes of each row and its scale. To quantise what was restored gives the same again."""
    scales = (np.abs(matrix).max(axis=1, initial=0.0) / _LEVELS).astype(np.float32)
    divisors = np.where(scales > 0, scales, 1)[:, None]
    return np.rint(matrix / divisors).astype(np.int8), scales


def decode(codes: bytes, scale: float) -> Vector:
    """The vector that a row's codes stand for."""
    found: Vector = np.frombuffer(codes, np.int8).astype(np.float32) * np.float32(scale)
    return found


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Item]):
    """Vectors as they come from a store: numbers that only grow, and the item of each."""

    numbers: Sequence[int]
    items: Sequence[Item]
    recorded: Sequence[Instant]
    scales: Sequence[float]
    codes: bytes


class Corpus(Generic[Item]):
    """The vectors of one corpus of one tenant, in the order of their numbers."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.items: list[Item] = []
        self._numbers = np.empty(0, np.int64)
        self._recorded = np.empty(0, np.int64)
        self._scales = np.empty(0, np.float32)
        self._codes = np.empty((0, dimension), np.int8)
        self.growing = threading.Lock()

    @property
    def last(self) -> int:
        """The number of the last vector; -1 when there is none."""
        count = len(self.items)
        return int(self._numbers[count - 1]) if count else -1

    @property
    def size(self) -> int:
        """Bytes that it takes, roughly."""
        return self._codes.nbytes + 100 * len(self._codes)

    def count_until(self, number: int) -> int:
        """How many vectors have this number or a smaller one."""
        return int(np.searchsorted(self._numbers[: len(self.items)], number, side="right"))

    def extend(self, loaded: Loaded[Item]) -> None:
        """Add vectors with larger numbers. Whoever reads meanwhile sees all that it did before."""
        count, more = len(self.items), len(loaded.items)
        self._reserve(count + more)
        new = slice(count, count + more)
        self._numbers[new] = loaded.numbers
        self._recorded[new] = loaded.recorded
        self._scales[new] = loaded.scales
        codes = np.frombuffer(loaded.codes, np.int8)
        self._codes[new] = codes.reshape(more, self.dimension)
        # Last, since the items say how many vectors there are.
        self.items.extend(loaded.items)

    def nearest_first(
        self, vector: Vector, count: int, known_at: Instant
    ) -> Iterator[tuple[Item, float]]:
        """The first `count` vectors' items and their similarities, largest first.

        Those recorded after `known_at` are left out; whether the others were believed then is
        for the store to say. Equals come in the order of their numbers.
        """
        # Arrays are replaced when they grow, so these stay as they are.
        recorded = self._recorded[:count]
        places = np.flatnonzero(recorded <= known_at)
        similarities = self._similarities(vector, count)[places]
        done, wanted = 0, _FIRST
        while done < len(places):
            for place in _top(similarities, done, wanted):
                yield self.items[places[place]], float(similarities[place])
            done, wanted = wanted, wanted * 4

    def _similarities(self, vector: Vector, count: int) -> NDArray[np.float32]:
        codes, scales = self._codes[:count], self._scales[:count]
        found = np.empty(count, np.float32)
        # Whole blocks, so that the last bits of a similarity do not depend on what is added later.
        block = np.zeros((_BLOCK, self.dimension), np.float32)
        whole = np.empty(_BLOCK, np.float32)
        asked = np.ascontiguousarray(vector, np.float32)
        for first in range(0, count, _BLOCK):
            rows = min(_BLOCK, count - first)
            np.copyto(block[:rows], codes[first : first + rows])
            np.dot(block, asked, out=whole)
            found[first : first + rows] = whole[:rows]
        return found * scales

    def _reserve(self, rows: int) -> None:
        if rows <= len(self._codes):
            return
        capacity = max(rows, len(self._codes) * 3 // 2, _SMALLEST)

        def grown(array: NDArray[Any]) -> NDArray[Any]:
            larger = np.empty((capacity, *array.shape[1:]), array.dtype)
            larger[: len(array)] = array
            return larger

        self._numbers, self._recorded = grown(self._numbers), grown(self._recorded)
        self._scales, self._codes = grown(self._scales), grown(self._codes)


class Growing(Protocol):
    """What is in memory of one corpus of one tenant."""

    @property
    def last(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def growing(self) -> threading.Lock: ...
    def count_until(self, number: int) -> int: ...


class VectorCache(forks.GuardedCache[Hashable, Any]):
    """The corpora that a store has in memory, each under a key that names its tenant."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        super().__init__()
        self._most_bytes = most_bytes

    def up_to_date(
        self, key: Hashable, last: int, make: Callable[[], Held], load: Callable[[Held], None]
    ) -> tuple[Held, int]:
        """The corpus with all texts up to the number `last`, and how many these are.

        Args:
            key: names the corpus; always with the same `make`.
            make: gives an empty corpus.
            load: adds the texts with larger numbers than the corpus has.
        """
        with self._guard:
            corpus: Held = self._kept.setdefault(key, make())
            self._kept.move_to_end(key)
        if corpus.last < last:
            with corpus.growing:
                if corpus.last < last:
                    load(corpus)
            self._shrink()
        return corpus, corpus.count_until(last)

    def _shrink(self) -> None:
        with self._guard:
            while len(self._kept) > 1 and self._bytes() > self._most_bytes:
                self._kept.popitem(last=False)

    def _bytes(self) -> int:
        return sum(corpus.size for corpus in self._kept.values())


def believed_first(
    candidates: Iterator[tuple[Item, float]],
    believed: Callable[[list[Item]], dict[Item, str]],
    limit: int,
) -> list[Near]:
    """The first `limit` candidates that are believed, by the store's own word for their ids.

    Looks further down the list for as long as too few are.
    """
    found: list[Near] = []
    while len(found) < limit and (part := list(islice(candidates, max(limit, _FIRST)))):
        ids = believed([item for item, _ in part])
        found.extend(Near(ids[item], similarity) for item, similarity in part if item in ids)
    return found[:limit]


def check_vector(vector: Vector, space: VectorSpace) -> None:
    """Refuse a vector that the tenant's cannot be compared with.

    Raises:
        InvalidInputError: it has another dimension.
    """
    if vector.shape != (space.dimension,):
        raise InvalidInputError(
            f"the vector has the shape {vector.shape}, and those of {space.identity} have "
            f"{space.dimension} numbers"
        )


def _top(similarities: NDArray[np.float32], done: int, wanted: int) -> NDArray[np.int64]:
    """The places of the largest from rank `done` to `wanted`."""
    if wanted < len(similarities):
        # The boundary may run through equals; by value and place it is the same every time.
        bound = np.partition(similarities, len(similarities) - wanted)[len(similarities) - wanted]
        places = np.flatnonzero(similarities >= bound)
    else:
        places = np.arange(len(similarities))
    ranked: NDArray[np.int64] = places[np.lexsort((places, -similarities[places]))]
    return ranked[done:wanted]
