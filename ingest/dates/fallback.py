"""The dateparser library, asked when the rules find nothing and a date seems to be there.

dateparser takes "may", "sat" and "on" for dates, so only hits that themselves look like explicit
dates are kept. It is slow to import (half a second) and to search, hence the late import and the
limit on length.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from bitempo.ingest.dates.arithmetic import Unit
from bitempo.ingest.dates.meaning import Stretch, point

LONGEST_TEXT = 600
"""Characters; longer texts are left to the rules."""


def search(
    text: str, moment: datetime, code: str, looks_explicit: Callable[[str], bool]
) -> list[tuple[int, int, Stretch]]:
    """What dateparser finds in the text: places and days, or minutes when a time was given."""
    if len(text) > LONGEST_TEXT or not looks_explicit(text):
        return []
    from dateparser.search import search_dates

    settings = {"RELATIVE_BASE": moment, "PREFER_DATES_FROM": "past", "DATE_ORDER": "MDY"}
    try:
        hits = search_dates(text, languages=[code], settings=settings) or []
    except _UNREADABLE:
        return []
    found: list[tuple[int, int, Stretch]] = []
    position = 0
    for hit, value in hits:
        start = text.find(hit, position)
        if start < 0 or not looks_explicit(hit):
            continue
        position = start + len(hit)
        found.append((start, position, _stretch(hit, value)))
    return found


_UNREADABLE = (
    ValueError,
    OverflowError,
    TypeError,
    AttributeError,
    LookupError,
    RecursionError,
    re.error,
)
"""What dateparser has been seen to raise on odd text; a text it cannot read holds no date."""

_TIME_OF_DAY = re.compile(r"\d:\d\d|\d ?[ap]\.?m", re.IGNORECASE)


def _stretch(hit: str, value: datetime) -> Stretch:
    moment = value.replace(tzinfo=None)
    if _TIME_OF_DAY.search(hit):
        return point(moment, Unit.MINUTE)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return point(day, Unit.DAY)
