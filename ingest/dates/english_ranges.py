"""English times with two ends or an open one: ranges, since, until, by."""

from __future__ import annotations

from bitempo.ingest.dates import english_calendar as calendar
from bitempo.ingest.dates.english_calendar import Parsed
from bitempo.ingest.dates.english_digits import month_and_day
from bitempo.ingest.dates.english_numbers import amount, day_number
from bitempo.ingest.dates.english_points import STARTS, point
from bitempo.ingest.dates.english_words import MONTHS, SEASONS, SURE_MONTHS, WEEKDAYS, Words
from bitempo.ingest.dates.meaning import DayOfMonth, InYear, Meaning, Now, Window
from bitempo.ingest.dates.meaning_parts import Portion
from bitempo.ingest.dates.meaning_ranges import Ahead, AsOf, Behind, Between, Since, Until


def expression(words: Words, index: int) -> Parsed | None:
    """The longest time expression that starts at a word."""
    word = words.at(index)
    if word not in _STARTS and not word.isdecimal():
        return None
    best: Parsed | None = None
    opener = _OPENERS.get(word)
    for found in (
        opener(words, index) if opener else None,
        _range(words, index),
        point(words, index),
    ):
        if found is not None and (best is None or found[1] > best[1]):
            best = found
    return _opened_behind(words, best) if best else None


def _opened_behind(words: Words, found: Parsed) -> Parsed:
    """A time with its open end told after it: "2018 or later", "from Monday on"."""
    meaning, end = found
    for phrase in ("and after", "or later", "and later", "and onwards", "onwards", "onward",
                   "and greater", "and beyond", "or after"):  # fmt: skip
        behind = words.follows(end, phrase)
        goes_on = words.at(behind) == "than" or (
            phrase == "and after" and words.at(behind)[:1].isalpha()
        )
        if behind and not goes_on and not isinstance(meaning, Since | Until | AsOf):
            return Since(meaning), behind
    for phrase in ("or earlier", "and before", "or before", "and earlier"):
        behind = words.follows(end, phrase)
        if behind and not isinstance(meaning, Since | Until | AsOf):
            return Until(meaning, through=True), behind
    return found


def _range(words: Words, index: int) -> Parsed | None:
    """From one time to another, with or without an opening word."""
    opened = words.at(index) if words.at(index) in ("from", "between") else ""
    here = index + bool(opened)
    short = _days_of_one_month(words, here, opened)
    named = words.at(here) in MONTHS and words.at(here + 2) in MONTHS
    first = point(words, here, stated=bool(opened) or named) or _opened_year(words, here, opened)
    if first is None and opened:
        first = _day_of_month(words, here)
    if first is None or isinstance(first[0], Since | Until):
        first = _short(words, here)
        if first is None:
            return short
    best = short
    for start in (first, _short(words, here)):
        if start is None:
            continue
        found = _to(words, here, start, opened)
        if found is not None and (best is None or found[1] > best[1]):
            best = found
    return best


def _to(words: Words, start: int, first: Parsed, opened: str) -> Parsed | None:
    end = first[1]
    sign = words.at(end)
    if sign not in _JOINTS or (sign == "and" and opened != "between"):
        return None
    here = end + 1
    second = _second(words, here, first[0])
    if second is None:
        return None
    dash = sign in ("-", "–", "—", "~") and not opened
    if dash and not _alike(words.at(start), words.at(here)):
        return None
    return Between(first[0], second[0], through=sign not in ("until", "till")), second[1]


def _alike(first: str, second: str) -> bool:
    """Whether a dash joins two times that start so, and not a time and what is told of it."""
    dated = [word.isdecimal() or word in MONTHS for word in (first, second)]
    return all(dated) or (first in WEEKDAYS and second in WEEKDAYS)


def _second(words: Words, index: int, first: Meaning) -> Parsed | None:
    best = point(words, index, stated=True)
    for found in (_short(words, index), _day_of_month(words, index)):
        if found is not None and (best is None or found[1] > best[1]):
            best = found
    if best is None and isinstance(first, InYear):
        return None
    return best


def _short(words: Words, index: int) -> Parsed | None:
    """Month and day in digits, the year after a comma: "5/1-5/7, 2020"."""
    if not words.at(index).isdecimal():
        return None
    found = month_and_day(words, index)
    if found is None:
        return None
    year = calendar.year_after(words, found[1]) if words.at(found[1]) in (",", "of") else None
    if year is not None and isinstance(found[0], InYear):
        return InYear(found[0].build, year[0]), year[1]
    return found


def _day_of_month(words: Words, index: int) -> Parsed | None:
    day = day_number(words, words.skip(index, "the"), ordinal=True)
    return None if day is None else (DayOfMonth(day[0]), day[1])


def _opened_year(words: Words, index: int, opened: str) -> Parsed | None:
    if opened or not words.at(index).isdecimal() or words.at(index - 1) in _TITLE_VERBS:
        return None
    year = calendar.year(words, index, True)
    if year is None or words.at(year[1]) not in _JOINTS:
        return None
    follower = words.at(year[1] + 1)
    looks = follower.isdecimal() and len(follower) == 4 and int(follower) > int(words.at(index))
    return year if looks and not words.glued(index) else None


def _days_of_one_month(words: Words, index: int, opened: str) -> Parsed | None:
    """Two days of one month: "between 3 and 12 of Sept", "November 19-20, 2021"."""
    here = words.skip(index, "the")
    month = MONTHS.get(words.at(here))
    if month is not None:
        here = words.skip(words.skip(here + 1, "."), "the")
    first = day_number(words, here)
    if first is None:
        return None
    sign = words.at(first[1])
    if sign not in _JOINTS or (sign == "and" and opened != "between" and month is None):
        return None
    if sign == "and" and opened != "between":
        return None
    second = day_number(words, words.skip(first[1] + 1, "the"))
    if second is None or words.at(second[1]) == ":":
        return None
    end = second[1]
    if month is None:
        here = words.skip(end, "of")
        month = MONTHS.get(words.at(here))
        if month is None:
            return None
        end = here + 1
    elif second[0] <= first[0]:
        return None
    year = calendar.year_after(words, end)
    told = year[0] if year else None
    days = [InYear(calendar.day_of_year(month, day), told) for day in (first[0], second[0])]
    through = sign not in ("until", "till")
    return Between(days[0], days[1], through), year[1] if year else end


def _since(words: Words, index: int) -> Parsed | None:
    here = words.skip(index + 1, "about", "around", "at", "the", "in", "on", "on", "from")
    here = here - 1 if words.at(here - 1) == "the" else here
    base = point(words, here, stated=True)
    if base is None or isinstance(base[0], Since | Until):
        return None
    if isinstance(base[0], Window):
        return None
    return Since(Behind(base[0])), base[1]


def _as_of(words: Words, index: int) -> Parsed | None:
    here = words.follows(index, "as of") or words.follows(index, "as from")
    base = point(words, here, stated=True) if here else None
    if base is None or isinstance(base[0], Since | Until | Window):
        return None
    return AsOf(base[0]), base[1]


def _after(words: Words, index: int) -> Parsed | None:
    here = index + 1
    if words.at(index) == "later":
        if words.at(here) != "than":
            return None
        here += 1
    base = point(words, here, stated=words.at(here) != "may")
    if base is None or isinstance(base[0], Since | Until) or _is_name(words, here, base[1]):
        return None
    beginning = isinstance(base[0], Portion) and base[0].which == "early"
    return Since(base[0], after=not beginning), base[1]


def _from(words: Words, index: int) -> Parsed | None:
    """From a time on; only with a word after it that says so ("from Monday on")."""
    base = point(words, index + 1, stated=True)
    if base is None:
        return None
    for phrase in ("onwards", "onward", "on", "forward", "and on"):
        end = words.follows(base[1], phrase)
        if end:
            return Since(Ahead(base[0])), end
    return None


def _starting(words: Words, index: int) -> Parsed | None:
    here = words.skip(index + 1, "on", "from", "in", "at")
    base = point(words, here, stated=True)
    return None if base is None else (Since(Ahead(base[0])), base[1])


def _until(words: Words, index: int) -> Parsed | None:
    here = words.skip(index + 1, "until", "till", "to") if words.at(index) == "up" else index + 1
    if words.at(index) == "up" and here == index + 1:
        return None
    base = point(words, here, stated=True) or _day_of_month(words, here)
    if base is None or isinstance(base[0], Since | Until):
        return None
    if words.at(index) == "up" and isinstance(base[0], Now):
        return None
    return Until(base[0]), base[1]


def _through(words: Words, index: int) -> Parsed | None:
    base = point(words, index + 1, stated=False)
    if base is None or isinstance(base[0], Since | Until):
        return None
    return Until(base[0], through=True), base[1]


def _before(words: Words, index: int) -> Parsed | None:
    here = index + 1
    if words.at(index) == "prior":
        if words.at(here) != "to":
            return None
        here += 1
    base = point(words, here, stated=words.at(here) != "may")
    if base is None or isinstance(base[0], Since | Until) or _is_name(words, here, base[1]):
        return None
    return Until(base[0]), base[1]


def _by(words: Words, index: int) -> Parsed | None:
    here = index + 1
    if words.at(index) == "due":
        here = words.skip(here, "on", "by", "in", "at")
    elif words.at(index) in ("no", "not"):
        if words.follows(here, "later than") == 0:
            return None
        here += 2
    # "told by June", "inspired by autumn": not every "by" sets a limit.
    loose = words.at(here) in ("may", "june", "april", "august") or (
        words.at(here) in SEASONS and words.at(index - 1).endswith("ed")
    )
    base = point(words, here, stated=not loose)
    if base is None or isinstance(base[0], Since | Until):
        return None
    return Until(base[0], kind="deadline"), base[1]


def _lasting(words: Words, index: int) -> Parsed | None:
    """What has lasted so long and goes on: "has lived here for 5 years (now)"."""
    here = words.skip(index + 1, "about", "around", "almost", "nearly", "over", "roughly")
    length = amount(words, here)
    if length is None or not _perfect(words, index):
        return None
    end = length[1]
    if words.at(end) in ("ago", "from", "before", "after", "in", "at"):
        return None
    end = words.skip(end, "now")
    return Window(length[0], -1, open_ended=True), end


def _perfect(words: Words, index: int) -> bool:
    return any(words.at(place) in _HAVE for place in range(max(0, index - 8), index))


def _is_name(words: Words, start: int, end: int) -> bool:
    """A month alone that may as well be a person: "after May called"."""
    word = words.at(start)
    return (
        end == start + 1
        and word in MONTHS
        and word not in SURE_MONTHS
        and len(word) > 3
        and (words.at(end)[:1].isalpha())
    )


_JOINTS = frozenset("to until till through thru and - – — ~".split())
_TITLE_VERBS = frozenset(
    "read reads reading watch watched watches watching called titled named saw play played "
    "playing finished loved".split()
)
_HAVE = frozenset(
    "have has i've we've they've you've he's she's it's been haven't hasn't who's".split()
)
_OPENERS = {
    "as": _as_of,
    "since": _since,
    "after": _after,
    "later": _after,
    "from": _from,
    "starting": _starting,
    "commencing": _starting,
    "effective": _starting,
    "until": _until,
    "till": _until,
    "til": _until,
    "up": _until,
    "through": _through,
    "thru": _through,
    "before": _before,
    "prior": _before,
    "by": _by,
    "due": _by,
    "no": _by,
    "not": _by,
    "for": _lasting,
}
_STARTS = STARTS | _OPENERS.keys()
