"""Times, intervals and marks in words, as people read them. All times are UTC."""

from __future__ import annotations

from datetime import datetime

from bitempo.engine.model import Fact, Modality
from bitempo.engine.time import BEGINNING, FOREVER, Granularity, Instant, Interval, to_datetime

_NAMED = {
    Granularity.PART_OF_DAY: "part of the day",
    Granularity.WEEKEND: "weekend",
    Granularity.WEEK: "week",
    Granularity.SEASON: "season",
}


def moment(instant: Instant) -> str:
    """The instant to the minute; a midnight is shown as its date."""
    at = to_datetime(instant)
    if at is None:
        return "always" if instant == BEGINNING else "open"
    midnight = (at.hour, at.minute, at.second, at.microsecond) == (0, 0, 0, 0)
    return f"{at:%Y-%m-%d}" if midnight else f"{at:%Y-%m-%d %H:%M}"


def valid(fact: Fact) -> str:
    """When the fact holds, as `since 2024-06`, `2024-01-14 to 2024-03-01`, `until 2024-03-01`.

    The start is shown no more precisely than it was stated, and an inferred one as its day.
    """
    if fact.valid.start == BEGINNING:
        return span(fact.valid)
    at = to_datetime(fact.valid.start)
    start = None if at is None else _coarse(at, fact.granularity)
    return span(fact.valid, start)


def span(interval: Interval, start: str | None = None) -> str:
    """An interval in the same words, in days where that tells its ends apart."""
    if interval.start == BEGINNING:
        return "always" if interval.end == FOREVER else f"until {_day(interval.end)}"
    first = start or _day(interval.start)
    if interval.end == FOREVER:
        return f"since {first}"
    if _day(interval.start) == _day(interval.end):
        return f"{moment(interval.start)} to {moment(interval.end)}"
    return f"{first} to {_day(interval.end)}"


def marks(fact: Fact) -> str:
    """What a reader should know about the fact: what was not stated outright, and doubts.

    "inferred" is a fact that was read out of a sentence, "inferred start" one that nobody gave
    a start for: it holds from when it was said.
    """
    inferred = [["", "inferred start"], ["inferred", "inferred + start"]]
    found = [
        inferred[fact.inferred][fact.from_inferred],
        "" if fact.modality is Modality.ACTUAL else str(fact.modality),
        "contested" if fact.contested else "",
        "conflict" if fact.conflicts else "",
        f"due {_day(fact.due.start)}" if fact.due is not None else "",
    ]
    return ", ".join(mark for mark in found if mark)


def _day(instant: Instant) -> str:
    return moment(instant)[:10]


def _coarse(at: datetime, granularity: Granularity) -> str:
    match granularity:
        case Granularity.MINUTE | Granularity.HOUR:
            return f"{at:%Y-%m-%d %H:%M}"
        case Granularity.DAY | Granularity.INSTANT | Granularity.UNKNOWN:
            return f"{at:%Y-%m-%d}"
        case Granularity.MONTH:
            return f"{at:%Y-%m}"
        case Granularity.QUARTER:
            return f"{at:%Y} Q{(at.month + 2) // 3}"
        case Granularity.YEAR:
            return f"{at:%Y}"
        case Granularity.DECADE:
            return f"{at:%Y}s"
        case Granularity.CENTURY:
            return f"century from {at:%Y}"
        case _:
            return f"{at:%Y-%m-%d} ({_NAMED[granularity]})"
