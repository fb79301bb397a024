"""Instants as native Neo4j datetimes, to the microsecond, and back.

An unbounded start is an absent property. An unbounded end is the last nanosecond of the year
9999, which no instant of ours can be, since ours end in whole microseconds: so one comparison
serves open and ended intervals, and an index can hold both.
"""

from __future__ import annotations

from datetime import UTC, datetime

from neo4j.time import DateTime

from bitempo.engine.time import BEGINNING, FOREVER, Instant, from_datetime, to_datetime

END = DateTime(9999, 12, 31, 23, 59, 59, 999_999_999, tzinfo=UTC)
"""What stands in the graph for `FOREVER`."""

_FIRST = from_datetime(datetime.min.replace(tzinfo=UTC))
_LAST = from_datetime(datetime.max.replace(tzinfo=UTC))


def moment(instant: Instant) -> datetime | DateTime | None:
    """The property value of an instant; None, which is no property, for an unbounded start."""
    if instant == FOREVER:
        return END
    return to_datetime(instant)


def asked(instant: Instant) -> datetime | None:
    """An instant to compare properties with, held inside the years that a property can have."""
    return to_datetime(min(max(instant, _FIRST), _LAST))


def start(expression: str) -> str:
    """Cypher that gives the instant of a property which may be absent (unbounded)."""
    return f"coalesce({_micros(expression)}, {BEGINNING})"


def end(expression: str) -> str:
    """Cypher that gives the instant of a property which may be `END` (unbounded)."""
    return f"CASE WHEN {expression} = $end THEN {FOREVER} ELSE {_micros(expression)} END"


def optional(expression: str) -> str:
    """Cypher that gives the instant of a property, or null where it is absent."""
    return _micros(expression)


def _micros(expression: str) -> str:
    return f"({expression}.epochSeconds * 1000000 + {expression}.microsecond)"
