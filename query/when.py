"""When facts held: their intervals with what each end comes from, and how sure it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeGuard

from bitempo.engine.identity import SAME_AS
from bitempo.engine.model import Assertion, Fact, Literal, Modality
from bitempo.engine.policy import normalise_predicate
from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.engine.time import Instant
from bitempo.query.bounds import Bounds, bounds
from bitempo.query.history import SENTENCES, predicates_but
from bitempo.query.subjects import Subject, meant

_FACT_ID = re.compile(r"fact_[0-9a-f]{24}")


def is_fact_id(asked: object) -> TypeGuard[str]:
    """Whether it is the id of a fact, rather than an entity."""
    return isinstance(asked, str) and _FACT_ID.fullmatch(asked) is not None


def matching(
    reader: Reader,
    known_at: Instant,
    subject: Subject,
    predicate: str | None = None,
    object: Subject | Literal | None = None,
    modality: Modality | None = None,
) -> list[Fact]:
    """The facts of a subject at every valid time, as known at one time, by their start.

    Args:
        predicate: of all predicates without, but for whole sentences and merges.
        object: only those with this entity (by name, alias or id, or as `Entity`) or literal.
    """
    if predicate is not None:
        predicates = [normalise_predicate(predicate)]
    else:
        # Named in the question, so that a thousand sentences are not read to be left out.
        predicates = predicates_but(reader, SENTENCES, SAME_AS)
    found = reader.facts(
        FactQuery(
            point=Point(known_at),
            subjects=meant(reader, subject, known_at),
            predicates=predicates,
            modality=modality,
        )
    )
    if object is None:
        return found
    ids = set() if isinstance(object, bool | int | float) else meant(reader, object, known_at)
    return [fact for fact in found if _has(fact, ids, object)]


def bounds_of(reader: Reader, facts: Iterable[Fact], known_at: Instant) -> list[Bounds]:
    """The intervals of facts that are known at that time, in the order given."""
    return supported_bounds(reader, facts, known_at)[0]


def supported_bounds(
    reader: Reader, facts: Iterable[Fact], known_at: Instant
) -> tuple[list[Bounds], Mapping[str, Assertion]]:
    """As `bounds_of`, with the assertions that support the facts and others of their slots."""
    given = list(facts)
    if not given:
        return [], {}
    slots: dict[str, list[Fact]] = {}
    for fact in reader.facts(FactQuery(point=Point(known_at), slots={fact.slot for fact in given})):
        slots.setdefault(fact.slot, []).append(fact)
    support = {id for slot in slots.values() for fact in slot for id in fact.support}
    assertions = reader.assertions(support)
    return [bounds(fact, slots[fact.slot], assertions) for fact in given], assertions


def _has(fact: Fact, ids: set[str], object: Subject | Literal) -> bool:
    if fact.object is not None:
        return fact.object.id in ids
    if isinstance(object, str):
        return str(fact.value).casefold() == object.strip().casefold()
    # True is 1 to Python, and it is not to people.
    return fact.value == object and isinstance(fact.value, bool) == isinstance(object, bool)
