"""The as-of predicate of this store. It stands here and nowhere else."""

from __future__ import annotations

from typing import Any

from bitempo.engine.store.neo4j.times import asked
from bitempo.engine.time import Instant

_VALID = "(coalesce({n}.valid_from, $valid_at) <= $valid_at AND $valid_at < {n}.valid_to)"
_BELIEVED = "({n}.tx_from <= $known_at AND $known_at < {n}.tx_to)"


def believed(node: str, known_at: Instant) -> tuple[str, dict[str, Any]]:
    """The condition that a node or relationship is believed at `known_at`, and its parameters."""
    return _BELIEVED.format(n=node), {"known_at": asked(known_at)}


def as_of(node: str, known_at: Instant, valid_at: Instant | None) -> tuple[str, dict[str, Any]]:
    """The condition that a fact holds at the point, and its parameters."""
    condition, parameters = believed(node, known_at)
    if valid_at is None:
        return condition, parameters
    valid = _VALID.format(n=node)
    return f"({valid} AND {condition})", {**parameters, "valid_at": asked(valid_at)}
