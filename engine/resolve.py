"""From names to entities, by rule and inside the transaction.

A name means the entity that has it, or else one that has it as an alias on record. Where a type
is given, only an entity of that type will do, or one whose type was not known, which then learns
it. Where none is given, an entity of unknown type is preferred, then the oldest. A reference with
an id means the entity of that id alone.

The aliases that come with a reference find nothing: whoever is called by another's name would
become the other for good. That two known entities are one is said by a merge, which can be taken
back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from bitempo.engine.model import AssertionDraft, Entity, EntityRef
from bitempo.engine.names import clean_text, entity_id, normalise_name
from bitempo.engine.store.port import WriteTransaction


class EntityResolver:
    """Resolves the names of one commit, and remembers what has to be written for it."""

    def __init__(self, transaction: WriteTransaction, drafts: Iterable[AssertionDraft]) -> None:
        self._transaction = transaction
        self._new: dict[str, Entity] = {}
        self._typed: dict[str, str] = {}
        self._aliases: dict[tuple[str, str], str] = {}
        self._named: dict[str, list[Entity]] = defaultdict(list)
        names = {
            normalise_name(name)
            for draft in drafts
            for ref in _refs(draft)
            for name in (ref.name, *ref.aliases)
        }
        for name, entities in transaction.entities_named(names).items():
            self._named[name].extend(entities)

    def resolve(self, ref: EntityRef) -> Entity:
        """The entity that the reference means, made anew when there is none."""
        entity = self._known(ref) or self._create(ref)
        for name in (ref.name, *ref.aliases):
            self._learn_alias(entity, name)
        return entity

    def write(self) -> None:
        """Write the new entities, types and aliases."""
        self._transaction.add_entities(list(self._new.values()))
        self._transaction.set_entity_types(list(self._typed.items()))
        self._transaction.add_aliases(
            [(entity, alias) for (entity, _), alias in self._aliases.items()]
        )

    def _known(self, ref: EntityRef) -> Entity | None:
        name = normalise_name(ref.name)
        named = self._named.get(name, [])
        if ref.id is not None:
            return next((entity for entity in named if entity.id == ref.id), None)
        type = normalise_name(ref.type) if ref.type else ""
        own = [entity for entity in named if normalise_name(entity.name) == name]
        return self._choose(own, type) or self._choose(named, type)

    def _choose(self, candidates: list[Entity], type: str) -> Entity | None:
        untyped = next((entity for entity in candidates if not entity.type), None)
        if not type:
            return untyped or next(iter(candidates), None)
        same = next((entity for entity in candidates if entity.type == type), None)
        if same is None and untyped is not None:
            return self._set_type(untyped, type)
        return same

    def _set_type(self, entity: Entity, type: str) -> Entity:
        typed = replace(entity, type=type)
        for entities in self._named.values():
            entities[:] = [typed if other.id == entity.id else other for other in entities]
        if entity.id in self._new:
            self._new[entity.id] = typed
        else:
            self._typed[entity.id] = type
        return typed

    def _create(self, ref: EntityRef) -> Entity:
        entity = Entity(
            id=ref.id or entity_id(ref.name, ref.type),
            name=clean_text(ref.name).strip(),
            type=normalise_name(ref.type) if ref.type else "",
            created_at=self._transaction.tx,
        )
        self._new[entity.id] = entity
        self._named[normalise_name(ref.name)].append(entity)
        return entity

    def _learn_alias(self, entity: Entity, alias: str) -> None:
        normal = normalise_name(alias)
        named = self._named[normal]
        if any(other.id == entity.id or normalise_name(other.name) == normal for other in named):
            # It is known, or it is the name of another, who must not be taken for this one.
            return
        self._named[normal].append(entity)
        self._aliases[entity.id, normal] = clean_text(alias).strip()


def _refs(draft: AssertionDraft) -> Iterable[EntityRef]:
    yield draft.subject
    if draft.object is not None:
        yield draft.object
    yield from draft.mentions
