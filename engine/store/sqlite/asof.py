"""The as-of predicate of this store. It stands here and nowhere else."""

from __future__ import annotations

from bitempo.engine.store.port import Point

_VALID = "({t}.valid_from <= :valid_at AND :valid_at < {t}.valid_to)"
_BELIEVED = "({t}.tx_from <= :known_at AND :known_at < {t}.tx_to)"


def believed(table: str, known_at: int) -> tuple[str, dict[str, int]]:
    """The condition that a row of `table` is believed at `known_at`, with its parameters."""
    return _BELIEVED.format(t=table), {"known_at": known_at}


def as_of(table: str, point: Point) -> tuple[str, dict[str, int]]:
    """The condition that a row of `table` holds at the point, with its parameters."""
    condition, parameters = believed(table, point.known_at)
    if point.valid_at is None:
        return condition, parameters
    valid = _VALID.format(t=table)
    return f"({valid} AND {condition})", {**parameters, "valid_at": point.valid_at}
