"""English dates in digits: ISO, 2019/aug/01, 9/6/2023 (month first, unless that is no month)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from bitempo.ingest.dates.english_calendar import (
    Parsed,
    day_of_year,
    month_of_year,
    two_digit_year,
)
from bitempo.ingest.dates.english_words import MONTHS, WEEKDAYS, Words
from bitempo.ingest.dates.meaning import InYear, Meaning, Stamp, YearOf


def in_digits(words: Words, index: int, stated: bool) -> Parsed | None:
    """A date written with separators. Month and day alone need a preposition or a weekday."""
    place = words.starts[index]
    alone = stated or _day_may_follow(words, index)
    # After a date and a dash ("10/1/2018-10/7/2018") the date starts beside a digit.
    patterns = _PATTERNS_JOINED if stated else _PATTERNS
    for pattern, build, needs_preposition in patterns:
        match = pattern.match(words.text, place)
        if match is None or (needs_preposition and not alone):
            continue
        end = words.index_ending(match.end(), index)
        try:
            return (build(match), end) if end else None
        except ValueError:
            return None
    return None


def month_and_day(words: Words, index: int) -> Parsed | None:
    """Two numbers in a range of such ("10/1-11/2/2017"), where what follows may be a dash."""
    match = _SHORT_IN_RANGE.match(words.text, words.starts[index])
    end = words.index_ending(match.end(), index) if match else 0
    try:
        return (_month_day(match), end) if match and end else None
    except ValueError:
        return None


def _day_may_follow(words: Words, index: int) -> bool:
    before = words.at(index - 1)
    if before == ",":
        before = words.at(index - 2)
    return before in _DAY_PREPOSITIONS or before in WEEKDAYS


def _day(year: int, month: int, day: int) -> Meaning:
    if month > 12:
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError("no such day")
    return InYear(day_of_year(month, day), YearOf(year))


def _year_first(match: re.Match[str]) -> Meaning:
    return _day(int(match["year"]), int(match["month"]), int(match["day"]))


def _month_first(match: re.Match[str]) -> Meaning:
    year = int(match["year"])
    return _day(
        two_digit_year(year) if year < 100 else year, int(match["month"]), int(match["day"])
    )


def _named(match: re.Match[str]) -> Meaning:
    month = MONTHS.get(match["name"].lower())
    if month is None:
        raise ValueError("no such month")
    return _day(int(match["year"]), month, int(match["day"]))


def _month(match: re.Match[str]) -> Meaning:
    return InYear(month_of_year(int(match["month"])), YearOf(int(match["year"])))


def _month_day(match: re.Match[str]) -> Meaning:
    first, second = int(match["month"]), int(match["day"])
    if first > 12:
        first, second = second, first
    if not (1 <= first <= 12 and 1 <= second <= 31):
        raise ValueError("no such day")
    return InYear(day_of_year(first, second))


def _stamp(match: re.Match[str]) -> Meaning:
    return Stamp(datetime.fromisoformat(match.group().upper()))


_FREE = r"(?<![0-9])(?<![0-9][-/.:])"
_DONE = r"(?![0-9])(?![/.:][0-9])"
_YEAR = r"(?P<year>[12][0-9]{3})"
_RECENT = r"(?P<year>(?:19|20)[0-9]{2})"
_NAME = r"(?P<name>[A-Za-z]{3,9})"
_SHORT = r"(?P<month>[0-9]{1,2})%s(?P<day>[0-9]{1,2})"
_SHAPES: list[tuple[str, Callable[[re.Match[str]], Meaning], bool]] = [
    (
        r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
        r"(?:[Zz]|[-+][0-9]{2}:?[0-9]{2})?",
        _stamp,
        False,
    ),
    (
        _YEAR + r"(?P<sign>[-/.])(?P<month>[0-9]{1,2})(?P=sign)(?P<day>[0-9]{1,2})",
        _year_first,
        False,
    ),
    (_YEAR + r"[-/]" + _NAME + r"[-/](?P<day>[0-9]{1,2})", _named, False),
    (_YEAR + r"[-/](?P<day>[0-9]{1,2})[-/]" + _NAME, _named, False),
    (r"(?P<day>[0-9]{1,2})[-/]" + _YEAR + r"[-/]" + _NAME, _named, False),
    (_NAME + r"[-/]" + _YEAR + r"[-/](?P<day>[0-9]{1,2})", _named, False),
    (
        r"(?P<month>[0-9]{1,2})(?P<sign>[-/.])(?P<day>[0-9]{1,2})(?P=sign)"
        r"(?P<year>[12][0-9]{3}|(?<![.])[0-9]{2})",
        _month_first,
        False,
    ),
    (_RECENT + r"(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12][0-9]|3[01])(?!-)", _year_first, False),
    (_RECENT + r"-(?P<month>0[1-9]|1[0-2])(?![-A-Za-z])", _month, False),
    (r"(?P<month>0?[1-9]|1[0-2])[-/]" + _RECENT + r"(?!-)", _month, False),
    (_SHORT % "/" + r"(?![-A-Za-z%])", _month_day, True),
    (_SHORT % "[-.]" + r"(?![-A-Za-z%])", _month_day, True),
]
_PATTERNS = [(re.compile(_FREE + shape + _DONE), build, alone) for shape, build, alone in _SHAPES]
_PATTERNS_JOINED = [
    (re.compile(r"(?<![0-9])(?<![0-9][/.:])" + shape + _DONE), build, alone)
    for shape, build, alone in _SHAPES
]
_SHORT_IN_RANGE = re.compile(r"(?<![0-9])(?<![0-9][/.:])" + _SHORT % "/" + _DONE)
_DAY_PREPOSITIONS = frozenset("on by since until till before after".split())
