"""What is on record of entities, read from a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from bitempo.engine.identity import SAME_AS
from bitempo.engine.model import Entity, Fact
from bitempo.engine.names import name_words, normalise_name
from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.engine.time import Instant

MOST_FACTS = 400
"""How many facts are read about the entities of a window."""


class EntitiesOnRecord:
    """A tenant's entities through a reader, with the facts that hold at one valid time.

    `near` are the entities that an embedder finds near, by normalised name.
    """

    def __init__(
        self,
        reader: Reader,
        valid_at: Instant,
        near: Mapping[str, Sequence[tuple[Entity, float]]] | None = None,
    ) -> None:
        self._reader = reader
        self._known_at = reader.last_tx()
        self._valid_at = valid_at
        self._near = near or {}

    def named(self, names: Collection[str]) -> dict[str, list[Entity]]:
        """As `KnownEntities.named`."""
        return self._reader.entities_named(names) if names else {}

    def sharing(self, words: Collection[str], limit: int) -> list[Entity]:
        """As `KnownEntities.sharing`."""
        wanted = {part for word in words if word.strip() for part in name_words(word)}
        return self._reader.entities_sharing(wanted, limit) if wanted else []

    def alike(self, names: Sequence[str]) -> list[list[tuple[Entity, float]]]:
        """As `KnownEntities.alike`."""
        return [list(self._near.get(normalise_name(name), ())) for name in names]

    def facts(self, entities: Collection[str]) -> list[Fact]:
        """As `KnownEntities.facts`."""
        if self._known_at is None:
            return []
        point = Point(self._known_at, self._valid_at)
        # What is merged has its facts in the name of the one that stands for all.
        whole = set(entities) | set(self._reader.identities(entities, self._known_at).values())
        about = self._reader.facts(FactQuery(point, subjects=whole, limit=MOST_FACTS))
        about += self._reader.facts(FactQuery(point, objects=whole, limit=MOST_FACTS))
        return list({fact.id: fact for fact in about}.values())

    def groups(self, entities: Collection[str]) -> dict[str, list[Entity]]:
        """As `KnownEntities.groups`."""
        if self._known_at is None:
            return {}
        canonical = self._reader.identities(entities, self._known_at)
        if not canonical:
            return {}
        found = self._reader.entities(canonical.keys())
        members: dict[str, list[Entity]] = defaultdict(list)
        for id, whole in canonical.items():
            members[whole].append(found[id])
        return {id: members[canonical[id]] for id in entities if id in canonical}

    def once_merged(self, a: str, b: str) -> bool:
        """As `KnownEntities.once_merged`."""
        ends = [a, b]
        return bool(
            self._reader.facts(FactQuery(subjects=ends, predicates=[SAME_AS], objects=ends))
        )
