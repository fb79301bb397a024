"""What is merged, and why: the `SAME_AS` facts that make entities one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bitempo.engine.identity import SAME_AS, joins
from bitempo.engine.model import Entity, Fact, Modality
from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.engine.time import Instant


@dataclass(frozen=True, slots=True)
class Merge:
    """That two entities are one.

    `entity` and `into` are those that were named, each with its own names; `canonical` is the one
    in whose name the facts of both are given. `fact` is the belief itself: `why` gives its sources.
    """

    entity: Entity
    into: Entity
    canonical: Entity
    fact: Fact

    @property
    def reason(self) -> str:
        """What was said of it."""
        return self.fact.text


def merges(
    reader: Reader, known_at: Instant, entities: Collection[str] | None = None
) -> list[Merge]:
    """Every merge believed then, or those of what is one with the given entities."""
    canonical = reader.identities(entities, known_at)
    if not canonical:
        return []
    standing = reader.entities(set(canonical.values()), known_at)
    found = reader.facts(
        FactQuery(
            point=Point(known_at),
            subjects=canonical.keys(),
            predicates=[SAME_AS],
            modality=Modality.ACTUAL,
        )
    )
    return [
        Merge(fact.subject, fact.object, standing[canonical[fact.subject.id]], fact)
        for fact in found
        if fact.object is not None and joins(fact)
    ]
