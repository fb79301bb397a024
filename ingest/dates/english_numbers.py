"""English numbers, ordinals, years in words, and lengths of time ("a year and a half")."""

from __future__ import annotations

from fractions import Fraction

from bitempo.ingest.dates.arithmetic import Unit
from bitempo.ingest.dates.english_words import COUNTED_UNITS, MONTHS, SHORT_UNITS, Words
from bitempo.ingest.dates.meaning import Amount

LONGEST_DIGITS = 9
"""Digits; longer numbers count nothing that happens in time."""

MOST_PARTS = 3
"""Of a length of time: "a year, two months and three days"."""


def number(words: Words, index: int) -> tuple[Fraction, int] | None:
    """A count in digits or words, with the index after it."""
    word = words.at(index)
    if word.isdecimal():
        return _digits(words, index)
    if word in ("a", "an"):
        ahead = words.at(index + 1)
        if ahead in VAGUE:
            return _vague(words, index + 1)
        if ahead in ("hundred", "thousand"):
            return _cardinal(words, index)
        return Fraction(1), index + 1
    if word in VAGUE:
        return _vague(words, index)
    return _cardinal(words, index)


def day_number(words: Words, index: int, *, ordinal: bool = False) -> tuple[int, int] | None:
    """A day of the month, 1 to 31, with the index after it; `ordinal` refuses plain numbers."""
    word = words.at(index)
    if word.isdecimal() and len(word) <= 2:
        day, end = int(word), index + 1
        if words.glued(end) and words.at(end) in ("st", "nd", "rd", "th"):
            end += 1
        elif ordinal or (words.glued(end) and _is_other(words.at(end))):
            return None
    else:
        found = ordinal_number(words, index)
        if found is None and not ordinal and word not in ("a", "an") and word in SMALL_NUMBERS:
            cardinal = _cardinal(words, index)
            found = None if cardinal is None else (int(cardinal[0]), cardinal[1])
        if found is None:
            return None
        day, end = found
    return (day, end) if 1 <= day <= 31 else None


def ordinal_number(words: Words, index: int) -> tuple[int, int] | None:
    """An ordinal up to the thirty-first, in words or digits, with the index after it."""
    word = words.at(index)
    if word.isdecimal() and len(word) <= 2:
        glued = words.glued(index + 1) and words.at(index + 1) in ("st", "nd", "rd", "th")
        return (int(word), index + 2) if glued else None
    if word in ORDINALS:
        return ORDINALS[word], index + 1
    if word in ("twenty", "thirty"):
        ahead = words.skip(index + 1, "-")
        unit = ORDINALS.get(words.at(ahead), 99)
        if unit < 10:
            return SMALL_NUMBERS[word] + unit, ahead + 1
    return None


def year_in_words(words: Words, index: int) -> tuple[int, int] | None:
    """A year as spoken: nineteen ninety-six, two thousand and five, seventeen hundred and one."""
    word = words.at(index)
    if word == "two" and words.at(index + 1) == "thousand":
        found = _cardinal(words, index)
        return None if found is None else (int(found[0]), found[1])
    century = SMALL_NUMBERS.get(word, 0)
    if not 13 <= century <= 20:
        return None
    ahead = words.skip(index + 1, "-")
    if words.at(ahead) == "hundred":
        found = _cardinal(words, index)
        return None if found is None else (int(found[0]), found[1])
    if words.at(ahead) in ("oh", "o"):
        unit = SMALL_NUMBERS.get(words.at(ahead + 1), 0)
        return (century * 100 + unit, ahead + 2) if 1 <= unit <= 9 else None
    rest = _below_hundred(words, ahead)
    if rest is None or rest[0] < 10:
        return None
    return century * 100 + rest[0], rest[1]


def amount(words: Words, index: int) -> tuple[Amount, int] | None:
    """A length of time, with the index after it."""
    parts: list[tuple[Fraction, Unit]] = []
    here = index
    end = index
    while len(parts) < MOST_PARTS:
        part = _part(words, here)
        if part is None:
            break
        parts += part[0]
        end = part[1]
        here = words.skip(words.skip(end, ","), "and")
        if here == end:
            break
    return (tuple(parts), end) if parts else None


def _is_other(glued: str) -> bool:
    """Whether a word glued to a number makes something else of it; "5May" stays a day."""
    return glued[:1].isalpha() and glued not in MONTHS


def _part(words: Words, index: int) -> tuple[list[tuple[Fraction, Unit]], int] | None:
    if words.at(index) == "half":
        count, here = Fraction(1, 2), words.skip(index + 1, "a", "an", "of")
    elif words.at(index + 1) == "half" and words.at(index) == "a":
        count, here = Fraction(1, 2), index + 2
    else:
        found = number(words, index)
        if found is None:
            return None
        count, here = found
        half = _and_a_half(words, here)
        if half:
            count, here = count + Fraction(1, 2), half
        here = _or_so(words, here)
    here = words.skip(here, "more", "whole", "full", "long", "short", "entire")
    here = words.skip(here, "-")
    name = words.at(here)
    unit = COUNTED_UNITS.get(name)
    if unit is None or (name in SHORT_UNITS and not words.at(index).isdecimal()):
        return None
    here = words.skip(here + 1, "'")
    parts = [(count, unit)]
    half = _and_a_half(words, here)
    if half:
        parts, here = [(count + Fraction(1, 2), unit)], half
    return parts, _or_so(words, here)


def _and_a_half(words: Words, index: int) -> int:
    here = words.skip(index, "-")
    if words.at(here) != "and":
        return 0
    here = words.skip(here + 1, "-")
    if words.at(here) != "a":
        return 0
    here = words.skip(here + 1, "-")
    return here + 1 if words.at(here) == "half" else 0


def _or_so(words: Words, index: int) -> int:
    if words.at(index) == "or" and words.at(index + 1) in ("so", "two", "three", "more"):
        return index + 2
    return index


def _digits(words: Words, index: int) -> tuple[Fraction, int] | None:
    digits = words.at(index)
    end = index + 1
    if words.glued(end) and words.glued(end + 1) and words.at(end + 1).isdecimal():
        ahead = words.at(end + 1)
        if words.at(end) == "." and len(ahead) <= 3:
            return Fraction(f"{digits[:LONGEST_DIGITS]}.{ahead}"), end + 2
        if words.at(end) == "," and len(ahead) == 3:
            digits, end = digits + ahead, end + 2
    return (Fraction(int(digits)), end) if len(digits) <= LONGEST_DIGITS else None


def _vague(words: Words, index: int) -> tuple[Fraction, int]:
    word = words.at(index)
    return Fraction(VAGUE[word]), words.skip(index + 1, "of")


def _cardinal(words: Words, index: int) -> tuple[Fraction, int] | None:
    total, end = 0, index
    for _ in range(4):
        here = end
        if end > index:
            here = words.skip(words.skip(end, "-"), "and")
        group = _below_hundred(words, here)
        if group is None and words.at(here) == "a" and end == index:
            group = (1, here + 1)
        if group is None:
            break
        value, end = group
        scale = words.at(end)
        if scale in ("hundred", "thousand"):
            value, end = value * (100 if scale == "hundred" else 1000), end + 1
        total += value
        if scale not in ("hundred", "thousand"):
            break
    return (Fraction(total), end) if end > index else None


def _below_hundred(words: Words, index: int) -> tuple[int, int] | None:
    value = SMALL_NUMBERS.get(words.at(index))
    if value is None:
        return None
    end = index + 1
    if value >= 20:
        ahead = words.skip(end, "-")
        unit = SMALL_NUMBERS.get(words.at(ahead), 99)
        if 1 <= unit <= 9:
            return value + unit, ahead + 1
    return value, end


SMALL_NUMBERS = {
    name: value
    for value, name in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {
    name: tens * 10
    for tens, name in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)
}
ORDINALS = {
    name: value
    for value, name in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
        "twentieth".split(),
        1,
    )
} | {"thirtieth": 30}
VAGUE = {"couple": 2, "few": 3, "several": 3, "dozen": 12}
"""Small vague counts, read as their usual size."""
