"""Dates and times as other people's files write them.

Dates without an offset are taken in the time zone of the load. This is the one exception to
"naive times are refused": these formats have no offsets, and the loader's caller names the zone.
"""

from __future__ import annotations

import contextlib
import re
from datetime import datetime, time, tzinfo

from bitempo.engine.errors import InvalidTimeError
from bitempo.engine.time import Instant
from bitempo.ingest.sessions import moment


def parse_stamp(value: object, timezone: tzinfo) -> Instant:
    """The instant of a date with or without a time of day; a date alone is its midnight.

    Reads ISO 8601, "2023/04/10 (Mon) 23:07", "1:56 pm on 8 May, 2023", "May 8, 2023 13:56".

    Raises:
        InvalidTimeError: not text, more or less than a date, or there is no such date.
    """
    if not isinstance(value, str):
        raise InvalidTimeError(f"a date must be text, not {type(value).__name__}")
    with contextlib.suppress(ValueError):
        return moment(datetime.fromisoformat(value.strip()), timezone)
    found = _find(value)
    if found is None or _FILLER.sub("", found[1]):
        raise InvalidTimeError(f"{value!r} is not a date that is known here")
    return _moment(found[0], value, timezone)


def find_stamp(text: str, timezone: tzinfo) -> Instant | None:
    """The instant of the first date in a text, with the first time of day in it; None if none.

    Raises:
        InvalidTimeError: it looks like a date, but there is no such date.
    """
    iso = _ISO.search(text)
    if iso:
        with contextlib.suppress(ValueError):
            return moment(datetime.fromisoformat(iso.group()), timezone)
    found = _find(text)
    return None if found is None else _moment(found[0], text, timezone)


def parse_clock(text: str) -> time | None:
    """The time of day that the whole text is ("10:32", "1:56 pm"); None if it is none."""
    match = _TIME.fullmatch(text.strip())
    return _time(match) if match else None


_Parts = tuple[int, int, int, time | None]

_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
_MONTHS = {
    short: number
    for number, name in enumerate(_MONTH_NAMES.split(), start=1)
    for short in (name, name[:3], name[:4])
}
_MONTH = r"(?P<month>[A-Za-z]{3,9})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATES = (
    re.compile(r"\b(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?!\d)"),
    re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?\s+(?P<year>\d{{4}})\b"),
    re.compile(rf"\b{_MONTH}\s+{_DAY},?\s+(?P<year>\d{{4}})\b"),
)
_TIME = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?![\d:])"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?")
_FILLER = re.compile(
    r"\b(?:on|at|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b|[\s,.()T-]",
    re.IGNORECASE,
)


def _find(text: str) -> tuple[_Parts, str] | None:
    """Year, month, day and time of day, with what is left of the text."""
    for pattern in _DATES:
        for match in pattern.finditer(text):
            name = match["month"].lower()
            month = int(name) if name.isdecimal() else _MONTHS.get(name)
            if month is None:
                continue
            rest = text[: match.start()] + " " + text[match.end() :]
            clock = _TIME.search(rest)
            at = _time(clock) if clock else None
            if clock and at is not None:
                rest = rest[: clock.start()] + " " + rest[clock.end() :]
            return (int(match["year"]), month, int(match["day"]), at), rest
    return None


def _time(match: re.Match[str]) -> time | None:
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    try:
        return time(hour, int(match["minute"]), int(match["second"] or 0))
    except ValueError:
        return None


def _moment(parts: _Parts, text: str, timezone: tzinfo) -> Instant:
    year, month, day, at = parts
    try:
        date = datetime(year, month, day)
    except ValueError as error:
        raise InvalidTimeError(f"{text!r} is not a date: {error}") from error
    return moment(datetime.combine(date, at or time()), timezone)
