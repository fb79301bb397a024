"""Which known entities a new name may mean, found by words, forms of names, and likeness."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from bitempo.engine.model import Entity, Fact
from bitempo.engine.names import normalise_name
from bitempo.ingest.resolution.names import read_name, related_given_names
from bitempo.ingest.resolution.words import ANIMALS, ROLES

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[\s'-]+")

MOST_CANDIDATES = 24
"""How many entities are looked at for one name, by shared words and by likeness each."""


class KnownEntities(Protocol):
    """What a tenant knows of entities, as of the last commit."""

    def named(self, names: Collection[str]) -> dict[str, list[Entity]]:
        """Entities by normalised name or alias, oldest first."""
        ...

    def sharing(self, words: Collection[str], limit: int) -> list[Entity]:
        """Entities with any of the words in a name, those that share most first."""
        ...

    def alike(self, names: Sequence[str]) -> list[list[tuple[Entity, float]]]:
        """For each name the entities that an embedder finds near, with how alike they are."""
        ...

    def facts(self, entities: Collection[str]) -> list[Fact]:
        """The facts that hold now and have one of the entities as their subject or object."""
        ...

    def groups(self, entities: Collection[str]) -> dict[str, list[Entity]]:
        """For each entity all that are one with it, itself included."""
        ...

    def once_merged(self, a: str, b: str) -> bool:
        """Whether the two were ever said to be one, also when that was taken back."""
        ...


def lexical_candidates(name: str, known: KnownEntities) -> list[Entity]:
    """Entities whose names share a word with this one, or may be a form of it.

    Words of a role find all their synonyms, so that "Ann's kids" finds "Ann's children".
    """
    reading = read_name(name)
    words = set(reading.plain) | {reading.text}
    # "DoorDash" is found by the words of "Door Dash".
    words |= {part.casefold() for part in _HUMP.split(name) if len(part) > 1}
    words |= _synonyms(reading.text.replace("'s", " ").split())
    if reading.owner is not None:
        words |= set(reading.owner.split())
    found: dict[str, Entity] = {}
    for entity in known.sharing(sorted(words), MOST_CANDIDATES):
        found[entity.id] = entity
    forms = set(related_given_names(reading.words[0])) | {reading.spelling}
    for entity in _flat(known.named(forms).values()):
        found[entity.id] = entity
    return list(found.values())


def _synonyms(words: Iterable[str]) -> set[str]:
    wanted = {table[word] for word in words for table in (ROLES, ANIMALS) if word in table}
    return {
        word for table in (ROLES, ANIMALS) for word, means in table.items() if means in wanted
    } | wanted


def _flat(lists: Iterable[list[Entity]]) -> Iterable[Entity]:
    return (entity for entities in lists for entity in entities)


class ListedEntities:
    """Entities and facts that are listed, to be known without a store."""

    def __init__(self, entities: Iterable[Entity] = (), facts: Iterable[Fact] = ()) -> None:
        self._entities = list(entities)
        self._facts = list(facts)

    def named(self, names: Collection[str]) -> dict[str, list[Entity]]:
        """As `KnownEntities.named`."""
        found: dict[str, list[Entity]] = {}
        for entity in self._entities:
            for name in {normalise_name(name) for name in (entity.name, *entity.aliases)}:
                if name in names:
                    found.setdefault(name, []).append(entity)
        return found

    def sharing(self, words: Collection[str], limit: int) -> list[Entity]:
        """As `KnownEntities.sharing`."""
        wanted = set(words)
        scored = [(len(wanted & _words(entity)), entity) for entity in self._entities]
        best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [entity for _, entity in best[:limit]]

    def alike(self, names: Sequence[str]) -> list[list[tuple[Entity, float]]]:
        """As `KnownEntities.alike`: there is no embedder."""
        return [[] for _ in names]

    def facts(self, entities: Collection[str]) -> list[Fact]:
        """As `KnownEntities.facts`."""
        return [
            fact
            for fact in self._facts
            if fact.subject.id in entities or (fact.object and fact.object.id in entities)
        ]

    def groups(self, entities: Collection[str]) -> dict[str, list[Entity]]:
        """As `KnownEntities.groups`: nothing is merged."""
        return {entity.id: [entity] for entity in self._entities if entity.id in entities}

    def once_merged(self, a: str, b: str) -> bool:
        """As `KnownEntities.once_merged`."""
        del a, b
        return False


def _words(entity: Entity) -> set[str]:
    names = map(normalise_name, (entity.name, *entity.aliases))
    return {word for name in names for word in name.replace("'s", " ").replace("-", " ").split()}
