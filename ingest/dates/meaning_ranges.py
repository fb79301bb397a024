"""Meanings with two ends or an open one: ranges, since, until, deadlines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from bitempo.engine.time import Granularity
from bitempo.ingest.dates.arithmetic import GRANULARITIES, shifted
from bitempo.ingest.dates.meaning import (
    Amount,
    Context,
    DayOfMonth,
    InYear,
    Kind,
    Meaning,
    Shift,
    Stretch,
    Tense,
    Weekday,
    bounded,
)


@dataclass(frozen=True, slots=True)
class Between:
    """From one time to another; `through` keeps the last unit in, `until` leaves it out."""

    first: Meaning
    second: Meaning
    through: bool = True

    def resolve(self, context: Context) -> Stretch:
        first = self._first(context)
        start, _ = bounded(first)
        second = self._second(context, start)
        last_start, last_end = bounded(second)
        stated = second.last or last_start
        end = last_end if self.through or second.last else last_start
        if second.granularity in _MOMENTS:
            end = stated
        return Stretch(start, end, second.granularity, "range", last=stated)

    def _first(self, context: Context) -> Stretch:
        """The start; it borrows the year that only the end states ("from March to May 2021")."""
        first, second = self.first, self.second
        if _yearless(first) and _yearless(second) and context.future:
            return self._still_running(context)
        if not (_yearless(first) and isinstance(second, InYear) and second.year):
            return first.resolve(context)
        assert isinstance(first, InYear)
        year = second.year.number(context)
        found = first.build(year)
        if bounded(found)[0] > bounded(second.build(year))[0]:
            return first.build(year - 1)
        return found

    def _still_running(self, context: Context) -> Stretch:
        """The start of the first such range that is not over yet."""
        first = self.first
        assert isinstance(first, InYear)
        found = first.resolve(context)
        earlier = first.build(bounded(found)[0].year - 1)
        stop = bounded(self._second(context, bounded(earlier)[0]))[1]
        return earlier if stop > context.today else found

    def _second(self, context: Context, start: datetime) -> Stretch:
        """The end; an incomplete one is the first after the start."""
        second = self.second
        if _yearless(second):
            assert isinstance(second, InYear)
            found = second.build(start.year)
            return found if bounded(found)[0] >= start else second.build(start.year + 1)
        if isinstance(second, Weekday) and second.shift is Shift.BARE and second.week is None:
            return second.resolve(Context(start, Tense.FUTURE))
        if isinstance(second, DayOfMonth) and second.month is None:
            return second.resolve(Context(start, Tense.FUTURE))
        return second.resolve(context)


@dataclass(frozen=True, slots=True)
class Ahead:
    """A time that lies ahead unless the sentence says otherwise: "starting Monday"."""

    base: Meaning

    def resolve(self, context: Context) -> Stretch:
        if context.tense is Tense.UNMARKED:
            context = replace(context, tense=Tense.FUTURE)
        return self.base.resolve(context)


@dataclass(frozen=True, slots=True)
class Behind:
    """A time that lies behind even in a sentence about what comes: "I'm getting fit since May"."""

    base: Meaning

    def resolve(self, context: Context) -> Stretch:
        if context.future:
            context = replace(context, tense=Tense.UNMARKED)
        return self.base.resolve(context)


@dataclass(frozen=True, slots=True)
class AsOf:
    """What holds from a time on ("as of 1 June"); what was so "as of" a time tells that time only.

    A day without a year is this year's when it has come and nothing looks ahead, else the nearest.
    """

    base: Meaning

    def resolve(self, context: Context) -> Stretch:
        if context.tense is Tense.PAST:
            return self.base.resolve(context)
        found = self.base.resolve(context)
        if _yearless(self.base):
            ahead = Ahead(self.base).resolve(replace(context, tense=Tense.UNMARKED))
            behind = Behind(self.base).resolve(context)
            start = bounded(behind)[0]
            nearer = context.today - start <= bounded(ahead)[0] - context.today
            this_year = start.year == context.moment.year and not context.future
            found = behind if nearer or this_year else ahead
        return Stretch(bounded(found)[0], None, found.granularity, "since")


@dataclass(frozen=True, slots=True)
class Since:
    """From the start of a time on; `after` it has ended when so said."""

    base: Meaning
    after: bool = False

    def resolve(self, context: Context) -> Stretch:
        stretch = self.base.resolve(context)
        start, end = bounded(stretch)
        moment = end if self.after and stretch.granularity not in _MOMENTS else start
        return Stretch(moment, None, stretch.granularity, "since")


@dataclass(frozen=True, slots=True)
class Until:
    """Up to a time: not into it, unless `through` it. A deadline may use all of it."""

    base: Meaning
    through: bool = False
    kind: Kind = "until"

    def resolve(self, context: Context) -> Stretch:
        stretch = Ahead(self.base).resolve(context)
        start, end = bounded(stretch)
        stated = stretch.last or start
        take_all = self.through or self.kind == "deadline" or stretch.last is not None
        moment = end if take_all and stretch.granularity not in _MOMENTS else stated
        return Stretch(None, moment, stretch.granularity, self.kind, last=stated)


@dataclass(frozen=True, slots=True)
class Lasting:
    """So much time from a stated start: "for three days from today"."""

    amount: Amount
    base: Meaning

    def resolve(self, context: Context) -> Stretch:
        start, _ = bounded(self.base.resolve(context))
        end = start
        for count, unit in self.amount:
            end = shifted(end, count, unit)
        return Stretch(start, end, GRANULARITIES[self.amount[-1][1]], "range")


def _yearless(meaning: Meaning) -> bool:
    return isinstance(meaning, InYear) and meaning.year is None and meaning.shift is Shift.BARE


_MOMENTS = (Granularity.INSTANT, Granularity.MINUTE, Granularity.HOUR)
