"""How two intervals lie to each other: the thirteen relations of Allen (1983).

J. F. Allen, Maintaining knowledge about temporal intervals, Communications of the ACM 26(11).
Exactly one of them holds of any two intervals. An end that there is not counts as an instant
after (or before) all others, and two such ends as equal: of two facts that nothing has ended, each
holds for as long as the other as far as anybody knows.
"""

from __future__ import annotations

from enum import StrEnum

from bitempo.engine.time import Instant, Interval


class Relation(StrEnum):
    """How one interval lies to another: "it is DURING the other"."""

    BEFORE = "before"
    MEETS = "meets"
    OVERLAPS = "overlaps"
    STARTS = "starts"
    DURING = "during"
    FINISHES = "finishes"
    EQUALS = "equals"
    FINISHED_BY = "finished_by"
    CONTAINS = "contains"
    STARTED_BY = "started_by"
    OVERLAPPED_BY = "overlapped_by"
    MET_BY = "met_by"
    AFTER = "after"

    @property
    def converse(self) -> Relation:
        """How the other interval lies to the one."""
        return _CONVERSE.get(self, self)


def relation(one: Interval, other: Interval) -> Relation:
    """How the first of two intervals lies to the second."""
    apart = _apart(one, other)
    if apart is not None:
        return apart
    return _SHARING[_order(one.start, other.start), _order(one.end, other.end)]


def _apart(one: Interval, other: Interval) -> Relation | None:
    """The relation of two intervals that share no instant."""
    if one.end <= other.start:
        return Relation.MEETS if one.end == other.start else Relation.BEFORE
    if other.end <= one.start:
        return Relation.MET_BY if other.end == one.start else Relation.AFTER
    return None


def _order(one: Instant, other: Instant) -> int:
    return (one > other) - (one < other)


_SHARING = {
    (-1, -1): Relation.OVERLAPS,
    (-1, 0): Relation.FINISHED_BY,
    (-1, 1): Relation.CONTAINS,
    (0, -1): Relation.STARTS,
    (0, 0): Relation.EQUALS,
    (0, 1): Relation.STARTED_BY,
    (1, -1): Relation.DURING,
    (1, 0): Relation.FINISHES,
    (1, 1): Relation.OVERLAPPED_BY,
}
"""By the order of their starts and of their ends, the relation of two that share an instant."""

_CONVERSE = {
    Relation.BEFORE: Relation.AFTER,
    Relation.MEETS: Relation.MET_BY,
    Relation.OVERLAPS: Relation.OVERLAPPED_BY,
    Relation.STARTS: Relation.STARTED_BY,
    Relation.DURING: Relation.CONTAINS,
    Relation.FINISHES: Relation.FINISHED_BY,
}
_CONVERSE |= {converse: one for one, converse in _CONVERSE.items()}
