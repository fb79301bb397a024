"""What recall reads of a tenant, kept in memory from one question to the next.

All that a store holds of a tenant's graph is determined by the tenant's last transaction: each
write has a later one. So what is kept is marked with the last transaction that the reader saw, is
given to no reader that sees another, and is dropped when there is a later one, whoever wrote it.
Only what does not depend on the question is kept, and only under all that it depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from bitempo.engine.model import Assertion, Entity, Episode, Fact
from bitempo.engine.store import forks
from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.engine.time import Instant

Kept = TypeVar("Kept")

MOST_BYTES = 64 << 20
"""How much memory a handle may fill with records, roughly; what was used longest ago is dropped."""

_RECORD_BYTES = 1_500
"""What a record takes besides its text, roughly."""

_BESIDE = 1
"""How far the neighbours of a turn lie that are kept."""


class RecallCache(forks.GuardedCache[str, "_Records"]):
    """The records that a handle has in memory, by tenant."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        super().__init__()
        self._most_bytes = most_bytes

    def reader(self, reader: Reader, tenant: str) -> Reader:
        """The same reader, that reads nothing again which is kept of the tenant.

        Records that it gives may be given again: whoever hands them on gives copies of what can
        be changed in them.
        """
        state = reader.last_tx()
        if state is None:
            return reader
        with self._guard:
            self._shrink()
            records = self._kept.get(tenant)
            if records is None or records.state < state:
                records = self._kept[tenant] = _Records(state)
            elif records.state > state:
                # Somebody has written since this reader began.
                records = _Records(state)
            self._kept.move_to_end(tenant)
        # All that a reader can do and that is not kept goes to the reader itself.
        return cast(Reader, _CachedReader(reader, records))

    def _shrink(self) -> None:
        while self._kept and sum(one.size for one in self._kept.values()) > self._most_bytes:
            self._kept.popitem(last=False)


@dataclass(slots=True)
class _Records:
    """What was read of one tenant as of its transaction `state`; `size` is in bytes, roughly.

    Threads may add to it at once: what one of them reads is what the other reads.
    """

    state: Instant
    assertions: dict[str, Assertion] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    episodes: dict[str, Episode] = field(default_factory=dict)
    beside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By turn the ids of those near it, and its own."""
    supported: dict[str, tuple[Fact, ...]] = field(default_factory=dict)
    """By assertion the facts that it supported as believed at `state`, of any valid time."""
    slots: dict[str, tuple[Fact, ...]] = field(default_factory=dict)
    """The same by slot."""
    size: int = 0


class _CachedReader:
    """Implements `Reader`, for one question or several."""

    def __init__(self, reader: Reader, records: _Records) -> None:
        self._reader = reader
        self._records = records

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def assertions(self, ids: Collection[str]) -> dict[str, Assertion]:
        return self._kept(self._records.assertions, ids, self._reader.assertions)

    def episodes(self, ids: Collection[str]) -> dict[str, Episode]:
        return self._kept(self._records.episodes, ids, self._reader.episodes)

    def entities(self, ids: Collection[str], known_at: Instant | None = None) -> dict[str, Entity]:
        if known_at is not None:
            return self._reader.entities(ids, known_at)
        return self._kept(self._records.entities, ids, self._reader.entities)

    def neighbours(self, episodes: Collection[str], reach: int) -> dict[str, Episode]:
        if reach != _BESIDE:
            return self._reader.neighbours(episodes, reach)
        records = self._records
        missing = [id for id in episodes if id not in records.beside]
        if missing:
            found = self._reader.neighbours(missing, reach)
            new = [one for id, one in found.items() if id not in records.episodes]
            self._count(new)
            records.episodes |= {one.id: one for one in new}
            records.beside |= _beside(missing, found)
        ids = dict.fromkeys(near for id in episodes for near in records.beside[id])
        return {id: records.episodes[id] for id in ids}

    def facts(self, query: FactQuery) -> list[Fact]:
        point, support, slots, records = query.point, query.support, query.slots, self._records
        if point is None or point.known_at != records.state:
            return self._reader.facts(query)
        believed = Point(point.known_at)
        if support is not None and query == FactQuery(point, support=support):
            missing = [id for id in support if id not in records.supported]
            if missing:
                found = self._read(FactQuery(believed, support=missing))
                records.supported |= _grouped(missing, found, lambda fact: fact.support)
            return _held((fact for id in support for fact in records.supported[id]), point)
        if slots is not None and query == FactQuery(point, slots=slots):
            missing = [slot for slot in slots if slot not in records.slots]
            if missing:
                found = self._read(FactQuery(believed, slots=missing))
                records.slots |= _grouped(missing, found, lambda fact: (fact.slot,))
            return _held((fact for slot in slots for fact in records.slots[slot]), point)
        return self._reader.facts(query)

    def _read(self, query: FactQuery) -> list[Fact]:
        found = self._reader.facts(query)
        self._count(found)
        return found

    def _kept(
        self,
        kept: dict[str, Kept],
        ids: Collection[str],
        read: Callable[[Collection[str]], Mapping[str, Kept]],
    ) -> dict[str, Kept]:
        missing = [id for id in ids if id not in kept]
        if missing:
            found = read(missing)
            self._count(found.values())
            kept |= found
        return {id: kept[id] for id in ids if id in kept}

    def _count(self, records: Iterable[object]) -> None:
        self._records.size += sum(
            _RECORD_BYTES + 2 * len(getattr(one, "text", "")) for one in records
        )


def _beside(ids: Sequence[str], near: Mapping[str, Episode]) -> dict[str, tuple[str, ...]]:
    """By id the ids of those near it in its session, and its own, if there is such an episode."""
    places: dict[tuple[str, int], list[str]] = {}
    for id, episode in near.items():
        if episode.session is not None and episode.position is not None:
            places.setdefault((episode.session, episode.position), []).append(id)
    found: dict[str, tuple[str, ...]] = {}
    for id in ids:
        one = near.get(id)
        if one is None:
            found[id] = ()
        elif one.session is None or one.position is None:
            found[id] = (id,)
        else:
            around = range(one.position - _BESIDE, one.position + _BESIDE + 1)
            found[id] = tuple(
                other for place in around for other in places.get((one.session, place), ())
            )
    return found


def _grouped(
    keys: Iterable[str], facts: Iterable[Fact], of: Callable[[Fact], Iterable[str]]
) -> dict[str, tuple[Fact, ...]]:
    """The facts by those of the keys that they have; nothing for a key that none has."""
    found: dict[str, list[Fact]] = {key: [] for key in keys}
    for fact in facts:
        for key in of(fact):
            if key in found:
                found[key].append(fact)
    return {key: tuple(facts) for key, facts in found.items()}


def _held(facts: Iterable[Fact], point: Point) -> list[Fact]:
    """Each of the facts that hold at the point once, in the order of a reader."""
    at = point.valid_at
    found = {fact.id: fact for fact in facts if at is None or at in fact.valid}
    return sorted(found.values(), key=lambda one: (one.valid.start, one.believed.start, one.id))
