"""From the shape of a claim and the times of its sentence to its interval of validity.

How each shape lies in time, seen from the timeline rules:

- HOLDS, BEGAN: open from the stated start. An "until" bounds it, so that it overlays what was
  open before and that resumes.
- FORMER ("used to live in X"): bounded where a time bounds it; else from BEGINNING up to the turn.
  BEGINNING ranks below every known start, so in a single-valued slot this fills only what no
  other claim covers and never overlays a value with a start of its own. Since the same value may
  be on record as open, a second, negative claim denies it from that end on (`denies_after`).
- ALWAYS (a birthday, a name, a brother): from BEGINNING, so that a later telling does not begin it.
- ENDED: negative from the stated time on. A time coarser than a day ("left in March") ends the
  state with that unit, or with the turn when that is earlier: an end at the unit's start would
  not cut a claim recorded within the unit. A denial of a whole slot starts with the unit, since
  the value that followed may have begun in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bitempo.engine.time import BEGINNING, FOREVER, FoundTime, Granularity, Instant, Interval
from bitempo.ingest.rules.language import Finding, Shape, Tense


class Expression(FoundTime, Protocol):
    """A time expression of a sentence, as `bitempo.ingest.dates` finds it."""

    @property
    def last_unit_start(self) -> Instant | None: ...


@dataclass(frozen=True, slots=True)
class Moved:
    """An expression at another place in its text."""

    text: str
    start: int
    end: int
    valid: Interval
    granularity: Granularity
    kind: str
    last_unit_start: Instant | None

    @staticmethod
    def of(time: Expression) -> Moved:
        """The same expression, as one that can be moved."""
        return Moved(
            time.text,
            time.start,
            time.end,
            time.valid,
            time.granularity,
            time.kind,
            time.last_unit_start,
        )

    def moved(self, by: int) -> Moved:
        """The expression `by` characters further on."""
        return replace(self, start=self.start + by, end=self.end + by)


TimeFinder = Callable[[str, Instant], Sequence[Expression]]


@dataclass(frozen=True, slots=True)
class Placed:
    """An interval as a draft states it; `denies_after` is where a former state was over."""

    valid_from: Instant | None = None
    valid_to: Instant | None = None
    granularity: Granularity = Granularity.UNKNOWN
    time_text: str | None = None
    denies_after: Instant | None = None


def place_finding(finding: Finding, times: Sequence[Expression], said_at: Instant) -> Placed | None:
    """Where a typed claim lies in time; None where its shape needs a time that is not there."""
    shape = finding.shape
    if shape is Shape.TIMELESS:
        return Placed()
    if shape is Shape.ALWAYS:
        return Placed(BEGINNING)
    time = nearest(times, finding.start, finding.end)
    if shape is Shape.BOUNDED:
        return _passing(time, said_at)
    if shape is Shape.PERFECT:
        return _since(time) if time is not None and time.kind in ("since", "range") else None
    if shape is Shape.FORMER:
        return _former(time, said_at)
    if shape is Shape.NEXT:
        return _next(times, finding, said_at)
    if shape is Shape.LAPSED:
        return _lapsed(time, said_at)
    if time is None:
        return Placed()
    if shape is Shape.ENDED:
        return _ended(time, said_at, whole_slot=finding.answer is None)
    if shape is Shape.BEGAN:
        return _began(time, said_at)
    return _holding(time, said_at)


def holds_when_told(placed: Placed, shape: Shape, said_at: Instant) -> bool:
    """Whether the claim says of a state, besides when it began (or was over), that it still
    holds (or does not).

    The timeline lets the latest start win. What was told of the slot between the stated start and
    the telling would win over it, although the speaker knows better when they tell it.
    """
    start = placed.valid_from
    return (
        shape in (Shape.HOLDS, Shape.BEGAN, Shape.PERFECT, Shape.ENDED)
        and start is not None
        and BEGINNING < start < said_at
        and placed.valid_to is None
    )


def place_statement(
    times: Sequence[Expression], tense: Tense, said_at: Instant, *, ongoing: bool = False
) -> Placed:
    """Where a sentence as a whole lies in time: a past event is bounded, "since" is open.

    With `ongoing` the past event is where something set in, which is open from then on.

    In the present tense a day that is over tells of something else in the sentence ("I love the
    dress I bought yesterday") and does not bound it.
    """
    since = next((time for time in times if time.kind == "since"), None)
    if since is not None:
        return _since(since)
    for time in times:
        if time.granularity is Granularity.UNKNOWN or time.valid.start >= FOREVER:
            continue
        if time.kind in ("until", "deadline"):
            if tense is Tense.PAST or time.valid.end <= said_at:
                return _stated(time, BEGINNING, time.valid.end)
            return _stated(time, None, time.valid.end)
        over = time.valid.end <= said_at
        if tense in (Tense.PAST, Tense.PERFECT) and time.valid.start <= said_at:
            end = None if ongoing and time.kind != "range" else time.valid.end
            return _stated(time, time.valid.start, end)
        if tense is Tense.PRESENT and not over and time.valid.start <= said_at:
            return _stated(time, time.valid.start, time.valid.end)
    return Placed()


def ahead(times: Sequence[Expression], said_at: Instant) -> Expression | None:
    """The first time that is a deadline or lies ahead of the turn."""
    for time in times:
        if time.valid.end >= FOREVER or time.valid.end <= said_at:
            continue
        if time.kind == "deadline" or time.valid.start > said_at or time.kind in ("date", "range"):
            return time
    return None


def due_of(time: Expression) -> Interval:
    """The interval of a deadline: the last day (or unit) that still meets it."""
    last = time.last_unit_start
    # "before March" ends where March starts: there is no last unit inside it.
    if time.valid.start == BEGINNING and last is not None and last < time.valid.end:
        return Interval(last, time.valid.end)
    return time.valid


def nearest(times: Sequence[Expression], start: int, end: int) -> Expression | None:
    """The expression that belongs to what stands at `start..end`: inside or first after it, else
    the last before it."""
    usable = [time for time in times if time.valid.start < FOREVER]
    after = next((time for time in usable if time.end > start and time.start >= start), None)
    if after is not None and after.start - end <= _REACH:
        return after
    before = [time for time in usable if time.end <= start]
    return before[-1] if before and start - before[-1].end <= 2 * _REACH else None


_REACH = 40
"""Characters between a claim and a time that is still taken to be its own."""

_FINE = (
    Granularity.INSTANT,
    Granularity.MINUTE,
    Granularity.HOUR,
    Granularity.PART_OF_DAY,
    Granularity.DAY,
    Granularity.WEEKEND,
)


def _stated(time: Expression, start: Instant | None, end: Instant | None) -> Placed:
    if end is not None and end >= FOREVER:
        end = None
    return Placed(start, end, time.granularity, time.text)


def _since(time: Expression) -> Placed:
    return _stated(time, time.valid.start, None)


def _passing(time: Expression | None, said_at: Instant) -> Placed | None:
    if time is None or not said_at < time.valid.end < FOREVER or time.valid.start > said_at:
        return None
    return _stated(time, None, time.valid.end)


def _former(time: Expression | None, said_at: Instant) -> Placed:
    if time is None or time.valid.start >= said_at:
        return Placed(BEGINNING, said_at, denies_after=said_at)
    end = min(time.valid.end, said_at)
    start = time.valid.start
    bounded = time.kind in ("date", "range") and time.valid.end < FOREVER
    return Placed(start, end, time.granularity, time.text, denies_after=None if bounded else end)


def _next(times: Sequence[Expression], finding: Finding, said_at: Instant) -> Placed | None:
    own = [time for time in times if time.start >= finding.end]
    if own and own[0].kind in ("date", "range"):
        return _former(own[0], said_at)
    before = [time for time in times if time.end <= finding.start and time.valid.end < said_at]
    return _stated(before[-1], before[-1].valid.end, None) if before else None


def _lapsed(time: Expression | None, said_at: Instant) -> Placed:
    if time is None or time.valid.start >= said_at:
        return Placed(BEGINNING, said_at, denies_after=said_at)
    end = time.valid.end if time.granularity in _FINE else time.valid.start
    over = min(time.valid.end, said_at)
    return Placed(BEGINNING, min(end, said_at), time.granularity, time.text, denies_after=over)


def _ended(time: Expression, said_at: Instant, *, whole_slot: bool) -> Placed:
    start, end = time.valid.start, time.valid.end
    if time.kind in ("until", "deadline"):
        return _stated(time, end, None)
    if time.granularity in _FINE or whole_slot or end >= FOREVER or time.kind == "since":
        return _stated(time, start, None)
    return _stated(time, max(start, min(end, said_at)), None)


def _began(time: Expression, said_at: Instant) -> Placed:
    if time.kind in ("until", "deadline"):
        return _stated(time, None, time.valid.end) if time.valid.end > said_at else Placed()
    if time.valid.start > said_at:
        return Placed()
    if time.kind == "range":
        return _stated(time, time.valid.start, time.valid.end)
    return _stated(time, time.valid.start, None)


def _holding(time: Expression, said_at: Instant) -> Placed:
    if time.kind == "since":
        return _since(time)
    if time.kind in ("until", "deadline"):
        return _stated(time, None, time.valid.end) if time.valid.end > said_at else Placed()
    return Placed()
