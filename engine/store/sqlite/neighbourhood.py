"""Which facts stand around entities: one query a step, each entity looked at once."""

from __future__ import annotations

from collections.abc import Collection

import apsw

from bitempo.engine.model import Modality
from bitempo.engine.store.port import Point
from bitempo.engine.store.sqlite import columns
from bitempo.engine.store.sqlite.asof import as_of


def distances(
    connection: apsw.Connection,
    tenant: int,
    entities: Collection[str],
    point: Point,
    *,
    hops: int,
    fan_out: int,
    predicates: Collection[str] | None,
    modality: Modality | None,
) -> dict[str, int]:
    """The distance of each fact, by its id; see `Reader.neighbourhood`."""
    holds, at = as_of("f", point)
    parameters: dict[str, str | int] = {**at, "tenant": tenant, "fan_out": fan_out}
    if predicates is not None:
        holds += " AND f.predicate IN (SELECT value FROM json_each(:predicates))"
        parameters["predicates"] = columns.json_list(predicates)
    if modality is not None:
        holds += " AND f.modality = :modality"
        parameters["modality"] = modality
    statement = _STEP.format(holds=holds)
    reached = set(entities)
    frontier = set(entities)
    found: dict[str, int] = {}
    for distance in range(1, hops + 1):
        if not frontier:
            break
        step = {**parameters, "frontier": columns.json_list(sorted(frontier))}
        frontier = set()
        for fact, subject, object in columns.stream(connection.execute(statement, step)):
            found.setdefault(fact, distance)
            frontier |= {subject} if object is None else {subject, object}
        frontier -= reached
        reached |= frontier
    return found


# CROSS JOIN keeps the order: from the entities, which are few, to their facts by an index.
_TOUCHING = (
    "SELECT json_each.value AS entity, f.id, f.subject, f.object, f.importance, f.valid_from "
    "FROM json_each(:frontier) CROSS JOIN fact f "
    "ON f.tenant = :tenant AND f.{end} = json_each.value AND {{holds}}"
)
_STEP = (
    "SELECT DISTINCT id, subject, object FROM (SELECT id, subject, object, row_number() OVER "
    "(PARTITION BY entity ORDER BY importance DESC, valid_from DESC, id) AS place FROM ("
    + _TOUCHING.format(end="subject")
    + " UNION ALL "
    + _TOUCHING.format(end="object")
    + " AND f.subject <> f.object)) WHERE place <= :fan_out"
)
