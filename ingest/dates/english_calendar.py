"""English names of calendar times: months, years, seasons, quarters, decades, holidays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

from bitempo.engine.time import Granularity
from bitempo.ingest.dates.arithmetic import DAY, Unit, easter, end_of, nth_weekday
from bitempo.ingest.dates.english_numbers import day_number, ordinal_number, year_in_words
from bitempo.ingest.dates.english_words import (
    DECADE_WORDS,
    MEASURES,
    MONTHS,
    NOT_A_HOLIDAY,
    NOT_A_SEASON,
    SEASONS,
    SHIFTS,
    SURE_MONTHS,
    Words,
)
from bitempo.ingest.dates.meaning import (
    Containing,
    Era,
    InYear,
    Meaning,
    Shift,
    Stretch,
    YearOf,
    point,
    whole_day,
)

Parsed = tuple[Meaning, int]
"""A meaning, and the index of the word after it."""


def month(words: Words, index: int, stated: bool) -> Parsed | None:
    """A month, with its year or not: "May 2021", "last March", "June of last year", "July".

    `stated` tells that a preposition before it already makes a time of it.
    """
    shift = SHIFTS.get(words.at(index))
    here = index + (shift is not None)
    name = words.at(here)
    number = MONTHS.get(name)
    if number is None:
        return None
    here += 1
    build = month_of_year(number)
    if shift is not None:
        return InYear(build, None, shift), here
    year = year_after(words, here)
    if year is not None:
        return InYear(build, year[0]), year[1]
    before = words.at(index - 1)
    sure = stated or before in _MONTH_PREPOSITIONS or name in SURE_MONTHS
    if not sure or (name == "may" and words.at(here) in _AFTER_MODAL):
        return None
    return InYear(build), index + 1


def month_day(words: Words, index: int) -> Parsed | None:
    """A day of a named month: "June 9th 2023", "the 9th of June", "twenty five January 1986"."""
    here = words.skip(index, "the")
    if words.at(here) in MONTHS:
        number = MONTHS[words.at(here)]
        here = words.skip(words.skip(here + 1, ".", "/", "-", ","), "the")
        day = day_number(words, here)
        if day is None or _goes_on(words, here, day[1]):
            return None
    else:
        day = day_number(words, here)
        if day is None or words.at(here - 1) in _CURRENCIES:
            return None
        here = words.skip(words.skip(day[1], "day"), "of", "-", "/", ".")
        here = words.skip(here, "the")
        if words.at(here) not in MONTHS:
            return None
        number = MONTHS[words.at(here)]
        day = (day[0], here + 1)
    build = day_of_year(number, day[0])
    short_year = _year_after_sign(words, day[1])
    if short_year is not None:
        return InYear(build, YearOf(short_year)), day[1] + 2
    year = year_after(words, day[1])
    if year is not None:
        return InYear(build, year[0]), year[1]
    return InYear(build), day[1]


def year_after(words: Words, index: int) -> tuple[YearOf, int] | None:
    """A year that follows a day, month, season or holiday: ", 2021", "of 87", "last year"."""
    # The point of "Sept. 2019"; one that ends a sentence is no part of the time.
    name = words.at(index - 1)
    abbreviated = name in MONTHS and len(name) <= 4 and name not in ("may", "june", "july")
    short = abbreviated and words.at(index) == "." and words.glued(index)
    here = words.skip(index + short, ",", "/", "-", "of", "in", "'")
    here = words.skip(here, "the")
    of = words.at(index) in ("of", "'")
    here = words.skip(here, "year")
    word = words.at(here)
    if word.isdecimal():
        if _goes_on(words, here, here + 1):
            return None
        if len(word) == 4 and 1000 <= int(word) <= 2999:
            return YearOf(int(word)), here + 1
        if len(word) == 2 and of and words.at(here + 1) not in ("people", "%"):
            return YearOf(two_digit_year(int(word))), here + 1
        return None
    if words.at(here + 1) == "year" and word in SHIFTS:
        offset = {Shift.LAST: -1, Shift.THIS: 0}.get(SHIFTS[word], 1)
        return YearOf(offset, relative=True), here + 2
    spoken = year_in_words(words, here)
    return None if spoken is None else (YearOf(spoken[0]), spoken[1])


def year(words: Words, index: int, stated: bool) -> Parsed | None:
    """A year on its own. Four digits are a year only after a word that makes a time of them."""
    here = words.skip(index, "the")
    named = words.at(here) == "year"
    if named:
        here = words.skip(here + 1, "of")
    elif words.at(here) in ("calendar", "cy"):
        here, named = words.skip(here + 1, "year"), True
    word = words.at(here)
    if not (stated or named or _year_may_follow(words, here)):
        return None
    if word.isdecimal():
        fits = len(word) == 4 and 1500 <= int(word) <= 2199
        if not fits or _goes_on(words, here, here + 1) or words.at(here - 1) in _CURRENCIES:
            return None
        return YearOf(int(word)), here + 1
    spoken = year_in_words(words, here)
    if spoken is None or words.at(spoken[1]) in MEASURES or not 1500 <= spoken[0] <= 2199:
        return None
    return YearOf(spoken[0]), spoken[1]


def season(words: Words, index: int, stated: bool) -> Parsed | None:
    """A season of the northern hemisphere; the winter of a year starts in its December."""
    here = words.skip(index, "the")
    shift = SHIFTS.get(words.at(here))
    here += shift is not None
    first_month = SEASONS.get(words.at(here))
    if first_month is None or words.at(here + 1) in NOT_A_SEASON:
        return None
    build = season_of_year(first_month)
    if shift is not None:
        return InYear(build, None, shift), here + 1
    told_year = year_after(words, here + 1)
    if told_year is not None:
        return InYear(build, told_year[0]), told_year[1]
    before = words.at(index - 1)
    if before == "the":
        before = words.at(index - 2)
    if before in ("in", "since", "until", "during", "over", "till") or (stated and here == index):
        return InYear(build), here + 1
    return None


def quarter(words: Words, index: int, _stated: bool) -> Parsed | None:
    """A quarter: "Q3 2021", "2019 Q1", "the first quarter of 2013"."""
    here = words.skip(index, "the")
    told: YearOf | None = None
    if words.at(here).isdecimal() and len(words.at(here)) == 4:
        told, here = YearOf(int(words.at(here))), words.skip(here + 1, "-")
    if words.at(here) == "q" and words.at(here + 1) in ("1", "2", "3", "4"):
        if not words.glued(here + 1) or (words.glued(here + 2) and words.at(here + 2).isalnum()):
            return None
        number, here = int(words.at(here + 1)), here + 2
    else:
        found = ordinal_number(words, here)
        if found is None or found[0] > 4 or words.at(found[1]) != "quarter":
            return None
        number, here = found[0], found[1] + 1
        if told is None and year_after(words, here) is None:
            return None
    if told is None:
        after = year_after(words, here)
        if after is not None:
            told, here = after
    return InYear(quarter_of_year(number), told), here


def decade(words: Words, index: int, _stated: bool) -> Parsed | None:
    """A decade or century: "the 90s", "1990s", "the nineties", "the 19th century"."""
    here = words.skip(index, "the")
    the = here > index or words.at(index - 1) in ("early", "mid", "late", "-", "'")
    word = words.at(here)
    if words.at(here - 1) in _OWNERS or words.at(index - 1) in _OWNERS:
        return None
    if word in DECADE_WORDS:
        return Era(1900 + DECADE_WORDS[word], Unit.DECADE), here + 1
    if word == "'" and words.glued(here + 1):
        here, the = here + 1, True
        word = words.at(here)
    if word.isdecimal() and word.endswith("0"):
        end = words.skip(here + 1, "'", "’")
        if words.at(end) == "s" and words.glued(here + 1):
            if len(word) == 4 and 1000 <= int(word) < 2200:
                return Era(int(word), Unit.DECADE), end + 1
            if len(word) == 2 and the and int(word) >= 20:
                return Era(1900 + int(word), Unit.DECADE), end + 1
        return None
    found = ordinal_number(words, here)
    if found is not None and words.at(found[1]) == "century" and 1 < found[0] <= 30:
        return Era((found[0] - 1) * 100, Unit.CENTURY), found[1] + 1
    return None


def holiday(words: Words, index: int, stated: bool) -> Parsed | None:
    """A holiday. Names that are also common words need a preposition or a year."""
    here = words.skip(index, "the")
    shift = SHIFTS.get(words.at(here))
    here += shift is not None
    named = _holiday_named(words, here)
    if named is None:
        return None
    build, end = named
    end = words.skip(end, "day")
    told_year = None if shift else year_after(words, end)
    sure = stated or shift or told_year or words.at(end - 1) in ("day", "eve")
    if not sure and words.at(index - 1) not in _HOLIDAY_PREPOSITIONS:
        return None
    if words.at(end) in NOT_A_HOLIDAY:
        return None
    meaning = InYear(build, told_year[0] if told_year else None, shift or Shift.BARE)
    end = told_year[1] if told_year else end
    if words.at(end) == "weekend":
        late_year = None if shift or told_year else year_after(words, end + 1)
        if late_year is not None:
            meaning, end = InYear(build, late_year[0]), late_year[1] - 1
        return Containing(Unit.WEEKEND, meaning), end + 1
    return meaning, end


def two_digit_year(value: int) -> int:
    """00 to 39 are of this century, 40 to 99 of the last."""
    return value + (2000 if value < 40 else 1900)


def month_of_year(month: int) -> Callable[[int], Stretch]:
    """The month, given the year."""
    return lambda year: point(datetime(year, month, 1), Unit.MONTH)


def day_of_year(month: int, day: int) -> Callable[[int], Stretch]:
    """The day, given the year."""
    return lambda year: whole_day(date(year, month, day))


def season_of_year(month: int) -> Callable[[int], Stretch]:
    """The three months, given the year they start in."""

    def build(year: int) -> Stretch:
        start = datetime(year, month, 1)
        return Stretch(start, end_of(Unit.QUARTER, start), Granularity.SEASON)

    return build


def quarter_of_year(number: int) -> Callable[[int], Stretch]:
    """The quarter, given the year."""
    return lambda year: point(datetime(year, number * 3 - 2, 1), Unit.QUARTER)


def _goes_on(words: Words, start: int, end: int) -> bool:
    """Whether a number is only the start of something else: a clock, a count, a longer code."""
    after = words.at(end)
    if after in MEASURES and end - start == 1:
        return True
    if not words.glued(end):
        return after in ("%", "am", "pm") or (after == ":" and words.at(end + 1).isdecimal())
    if after in (":", "/", "%", "_") or after[:1].isalpha():
        return True
    number_follows = words.glued(end + 1) and words.at(end + 1).isdecimal()
    return after in (".", ",") and number_follows


def _year_after_sign(words: Words, index: int) -> int | None:
    """The year of 3-Jun-21: two digits behind the sign that stands between day and month too."""
    sign, year = words.at(index), words.at(index + 1)
    glued = words.glued(index) and words.glued(index + 1)
    if sign in ("-", "/") and words.at(index - 2) == sign and glued and len(year) == 2:
        return two_digit_year(int(year)) if year.isdecimal() else None
    return None


def _year_may_follow(words: Words, index: int) -> bool:
    before = words.at(index - 1)
    if before == "the":
        before = words.at(index - 2)
    if before in _YEAR_PREPOSITIONS:
        return True
    listed = before in ("and", "or", ",", "&") and words.at(index - 2).isdecimal()
    return listed and len(words.at(index - 2)) == 4 and _year_may_follow(words, index - 2)


_MONTH_PREPOSITIONS = frozenset("in since until till during mid early late through".split())
_YEAR_PREPOSITIONS = frozenset(
    "in since until till before after during circa early late mid".split()
)
_HOLIDAY_PREPOSITIONS = frozenset(
    "on at for since until till by before after during over around from to this of meet".split()
)
_AFTER_MODAL = frozenset("be have not i you we they he she it the my".split())
_OWNERS = frozenset("my your his her their our its low high mid-".split())
_CURRENCIES = frozenset("$ € £ ¥ # №".split())


def _holiday_named(words: Words, index: int) -> tuple[Callable[[int], Stretch], int] | None:
    for phrase, build in _HOLIDAYS.get(words.at(index), ()):
        end = words.follows(index, phrase)
        if end:
            return build, end
    return None


def _fixed(month: int, day: int) -> Callable[[int], Stretch]:
    return day_of_year(month, day)


def _nth(month: int, weekday: int, nth: int, days_later: int = 0) -> Callable[[int], Stretch]:
    return lambda year: whole_day(nth_weekday(year, month, weekday, nth) + days_later * DAY)


def _from_easter(days: int) -> Callable[[int], Stretch]:
    return lambda year: whole_day(easter(year) + days * DAY)


HOLIDAY_NAMES: dict[str, Callable[[int], Stretch]] = {
    "christmas eve": _fixed(12, 24),
    "xmas eve": _fixed(12, 24),
    "christmas": _fixed(12, 25),
    "xmas": _fixed(12, 25),
    "boxing day": _fixed(12, 26),
    "new year's eve": _fixed(12, 31),
    "new years eve": _fixed(12, 31),
    "new year eve": _fixed(12, 31),
    "new year's": _fixed(1, 1),
    "new years": _fixed(1, 1),
    "new year day": _fixed(1, 1),
    "valentine's": _fixed(2, 14),
    "valentines": _fixed(2, 14),
    "valentine day": _fixed(2, 14),
    "st patrick's": _fixed(3, 17),
    "st . patrick's": _fixed(3, 17),
    "saint patrick's": _fixed(3, 17),
    "saint patrick": _fixed(3, 17),
    "april fools": _fixed(4, 1),
    "april fool's": _fixed(4, 1),
    "earth day": _fixed(4, 22),
    "international workers ' day": _fixed(5, 1),
    "international workers day": _fixed(5, 1),
    "juneteenth": _fixed(6, 19),
    "independence day": _fixed(7, 4),
    "halloween": _fixed(10, 31),
    "veterans day": _fixed(11, 11),
    "martin luther king day": _nth(1, 0, 3),
    "mlk day": _nth(1, 0, 3),
    "presidents day": _nth(2, 0, 3),
    "mother's day": _nth(5, 6, 2),
    "mothers day": _nth(5, 6, 2),
    "memorial day": _nth(5, 0, -1),
    "father's day": _nth(6, 6, 3),
    "fathers day": _nth(6, 6, 3),
    "labor day": _nth(9, 0, 1),
    "labour day": _nth(9, 0, 1),
    "thanksgiving": _nth(11, 3, 4),
    "black friday": _nth(11, 3, 4, 1),
    "cyber monday": _nth(11, 3, 4, 4),
    "mardi gras": _from_easter(-47),
    "ash wednesday": _from_easter(-46),
    "palm sunday": _from_easter(-7),
    "good friday": _from_easter(-2),
    "easter monday": _from_easter(1),
    "easter sunday": _from_easter(0),
    "easter": _from_easter(0),
}
_HOLIDAYS: dict[str, list[tuple[str, Callable[[int], Stretch]]]] = {}
for _name, _build in HOLIDAY_NAMES.items():
    _HOLIDAYS.setdefault(_name.split()[0], []).append((_name, _build))
HOLIDAY_STARTS = frozenset(_HOLIDAYS)
"""The words that a holiday may start with."""
