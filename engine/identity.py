"""Which entities are one, as believed: merges.

A merge is an assertion of the reserved predicate `SAME_AS` between two entities. Where a fact of
it is believed that is actual and that nothing has ended, its two entities are one, and so are all
that such links join. The canonical entity of a group, in whose slots the facts of all live, is
the earliest made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bitempo.engine.model import Assertion, Entity, Fact, Modality
from bitempo.engine.store.port import FactVersion, WriteTransaction
from bitempo.engine.time import FOREVER

SAME_AS = "SAME_AS"
"""The predicate of merges: both sides are entities, and it may hold of many."""


class Identity:
    """The canonical entities in one write, each looked up once."""

    def __init__(self, transaction: WriteTransaction) -> None:
        self._transaction = transaction
        self._canonical: dict[str, str] = {}

    def of(self, entity: str) -> str:
        """The id of the entity that stands for one that was looked up."""
        return self._canonical[entity]

    def look_up(self, assertions: Iterable[Assertion]) -> None:
        """Look up what the assertions are about, in one go."""
        unknown = {
            id
            for assertion in assertions
            for id in (assertion.subject, assertion.object)
            if id is not None and id not in self._canonical
        }
        if unknown:
            found = self._transaction.identities(unknown)
            self._canonical |= {id: id for id in unknown} | found

    def change(self, canonical: Mapping[str, str]) -> None:
        """Take note of what stands for these entities from now on."""
        self._canonical |= canonical


def canonical_entities(
    entities: Mapping[str, Entity], links: Iterable[FactVersion]
) -> dict[str, str]:
    """By entity, the one that stands for it: of all that it is linked with, the earliest made.

    Of several made at once it is that of the smallest id.
    """
    best = {id: id for id in entities}

    def find(id: str) -> str:
        while best[id] != id:
            best[id] = id = best[best[id]]
        return id

    for link in links:
        if joins(link) and link.subject in best and link.object in best:
            ends = {find(link.subject), find(link.object)}
            older, *newer = sorted(ends, key=lambda id: (entities[id].created_at, id))
            best |= dict.fromkeys(newer, older)
    return {id: find(id) for id in entities}


def joins(link: FactVersion | Fact) -> bool:
    """Whether the `SAME_AS` fact makes its two entities one.

    A planned or supposed link joins nothing, and neither does one with an end: who is one with
    another is so at every time, so what ends a link denies it.
    """
    return link.modality is Modality.ACTUAL and link.valid.end == FOREVER
