"""Instants as native Neo4j datetimes, to the microsecond, and back.

An unbounded start is an absent property. An unbounded end is the last nanosecond of the year
9999, which no instant of ours can be, since ours end in whole microseconds: so one comparison
serves open and ended intervals, and an index can hold both.

Rows carry a time as seconds and nanoseconds, and the statement makes the datetime of it: the
driver takes ten times as long to encode a datetime as two numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from neo4j.time import DateTime

from bitempo.engine.time import BEGINNING, FOREVER, Instant, from_datetime, to_datetime

END = DateTime(9999, 12, 31, 23, 59, 59, 999_999_999, tzinfo=UTC)
"""What stands in the graph for `FOREVER`."""

_FIRST = from_datetime(datetime.min.replace(tzinfo=UTC))
_LAST = from_datetime(datetime.max.replace(tzinfo=UTC))
_MICROS = 1_000_000


def moment(instant: Instant) -> list[int] | None:
    """An instant as seconds and nanoseconds; None, which is no property, for an unbounded start."""
    if instant == BEGINNING:
        return None
    if instant == FOREVER:
        return [_LAST // _MICROS, 999_999_999]
    seconds, micros = divmod(instant, _MICROS)
    return [seconds, micros * 1_000]


def setting(node: str, moments: str, names: Sequence[str]) -> str:
    """Cypher that sets the named properties from a list of moments."""
    given = ", ".join(
        f"{node}.{name} = {stored(f'{moments}[{place}]')}" for place, name in enumerate(names)
    )
    return f"SET {given}"


def stored(moment: str) -> str:
    """Cypher that makes the datetime of a moment."""
    made = f"datetime.fromepoch({moment}[0], {moment}[1])"
    return f"CASE WHEN {moment} IS NULL THEN null ELSE {made} END"


def asked(instant: Instant) -> datetime | None:
    """An instant to compare properties with, held inside the years that a property can have."""
    return to_datetime(min(max(instant, _FIRST), _LAST))


def start(expression: str) -> str:
    """Cypher that gives the instant of a property which may be absent (unbounded)."""
    return f"coalesce({optional(expression)}, {BEGINNING})"


def end(expression: str) -> str:
    """Cypher that gives the instant of a property which may be `END` (unbounded)."""
    return f"CASE WHEN {expression} = $end THEN {FOREVER} ELSE {optional(expression)} END"


def until(expression: str) -> str:
    """Cypher that gives the end of a belief as it stood at `$state`: open if it ended later."""
    return f"CASE WHEN {expression} > $state THEN {FOREVER} ELSE {optional(expression)} END"


def optional(expression: str) -> str:
    """Cypher that gives the instant of a property, or null where it is absent."""
    # Not from epochSeconds, which is rounded towards 1970 and so is wrong before it.
    return f"({expression}.epochMillis * 1000 + {expression}.microsecond % 1000)"
