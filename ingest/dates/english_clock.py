"""English times of day: "3 pm", "at 5:30", "noon", "half past six", "from 8 to 9am"."""

from __future__ import annotations

from typing import Literal

from bitempo.ingest.dates.english_numbers import SMALL_NUMBERS, number
from bitempo.ingest.dates.english_words import Words
from bitempo.ingest.dates.meaning_parts import Clock

Read = tuple[Clock, int, bool]
"""A time of day, the index after it, and whether it is one beyond doubt."""


def clock(words: Words, index: int) -> Read | None:
    """A time of day. A plain hour is doubtful: it counts only beside a day or another time."""
    word = words.at(index)
    if word in ("noon", "midday"):
        return Clock(12, 0), index + 1, True
    if word == "midnight":
        return Clock(0, 0), index + 1, True
    if word in ("half", "quarter", "a"):
        return _past(words, index)
    if word.isdecimal():
        return _in_digits(words, index)
    return _in_words(words, index) if word in SMALL_NUMBERS else None


def clock_range(words: Words, index: int) -> tuple[Clock, Clock, int, bool] | None:
    """Two times of day: "8-9am", "from 10 to 11:30", "between 3 and 5"."""
    opened = words.at(index) in ("from", "between")
    first = clock(words, index + opened)
    if first is None:
        return None
    here = first[1]
    if words.at(here) not in ("-", "–", "—", "~", "to", "till", "until", "and", "through"):
        return None
    if words.at(here) == "and" and words.at(index) != "between":
        return None
    second = clock(words, here + 1)
    if second is None:
        return None
    return first[0], second[0], second[1], first[2] or second[2]


def _in_digits(words: Words, index: int) -> Read | None:
    digits = words.at(index)
    if len(digits) > 2 or words.at(index - 1) in ("$", "€", "£", "#"):
        return None
    if words.glued(index) and words.at(index - 1) in (":", ".", "/", ","):
        return None
    hour, here = int(digits), index + 1
    minute: int | None = None
    second: int | None = None
    sign = words.at(here)
    minutes = words.at(here + 1)
    if sign in (":", ".") and words.glued(here) and words.glued(here + 1) and len(minutes) == 2:
        if not minutes.isdecimal():
            return None
        minute, here = int(minutes), here + 2
        if words.at(here) == ":" and words.glued(here) and words.at(here + 1).isdecimal():
            second, here = int(words.at(here + 1)), here + 2
    elif sign in (":", "/") and words.glued(here):
        return None
    half = _half(words, here)
    if half is not None:
        return _read(hour, minute, second, half[0], half[1])
    if words.at(here) in ("oclock", "o'clock"):
        return Clock(hour, minute, second), here + 1, True
    after = words.at(here)
    if words.glued(here) and (after[:1].isalpha() or after in ("%", "/")):
        return None
    if hour > 24 or (minute or 0) > 59:
        return None
    lead = words.at(index - 1) in LEADS
    return Clock(hour, minute, second), here, minute is not None and sign == ":" and lead


def _read(
    hour: int, minute: int | None, second: int | None, half: Literal["am", "pm"], end: int
) -> Read | None:
    fits = 1 <= hour <= 12 or (half == "pm" and 12 < hour < 24)
    return (Clock(hour, minute, second, half), end, True) if fits else None


def _half(words: Words, index: int) -> tuple[Literal["am", "pm"], int] | None:
    word = words.at(index)
    if word in ("am", "pm"):
        return ("am" if word == "am" else "pm"), index + 1
    if word in ("a", "p"):
        half: Literal["am", "pm"] = "am" if word == "a" else "pm"
        here = words.skip(index + 1, ".")
        if words.at(here) == "m":
            end = here + 1
            if words.at(end) == "." and words.glued(end) and here > index + 1:
                end += 1
            return half, end
        return (half, index + 1) if words.glued(index) else None
    phrase = words.skip(index, "early")
    for text, meant in _HALVES:
        end = words.follows(phrase, text)
        if end:
            return meant, end
    return None


def _in_words(words: Words, index: int) -> Read | None:
    hour = SMALL_NUMBERS[words.at(index)]
    if not 1 <= hour <= 12:
        return None
    here, minute = index + 1, None
    found = number(words, here) if words.at(here) in SMALL_NUMBERS else None
    if found is not None and 10 <= found[0] <= 59:
        minute, here = int(found[0]), words.skip(found[1], "minutes")
    half = _half(words, here)
    if half is not None:
        return _read(hour, minute, None, half[0], half[1])
    if words.at(here) in ("oclock", "o'clock"):
        return Clock(hour, minute), here + 1, True
    return Clock(hour, minute), here, False


def _past(words: Words, index: int) -> Read | None:
    here = words.skip(index, "a")
    if words.at(here) not in ("half", "quarter") or words.at(here + 1) not in ("past", "to"):
        return None
    minutes = 30 if words.at(here) == "half" else 15
    hour = clock(words, here + 2) if words.at(here + 2) not in ("half", "quarter", "a") else None
    if hour is None or hour[0].minute is not None:
        return None
    read = hour[0]
    if words.at(here + 1) == "past":
        return Clock(read.hour, minutes, None, read.half), hour[1], True
    before = read.hour - 1 or 12
    return Clock(before, 60 - minutes, None, read.half), hour[1], True


_HALVES: list[tuple[str, Literal["am", "pm"]]] = [
    ("in the morning", "am"),
    ("morning", "am"),
    ("in the afternoon", "pm"),
    ("in the evening", "pm"),
    ("at night", "pm"),
]
LEADS = frozenset("at by around about before after until till since from @ to between and".split())
