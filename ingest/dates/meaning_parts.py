"""Meanings made of other meanings: parts of a time, times of day, ranges and open ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Literal

from bitempo.engine.time import Granularity
from bitempo.ingest.dates.arithmetic import (
    DAY,
    Unit,
    midnight,
    nth_weekday,
    shifted,
    start_of,
)
from bitempo.ingest.dates.meaning import (
    Context,
    Kind,
    Meaning,
    Stretch,
    bounded,
    point,
    whole_day,
)

Which = Literal["early", "mid", "late", "end", "earlier", "later"]

PARTS_OF_DAY = {
    "morning": (8, 12),
    "noon": (12, 13),
    "afternoon": (12, 16),
    "evening": (16, 20),
    "night": (20, 24),
}
"""Hours, half-open. They divide the waking day without overlap (as TIMEX3 tools read it)."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Part of a time.

    "early", "mid" and "late" or "end" are thirds of a year or longer, else halves (mid: the
    middle half). "earlier" is the first half up to the turn, "later" the second half after it.
    The end of a day is its last second.
    """

    which: Which
    base: Meaning

    def resolve(self, context: Context) -> Stretch:
        stretch = self.base.resolve(context)
        start, end = bounded(stretch)
        if stretch.granularity is Granularity.DAY:
            return self._of_day(start, end, context)
        if self.which in ("earlier", "later"):
            return self._of_current(start, end, stretch.granularity, context)
        first, last = self._cuts(start, end, stretch.granularity)
        if self.which == "early":
            return Stretch(start, first, stretch.granularity)
        if self.which == "mid":
            return Stretch(first, last, stretch.granularity)
        return Stretch(last, end, stretch.granularity, last=end if self.which == "end" else None)

    def _cuts(
        self, start: datetime, end: datetime, granularity: Granularity
    ) -> tuple[datetime, datetime]:
        long = granularity in (Granularity.YEAR, Granularity.DECADE, Granularity.CENTURY)
        if long:
            months = (end.year - start.year) * 12 + end.month - start.month
            third = Fraction(months, 3)
            return shifted(start, third, Unit.MONTH), shifted(start, 2 * third, Unit.MONTH)
        days = (end - start) / DAY
        if self.which == "mid":
            return start + round(days / 4) * DAY, start + round(days * 3 / 4) * DAY
        half = start + int((days + (granularity is not Granularity.MONTH)) // 2) * DAY
        if granularity is Granularity.WEEK:
            half = start + 3 * DAY
        return half, half

    def _of_day(self, start: datetime, end: datetime, context: Context) -> Stretch:
        hours = {"early": (0, 12), "mid": (10, 14), "late": (16, 24)}.get(self.which)
        if self.which == "end":
            second = end - timedelta(seconds=1)
            return Stretch(second, end, Granularity.MINUTE, last=end)
        if hours is None:
            now = context.moment
            start, end = (start, now) if self.which == "earlier" else (now, end)
            return Stretch(start, end, Granularity.PART_OF_DAY)
        return Stretch(
            start + timedelta(hours=hours[0]),
            start + timedelta(hours=hours[1]),
            Granularity.PART_OF_DAY,
        )

    def _of_current(
        self, start: datetime, end: datetime, granularity: Granularity, context: Context
    ) -> Stretch:
        months = round((end - start).days / 30.4)
        if months > 1:
            half = shifted(start, Fraction(months, 2), Unit.MONTH)
        else:
            half = start + (end - start).days // 2 * DAY
        today = context.today
        if self.which == "earlier":
            stop = min(half, today)
            return Stretch(start, stop if stop > start else start + DAY, granularity)
        begin = max(half, today)
        return Stretch(begin if begin < end else end - DAY, end, granularity)


@dataclass(frozen=True, slots=True)
class PartOfDay:
    """A morning, afternoon, evening or night of a day; early and late are its halves."""

    part: str
    day: Meaning
    which: Which | None = None

    def resolve(self, context: Context) -> Stretch:
        start, _ = bounded(self.day.resolve(context))
        first, last = PARTS_OF_DAY[self.part]
        if self.which in ("early", "earlier"):
            last = (first + last) // 2
        elif self.which in ("late", "later"):
            first = (first + last) // 2
        return Stretch(
            start + timedelta(hours=first), start + timedelta(hours=last), Granularity.PART_OF_DAY
        )


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day. Without am or pm the hours 1 to 7 are read as afternoon and evening."""

    hour: int
    minute: int | None = None
    second: int | None = None
    half: Literal["am", "pm"] | None = None

    def on(self, day: datetime, part: str | None = None, half: str | None = None) -> Stretch:
        """The time on a day, of which the part was named."""
        hour, half = self.hour, self.half or half
        if hour > 24 or (self.minute or 0) > 59 or (self.second or 0) > 59:
            raise ValueError("no such time of day")
        if part == "night" and half != "pm" and (hour < 6 or (hour == 12 and half is None)):
            day, hour = day + DAY, hour % 12
        elif half == "am":
            hour = hour % 12 if hour <= 12 else hour
        elif half == "pm" or part in ("afternoon", "evening", "night"):
            hour = hour + 12 if hour < 12 else hour
        elif part is None and 1 <= hour <= 7 and self.minute != -1:
            hour += 12
        unit = Unit.SECOND if self.second is not None else Unit.MINUTE
        if self.minute is None:
            unit = Unit.HOUR
        moment = day + timedelta(hours=hour, minutes=self.minute or 0, seconds=self.second or 0)
        return point(moment, unit)


@dataclass(frozen=True, slots=True)
class At:
    """A time of day on a day, or in a part of one."""

    clock: Clock
    day: Meaning

    def resolve(self, context: Context) -> Stretch:
        start, _ = bounded(self.day.resolve(context))
        part = self.day.part if isinstance(self.day, PartOfDay) else None
        return self.clock.on(midnight(start.date()), part)


@dataclass(frozen=True, slots=True)
class Hours:
    """From one time of day to another; the first takes the am or pm of the second if it fits."""

    first: Clock
    second: Clock
    day: Meaning
    kind: Kind = "range"

    def resolve(self, context: Context) -> Stretch:
        start, _ = bounded(self.day.resolve(context))
        day = midnight(start.date())
        part = self.day.part if isinstance(self.day, PartOfDay) else None
        ending = self.second.on(day, part, self._half_of_second())
        beginning = self.first.on(day, part)
        if self.first.half is None and self.second.half is not None:
            same = self.first.on(day, part, self.second.half)
            if bounded(same)[0] < bounded(ending)[0]:
                beginning = same
        if self.first.half is None and self.second.half is None and part is None:
            # "6-8": the second is in the same half of the day as the first.
            near = self.second.on(day, part, "pm")
            if self.first.hour < self.second.hour < 12 and self.first.hour <= 7:
                ending = near
        stop = bounded(ending)[0]
        if stop <= bounded(beginning)[0]:
            stop += DAY
        return Stretch(beginning.start, stop, ending.granularity, "range")

    def _half_of_second(self) -> Literal["am", "pm"] | None:
        if self.second.half or not self.first.half:
            return self.second.half
        later = self.first.hour % 12 < self.second.hour % 12
        if self.first.half == "am":
            return "am" if later and self.second.hour != 12 else "pm"
        return "pm" if later else None


@dataclass(frozen=True, slots=True)
class NthWeekday:
    """The nth (1 to 5; -1 the last) weekday of a month."""

    nth: int
    weekday: int
    month: Meaning

    def resolve(self, context: Context) -> Stretch:
        start, _ = bounded(self.month.resolve(context))
        day = nth_weekday(start.year, start.month, self.weekday, self.nth)
        if day.month != start.month:
            raise ValueError("the month has no such weekday")
        return whole_day(day)


@dataclass(frozen=True, slots=True)
class NthWeek:
    """The nth week of a month or year (-1 the last): weeks belong where their Thursday lies."""

    nth: int
    within: Meaning
    count: int = 1

    def resolve(self, context: Context) -> Stretch:
        start, end = bounded(self.within.resolve(context))
        if self.nth > 0:
            week = start_of(Unit.WEEK, start)
            if week + 3 * DAY < start:
                week += 7 * DAY
            week += 7 * (self.nth - 1) * DAY
        else:
            week = start_of(Unit.WEEK, end - DAY)
            if week + 3 * DAY >= end:
                week -= 7 * DAY
            week -= 7 * (self.count - 1) * DAY
        if week >= end:
            raise ValueError("no such week")
        return Stretch(week, week + 7 * self.count * DAY, Granularity.WEEK)
