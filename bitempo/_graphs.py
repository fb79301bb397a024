"""The verbs of a tenant that see its facts as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitempo._bound import Bound
from bitempo._statement import modality_or_any
from bitempo.engine.model import Modality
from bitempo.engine.store.port import Reader
from bitempo.engine.time import TimeLike
from bitempo.query.graph import MOST_FACTS, GraphView, Scope, graph_facts, graph_of
from bitempo.query.paths import Paths, paths
from bitempo.query.subjects import Subject

if TYPE_CHECKING:
    from networkx import MultiDiGraph


class GraphVerbs:
    """Part of `Tenant`."""

    def graph(
        self: Bound,
        subject: Subject | None = None,
        *,
        hops: int | None = None,
        valid_at: TimeLike | None = None,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
        sentences: bool = False,
        limit: int | None = MOST_FACTS,
    ) -> MultiDiGraph:
        """What holds at one point in both times, as a `networkx.MultiDiGraph`.

        A node is an entity: its key is the entity's id, its attributes `name`, `type` and
        `values`. An edge is a fact, from its subject to its object: its key is the fact's id, its
        attributes `predicate`, `text`, `polarity` (always "+": what is denied is no fact),
        `modality`, `valid_from`, `valid_to`, `granularity`, `from_inferred`, `tx_from`, `tx_to`,
        `importance`, `confidence` and `trust`. Times are aware datetimes, or None where there is
        no end. A fact with a literal is no edge: `values` of its subject has a dict for it, with
        `fact`, `value` and the attributes of an edge. What is merged is one node.
        `graph.graph` has `tenant`, `valid_at` and `known_at`.

        Args:
            subject: take only what stands around this entity.
            hops: how many facts to go from it at most, 1 to 8; 1 by default.
            modality: None takes plans and hypotheses too.
            sentences: whether to take facts that are whole sentences, as the rules make them.
            limit: how many facts it may have; None for no bound. It never reads more at a time
                than that.

        Raises:
            InvalidInputError: there would be more than `limit` facts (ask for less, or use
                `graph_view`); `hops` is out of range; or networkx is not installed, which
                `bitempo[graph]` brings.
        """
        with self._store.read(self.name) as reader:
            scope = _scope(self, reader, valid_at, known_at, modality, sentences)
            facts = graph_facts(reader, scope, subject=subject, hops=hops, limit=limit)
        return graph_of(facts, scope, self.name)

    def graph_view(
        self: Bound,
        *,
        valid_at: TimeLike | None = None,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
        sentences: bool = False,
    ) -> GraphView:
        """A graph as `graph` gives, empty at first, that is read entity by entity with `expand`.

        For a tenant that is too large to be read whole. The arguments are those of `graph`.

        Raises:
            InvalidInputError: networkx is not installed.
        """
        with self._store.read(self.name) as reader:
            scope = _scope(self, reader, valid_at, known_at, modality, sentences)
        return GraphView(lambda: self._store.read(self.name), scope, self.name)

    def paths(
        self: Bound,
        start: Subject,
        goal: Subject,
        *,
        valid_at: TimeLike | None = None,
        known_at: TimeLike | None = None,
        most_hops: int = 6,
        fan_out: int = 50,
        limit: int = 10,
        modality: Modality | str | None = Modality.ACTUAL,
        sentences: bool = False,
    ) -> Paths:
        """The shortest ways from one entity to another, along facts that hold at one point.

        A fact is gone along in either direction. The search goes from both ends, so a hub in the
        middle is not looked at.

        Args:
            start, goal: by name, alias or id, or as `Entity`.
            most_hops: how many facts a path may have, 1 to 8.
            fan_out: how many facts to go along from one entity at most: the most important, of
                those the latest to begin.
            limit: how many paths to give at most.
            modality: None goes along plans and hypotheses too.
            sentences: whether to go along facts that are whole sentences.

        Returns:
            All shortest paths, each the facts along it, and whether nothing was left out: `whole`
            is false where an entity had more than `fan_out` facts, where there are more than
            `limit` paths, or where the search had to be given up for its size.

        Raises:
            InvalidInputError: a number is out of range.
        """
        with self._store.read(self.name) as reader:
            scope = _scope(self, reader, valid_at, known_at, modality, sentences)
            return paths(
                reader, scope, start, goal, most_hops=most_hops, fan_out=fan_out, limit=limit
            )


def _scope(
    tenant: Bound,
    reader: Reader,
    valid_at: TimeLike | None,
    known_at: TimeLike | None,
    modality: Modality | str | None,
    sentences: bool,
) -> Scope:
    point = tenant._point(reader, valid_at, known_at)
    return Scope(point, modality_or_any(modality), sentences)
