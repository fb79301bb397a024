"""How sure the ends of a fact's interval are: what each comes from, and between when it lies.

The timeline gives each fact one interval. What people say is coarser: "in 2019" began at some time
of that year, and what nobody dated began at some time before it was said. From the granularity that
is kept beside an interval follow the earliest and the latest instant at which an end can lie:

- A stated start at the start of its unit lies in that unit. One that is counted ("three years ago")
  is not at the start of a unit, and lies up to one unit from there, on either side.
- A stated end is the latest: it lies up to one unit before it, since units are counted whole.
- An inferred start is the latest too. How long before it was said it began is not known.
- Where another value begins, the end of the one before is as sure as that beginning.
- An end by denial lies between the start and the denial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

from bitempo.engine.model import Assertion, Fact
from bitempo.engine.time import (
    BEGINNING,
    DAY,
    FOREVER,
    LONGEST_UNITS,
    Granularity,
    Instant,
    Interval,
    to_datetime,
)
from bitempo.query.facts import support_of


class Origin(StrEnum):
    """What an end of a fact's interval comes from."""

    STATED = "stated"
    """Somebody said when."""
    INFERRED = "inferred"
    """Nobody did: it holds from when it was said."""
    RESUMED = "resumed"
    """What held in its place for a while has ended."""
    SUPERSEDED = "superseded"
    """Another value of its slot begins."""
    DENIED = "denied"
    """It was said that it does not hold (any more)."""
    OPEN = "open"
    """There is none: it always held, or nothing has ended it."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a fact's interval: the instant that the timeline gives it, and how sure it is.

    It lies between `earliest` and `latest`, which are equal where it is exact. Instants are in
    microseconds since the epoch; `moment` is the same as an aware datetime.
    """

    at: Instant
    earliest: Instant
    latest: Instant
    granularity: Granularity
    origin: Origin

    @property
    def moment(self) -> datetime | None:
        """When it is; None where there is no end."""
        return to_datetime(self.at)


@dataclass(frozen=True, slots=True)
class Bounds:
    """A fact with both ends of its interval."""

    fact: Fact
    start: Bound
    end: Bound

    @property
    def inner(self) -> Interval | None:
        """When it held in any case; None where that may be at no time."""
        if self.start.latest >= self.end.earliest:
            return None
        return Interval(self.start.latest, self.end.earliest)

    @property
    def outer(self) -> Interval:
        """When it may have held."""
        return Interval(self.start.earliest, self.end.latest)


def bounds(fact: Fact, slot: Iterable[Fact], assertions: Mapping[str, Assertion]) -> Bounds:
    """Both ends of a fact's interval.

    Args:
        slot: the facts of its slot, as known at one time.
        assertions: those that support any of them, by id.
    """
    ends = _Ends([other for other in slot if other.id != fact.id], assertions)
    start, end = ends.start(fact), ends.end(fact)
    return Bounds(fact, replace(start, latest=min(start.latest, end.latest)), end)


class _Ends:
    """The ends of a fact's interval, seen beside the other facts of its slot."""

    def __init__(self, others: Sequence[Fact], assertions: Mapping[str, Assertion]) -> None:
        self._others = others
        self._assertions = assertions

    def start(self, fact: Fact) -> Bound:
        at = fact.valid.start
        if at == BEGINNING:
            return Bound(at, at, at, Granularity.UNKNOWN, Origin.OPEN)
        begun = self._begun(fact)
        if begun is not None:
            return begun
        before = next((other for other in self._others if other.valid.end == at), None)
        if before is None:
            # A denial for a while is over. It is no fact, so how exactly it ended is not known.
            return Bound(at, at, at, Granularity.UNKNOWN, Origin.RESUMED)
        return replace(self._ended(before), origin=Origin.RESUMED)

    def end(self, fact: Fact) -> Bound:
        at = fact.valid.end
        if at == FOREVER:
            return Bound(at, at, at, Granularity.UNKNOWN, Origin.OPEN)
        after = next((other for other in self._others if other.valid.start == at), None)
        begun = None if after is None else self._begun(after)
        if begun is None or self._stated_ends(fact):
            return self._ended(fact)
        earliest = max(fact.valid.start, begun.earliest)
        return replace(begun, earliest=earliest, origin=Origin.SUPERSEDED)

    def _begun(self, fact: Fact) -> Bound | None:
        """The start of a fact of which some support begins there; None where it is resumed."""
        at = fact.valid.start
        saying = [one for one in support_of(fact, self._assertions) if one.valid.start == at]
        stated = [one.granularity for one in saying if not one.from_inferred]
        if stated:
            return _stated_start(at, _finest(stated))
        if saying:
            return Bound(at, BEGINNING, at, Granularity.UNKNOWN, Origin.INFERRED)
        return None

    def _ended(self, fact: Fact) -> Bound:
        """The end of a fact where nothing else begins by itself."""
        start, at = fact.valid.start, fact.valid.end
        stated = self._stated_ends(fact)
        if not stated:
            return Bound(at, start, at, Granularity.UNKNOWN, Origin.DENIED)
        unit = _finest(stated)
        return Bound(at, max(start, at - _LENGTHS[unit]), at, unit, Origin.STATED)

    def _stated_ends(self, fact: Fact) -> list[Granularity]:
        support = support_of(fact, self._assertions)
        return [one.granularity for one in support if one.valid.end == fact.valid.end]


def _finest(units: Iterable[Granularity]) -> Granularity:
    return min(units, key=lambda unit: (unit is Granularity.UNKNOWN, _LENGTHS[unit]))


def _stated_start(at: Instant, unit: Granularity) -> Bound:
    length = _length(at, unit)
    if length is not None:
        return Bound(at, at, _on_calendar(at + max(length - 1, 0)), unit, Origin.STATED)
    around = _LENGTHS[unit]
    return Bound(at, _on_calendar(at - around), _on_calendar(at + around), unit, Origin.STATED)


def _length(at: Instant, unit: Granularity) -> int | None:
    """The length of the unit that begins then; None where none does.

    It may begin so anywhere on earth: what people say is of their own time zone.
    """
    if unit not in _FIRST_DAYS:
        return _LENGTHS[unit]
    for shift in (0, _EASTMOST):
        try:
            moment = to_datetime(at + shift)
            if moment is not None and _FIRST_DAYS[unit](moment.date()):
                return _days(moment.date(), unit) * DAY
        except OverflowError:
            # It is at the end of the calendar, where nothing begins any more.
            return None
    return None


def _days(first: date, unit: Granularity) -> int:
    if unit not in _MONTHS:
        return 7
    months = first.year * 12 + first.month - 1 + _MONTHS[unit]
    if months // 12 > date.max.year:
        return _LENGTHS[unit] // DAY
    return (date(months // 12, months % 12 + 1, 1) - first).days


def _on_calendar(instant: Instant) -> Instant:
    """The instant; what lies outside the years 1 to 9999 is unbounded."""
    try:
        to_datetime(instant)
    except OverflowError:
        return BEGINNING if instant < 0 else FOREVER
    return instant


_EASTMOST = 14 * DAY // 24
_LENGTHS = {
    **LONGEST_UNITS,
    Granularity.INSTANT: 0,
    Granularity.UNKNOWN: 0,
    Granularity.MINUTE: DAY // (24 * 60),
    Granularity.PART_OF_DAY: DAY // 2,
}
"""The length of the longest unit of each kind: a bound must hold for every month."""
_MONTHS = {
    Granularity.MONTH: 1,
    Granularity.SEASON: 3,
    Granularity.QUARTER: 3,
    Granularity.YEAR: 12,
    Granularity.DECADE: 120,
    Granularity.CENTURY: 1_200,
}
_FIRST_DAYS: dict[Granularity, Callable[[date], bool]] = {
    Granularity.WEEK: lambda day: day.weekday() in (0, 6),
    Granularity.MONTH: lambda day: day.day == 1,
    Granularity.SEASON: lambda day: day.day == 1 and day.month % 3 == 0,
    Granularity.QUARTER: lambda day: day.day == 1 and day.month % 3 == 1,
    Granularity.YEAR: lambda day: day.day == day.month == 1,
    Granularity.DECADE: lambda day: day.day == day.month == 1 and day.year % 10 == 0,
    Granularity.CENTURY: lambda day: day.day == day.month == 1 and day.year % 100 in (0, 1),
}
