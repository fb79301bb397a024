"""What a time expression means, apart from any language, and the calendar times it resolves to.

A language turns text into `Meaning`s; a meaning and a `Context` give a `Stretch` of wall-clock
time. A meaning that names no possible time (30 February, the year 12000) raises ValueError or
OverflowError.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from fractions import Fraction
from typing import Literal, Protocol

from bitempo.engine.time import Granularity
from bitempo.ingest.dates.arithmetic import (
    DAY,
    GRANULARITIES,
    SECONDS_IN,
    Unit,
    add_months,
    end_of,
    midnight,
    shifted,
    span_of,
    start_of,
)

Kind = Literal["date", "range", "since", "until", "deadline"]


class Tense(StrEnum):
    """Which way the sentence leans; UNMARKED leans to the past, as chat tells what happened."""

    PAST = "past"
    FUTURE = "future"
    UNMARKED = "unmarked"


class Shift(StrEnum):
    """Which of the recurring times (Fridays, Mays, summers) is meant."""

    BARE = "bare"
    LAST = "last"
    THIS = "this"
    NEXT = "next"
    COMING = "coming"


@dataclass(frozen=True, slots=True)
class Context:
    """The wall-clock time of the turn, and what the sentence around the expression tells."""

    moment: datetime
    tense: Tense = Tense.UNMARKED
    perfect: bool = False

    @property
    def today(self) -> datetime:
        return midnight(self.moment.date())

    @property
    def future(self) -> bool:
        return self.tense is Tense.FUTURE


@dataclass(frozen=True, slots=True)
class Stretch:
    """Wall-clock time `[start, end)`; None is an open end.

    `last` is where the last stated unit starts, when the expression states an end of its own.
    """

    start: datetime | None
    end: datetime | None
    granularity: Granularity
    kind: Kind = "date"
    last: datetime | None = None


class Meaning(Protocol):
    """What an expression says; resolved against the turn."""

    def resolve(self, context: Context) -> Stretch:
        """The wall-clock time meant.

        Raises:
            ValueError, OverflowError: there is no such time.
        """
        ...


@dataclass(frozen=True, slots=True)
class Now:
    """The moment of the turn."""

    def resolve(self, context: Context) -> Stretch:
        return point(context.moment, Unit.SECOND)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A timestamp; one with an offset stands for itself, in whatever time zone it is read."""

    moment: datetime

    def resolve(self, context: Context) -> Stretch:
        del context
        return point(self.moment, Unit.SECOND)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The calendar unit so many units from the current one: today is (day, 0)."""

    unit: Unit
    offset: int = 0

    def resolve(self, context: Context) -> Stretch:
        start, end = span_of(self.unit, context.moment, self.offset)
        return Stretch(start, end, GRANULARITIES[self.unit])


@dataclass(frozen=True, slots=True)
class YearOf:
    """A year, absolute or counted from the current one."""

    value: int
    relative: bool = False

    def resolve(self, context: Context) -> Stretch:
        start = datetime(self.number(context), 1, 1)
        return Stretch(start, end_of(Unit.YEAR, start), Granularity.YEAR)

    def number(self, context: Context) -> int:
        return context.moment.year + self.value if self.relative else self.value


@dataclass(frozen=True, slots=True)
class Era:
    """A decade or century by its first year."""

    year: int
    unit: Unit

    def resolve(self, context: Context) -> Stretch:
        del context
        start, end = span_of(self.unit, datetime(self.year, 1, 1))
        return Stretch(start, end, GRANULARITIES[self.unit])


@dataclass(frozen=True, slots=True)
class InYear:
    """Something that every year has once: a day, month, season, quarter or holiday.

    `build` gives it for a year, and raises ValueError for a year that lacks it. `nth` counts them
    from the turn: the summer before last is the second "last" one.
    """

    build: Callable[[int], Stretch]
    year: YearOf | None = None
    shift: Shift = Shift.BARE
    nth: int = 1

    def resolve(self, context: Context) -> Stretch:
        if self.year is not None:
            return self.build(self.year.number(context))
        if self.shift is Shift.THIS:
            return self.build(context.moment.year)
        forward = self.shift in (Shift.NEXT, Shift.COMING) or (
            self.shift is Shift.BARE and context.future
        )
        step = 1 if forward else -1
        to_pass = self.nth
        for distance in range(-1, 9):
            try:
                stretch = self.build(context.moment.year + distance * step)
            except ValueError:
                continue
            to_pass -= self._fits(stretch, context)
            if to_pass == 0:
                return stretch
        raise ValueError("no year near the turn has it")

    def _fits(self, stretch: Stretch, context: Context) -> bool:
        start, end = bounded(stretch)
        today = context.today
        if self.shift is Shift.LAST:
            return end <= today
        if self.shift in (Shift.NEXT, Shift.COMING):
            return start > today
        return end > today if context.future else start <= today


@dataclass(frozen=True, slots=True)
class DayOfMonth:
    """The nth day of an unnamed month, on a stated weekday or not ("on the 29th", "Wed 13th")."""

    day: int
    weekday: int | None = None
    month: Meaning | None = None

    def resolve(self, context: Context) -> Stretch:
        if self.month is not None:
            start, _ = bounded(self.month.resolve(context))
            return whole_day(start.replace(day=self.day).date())
        step = 1 if context.future else -1
        first = start_of(Unit.MONTH, context.moment)
        for distance in range(100):
            month = add_months(first, step * distance)
            try:
                day = month.replace(day=self.day)
            except ValueError:
                continue
            right_side = day >= context.today if context.future else day <= context.today
            if right_side and self.weekday in (None, day.weekday()):
                return whole_day(day.date())
        raise ValueError("no month near the turn has such a day")


@dataclass(frozen=True, slots=True)
class Weekday:
    """A weekday (Monday 0). `week` places it inside a stated week.

    "last" is the latest before today, "coming" the first after today, "this" that of the current
    week, "next" that of the next week. `nth` counts the "last" and "coming" ones from the turn.
    """

    weekday: int
    shift: Shift = Shift.BARE
    week: Meaning | None = None
    nth: int = 1

    def resolve(self, context: Context) -> Stretch:
        today = context.today
        if self.week is not None:
            start, _ = bounded(self.week.resolve(context))
            week = start_of(Unit.WEEK, start)
            return whole_day((week + self.weekday * DAY).date())
        if self.shift in (Shift.THIS, Shift.NEXT):
            week = start_of(Unit.WEEK, today)
            day = week + (self.weekday + 7 * (self.shift is Shift.NEXT)) * DAY
            if self.shift is Shift.THIS and context.future and day < today:
                day += 7 * DAY
            return whole_day(day.date())
        if self.shift is Shift.COMING:
            ahead = (self.weekday - today.weekday() - 1) % 7 + 1 + 7 * (self.nth - 1)
            return whole_day((today + ahead * DAY).date())
        if self.shift is Shift.BARE and context.future:
            return whole_day((today + (self.weekday - today.weekday()) % 7 * DAY).date())
        ago = (today.weekday() - self.weekday - 1) % 7 + 1 + 7 * (self.nth - 1)
        return whole_day((today - ago * DAY).date())


@dataclass(frozen=True, slots=True)
class Weekend:
    """The weekend [Saturday, Monday) of a bare "the weekend" or "this weekend"."""

    shift: Shift = Shift.BARE

    def resolve(self, context: Context) -> Stretch:
        start, end = span_of(Unit.WEEKEND, context.moment)
        past = context.tense is Tense.PAST or (
            self.shift is Shift.BARE and context.tense is Tense.UNMARKED
        )
        if past and start > context.moment:
            start, end = span_of(Unit.WEEKEND, context.moment, -1)
        return Stretch(start, end, Granularity.WEEKEND)


@dataclass(frozen=True, slots=True)
class Containing:
    """The calendar unit that the start of another time lies in: "the week of 10 April"."""

    unit: Unit
    base: Meaning

    def resolve(self, context: Context) -> Stretch:
        start, end = span_of(self.unit, bounded(self.base.resolve(context))[0])
        return Stretch(start, end, GRANULARITIES[self.unit])


Amount = tuple[tuple[Fraction, Unit], ...]
"""A length of time, as counts of units that are added in turn."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A point so much time before (sign -1) or after (+1) another: "two weeks ago".

    It is the day, or below a day the minute, that the arithmetic lands on; its granularity is the
    unit it was stated in, so that "three years ago" is known to be rough.
    """

    amount: Amount
    sign: int
    base: Meaning

    def resolve(self, context: Context) -> Stretch:
        moment, _ = bounded(self.base.resolve(context))
        for count, unit in self.amount:
            moment = shifted(moment, self.sign * count, unit)
        unit = self.amount[-1][1]
        if any(unit in (Unit.SECOND, Unit.MINUTE, Unit.HOUR) for _, unit in self.amount):
            return Stretch(moment, end_of(Unit.MINUTE, moment), GRANULARITIES[unit])
        if unit is Unit.WEEKEND:
            return Stretch(*span_of(unit, moment), Granularity.WEEKEND)
        day = midnight(moment.date())
        return Stretch(day, end_of(Unit.DAY, day), GRANULARITIES[unit])


@dataclass(frozen=True, slots=True)
class Window:
    """The last (sign -1) or next (+1) so many units, without the current day.

    Quarters, decades and fortnights are whole calendar units; others are counted from the day of
    the turn, and units below a day from the moment of the turn. `open_ended`: what has lasted "for
    the past three years" goes on, when the sentence is in the perfect tense.
    """

    amount: Amount
    sign: int
    open_ended: bool = False
    from_today: bool = False

    def resolve(self, context: Context) -> Stretch:
        unit = self.amount[-1][1]
        granularity = GRANULARITIES[unit]
        whole = unit in (Unit.QUARTER, Unit.DECADE, Unit.CENTURY, Unit.FORTNIGHT, Unit.WEEKEND)
        if unit in SECONDS_IN and SECONDS_IN[unit] < SECONDS_IN[Unit.DAY]:
            near = context.moment
        elif whole and not (self.open_ended and context.perfect) and not self.from_today:
            near = start_of(unit, context.moment)
            if self.sign > 0:
                near = end_of(unit, near)
        else:
            near = context.today
            if self.sign > 0 and not self.from_today:
                near += DAY
        far = near
        for count, each in self.amount:
            far = shifted(far, self.sign * count, each)
        if far.year not in _TOLD_YEARS and context.moment.year in _TOLD_YEARS:
            raise ValueError("no one counts so far from the turn")
        if self.open_ended and context.perfect:
            return Stretch(far, None, granularity, "since")
        return Stretch(min(near, far), max(near, far), granularity, "range")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The unit before (-1) or after (+1) a time: "the week before 9 June", "the Friday after".

    The unit next to a time as long as itself or longer is a calendar unit; next to a shorter one
    it is that length of time up to it.
    """

    unit: Unit
    sign: int
    base: Meaning
    weekday: int | None = None

    def resolve(self, context: Context) -> Stretch:
        start, end = bounded(self.base.resolve(context))
        if self.weekday is not None:
            if self.sign < 0:
                ago = (start.weekday() - self.weekday - 1) % 7 + 1
                return whole_day((start - ago * DAY).date())
            return whole_day((end + (self.weekday - end.weekday()) % 7 * DAY).date())
        if self.unit is Unit.WEEKEND:
            found, found_end = span_of(self.unit, start)
            while self.sign < 0 and found_end > start:
                found, found_end = found - 7 * DAY, found_end - 7 * DAY
            while self.sign > 0 and found < end:
                found, found_end = found + 7 * DAY, found_end + 7 * DAY
            return Stretch(found, found_end, Granularity.WEEKEND)
        one = Fraction(1)
        if self.sign < 0:
            return Stretch(shifted(start, -one, self.unit), start, GRANULARITIES[self.unit])
        return Stretch(end, shifted(end, one, self.unit), GRANULARITIES[self.unit])


_TOLD_YEARS = range(1000, 3000)


def point(moment: datetime, unit: Unit) -> Stretch:
    """The unit-long stretch that starts at the moment, as precise as the unit."""
    return Stretch(moment, end_of(unit, moment), GRANULARITIES[unit])


def whole_day(day: date) -> Stretch:
    """The day as a stretch."""
    return point(midnight(day), Unit.DAY)


def bounded(stretch: Stretch) -> tuple[datetime, datetime]:
    if stretch.start is None or stretch.end is None:
        raise ValueError("an open stretch has no place that a time could be counted from")
    return stretch.start, stretch.end
