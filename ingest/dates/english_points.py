"""English times built on others: "two weeks ago", "early 2020", "3 pm yesterday"."""

from __future__ import annotations

from fractions import Fraction

from bitempo.engine.time import Granularity
from bitempo.ingest.dates.arithmetic import Unit
from bitempo.ingest.dates.english_calendar import Parsed
from bitempo.ingest.dates.english_clock import LEADS, clock, clock_range
from bitempo.ingest.dates.english_days import STARTS as DATE_STARTS
from bitempo.ingest.dates.english_days import current, date, now
from bitempo.ingest.dates.english_numbers import SMALL_NUMBERS, VAGUE, amount
from bitempo.ingest.dates.english_words import (
    COUNTED_UNITS,
    PARTS,
    SHIFTS,
    UNITS,
    WEEKDAYS,
    Words,
)
from bitempo.ingest.dates.meaning import (
    Calendar,
    DayOfMonth,
    InYear,
    Meaning,
    Moved,
    Neighbour,
    Now,
    Shift,
    Weekday,
    Window,
)
from bitempo.ingest.dates.meaning_parts import At, Hours, NthWeekday, PartOfDay, Portion, Which
from bitempo.ingest.dates.meaning_ranges import Ahead, Lasting, Since, Until


def point(words: Words, index: int, stated: bool = False) -> Parsed | None:
    """The longest time, other than a range between two, that starts at a word."""
    return words.once(_point, index, stated)


def _point(words: Words, index: int, stated: bool) -> Parsed | None:
    best: Parsed | None = None
    for found in (
        _window(words, index),
        _dated(words, index, stated),
        _clock_first(words, index, stated),
        _counted(words, index),
        _neighbour(words, index),
        now(words, index, stated),
    ):
        if found is not None and (best is None or found[1] > best[1]):
            best = found
    return best


def _day(words: Words, index: int, stated: bool) -> Parsed | None:
    """A date, part of one, or part of a day, without a time of day."""
    best = date(words, index, stated)
    for found in (_portion(words, index), _part_of_day(words, index)):
        if found is not None and (best is None or found[1] > best[1]):
            best = found
    return best


def _dated(words: Words, index: int, stated: bool) -> Parsed | None:
    """A date with a part of the day or a time of day after it, or without."""
    day = _day(words, index, stated)
    if day is None:
        return None
    if words.at(day[1] - 1) in ("tonight", "tonite"):
        day = PartOfDay("night", day[0]), day[1]
    part = _part_after(words, day)
    day = part or day
    here = words.skip(day[1], ",")
    if not _is_day(day[0]):
        return day
    sign = words.at(here)
    if sign in _LIMITS:
        limit = clock(words, here + 1)
        if limit is not None and limit[2]:
            at = At(limit[0], day[0])
            if sign in ("after", "since"):
                return Since(at), limit[1]
            return Until(at, kind="deadline" if sign == "by" else "until"), limit[1]
    hours = clock_range(words, here)
    if hours is not None and (hours[3] or not _numeric(words, index, day[1])):
        return Hours(hours[0], hours[1], day[0]), hours[2]
    lead = words.skip(here, "at", "around", "about", "@", "for", "by", "-")
    lead = words.skip(lead, "around", "about")
    time = clock(words, lead)
    if time is not None and (time[2] or (lead > here and words.at(lead - 1) in _AT)):
        hour_only = not time[2] and words.at(lead).isdecimal()
        if not (hour_only and (words.at(time[1])[:1].isalpha() and _counts(words, time[1]))):
            return At(time[0], day[0]), time[1]
    if time is not None and time[0].minute is not None and not words.glued(lead):
        return At(time[0], day[0]), time[1]
    return day


def _numeric(words: Words, index: int, end: int) -> bool:
    return words.at(end - 1).isdecimal() and words.at(index).isdecimal()


def _counts(words: Words, index: int) -> bool:
    word = words.at(index)
    return word in COUNTED_UNITS or word in ("people", "of", "percent", "different")


def _clock_first(words: Words, index: int, stated: bool) -> Parsed | None:
    """A time of day, with its day after it or of the day of the turn."""
    hours = clock_range(words, index)
    if hours is not None:
        here = words.skip(words.skip(hours[2], ",", "-"), "on", "of")
        day = _day(words, here, here > hours[2] or stated)
        near = words.at(hours[2] - 1).isdecimal() or here > hours[2]
        near = near or words.at(here) in _DAY_STARTS
        if day is not None and _is_day(day[0]) and (hours[3] or near):
            return Hours(hours[0], hours[1], day[0]), day[1]
        sure = hours[3] and (hours[0].half or hours[1].half or words.at(index) in _OPENERS)
        return (Hours(hours[0], hours[1], Calendar(Unit.DAY)), hours[2]) if sure else None
    if words.at(index) == "at":
        index += 1
    time = clock(words, index)
    if time is None:
        return None
    here = words.skip(time[1], ",", "-")
    on = words.skip(here, "on", "of")
    day = _day(words, on, on > here)
    if day is not None and _is_day(day[0]):
        beside = words.at(on) in _DAY_STARTS and on == time[1] and words.at(index - 1) == "at"
        tonight = words.at(on) in ("tonight", "tonite")
        if time[2] or time[0].minute is not None or beside or tonight:
            held = day[0]
            if words.at(day[1] - 1) in ("tonight", "tonite"):
                held = PartOfDay("night", held)
            return At(time[0], held), day[1]
    if words.at(index) in ("noon", "midday", "midnight") and words.at(index - 1) not in LEADS:
        return None
    return (At(time[0], Calendar(Unit.DAY)), time[1]) if time[2] else None


def _is_day(meaning: Meaning) -> bool:
    """Whether a day was told, and not a week, month or year, which has no time of day."""
    if isinstance(meaning, Calendar):
        return meaning.unit is Unit.DAY
    if isinstance(meaning, InYear):
        try:
            return meaning.build(2000).granularity is Granularity.DAY
        except ValueError:
            return False
    if isinstance(meaning, Portion):
        return False
    return isinstance(meaning, Weekday | DayOfMonth | NthWeekday | PartOfDay | Moved)


def _counted(words: Words, index: int) -> Parsed | None:
    """A length of time from the turn or another time: "ago", "in", "before", "from"."""
    word = words.at(index)
    if word in ("in", "within", "for"):
        return _opened(words, index)
    length = amount(words, index)
    if length is None:
        return None
    parts, here = length
    after = words.at(here)
    if after in ("ago", "back") and (after == "ago" or words.at(index - 1) != "look"):
        return (Moved(parts, -1, Now()), here + 1) if after == "ago" else None
    if after == "earlier" or after == "later":
        return None
    if after == "from" and words.at(here + 1) == "now":
        return Moved(parts, 1, Now()), here + 2
    sign = {"before": -1, "prior": -1, "after": 1, "from": 1, "following": 1}.get(after)
    if sign is None:
        return None
    here = words.skip(here + 1, "to")
    base = point(words, here, True)
    if base is None:
        return None
    meaning = Moved(parts, sign, Ahead(base[0]) if after == "from" else base[0])
    on = words.skip(base[1], "on")
    if on > base[1] and words.at(on) in WEEKDAYS:
        return Neighbour(Unit.DAY, 1, meaning, WEEKDAYS[words.at(on)]), on + 1
    return meaning, base[1]


def _opened(words: Words, index: int) -> Parsed | None:
    """A length of time after a preposition: "in two weeks", "within a month", "for 3 years"."""
    word = words.at(index)
    here = words.skip(index + 1, "about", "around", "roughly", "approximately", "almost", "just")
    here = words.skip(here, "the") if word == "within" else here
    here = words.skip(here, "next") if word == "within" else here
    length = amount(words, here)
    if length is None:
        return None
    parts, end = length
    if word == "for":
        start = words.skip(words.skip(end, ","), "from", "starting")
        if words.at(start - 1) in ("from", "starting"):
            base = point(words, start, True)
            return (Lasting(parts, base[0]), base[1]) if base else None
        return None
    if words.at(end) in ("ago", "before", "after", "from", "of", "or"):
        return None
    end = words.skip(end, "time") if words.at(end - 1).endswith(("'", "'s")) else end
    if word == "in" and any(words.at(place) in _NOT for place in range(max(0, index - 6), index)):
        return None  # "have not talked in two weeks" tells how long, not when.
    if word == "within":
        return Window(parts, 1, from_today=True), end
    return Moved(parts, 1, Now()), end


def _window(words: Words, index: int) -> Parsed | None:
    """The last or next so many units: "the past three years", "for the last week"."""
    opener = words.at(index)
    lasting = opener == "for"
    here = words.skip(index, "for")
    here = words.skip(here, "the", "these")
    before = words.at(index - 1)
    word = words.at(here)
    if word in ("last", "past", "next", "coming", "previous", "following"):
        length = amount(words, here + 1)
        single = words.at(here + 1) in ("second", "minute", "hour", "day", "week", "month", "year")
        rolling = word in ("last", "past") and (lasting or before in _DURING)
        if single and rolling and here > index:
            length = (((Fraction(1), UNITS[words.at(here + 1)]),), here + 2)
        end = length[1] if length else 0
    else:
        return _inverted(words, here, lasting)
    if length is None or words.at(end - 1) in ("weekend", "weekends") or words.at(end) == "of":
        return None
    sign = -1 if word in ("last", "past", "previous") else 1
    return Window(length[0], sign, open_ended=lasting and sign < 0), end


def _inverted(words: Words, index: int, lasting: bool) -> Parsed | None:
    """The shift inside: "the 5 past minutes", "2 upcoming months"."""
    word = words.at(index)
    shift = SHIFTS.get(words.at(index + 1))
    if not word.isdecimal() or shift not in (Shift.LAST, Shift.NEXT, Shift.COMING):
        return None
    unit = COUNTED_UNITS.get(words.at(index + 2))
    # "I turned 30 last week", "I read 1984 last year": the number is no count of weeks or years.
    counted = words.at(index + 2).endswith("s") or int(word[:2]) == 1
    if unit is None or len(word) > 3 or not counted:
        return None
    sign = -1 if shift is Shift.LAST else 1
    return Window(((Fraction(int(word)), unit),), sign, open_ended=lasting and sign < 0), index + 3


def _neighbour(words: Words, index: int) -> Parsed | None:
    """The unit before or after a time: "the week before 9 June", "the Friday after Easter"."""
    here = words.skip(index, "the")
    name = words.at(here)
    sign = {"before": -1, "after": 1, "following": 1, "prior": -1}.get(words.at(here + 1))
    if here == index or sign is None or not (name in UNITS or name in WEEKDAYS):
        return None
    base = point(words, words.skip(here + 2, "to"), True)
    if base is None:
        return None
    if name in WEEKDAYS:
        return Neighbour(Unit.DAY, sign, base[0], WEEKDAYS[name]), base[1]
    if name == "night":
        return PartOfDay("night", Neighbour(Unit.DAY, sign, base[0])), base[1]
    return Neighbour(UNITS[name], sign, base[0]), base[1]


def _portion(words: Words, index: int) -> Parsed | None:
    """Part of a time: "early 2020", "mid-June", "the end of the month", "later this week"."""
    here = words.skip(index, "the")
    word = words.at(here)
    if word in _ENDS_OF:
        told = _told_day(words, here + 1) if word == "eod" else None
        return told or (Portion("end", Calendar(_ENDS_OF[word])), here + 1)
    which = _WHICH.get(word)
    if which is None:
        return None
    here += 1
    if word in ("beginning", "start", "middle", "end"):
        if words.at(here) == "of":
            named, base = current(words, here + 1), _base(words, here + 1)
            if named is not None and (base is None or named[1] >= base[1]):
                base = named
            if base is not None and words.at(base[1] - 1) == "day" and which == "end":
                told = _told_day(words, base[1])
                if told is not None:
                    return told
        else:
            base = None
    elif word in ("earlier", "later"):
        of = words.skip(here, "in", "on")
        base = current(words, of) if words.at(of) in ("the", "this") else None
        base = base or _base(words, of, plain=True)
    else:
        of = words.skip(words.skip(here, "-", "in", "on"), "in")
        base = current(words, of) if words.at(of) == "the" and of > here else None
        base = base or _base(words, of)
        if base is None and words.at(of) in ("the", "this", "today"):
            base = _part_of_day(words, of)
    if base is None:
        return None
    if isinstance(base[0], PartOfDay):
        return PartOfDay(base[0].part, base[0].day, which), base[1]
    if words.at(base[1]) in WEEKDAYS and words.at(base[1] - 1) == "day":
        base = date(words, base[1], True) or base
    return Portion(which, base[0]), base[1]


def _told_day(words: Words, index: int) -> Parsed | None:
    """The end of the day told after "end of day": "EOD tomorrow", "end of day on Friday"."""
    day = date(words, words.skip(index, "on", "of", ","), True)
    if day is None or not _is_day(day[0]):
        return None
    return Portion("end", Ahead(day[0])), day[1]


def _base(words: Words, index: int, *, plain: bool = False) -> Parsed | None:
    part = _part_of_day(words, index)
    found = date(words, index, True)
    if part is not None and (found is None or part[1] > found[1]):
        return part
    if plain and words.at(index) not in ("today", "this", "yesterday", "tomorrow", "the"):
        return None
    return found


def _part_of_day(words: Words, index: int) -> Parsed | None:
    """A part of a day: "this morning", "last night", "the evening of 5 June"."""
    word = words.at(index)
    here = index + 1
    part = PARTS.get(words.at(here))
    if part is not None and words.at(here) not in ("am", "pm") and word in _DAYS_OFF:
        return PartOfDay(part, Calendar(Unit.DAY, _DAYS_OFF[word])), here + 1
    if word == "the" and part is not None and words.at(here + 1) == "of":
        day = date(words, here + 2, True)
        return (PartOfDay(part, day[0]), day[1]) if day else None
    if word == "tomorrow" and part is not None:
        return PartOfDay(part, Calendar(Unit.DAY, 1)), here + 1
    return None


def _part_after(words: Words, day: Parsed) -> Parsed | None:
    meaning, here = day
    if isinstance(meaning, PartOfDay) or words.at(here - 1) in UNITS:
        return None
    middle = words.follows(here, "in the") or words.skip(here, ",", "at")
    which: Which | None = None
    if words.at(middle) in ("early", "late"):
        which, middle = ("early" if words.at(middle) == "early" else "late"), middle + 1
    part = PARTS.get(words.at(middle))
    if part is None or (words.at(middle) in ("am", "pm") and words.at(here - 1).isdecimal()):
        return None
    return PartOfDay(part, meaning, which), middle + 1


_NOT = frozenset("haven't hasn't hadn't not never didn't no".split())
_AT = frozenset("at around about @ by".split())
_LIMITS = frozenset("by before until till after since".split())
_OPENERS = frozenset("from between".split())
_DAY_STARTS = frozenset("tonight tonite tomorrow yesterday today this last".split())
_DURING = frozenset("in over during within throughout of".split())
_DAYS_OFF = {"this": 0, "today": 0, "yesterday": -1, "last": -1, "next": 1}
_ENDS_OF = {"eod": Unit.DAY, "eom": Unit.MONTH, "eoy": Unit.YEAR}
_WHICH: dict[str, Which] = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
    "late": "late",
    "end": "end",
    "earlier": "earlier",
    "later": "later",
}
STARTS = frozenset(
    [
        *DATE_STARTS,
        *_WHICH,
        *_ENDS_OF,
        *_DAYS_OFF,
        *SMALL_NUMBERS,
        *VAGUE,
        *"a an half quarter noon midday midnight at in within for these from between".split(),
    ]
)
"""The words that a time may start with, beside digits."""
