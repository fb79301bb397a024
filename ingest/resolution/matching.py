"""From verdicts on pairs to what is merged: one meaning for each name, and no contradiction."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bitempo.ingest.resolution.decision import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair of things (by any keys) with the verdict on it."""

    a: Hashable
    b: Hashable
    verdict: Verdict


Forbids = Callable[[Hashable, Hashable], bool]
"""Whether two things are certainly different."""


def settled(
    judged: Sequence[Judged],
    forbids: Forbids,
    groups: Iterable[Iterable[Hashable]] = (),
) -> tuple[list[Judged], list[Judged]]:
    """What is merged, and what is left to ask, the likeliest first.

    A "same" that holds only alone is a question where something else fits too; so is one that
    would join, through others, what is certainly different. `groups` are one already, and count
    as one thing.
    """
    unions = _Unions(groups, forbids)
    accepted, asked = [], [item for item in judged if item.verdict.outcome is Outcome.ASK]
    same = [item for item in judged if item.verdict.outcome is Outcome.SAME]
    for item in sorted(same, key=lambda item: -item.verdict.confidence):
        rivals = _rivals(item, judged, unions)
        if rivals:
            asked.insert(0, _doubted(item, "more than one thing may be meant"))
        elif not unions.join(item.a, item.b):
            asked.append(_doubted(item, "it would make one of two things that differ"))
        else:
            accepted.append(item)
    return accepted, [item for item in asked if not unions.one(item.a, item.b)]


def agreed(
    asked: Sequence[Judged],
    same: Mapping[int, str],
    accepted: Sequence[Judged],
    forbids: Forbids,
    groups: Iterable[Iterable[Hashable]] = (),
) -> list[Judged]:
    """The asked pairs that a reply says are the same (by index, with its reason) and may be."""
    unions = _Unions(groups, forbids)
    for item in accepted:
        unions.join(item.a, item.b)
    merged = []
    for index, item in enumerate(asked):
        if index in same and not unions.one(item.a, item.b) and unions.join(item.a, item.b):
            merged.append(replace(item, verdict=Verdict(Outcome.SAME, same[index], 0.8)))
    return merged


def _rivals(item: Judged, judged: Sequence[Judged], unions: _Unions) -> bool:
    """Whether one of the pair may as well be something else."""
    if item.verdict.stated:
        return False
    for other in judged:
        if other is item or other.verdict.outcome is Outcome.DIFFERENT or other.verdict.stated:
            continue
        if other.verdict.outcome is Outcome.ASK and not other.verdict.alone:
            continue
        shared = {item.a, item.b} & {other.a, other.b}
        if len(shared) != 1:
            continue
        if other.verdict.alone != item.verdict.alone and not _firmer(other, item):
            continue
        if item.verdict.confidence >= _CERTAIN > other.verdict.confidence:
            continue
        ours = next(iter({item.a, item.b} - shared))
        theirs = next(iter({other.a, other.b} - shared))
        if unions.one(ours, theirs) or _same(ours, theirs, judged):
            continue
        return True
    return False


_CERTAIN = 0.9


def _firmer(other: Judged, item: Judged) -> bool:
    same = other.verdict.outcome is Outcome.SAME
    return same and not other.verdict.alone and bool(item.verdict.alone)


def _same(a: Hashable, b: Hashable, judged: Sequence[Judged]) -> bool:
    """Whether the two rivals are themselves one."""
    return any(
        {item.a, item.b} == {a, b} and item.verdict.outcome is Outcome.SAME for item in judged
    )


def _doubted(item: Judged, reason: str) -> Judged:
    return replace(item, verdict=Verdict(Outcome.ASK, f"{item.verdict.reason}; but {reason}"))


class _Unions:
    """Groups of things that are one, none of which holds two that are certainly different."""

    def __init__(self, groups: Iterable[Iterable[Hashable]], forbids: Forbids) -> None:
        self._members: dict[Hashable, frozenset[Hashable]] = {}
        self._forbids = forbids
        for group in groups:
            whole = frozenset(group)
            self._members |= dict.fromkeys(whole, whole)

    def one(self, a: Hashable, b: Hashable) -> bool:
        """Whether the two are one already."""
        return a == b or b in self._members.get(a, ())

    def join(self, a: Hashable, b: Hashable) -> bool:
        """Make them one, unless that would join two that are certainly different."""
        ours = self._members.get(a, frozenset({a}))
        theirs = self._members.get(b, frozenset({b}))
        if any(self._forbids(x, y) for x in ours for y in theirs if x != y):
            return False
        whole = ours | theirs
        self._members |= dict.fromkeys(whole, whole)
        return True
