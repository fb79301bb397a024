"""The tenant's node, whose lock makes its writers take turns."""

from __future__ import annotations

from dataclasses import dataclass

from bitempo.engine.errors import StoreBusyError
from bitempo.engine.store.neo4j import statements
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.times import optional
from bitempo.engine.time import Instant


@dataclass(frozen=True, slots=True)
class Locked:
    """What the node says once it is locked.

    `counts` are documents and terms of assertions and of turns. `loading` marks an import that is
    under way, with so many `steps` done, and `loaded` the last one that was finished. `merged` is
    whether entities were ever merged.
    """

    last_tx: Instant | None
    counts: tuple[int, int, int, int]
    loading: str | None
    steps: int
    loaded: str | None
    merged: bool


def lock(graph: Graph) -> Locked:
    """Lock the tenant until the end of the transaction; made anew if it is not there."""
    [found] = graph.rows(
        f"{statements.TENANT} RETURN {optional('t.last_tx')}, t.assertions, t.assertion_terms, "
        "t.turns, t.turn_terms, t.loading, coalesce(t.steps, 0), t.loaded, "
        "coalesce(t.merged, false)",
        key=graph.key(""),
    )
    last_tx, *counts, loading, steps, loaded, merged = found
    return Locked(last_tx, tuple(counts), loading, steps, loaded, merged)


def lock_to_write(graph: Graph) -> Locked:
    """Lock the tenant for something else than an import.

    Raises:
        StoreBusyError: an import is under way, or was interrupted.
    """
    found = lock(graph)
    refuse_while_loading(graph, found.loading)
    return found


def refuse_while_loading(graph: Graph, loading: str | None) -> None:
    """Let nothing but an import write to a tenant that is being imported.

    Raises:
        StoreBusyError: an import is under way, or was interrupted.
    """
    if loading is not None:
        raise StoreBusyError(
            f"tenant {graph.tenant!r} is being imported; wait until that is done. If the import "
            "was interrupted, import again: what it left is removed first"
        )
