"""How two entities are connected: the shortest ways from one to the other along facts.

The search goes breadth first from both ends and always widens the smaller side (bidirectional
search; Pohl 1971). Where that side has come to a hub, the other is widened instead if it can: so a
hub in the middle is met from its spokes, and nobody walks through all of them.
A fact is gone along in either direction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import Fact
from bitempo.engine.store.port import Reader
from bitempo.engine.time import Instant
from bitempo.query.graph import Around, Scope, around, ends
from bitempo.query.history import MOST_HOPS
from bitempo.query.subjects import Subject, meant

MOST_LOOKED_AT = 2_000
"""Of how many entities the facts are read in one search."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The shortest ways from one entity to another, each as the facts along it.

    All have the same number of facts. Those along the most important facts come first: compared
    fact by fact from the start, by importance, then by the later start, then by id. An entity is
    reached from itself along no fact.
    """

    paths: tuple[tuple[Fact, ...], ...]
    whole: bool
    """Whether nothing was left out: else there may be more paths, or shorter ones."""

    def __iter__(self) -> Iterator[tuple[Fact, ...]]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def paths(
    reader: Reader,
    scope: Scope,
    start: Subject,
    goal: Subject,
    *,
    most_hops: int = 6,
    fan_out: int = 50,
    limit: int = 10,
) -> Paths:
    """The shortest paths between two entities, along facts in scope.

    Args:
        most_hops: how many facts a path may have, 1 to `MOST_HOPS`.
        fan_out: how many facts to go along from one entity: the most important, of those the
            latest to begin.
        limit: how many paths to give.

    Raises:
        InvalidInputError: a number is out of range.
    """
    if not 1 <= most_hops <= MOST_HOPS:
        raise InvalidInputError(f"most_hops must be 1 to {MOST_HOPS}, not {most_hops}")
    for name, number in (("fan_out", fan_out), ("limit", limit)):
        if number < 1:
            raise InvalidInputError(f"{name} must be 1 or more, not {number}")
    search = _Search(reader, scope, fan_out)
    sides = [
        _Side(dict.fromkeys(meant(reader, one, scope.point.known_at), 0)) for one in (start, goal)
    ]
    met = search.meet(sides[0], sides[1], most_hops)
    found = list(islice(_along(met, sides[0], sides[1]), limit + 1))
    return Paths(tuple(found[:limit]), not search.cut and len(found) <= limit)


class _Side:
    """What was reached from one end: how far each entity is, and by which facts from where."""

    def __init__(self, distances: dict[str, int]) -> None:
        self.distances = distances
        self.came_by: dict[str, list[tuple[Fact, str]]] = {}
        self.frontier = set(distances)
        self.depth = 0
        self.ahead: Around | None = None
        """The facts around the frontier, once they were read."""


class _Search:
    """The reads of one search; `cut` says whether something was left out."""

    def __init__(self, reader: Reader, scope: Scope, fan_out: int) -> None:
        self._reader = reader
        self._scope = scope
        self._predicates = scope.predicates(reader)
        self._fan_out = fan_out
        self._looked_at = 0
        self.cut = False

    def meet(self, one: _Side, other: _Side, most_hops: int) -> set[str]:
        """Widen the sides until they meet; the entities that shortest paths meet at."""
        while not (met := _shared(one, other)):
            if one.depth + other.depth >= most_hops or not one.frontier or not other.frontier:
                return set()
            if not self._widen(one, other):
                self.cut = True
                return set()
        return met

    def _widen(self, *sides: _Side) -> bool:
        """Take a step from the smaller side, or from one without a hub; false if that is too much.

        From a hub only some facts are gone along, and what lies behind it may be reached whole
        from the other side.
        """
        chosen: tuple[_Side, Around] | None = None
        for side in sorted(sides, key=lambda side: (len(side.frontier), side.depth)):
            ahead = self._ahead(side)
            if ahead is not None and (chosen is None or not ahead.cut):
                chosen = (side, ahead)
            if chosen is not None and not chosen[1].cut:
                break
        if chosen is None:
            return False
        side, ahead = chosen
        self.cut |= bool(ahead.cut)
        side.depth += 1
        reached: set[str] = set()
        for fact in ahead.facts:
            for here, there in _steps(fact, side.frontier):
                if side.distances.setdefault(there, side.depth) == side.depth:
                    reached.add(there)
                    side.came_by.setdefault(there, []).append((fact, here))
        side.frontier, side.ahead = reached, None
        return True

    def _ahead(self, side: _Side) -> Around | None:
        if side.ahead is None and self._looked_at + len(side.frontier) <= MOST_LOOKED_AT:
            self._looked_at += len(side.frontier)
            side.ahead = around(
                self._reader, self._scope, side.frontier, self._predicates, self._fan_out
            )
        return side.ahead


def _shared(one: _Side, other: _Side) -> set[str]:
    """Where the sides meet, by the fewest facts in all."""
    both = {
        id: one.distances[id] + other.distances[id]
        for id in one.distances.keys() & other.distances.keys()
    }
    fewest = min(both.values(), default=0)
    return {id for id, hops in both.items() if hops == fewest}


def _steps(fact: Fact, frontier: Collection[str]) -> Iterator[tuple[str, str]]:
    """The ways along a fact out of a frontier, as (from, to)."""
    here, *there = [entity.id for entity in ends(fact)]
    for other in there:
        if here in frontier:
            yield here, other
        if other in frontier and other != here:
            yield other, here


def _along(met: Collection[str], one: _Side, other: _Side) -> Iterator[tuple[Fact, ...]]:
    """The paths through the entities at which the sides met, in order, one after the other."""
    onward: dict[str, dict[tuple[str, str], tuple[Fact, str]]] = {}
    # On the one side facts were gone along from the start, on the other from the goal.
    first = _back(met, one)
    for there in first:
        for fact, here in one.came_by.get(there, ()):
            onward.setdefault(here, {})[fact.id, there] = (fact, there)
    for here in _back(met, other):
        for fact, there in other.came_by.get(here, ()):
            onward.setdefault(here, {})[fact.id, there] = (fact, there)
    steps = {here: sorted(found.values(), key=_rank) for here, found in onward.items()}

    def walk(choices: Collection[tuple[Fact, str]]) -> Iterator[tuple[Fact, ...]]:
        for fact, there in choices:
            if other.distances.get(there) == 0:
                yield (fact,)
            else:
                for rest in walk(steps[there]):
                    yield (fact, *rest)

    starts = [id for id in first if one.distances[id] == 0]
    if any(other.distances.get(id) == 0 for id in starts):
        return iter([()])
    # One name may mean several entities: the first facts of all of them are taken in one order.
    return walk(sorted((step for id in starts for step in steps[id]), key=_rank))


def _back(met: Collection[str], side: _Side) -> set[str]:
    """Where the ways of a side lead through, from where it met the other back to its end."""
    found = set(met)
    level = found
    while level := {here for there in level for _, here in side.came_by.get(there, ())} - found:
        found |= level
    return found


def _rank(step: tuple[Fact, str]) -> tuple[int, Instant, str]:
    fact = step[0]
    return (-fact.importance, -fact.valid.start, fact.id)
