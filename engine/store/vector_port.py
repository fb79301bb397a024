"""The part of the store port that is about vectors, which are derived from the records."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bitempo.engine.embedding import Vector
    from bitempo.engine.store.port import Corpus


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """What vectors were made by: an embedder's identity, and how many numbers each has.

    Only vectors of one space can be compared.
    """

    identity: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A turn or an assertion that lacks a vector, and the text that is to be embedded."""

    corpus: Corpus
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Near:
    """An assertion or a turn, and the cosine of its vector and the one asked for."""

    id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Embedded:
    """What one encoding of a text gave: its vector, and its tokens as `bitempo.engine.late` packs
    them, None where the embedder has none."""

    vector: Vector
    tokens: bytes | None = None


class Vectors(Protocol):
    """One tenant's vectors, as they are made. Each call is a transaction of its own.

    They are derived from the records and no part of them: not dumped, and made again after a
    load. One space is in use; while another is `coming`, the old one goes on being searched.
    """

    def space(self) -> VectorSpace | None:
        """The space in use."""
        ...

    def coming(self) -> VectorSpace | None:
        """The space that is to take its place once nothing lacks a vector of it."""
        ...

    def begin(self, space: VectorSpace, *, replacing: bool = False) -> None:
        """Put the space on record as the one in use, unless there is one.

        When `replacing`, a space that is not in use is put on record as the coming one, and what
        was made for any other coming space is dropped. Beginning again changes nothing.
        """
        ...

    def missing(self, space: VectorSpace, limit: int) -> list[Passage]:
        """What lacks a vector of the space, in the order it was recorded."""
        ...

    def count_missing(self, space: VectorSpace) -> int: ...
    def known(self, space: VectorSpace, texts: Collection[str]) -> dict[str, Embedded]:
        """What is there of texts that some item of the tenant has been embedded with already."""
        ...

    def put(
        self, space: VectorSpace, passages: Sequence[Passage], embedded: Sequence[Embedded]
    ) -> None:
        """Keep what each passage was embedded to, where it still lacks that."""
        ...

    def finish(self, space: VectorSpace) -> bool:
        """Let the coming space take the place of the one in use, whose vectors are dropped.

        False when something still lacks a vector of it. Also true when it is in use already.
        """
        ...
