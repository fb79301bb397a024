"""Which facts stand around entities: all steps in one statement, each entity looked at once."""

from __future__ import annotations

from bitempo.engine.store.neo4j.lookup import by


def around(hops: int, holds: str, about: str) -> str:
    """Cypher that finds, from the entities with `$keys`, facts `f` and the `distance` of each.

    At most `$fan_out` are taken of each entity; see `Reader.neighbourhood`. It goes by the keys
    that facts have of their ends, so that no entity need be read on the way.

    Args:
        hops: how many steps; each is a part of the statement.
        holds: the condition for a fact `f` to be taken.
        about: the condition on its predicate, by which the index is used.
    """
    steps = " ".join(_step(number, holds, about) for number in range(1, hops + 1))
    return (
        f"WITH $keys AS frontier, $keys AS reached, [] AS found {steps} "
        "UNWIND found AS one WITH one.fact AS f, min(one.distance) AS distance"
    )


def _step(distance: int, holds: str, about: str) -> str:
    by_subject = by("f:BitempoFact", "subject_key", "predicate_key")
    by_object = by("f:BitempoFact", "object_key")
    return (
        "CALL (frontier) { UNWIND frontier AS key CALL (key) { CALL (key) { "
        f"{by_subject} WHERE f.subject_key = key AND {about} AND {holds} RETURN f UNION ALL "
        f"{by_object} WHERE f.object_key = key AND f.subject_key <> key AND {about} AND {holds} "
        "RETURN f } "
        "WITH f ORDER BY f.importance DESC, f.valid_from IS NULL, f.valid_from DESC, f.id "
        "LIMIT $fan_out RETURN f } WITH DISTINCT f "
        "RETURN collect(f) AS facts, collect(f.subject_key) + collect(f.object_key) AS ends } "
        "WITH reached, ends, "
        f"found + [f IN facts | {{fact: f, distance: {distance}}}] AS found "
        "CALL (reached, ends) { UNWIND ends AS key WITH DISTINCT key, reached "
        "WHERE NOT key IN reached RETURN collect(key) AS frontier } "
        "WITH frontier, reached + frontier AS reached, found"
    )
