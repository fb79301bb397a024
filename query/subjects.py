"""Whom a question is about: from names and ids to entities, and to all that are one with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bitempo.engine.model import Entity, EntityRef
from bitempo.engine.names import normalise_name
from bitempo.engine.store.port import Reader
from bitempo.engine.time import Instant

Subject = str | EntityRef | Entity
"""An entity by its name, an alias or its id; by name and type; or the entity itself."""


def named(reader: Reader, subject: Subject, known_at: Instant | None) -> list[str]:
    """The ids of what is called so, by the names known then (None: by any), each by itself."""
    if isinstance(subject, Entity):
        return [subject.id]
    if isinstance(subject, EntityRef):
        if subject.id is not None:
            return [subject.id]
        found = reader.entities_named([normalise_name(subject.name)], known_at)
        type = normalise_name(subject.type) if subject.type else ""
        return [e.id for entities in found.values() for e in entities if type in ("", e.type)]
    if subject.startswith("ent_") and reader.entities([subject]):
        return [subject]
    found = reader.entities_named([normalise_name(subject)], known_at)
    return [entity.id for entities in found.values() for entity in entities]


def with_all_it_is(reader: Reader, ids: Collection[str], known_at: Instant) -> set[str]:
    """The ids, and those of every entity that was believed to be one with one of them."""
    if not ids:
        return set()
    return {*ids, *reader.identities(ids, known_at)}


def meant(reader: Reader, subject: Subject, known_at: Instant) -> set[str]:
    """The ids of all that a subject means at a transaction time."""
    return with_all_it_is(reader, named(reader, subject, known_at), known_at)


def whole(reader: Reader, entities: Iterable[Entity], known_at: Instant) -> list[Entity]:
    """What the entities are, each once: canonical ones, with all names of their groups as aliases.

    In the order given; a name of the group that only differs in form from another stays.
    """
    given = list(entities)
    canonical = reader.identities([entity.id for entity in given], known_at)
    if not canonical:
        return given
    known = {entity.id: entity for entity in given}
    known |= reader.entities(canonical.keys() - known.keys(), known_at)
    groups: dict[str, list[Entity]] = {}
    for id, one in canonical.items():
        groups.setdefault(one, []).append(known[id])
    ids = dict.fromkeys(canonical.get(entity.id, entity.id) for entity in given)
    return [_united(known[id], groups.get(id, ())) for id in ids]


def _united(entity: Entity, group: Collection[Entity]) -> Entity:
    learnt: dict[str, Instant] = {}
    for one in group:
        for name, when in one.names_learnt():
            learnt[name] = min(when, learnt.get(name, when))
    learnt.pop(entity.name, None)
    names = sorted(learnt)
    return (
        Entity(
            id=entity.id,
            name=entity.name,
            type=entity.type or next((one.type for one in group if one.type), ""),
            aliases=tuple(names),
            created_at=entity.created_at,
            learnt=tuple(learnt[name] for name in names),
        )
        if group
        else entity
    )
