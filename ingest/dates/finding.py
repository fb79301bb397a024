"""Finding the time expressions of a text and giving each its interval in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from bitempo.engine.time import (
    BEGINNING,
    FOREVER,
    Granularity,
    Instant,
    Interval,
    from_datetime,
    to_datetime,
)
from bitempo.ingest.dates.fallback import search
from bitempo.ingest.dates.language import DateLanguage, language_for
from bitempo.ingest.dates.meaning import Context, Kind, Stretch


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time as told in a text.

    `text` stands at `[start, end)`, in characters. `valid` is the time meant, half-open, in UTC;
    BEGINNING and FOREVER stand for open ends. `granularity` is the unit it was told in: "three
    years ago" is one day, of granularity year. `source` is "rules" or "dateparser".
    `last_unit_start` is where the last stated unit of a range or limit starts (1 May of "March to
    May 2021", whose interval runs through May), for callers who leave that unit out.
    """

    text: str
    start: int
    end: int
    valid: Interval
    granularity: Granularity
    kind: Kind
    source: str
    last_unit_start: Instant | None = None


def find_times(
    text: str, reference: Instant, *, language: str = "en", timezone: tzinfo = UTC
) -> list[TimeExpression]:
    """The time expressions of a text, in text order, without overlaps, the longest at each place.

    Args:
        text: what was said; any text, of any length.
        reference: when it was said, in microseconds since the epoch.
        language: ISO 639-1 code.
        timezone: where it was said; days start at its midnight.

    Raises:
        InvalidInputError: the language is not registered.
    """
    reader = language_for(language)
    moment = _wall_clock(reference, timezone)
    if moment is None or not reader.may_tell_time(text):
        return []
    found = list(_by_rules(text, reader, moment, timezone))
    return found or list(_by_library(text, reader, moment, timezone))


_FIRST = from_datetime(datetime.min.replace(tzinfo=UTC))
_LAST = from_datetime(datetime.max.replace(tzinfo=UTC))


def _by_rules(
    text: str, language: DateLanguage, moment: datetime, timezone: tzinfo
) -> Iterator[TimeExpression]:
    reading = language.read(text)
    for candidate in reading.candidates():
        place = candidate.start
        context = Context(moment, reading.tense_at(place), reading.perfect_at(place))
        try:
            stretch = candidate.meaning.resolve(context)
        except (ValueError, OverflowError):
            continue
        expression = _expression(text, place, candidate.end, stretch, timezone, "rules")
        if expression is not None:
            yield expression


def _by_library(
    text: str, language: DateLanguage, moment: datetime, timezone: tzinfo
) -> Iterator[TimeExpression]:
    for start, end, stretch in search(text, moment, language.code, language.looks_explicit):
        expression = _expression(text, start, end, stretch, timezone, "dateparser")
        if expression is not None:
            yield expression


def _expression(
    text: str, start: int, end: int, stretch: Stretch, timezone: tzinfo, source: str
) -> TimeExpression | None:
    first = BEGINNING if stretch.start is None else _instant(stretch.start, timezone)
    last = FOREVER if stretch.end is None else _instant(stretch.end, timezone)
    if last <= first:
        return None
    stated = None if stretch.last is None else _instant(stretch.last, timezone)
    valid = Interval(first, last)
    part = text[start:end]
    return TimeExpression(
        part, start, end, valid, stretch.granularity, stretch.kind, source, stated
    )


def _wall_clock(reference: Instant, timezone: tzinfo) -> datetime | None:
    """The local time of the turn; None when it is open or outside the years 1 to 9999."""
    try:
        moment = to_datetime(reference)
        return None if moment is None else moment.astimezone(timezone).replace(tzinfo=None)
    except OverflowError:
        return None


def _instant(moment: datetime, timezone: tzinfo) -> Instant:
    try:
        instant = from_datetime(moment if moment.tzinfo else moment.replace(tzinfo=timezone))
    except OverflowError:
        instant = _FIRST if moment.year == 1 else _LAST
    return min(max(instant, _FIRST), _LAST)
