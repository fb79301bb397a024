"""Instants, half-open intervals and granularity.

An instant is an `int`: microseconds since 1970-01-01T00:00:00Z. Two sentinels stand for the
unbounded ends, so that one comparison serves bounded and unbounded intervals alike.
Nothing here reads a clock: callers hand one in (`Clock`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from bitempo.engine.errors import InvalidTimeError

Instant = int
"""Microseconds since the Unix epoch, UTC."""

TimeLike = datetime | date | str
"""What callers may hand in: an aware datetime, a date, or ISO 8601 text with an offset or `Z`.

Text may be coarser than a day: `2019`, `2019-05`.
"""

BEGINNING: Instant = -(2**62)
"""An unbounded start. Precedes every instant."""

FOREVER: Instant = 2**62
"""An unbounded end. Follows every instant."""

DAY = 86_400_000_000
"""The length of a day, in microseconds."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST_INSTANT: Instant = (datetime.min.replace(tzinfo=UTC) - EPOCH) // _MICROSECOND
_LAST_INSTANT: Instant = (datetime.max.replace(tzinfo=UTC) - EPOCH) // _MICROSECOND


class Granularity(StrEnum):
    """How precisely a time was stated; kept beside the interval it was turned into."""

    INSTANT = "instant"
    MINUTE = "minute"
    HOUR = "hour"
    PART_OF_DAY = "part_of_day"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"
    UNKNOWN = "unknown"


LONGEST_UNITS: Mapping[Granularity, int] = {
    Granularity.HOUR: DAY // 24,
    Granularity.DAY: DAY,
    Granularity.WEEKEND: 2 * DAY,
    Granularity.WEEK: 7 * DAY,
    Granularity.MONTH: 31 * DAY,
    Granularity.SEASON: 92 * DAY,
    Granularity.QUARTER: 92 * DAY,
    Granularity.YEAR: 366 * DAY,
    Granularity.DECADE: 3_653 * DAY,
    Granularity.CENTURY: 36_525 * DAY,
}
"""How long the longest unit of the calendar of each kind is, in microseconds."""


class Clock(Protocol):
    """Where the time of a call comes from. Injected, never read from the system in the engine."""

    def now(self) -> Instant:
        """The current instant, in microseconds since the Unix epoch, UTC."""
        ...


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """`[start, end)`: the start belongs to it, the end does not.

    Raises:
        InvalidTimeError: the end is not after the start, or an end that is bounded lies outside
            the years 1-9999.
    """

    start: Instant = BEGINNING
    end: Instant = FOREVER

    def __post_init__(self) -> None:
        # Almost all are in order, and reading makes thousands: they are let through at once.
        if _FIRST_INSTANT <= self.start <= _LAST_INSTANT and (
            self.start < self.end <= _LAST_INSTANT or self.end == FOREVER
        ):
            return
        for instant, unbounded in ((self.start, BEGINNING), (self.end, FOREVER)):
            if not _FIRST_INSTANT <= instant <= _LAST_INSTANT and instant != unbounded:
                raise InvalidTimeError(
                    f"{instant} microseconds since 1970 is outside the years 1 to 9999"
                )
        if self.end <= self.start:
            raise InvalidTimeError(
                f"an interval must end after it starts: from {format_instant(self.start)} "
                f"to {format_instant(self.end)}"
            )

    def __contains__(self, instant: Instant) -> bool:
        return self.start <= instant < self.end

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share at least one instant."""
        return self.start < other.end and other.start < self.end

    @property
    def from_(self) -> datetime | None:
        """The start as an aware datetime; None when unbounded."""
        return to_datetime(self.start)

    @property
    def to(self) -> datetime | None:
        """The end as an aware datetime; None when nothing has ended it."""
        return to_datetime(self.end)

    def __str__(self) -> str:
        return f"[{format_instant(self.start)}, {format_instant(self.end)})"


class FoundTime(Protocol):
    """A time expression: `text` at `[start, end)`, the time meant, and what kind of it.

    `kind` is "since" for one open above, "until" or "deadline" for one open below, "range" for
    one with two ends, and else "date".
    """

    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def valid(self) -> Interval: ...
    @property
    def granularity(self) -> Granularity: ...
    @property
    def kind(self) -> str: ...


def to_datetime(instant: Instant) -> datetime | None:
    """The instant as an aware UTC datetime; None for the two unbounded sentinels."""
    if instant in (BEGINNING, FOREVER):
        return None
    return EPOCH + timedelta(microseconds=instant)


def from_datetime(moment: datetime) -> Instant:
    """Microseconds since the epoch of an aware datetime; offsets are normalised to UTC.

    Raises:
        InvalidTimeError: the datetime is naive, or leaves the years 1-9999 once normalised.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidTimeError(
            f"{moment.isoformat()} has no UTC offset; give an aware datetime, for example "
            "datetime(2024, 5, 1, tzinfo=UTC), or text that ends in Z or +02:00"
        )
    instant = (moment - EPOCH) // _MICROSECOND
    if not _FIRST_INSTANT <= instant <= _LAST_INSTANT:
        raise InvalidTimeError(f"{moment.isoformat()} is outside the years 1 to 9999 in UTC")
    return instant


def format_instant(instant: Instant) -> str:
    """ISO 8601 with `Z`, microseconds only when set; `-inf` and `inf` for the sentinels."""
    if instant == BEGINNING:
        return "-inf"
    if instant == FOREVER:
        return "inf"
    text = (EPOCH + timedelta(microseconds=instant)).isoformat()
    return text.replace("+00:00", "Z")


def parse_time(value: TimeLike) -> tuple[Interval, Granularity]:
    """The interval that a stated time covers, with its granularity.

    `2019` covers that year, `2019-05` that month, a date that day (UTC), a full timestamp the
    one microsecond that it names. What reaches the end of the year 9999 is unbounded above.

    Raises:
        InvalidTimeError: naive timestamp, unparsable text, or a time outside the years 1-9999.
    """
    if isinstance(value, datetime):
        return _instant(from_datetime(value))
    if isinstance(value, date):
        return _day(value)
    if not isinstance(value, str):
        raise InvalidTimeError(
            f"a time must be a datetime, a date or ISO 8601 text, not {type(value).__name__}"
        )
    text = value.strip()
    for pattern, parse in ((_YEAR, _year), (_MONTH, _month), (_DATE, _iso_day)):
        match = pattern.fullmatch(text)
        if match:
            try:
                return parse(*(int(group) for group in match.groups()))
            except ValueError as error:
                raise InvalidTimeError(f"{value!r} is not a date: {error}") from error
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidTimeError(
            f"{value!r} is not a time; use ISO 8601, for example 2024-05-01 or 2024-05-01T12:00:00Z"
        ) from error
    return _instant(from_datetime(moment))


def parse_instant(value: TimeLike) -> Instant:
    """The instant at which the stated time starts.

    Raises:
        InvalidTimeError: as `parse_time`.
    """
    return parse_time(value)[0].start


_YEAR = re.compile(r"(\d{4})")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


def _instant(instant: Instant) -> tuple[Interval, Granularity]:
    return _period(instant, instant + 1), Granularity.INSTANT


def _day(day: date) -> tuple[Interval, Granularity]:
    start = from_datetime(datetime(day.year, day.month, day.day, tzinfo=UTC))
    return _period(start, start + DAY), Granularity.DAY


def _iso_day(year: int, month: int, day: int) -> tuple[Interval, Granularity]:
    return _day(date(year, month, day))


def _month(year: int, month: int) -> tuple[Interval, Granularity]:
    following = (year + 1, 1) if month == 12 else (year, month + 1)
    return _period(_midnight(year, month), _midnight(*following)), Granularity.MONTH


def _year(year: int) -> tuple[Interval, Granularity]:
    return _period(_midnight(year, 1), _midnight(year + 1, 1)), Granularity.YEAR


def _midnight(year: int, month: int) -> Instant:
    if year > 9999:
        return FOREVER
    return from_datetime(datetime(year, month, 1, tzinfo=UTC))


def _period(start: Instant, end: Instant) -> Interval:
    # Past the calendar no end can be written or shown; a period that closes there has none.
    return Interval(start, end if end <= _LAST_INSTANT else FOREVER)
