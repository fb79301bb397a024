"""The graph of what holds at one point in both times, as networkx sees graphs.

An entity is a node, and a fact between two entities is an edge whose key is the fact's id. A fact
with a literal is no edge, since a literal is no thing that facts are about: it stands in the list
`values` of its subject. Merges are no edges either, since what is merged is one node.

networkx is imported where a graph is made, so that nothing else needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.identity import SAME_AS
from bitempo.engine.model import Entity, Fact, Modality, Polarity
from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.engine.time import to_datetime
from bitempo.query.history import MOST_HOPS, SENTENCES, predicates_but
from bitempo.query.subjects import Subject, meant

if TYPE_CHECKING:
    from networkx import MultiDiGraph

MOST_FACTS = 10_000
"""How many facts a graph holds unless the caller allows more."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which facts belong to a graph: those at a point, of a modality (None: any).

    `sentences` says whether facts that are whole sentences belong to it.
    """

    point: Point
    modality: Modality | None = None
    sentences: bool = False

    def predicates(self, reader: Reader) -> list[str]:
        """The predicates of the facts that belong to it."""
        return predicates_but(reader, SAME_AS, *(() if self.sentences else (SENTENCES,)))


def graph_facts(
    reader: Reader,
    scope: Scope,
    *,
    subject: Subject | None = None,
    hops: int | None = None,
    limit: int | None = MOST_FACTS,
) -> list[Fact]:
    """The facts of a graph: all in scope, or those within some hops of an entity.

    No more than `limit` facts are read at a time, so a tenant that is too large for a graph is
    found out without being loaded.

    Raises:
        InvalidInputError: there are more than `limit`, or `hops` is out of range or has no subject
            to start from.
    """
    if limit is not None and limit < 1:
        raise InvalidInputError(f"limit must be 1 or more, not {limit}")
    predicates = scope.predicates(reader)
    if subject is None:
        if hops is not None:
            raise InvalidInputError("hops are counted from an entity; name it as the subject")
        return _facts(reader, scope, predicates, limit)
    hops = 1 if hops is None else hops
    if not 1 <= hops <= MOST_HOPS:
        raise InvalidInputError(f"hops must be 1 to {MOST_HOPS}, not {hops}")
    frontier = meant(reader, subject, scope.point.known_at)
    reached = set(frontier)
    found: dict[str, Fact] = {}
    for _ in range(hops):
        near = [
            *_facts(reader, scope, predicates, limit, subjects=frontier),
            *_facts(reader, scope, predicates, limit, objects=frontier),
        ]
        found |= {fact.id: fact for fact in near}
        _check_size(len(found), limit)
        frontier = {end.id for fact in near for end in ends(fact)} - reached
        reached |= frontier
    return list(found.values())


def graph_of(facts: Iterable[Fact], scope: Scope, tenant: str) -> MultiDiGraph:
    """The facts as a graph; `graph.graph` says of which tenant and of which point it is.

    Raises:
        InvalidInputError: networkx is not installed.
    """
    point = scope.point
    graph = _networkx().MultiDiGraph(
        tenant=tenant,
        valid_at=None if point.valid_at is None else to_datetime(point.valid_at),
        known_at=to_datetime(point.known_at),
    )
    for fact in facts:
        _add(graph, fact)
    return graph


class GraphView:
    """A graph that is read as it is walked, for what is too large to be read whole.

    It keeps to the point in both times at which it was made: what is learnt later does not come
    into it, so all its parts agree. Each `expand` is a read of its own. One thread uses it at a
    time, and no longer than the memory is open.
    """

    def __init__(
        self, read: Callable[[], AbstractContextManager[Reader]], scope: Scope, tenant: str
    ) -> None:
        self.graph: MultiDiGraph = graph_of((), scope, tenant)
        """What was read so far, with the nodes and edges of `Tenant.graph`."""
        self._read = read
        self._scope = scope
        self._facts: set[str] = set()
        self._looked_at: set[str] = set()

    @property
    def point(self) -> Point:
        """The point in both times at which it is read."""
        return self._scope.point

    @property
    def frontier(self) -> list[str]:
        """The ids of the entities in it that may have more facts, in the order they were met."""
        return [id for id in self.graph.nodes if id not in self._looked_at]

    def expand(self, subject: Subject, *, fan_out: int = 50) -> list[Fact]:
        """Read the facts that an entity is the subject or the object of, and take them in.

        Args:
            subject: by name, alias or id, or as `Entity`; it need not be in the graph yet.
            fan_out: how many facts to take at most: the most important, of those the latest to
                begin. An entity that has more stays in `frontier`.

        Returns:
            The facts that were not in the graph before.

        Raises:
            InvalidInputError: `fan_out` is out of range.
        """
        if fan_out < 1:
            raise InvalidInputError(f"fan_out must be 1 or more, not {fan_out}")
        with self._read() as reader:
            ids = meant(reader, subject, self.point.known_at)
            found = around(reader, self._scope, ids, self._scope.predicates(reader), fan_out)
        new = [fact for fact in found.facts if fact.id not in self._facts]
        for fact in new:
            _add(self.graph, fact)
        self._facts |= {fact.id for fact in new}
        self._looked_at |= ids - found.cut
        return new


@dataclass(frozen=True, slots=True)
class Around:
    """The facts of some entities, in the order of the port; of those `cut` there are more."""

    facts: list[Fact]
    cut: set[str]


def around(
    reader: Reader, scope: Scope, ids: Collection[str], predicates: Collection[str], fan_out: int
) -> Around:
    """The facts that entities are the subject or the object of, at most `fan_out` of each."""
    # One more than is wanted tells whether there are more.
    found = reader.neighbourhood(
        ids,
        scope.point,
        hops=1,
        fan_out=fan_out + 1,
        predicates=predicates,
        modality=scope.modality,
    )
    counts = dict.fromkeys(ids, 0)
    taken: list[Fact] = []
    for near in found:
        wanted = False
        for id in {end.id for end in ends(near.fact)} & counts.keys():
            counts[id] += 1
            wanted |= counts[id] <= fan_out
        if wanted:
            taken.append(near.fact)
    return Around(taken, {id for id, count in counts.items() if count > fan_out})


def ends(fact: Fact) -> tuple[Entity, ...]:
    """The entities that a fact is about: its subject, and its object if it has one."""
    return (fact.subject,) if fact.object is None else (fact.subject, fact.object)


def _facts(
    reader: Reader,
    scope: Scope,
    predicates: Collection[str],
    limit: int | None,
    *,
    subjects: Collection[str] | None = None,
    objects: Collection[str] | None = None,
) -> list[Fact]:
    found = reader.facts(
        FactQuery(
            point=scope.point,
            subjects=subjects,
            objects=objects,
            predicates=predicates,
            modality=scope.modality,
            limit=None if limit is None else limit + 1,
        )
    )
    _check_size(len(found), limit)
    return found


def _check_size(count: int, limit: int | None) -> None:
    if limit is not None and count > limit:
        raise InvalidInputError(
            f"the graph would have more than {limit} facts; ask for the surroundings of a subject, "
            "for fewer hops, or for more with limit=, or walk through it with graph_view, "
            "which reads what is asked for"
        )


def _add(graph: MultiDiGraph, fact: Fact) -> None:
    for entity in ends(fact):
        if entity.id not in graph:
            graph.add_node(entity.id, name=entity.name, type=entity.type, values=[])
    if fact.object is not None:
        graph.add_edge(fact.subject.id, fact.object.id, key=fact.id, **_attributes(fact))
    else:
        value = {"fact": fact.id, "value": fact.value, **_attributes(fact)}
        graph.nodes[fact.subject.id]["values"].append(value)


def _attributes(fact: Fact) -> dict[str, Any]:
    return {
        "predicate": fact.predicate,
        "text": fact.text,
        # What is denied is no fact, so every fact is positive.
        "polarity": str(Polarity.POSITIVE),
        "modality": str(fact.modality),
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "granularity": str(fact.granularity),
        "from_inferred": fact.from_inferred,
        "tx_from": fact.tx_from,
        "tx_to": fact.tx_to,
        "importance": fact.importance,
        "confidence": fact.confidence,
        "trust": fact.trust,
    }


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise InvalidInputError("a graph needs networkx: pip install 'bitempo[graph]'") from error
    return networkx
