"""English days, weeks and other calendar units told from the turn or from another time."""

from __future__ import annotations

from collections.abc import Iterable

from bitempo.ingest.dates import english_calendar as calendar
from bitempo.ingest.dates.arithmetic import Unit
from bitempo.ingest.dates.english_calendar import Parsed
from bitempo.ingest.dates.english_digits import in_digits
from bitempo.ingest.dates.english_numbers import (
    ORDINALS,
    SMALL_NUMBERS,
    day_number,
    number,
    ordinal_number,
)
from bitempo.ingest.dates.english_words import (
    COUNTED_UNITS,
    DECADE_WORDS,
    MONTHS,
    RELATIVE_DAYS,
    SEASONS,
    SHIFTS,
    SHORT_WEEKDAYS,
    UNITS,
    WEEKDAYS,
    Rule,
    Words,
)
from bitempo.ingest.dates.meaning import (
    Calendar,
    Containing,
    DayOfMonth,
    InYear,
    Meaning,
    Now,
    Shift,
    Weekday,
    Weekend,
)
from bitempo.ingest.dates.meaning_parts import NthWeek, NthWeekday, PartOfDay


def date(words: Words, index: int, stated: bool = False) -> Parsed | None:
    """The longest calendar time that starts at a word.

    `stated` tells that what stands before already makes a time of it ("since May").
    """
    return words.once(_date, index, stated)


def _date(words: Words, index: int, stated: bool) -> Parsed | None:
    word = words.at(index)
    rules = _NUMBER_RULES if word.isdecimal() else _RULES.get(word, ())
    best: Parsed | None = None
    for rule in rules:
        found = rule(words, index, stated)
        if found is not None and (best is None or found[1] > best[1]):
            best = found
    return best


def relative_day(words: Words, index: int, _stated: bool) -> Parsed | None:
    """Today, yesterday, tomorrow, the day after tomorrow, the day before yesterday."""
    word = words.at(index)
    if word in RELATIVE_DAYS:
        offset = RELATIVE_DAYS[word]
        if _week_on(words, index + 1):
            return Calendar(Unit.DAY, offset + (7 if offset >= 0 else -7)), index + 2
        return Calendar(Unit.DAY, offset), index + 1
    here = words.skip(index, "the")
    for phrase, offset in (("day after tomorrow", 2), ("day before yesterday", -2)):
        end = words.follows(here, phrase)
        if end:
            return Calendar(Unit.DAY, offset), end
    return None


def now(words: Words, index: int, stated: bool) -> Parsed | None:
    """The turn itself: "right now", "at the moment"; plain "now" only where a time is due."""
    for phrase in ("right now", "at present", "at this time", "at the moment", "at this moment"):
        end = words.follows(index, phrase)
        goes_on = words.at(end) in ("of", "last", "next") or words.glued(end + 1)
        if end and not (goes_on and words.at(end) not in _ENDS):
            return Now(), end
    return (Now(), index + 1) if stated and words.at(index) == "now" else None


def weekday(words: Words, index: int, stated: bool) -> Parsed | None:
    """A weekday: "last Tuesday", "Friday, June 9", "Tuesday of next week", "Wed 13th"."""
    here = words.skip(index, "the")
    shift = _shift(words, here)
    if shift is not None:
        here = shift[1]
    name = words.at(here)
    if name not in WEEKDAYS or (name in SHORT_WEEKDAYS and not _is_day(words, here, stated)):
        return None
    number_of_day = WEEKDAYS[name]
    end = here + 1
    if name in SHORT_WEEKDAYS and words.at(end) == "." and words.glued(end):
        end += 1
    if shift is not None and here > index and words.at(index) == "the" and shift[0] is Shift.THIS:
        return None
    told = _told_date(words, end, number_of_day)
    if told is not None:
        return told
    of_week = words.skip(words.skip(end, "of", ","), "the")
    week = unit(words, of_week, False) if words.at(of_week) in SHIFTS else None
    if week is not None and words.at(week[1] - 1) == "week":
        return Weekday(number_of_day, week=week[0]), week[1]
    if here > index and shift is None and not stated:
        return None
    if words.follows(end, "week") and shift and shift[0] is Shift.THIS:
        return None
    if words.at(end) in _MANY_PARTS:
        return None
    if shift is None and name not in SHORT_WEEKDAYS and _week_on(words, end):
        return Weekday(number_of_day, Shift.COMING, nth=2), end + 1
    return Weekday(number_of_day, shift[0] if shift else Shift.BARE), here + 1


def _told_date(words: Words, index: int, weekday_number: int) -> Parsed | None:
    after = words.skip(words.skip(index, ","), "the", "on")
    month_day = calendar.month_day(words, after)
    if month_day is not None:
        return month_day
    if words.at(after).isdecimal():
        digits = in_digits(words, after, True)
        if digits is not None:
            return digits
    day = day_number(words, after, ordinal=True)
    return None if day is None else (DayOfMonth(day[0], weekday_number), day[1])


def second_from_turn(words: Words, index: int, _stated: bool) -> Parsed | None:
    """One before the last or after the next: "the Friday before last", "the week after next"."""
    here = words.skip(index, "the")
    name = words.at(here)
    back = words.follows(here + 1, "before last")
    end = back or words.follows(here + 1, "after next")
    if not end or words.at(end) in _NAMED or (here == index and name in (*MONTHS, *SEASONS)):
        return None
    if name in WEEKDAYS:
        day = WEEKDAYS[name]
        if back:
            return Weekday(day, Shift.LAST, nth=2), end
        return Weekday(day, week=Calendar(Unit.WEEK, 2)), end
    shift = Shift.LAST if back else Shift.COMING
    if name in SEASONS:
        return InYear(calendar.season_of_year(SEASONS[name]), None, shift, 2), end
    if name in MONTHS:
        return InYear(calendar.month_of_year(MONTHS[name]), None, shift, 2), end
    if name not in UNITS or name in ("second", "minute", "hour"):
        return None
    meaning = Calendar(UNITS[name], -2 if back else 2)
    return (PartOfDay("night", meaning) if name == "night" else meaning), end


def unit(words: Words, index: int, _stated: bool) -> Parsed | None:
    """A calendar unit told from the current one: "last week", "next month", "this weekend"."""
    here = words.skip(index, "the")
    if words.at(here) == "weekend":
        return (Weekend(), here + 1) if here > index else None
    shift = _shift(words, here)
    if shift is None:
        return None
    here = words.skip(shift[1], "calendar")
    name = words.at(here)
    if name not in UNITS or name in ("second", "minute", "hour", "night", "day"):
        return None
    found = UNITS[name]
    if found is Unit.WEEKEND and shift[0] in (Shift.THIS, Shift.COMING):
        return (Weekend(Shift.THIS), here + 1)
    offset = {Shift.LAST: -1, Shift.THIS: 0}.get(shift[0], 1)
    meaning: Meaning = Calendar(found, offset)
    end = here + 1
    if found is Unit.WEEK:
        after = words.skip(words.skip(end, ","), "on")
        day = words.at(after)
        if day in WEEKDAYS and day not in ("sat", "sun"):
            return Weekday(WEEKDAYS[day], week=meaning), after + 1
    return meaning, end


def current(words: Words, index: int) -> Parsed | None:
    """A unit named by its article, where only a time can stand: "the end of the month"."""
    here = words.skip(index, "the", "this")
    if words.at(here) in ("second", "minute", "hour", "weekend", "night"):
        return None
    found = UNITS.get(words.at(here))
    return None if found is None else (Calendar(found), here + 1)


def week_of(words: Words, index: int, _stated: bool) -> Parsed | None:
    """A week by a day in it ("the week of 10 April", "w/c Feb 4") or by its number."""
    here = words.skip(index, "the")
    if words.follows(here, "w / c"):
        here += 3
    elif words.at(here) in ("week", "weekend", "month"):
        kind = UNITS[words.at(here)]
        here += 1
        if words.at(here).isdecimal() and kind is Unit.WEEK and len(words.at(here)) <= 2:
            year = calendar.year_after(words, here + 1)
            base = year or (Calendar(Unit.YEAR), here + 1)
            return NthWeek(int(words.at(here)), base[0]), base[1]
        if words.at(here) not in ("of", "starting", "commencing", "beginning"):
            return None
        here = words.skip(here + 1, "on")
        day = _one_day(words, here)
        return None if day is None else (Containing(kind, day[0]), day[1])
    else:
        return None
    day = _one_day(words, here)
    return None if day is None else (Containing(Unit.WEEK, day[0]), day[1])


def _one_day(words: Words, index: int) -> Parsed | None:
    day = date(words, index, True)
    if day is not None:
        return day
    bare = day_number(words, words.skip(index, "the"), ordinal=True)
    return None if bare is None else (DayOfMonth(bare[0]), bare[1])


def nth(words: Words, index: int, _stated: bool) -> Parsed | None:
    """The nth week or weekday of a month or year: "first Monday of next month"."""
    here = words.skip(index, "the")
    count = 1
    if words.at(here) in ("last", "final"):
        rank, here = -1, here + 1
        several = number(words, here) if words.at(here) not in ("week", *WEEKDAYS) else None
        if several is not None:
            count, here = int(several[0]), several[1]
    else:
        found = ordinal_number(words, here)
        if found is None or found[0] > 53:
            return None
        rank, here = found
    name = words.at(here)
    here += 1
    if name not in ("week", "weeks", "day", *WEEKDAYS):
        return None
    if words.at(here) in ("of", "in"):
        here += 1
    elif name != "week":
        return None
    base = date(words, here, True) or current(words, here)
    if base is None or (name == "weeks" and not 1 <= count <= 53):
        return None
    if name in ("week", "weeks"):
        meaning: Meaning = NthWeek(rank, base[0], count)
        on = words.skip(base[1], ".", ",")
        on = words.skip(on, "on")
        if words.at(on) in WEEKDAYS:
            return Weekday(WEEKDAYS[words.at(on)], week=meaning), on + 1
        return meaning, base[1]
    if name == "day":
        return (DayOfMonth(rank, month=base[0]), base[1]) if rank > 0 else None
    return NthWeekday(rank, WEEKDAYS[name], base[0]), base[1]


def day_of_month(words: Words, index: int, _stated: bool) -> Parsed | None:
    """A day of an unnamed or relative month: "on the 29th", "the 5th of next month"."""
    here = words.skip(index, "the")
    day = day_number(words, here, ordinal=True)
    if day is None:
        return None
    of = words.skip(words.skip(day[1], "day"), "of")
    if words.at(of - 1) == "of":
        base = unit(words, of, False) or current(words, of)
        return None if base is None else (DayOfMonth(day[0], month=base[0]), base[1])
    before = words.at(index - 1)
    digits = words.at(here).isdecimal()
    if (
        before != "on"
        or not digits
        or (words.at(day[1])[:1].isalpha() and (words.at(day[1]) not in _AFTER_DAY))
    ):
        return None
    return DayOfMonth(day[0]), day[1]


def month_day(words: Words, index: int, _stated: bool) -> Parsed | None:
    """A day of a named month."""
    return calendar.month_day(words, index)


def times_ago(words: Words, index: int, _stated: bool) -> Parsed | None:
    """So many weekdays or weekends ago: "two Fridays ago"."""
    count = number(words, index)
    if count is None or not 1 <= count[0] <= 100 or words.at(count[1] + 1) != "ago":
        return None
    name = words.at(count[1])
    if name.removesuffix("s") in ("weekend",):
        back: Meaning = Calendar(Unit.WEEKEND, -int(count[0]))
        return back, count[1] + 2
    if name.removesuffix("s") in WEEKDAYS and name not in SHORT_WEEKDAYS:
        return Weekday(WEEKDAYS[name.removesuffix("s")], nth=int(count[0])), count[1] + 2
    return None


def _week_on(words: Words, index: int) -> bool:
    """Whether "week" after a day moves it by one: "Friday week", not "Friday, week 3"."""
    after = words.at(index + 1)
    joined = after in ("-", "of", "long", "one") or after.isdecimal()
    return words.at(index) == "week" and not joined


def _shift(words: Words, index: int) -> tuple[Shift, int] | None:
    shift = SHIFTS.get(words.at(index))
    if shift is None:
        return None
    second = SHIFTS.get(words.at(index + 1))
    if shift is Shift.THIS and second in (Shift.LAST, Shift.NEXT, Shift.COMING):
        return second, index + 2
    return shift, index + 1


def _is_day(words: Words, index: int, stated: bool) -> bool:
    """Whether a short name is that of a weekday: "sat" and "sun" are mostly other words."""
    name = words.at(index)
    if name not in ("mon", "wed", "sat", "sun"):
        return True
    capital = words.raw(index)[0].isupper()
    before = words.at(index - 1)
    placed = stated or before in ("on", "by", "until", "since", "till", "and", "or", *SHIFTS)
    dated = words.at(index + 1).isdecimal() or words.at(index + 2).isdecimal()
    if name in ("mon", "wed"):
        return capital or placed or dated
    return capital and not words.raw(index).isupper() and (placed or dated)


_MANY_PARTS = frozenset("mornings afternoons evenings nights".split())
_NAMED = frozenset([*COUNTED_UNITS, *WEEKDAYS, *MONTHS, *SEASONS, *calendar.HOLIDAY_STARTS])
_ENDS = frozenset(". , ; : ! ?".split())
_AFTER_DAY = frozenset(
    "at in and or but for to with we i he she it they you so because from between is was of if "
    "as after before by my our when while which who".split()
)

_THE: tuple[Rule, ...] = (
    relative_day,
    weekday,
    second_from_turn,
    unit,
    week_of,
    nth,
    day_of_month,
    month_day,
    calendar.year,
    calendar.season,
    calendar.quarter,
    calendar.decade,
    calendar.holiday,
)
_SHIFTED: tuple[Rule, ...] = (
    weekday,
    unit,
    nth,
    calendar.month,
    calendar.season,
    calendar.holiday,
)
_NUMBER_RULES: tuple[Rule, ...] = (
    in_digits,
    month_day,
    day_of_month,
    nth,
    times_ago,
    calendar.year,
    calendar.quarter,
    calendar.decade,
)
_SPOKEN: tuple[Rule, ...] = (month_day, calendar.year, times_ago)
_ORDINAL: tuple[Rule, ...] = (month_day, nth, calendar.quarter, calendar.decade, day_of_month)


def _rules() -> dict[str, tuple[Rule, ...]]:
    table: dict[str, tuple[Rule, ...]] = {}

    def add(names: Iterable[str], rules: tuple[Rule, ...]) -> None:
        for name in names:
            table[name] = tuple(dict.fromkeys((*table.get(name, ()), *rules)))

    add(MONTHS, (calendar.month, month_day, in_digits))
    add(WEEKDAYS, (weekday,))
    add(SHIFTS, _SHIFTED)
    add(["the"], _THE)
    add([*WEEKDAYS, "night", "week", "weekend", "month", "year"], (second_from_turn,))
    add(SEASONS, (calendar.season,))
    add([*RELATIVE_DAYS, "day"], (relative_day,))
    add(["now", "right", "at"], (now,))
    add(["week", "weekend", "w"], (week_of,))
    add(["final"], (nth,))
    add(["year", "calendar", "cy"], (calendar.year,))
    add(["q"], (calendar.quarter,))
    add([*DECADE_WORDS, "'"], (calendar.decade,))
    add(calendar.HOLIDAY_STARTS, (calendar.holiday,))
    add(SMALL_NUMBERS, _SPOKEN)
    add(ORDINALS, _ORDINAL)
    add(["a", "couple", "few"], (times_ago,))
    return table


_RULES = _rules()
STARTS = frozenset(_RULES)
"""The words that a date may start with."""
