"""Known entities whose names mean much the same as a new one, by an embedder.

They are candidates for the question to a model, and nothing more: vectors of names do not tell a
brother from a sister.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from bitempo.engine.embedding import Embedder, Matrix, Vector
from bitempo.engine.model import Entity
from bitempo.engine.names import normalise_name
from bitempo.engine.store.port import Reader

MOST_COMPARED = 2_000
"""How many of a tenant's entities are compared with the names of a window."""

MOST_NEAR = 3
"""How many entities are taken for one name: the model may be asked about each."""

MOST_NAMES = 4
"""How many names of one entity are compared."""

_MOST_REMEMBERED = 20_000

Near = Mapping[str, Sequence[tuple[Entity, float]]]
"""By normalised name the entities near to it, with the cosine, from 0 to 1; nearest first."""


def compared(names: Collection[str], reader: Reader) -> tuple[list[str], list[Entity]]:
    """Which of the names nobody is known by, and the entities to compare them with.

    Those of the reader's tenant alone; of very many entities only some.
    """
    known = reader.entities_named(names) if names else {}
    fresh = sorted(name for name in names if not known.get(name))
    return fresh, reader.list_entities(None, MOST_COMPARED) if fresh else []


class Likeness:
    """Compares names by their vectors, each of which is made once. Safe to share between threads.

    Args:
        embedder: makes the vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._guard = threading.Lock()

    def near(self, names: Sequence[str], entities: Sequence[Entity], least: float) -> Near:
        """For each name the entities that are at least so near to it.

        Raises:
            ModelError: the embedder failed.
        """
        called = [
            (entity, normalise_name(name))
            for entity in entities
            for name in (entity.name, *entity.aliases)[:MOST_NAMES]
        ]
        if not names or not called:
            return {}
        theirs = self._matrix([name for _, name in called])
        cosines = self._matrix(names) @ theirs.T
        return {
            name: _best(row, [entity for entity, _ in called], least)
            for name, row in zip(names, cosines, strict=True)
        }

    def _matrix(self, texts: Sequence[str]) -> Matrix:
        with self._guard:
            found = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found |= zip(missing, self._embedder.embed(missing), strict=True)
            with self._guard:
                self._remember(missing, found)
        return np.stack([found[text] for text in texts])

    def _remember(self, texts: Iterable[str], found: Mapping[str, Vector]) -> None:
        for text in texts:
            self._vectors[text] = found[text]
        while len(self._vectors) > _MOST_REMEMBERED:
            self._vectors.popitem(last=False)


def _best(row: Vector, entities: Sequence[Entity], least: float) -> list[tuple[Entity, float]]:
    best: dict[str, tuple[Entity, float]] = {}
    for index in np.argsort(-row, kind="stable"):
        if row[index] < least or len(best) == MOST_NEAR:
            break
        best.setdefault(entities[index].id, (entities[index], float(min(row[index], 1.0))))
    return list(best.values())
