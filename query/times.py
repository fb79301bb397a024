"""Reading the time that a question speaks of, by rules: windows, events that stand for one, order.

"What did Anna do in May?" has the window of that May, as seen from the query's clock. "Where did
she live before the move?" names an event, whose time only the memory can tell (see `timing`).
"What was the most recent trip?" asks for an order. "When did Anna move?" has none of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from bitempo.engine.lexical import STOP_WORDS, words
from bitempo.engine.store.port import Point
from bitempo.engine.time import (
    BEGINNING,
    DAY,
    FOREVER,
    FoundTime,
    Granularity,
    Instant,
    Interval,
    format_instant,
    parse_instant,
)


class TimeRelation(StrEnum):
    """How what is asked for lies to the time that is named."""

    IN = "in"
    BEFORE = "before"
    AFTER = "after"
    SINCE = "since"
    UNTIL = "until"
    BETWEEN = "between"


class TimeOrder(StrEnum):
    """Which of several a question asks for: "first", "most recent"."""

    FIRST = "first"
    LAST = "last"


TimeFinder = Callable[[str, Instant], Sequence[FoundTime]]
"""Finds the time expressions of a text that was said at the instant."""


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A time that a question names: `valid` is what it comes to, half-open, with open ends.

    `granularity` is the unit it was told in, which says how rough it is.
    """

    text: str
    relation: TimeRelation
    valid: Interval
    granularity: Granularity

    def nearness(self, held: Interval) -> float:
        """1 for what overlaps the window, less the further off, 0 from one granule on.

        Just outside it is still nearly 1 where the window is rougher than it is long ("two weeks
        ago"), and a half where it is a whole unit ("yesterday", "in May").
        """
        gap = max(self.valid.start - held.end + 1, held.start - self.valid.end + 1, 0)
        length = granule(self.granularity)
        # A February is a month.
        whole = self.valid.end - self.valid.start >= 0.9 * length
        return 1.0 if gap == 0 else max(0.0, 1.0 - gap / length) * (0.5 if whole else 1.0)

    def __str__(self) -> str:
        return f"{self.text} -> {_shown(self.valid.from_)}..{_shown(self.valid.to)}"


@dataclass(frozen=True, slots=True)
class TimeAnchor:
    """An event that a question names in place of a time: "the move" of "before the move"."""

    text: str
    relation: TimeRelation
    said: str
    """The whole expression: "before the move"."""


@dataclass(frozen=True, slots=True)
class AskedTime:
    """What a question says of time. `order` is None where it asks for neither end."""

    windows: tuple[TimeWindow, ...] = ()
    anchors: tuple[TimeAnchor, ...] = ()
    order: TimeOrder | None = None

    def __bool__(self) -> bool:
        return bool(self.windows or self.anchors or self.order)

    def to_text(self) -> str:
        """A line for each thing read: `in May 2023 -> 2023-05-01..2023-06-01`."""
        lines = [str(window) for window in self.windows]
        lines += [f"{anchor.said} -> no such event is known" for anchor in self.anchors]
        if self.order is not None:
            lines.append(f"the {self.order} of several")
        return "\n".join(lines)

    def to_record(self) -> dict[str, Any]:
        """As JSON has it; open ends are null."""
        return {
            "windows": [
                {
                    "text": one.text,
                    "relation": one.relation,
                    "from": _optional(one.valid.start),
                    "to": _optional(one.valid.end),
                    "granularity": one.granularity,
                }
                for one in self.windows
            ],
            "anchors": [
                {"text": one.text, "relation": one.relation, "said": one.said}
                for one in self.anchors
            ],
            "order": self.order,
        }

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> AskedTime:
        """What `to_record` wrote.

        Raises:
            KeyError, TypeError, ValueError: it is not that.
        """
        windows = tuple(
            TimeWindow(
                str(one["text"]),
                TimeRelation(one["relation"]),
                Interval(_end(one["from"], BEGINNING), _end(one["to"], FOREVER)),
                Granularity(one["granularity"]),
            )
            for one in record["windows"]
        )
        anchors = tuple(
            TimeAnchor(str(one["text"]), TimeRelation(one["relation"]), str(one["said"]))
            for one in record["anchors"]
        )
        order = record["order"]
        return AskedTime(windows, anchors, None if order is None else TimeOrder(order))


def clock_of(point: Point) -> Instant:
    """From when a question looks at time: the valid time asked for, else when it was known."""
    return point.known_at if point.valid_at is None else point.valid_at


def granule(granularity: Granularity) -> int:
    """How long one unit of the granularity lasts, in microseconds; a day if that is not known."""
    return _GRANULES.get(granularity, DAY)


NO_TIME = AskedTime()
"""Of a question that says nothing of time."""


def read_times(text: str, clock: Instant, find: TimeFinder | None = None) -> AskedTime:
    """The times of the question, as seen from the query's clock.

    Args:
        find: finds the dates; without, only events and order are read.
    """
    text = text[:_LONGEST]
    found = list(find(text, clock)) if find is not None else []
    windows: list[TimeWindow] = []
    anchors: list[TimeAnchor] = []
    read: set[int] = set()
    named: list[tuple[int, int]] = [(one.start, one.end) for one in found]
    for anchor, start, end in _anchors(text, found):
        # The first of "after the first visit" says which event, not which of what is asked for.
        named.append((start, end))
        inside = [place for place, one in enumerate(found) if start <= one.start < end]
        if inside:
            # "after the move in May": the date says when, so the event need not be looked up.
            read.update(inside)
            windows.append(_beside(anchor, found[inside[0]]))
        else:
            anchors.append(anchor)
    windows += [
        _window(one, clock, find)
        for place, one in enumerate(found)
        if place not in read and find is not None
    ]
    former = _FORMER.search(text)
    if former and not _COMPARES.search(text) and not windows and not anchors:
        before = Interval(end=clock)
        windows.append(TimeWindow(former[0], TimeRelation.BEFORE, before, Granularity.INSTANT))
    return AskedTime(tuple(windows), tuple(anchors), _order(text, named))


def beside(
    text: str, relation: TimeRelation, event: Interval, granularity: Granularity
) -> TimeWindow:
    """The window that lies to an event as the relation says; before the event leaves it out."""
    valid = event
    if relation is TimeRelation.BEFORE:
        valid = Interval(end=event.start)
    elif relation is TimeRelation.UNTIL:
        valid = Interval(end=event.end)
    elif relation in (TimeRelation.AFTER, TimeRelation.SINCE):
        valid = Interval(event.start)
    return TimeWindow(text, relation, valid, granularity)


_LONGEST = 2_000
_GRANULES = {
    Granularity.INSTANT: 60_000_000,
    Granularity.MINUTE: 10 * 60_000_000,
    Granularity.HOUR: DAY // 24,
    Granularity.PART_OF_DAY: DAY // 6,
    Granularity.DAY: DAY,
    Granularity.WEEKEND: 2 * DAY,
    Granularity.WEEK: 7 * DAY,
    Granularity.MONTH: 30 * DAY,
    Granularity.SEASON: 91 * DAY,
    Granularity.QUARTER: 91 * DAY,
    Granularity.YEAR: 365 * DAY,
    Granularity.DECADE: 3_652 * DAY,
    Granularity.CENTURY: 36_524 * DAY,
}
_RELATIONS = {
    "before": TimeRelation.BEFORE,
    "prior": TimeRelation.BEFORE,
    "after": TimeRelation.AFTER,
    "since": TimeRelation.SINCE,
    "until": TimeRelation.UNTIL,
    "till": TimeRelation.UNTIL,
    "during": TimeRelation.IN,
    "while": TimeRelation.IN,
    "when": TimeRelation.IN,
}
_CUE = re.compile(r"\b(before|prior to|after|since|until|till|during|while|when)\s+", re.I)
_END = re.compile(r"[,;:?!]|\.(?!\d)")
_ASKS = re.compile(
    r"\b(did|do|does|is|are|was|were|will|would|has|have|had|can|could|should|shall|might|may)\b",
    re.I,
)
_OFTEN = re.compile(r"\b(usually|always|often|normally)\b", re.I)
_PAST = re.compile(
    r"\b(\w{2,}ed|was|were|had|went|left|came|got|began|met|bought|lost|won|broke|became|took|made"
    r"|gave|told|said|saw|found|sold|ran|fell|taught|built|grew|wrote|quit|started)\b",
    re.I,
)

_LAST = re.compile(
    r"\b(most recent(ly)?|latest|newest|recent(ly)?|lately|current(ly)?|now|nowadays"
    r"|these days|at the moment|at present"
    r"|last(?! (names?|resort|minute|straw|words?|call|supper|longer|long|for|until)\b))\b",
    re.I,
)
_FIRST = re.compile(
    r"\b(earliest|initial(ly)?|original(ly)?|at first"
    r"|first(?![- ](place|prize|names?|aid|lady|class|grade|language|person|floor|half|hand|degree"
    r"|cousins?|responders?|of all)\b))\b",
    re.I,
)
_FORMER = re.compile(
    r"\b(previous(ly)?|former(ly)?|used to|before(?=\s*[?.!]*$)|earlier(?=\s*[?.!]*$))(?!\w)", re.I
)
_COMPARES = re.compile(r"\bthan\b", re.I)
_LASTING = re.compile(r"\bhow long\b", re.I)


def _window(one: FoundTime, clock: Instant, find: TimeFinder) -> TimeWindow:
    first = one.text.split(maxsplit=1)[0].casefold()
    granularity, valid = one.granularity, one.valid
    if one.text.casefold().startswith("as of "):
        # A fact that holds from then on; a question asks how it was at that time.
        plain = find(one.text[len("as of ") :], clock)
        if plain:
            return TimeWindow(one.text, TimeRelation.IN, plain[0].valid, granularity)
    relation = TimeRelation.IN
    if one.kind == "range":
        relation = TimeRelation.BETWEEN
    elif one.kind == "since":
        relation = TimeRelation.AFTER if first == "after" else TimeRelation.SINCE
    elif one.kind in ("until", "deadline"):
        relation = TimeRelation.BEFORE if first in ("before", "prior") else TimeRelation.UNTIL
    return TimeWindow(one.text, relation, valid, granularity)


def _beside(anchor: TimeAnchor, one: FoundTime) -> TimeWindow:
    return beside(anchor.said, anchor.relation, one.valid, one.granularity)


def _anchors(text: str, found: Sequence[FoundTime]) -> Iterator[tuple[TimeAnchor, int, int]]:
    """The events that the question names as times, each with the place of its text."""
    asks = _ASKS.search(text)
    if _OFTEN.search(text) or (asks and asks[0].casefold() in ("do", "does")):
        # What someone does after work has no time of its own.
        return
    end = 0
    for cue in _CUE.finditer(text):
        start, at = cue.end(), cue.start()
        if at < end or any(one.start <= at < one.end for one in found):
            continue
        stop = _END.search(text, start)
        end = stop.start() if stop else len(text)
        said = text[start:end].strip()
        word = cue.group(1).split()[0].casefold()
        if not _names_an_event(said) or (
            word in ("when", "while") and not _tells_when(word, said, opens=not text[:at].strip())
        ):
            end = 0
            continue
        yield TimeAnchor(said, _RELATIONS[word], text[at:end].strip()), start, end


def _names_an_event(said: str) -> bool:
    return any(word not in STOP_WORDS for word in words(said))


def _tells_when(word: str, said: str, *, opens: bool) -> bool:
    """Whether "when" or "while" goes with what happened once, and does not ask."""
    if _ASKS.match(said):
        return False
    return not (opens and word == "when" and "?" not in said) and bool(
        word == "while" or _PAST.search(said)
    )


def _order(text: str, named: Sequence[tuple[int, int]]) -> TimeOrder | None:
    """Which end the question asks for, by words that do not stand in the times it names."""

    def asked(pattern: re.Pattern[str]) -> bool:
        return any(
            not any(start <= match.start() < end for start, end in named)
            for match in pattern.finditer(text)
        )

    first, last = asked(_FIRST), asked(_LAST) and not _LASTING.search(text)
    if first == last or (" or " in text.casefold() and first):
        # Of two that are compared both are asked for.
        return None
    return TimeOrder.FIRST if first else TimeOrder.LAST


def _optional(instant: Instant) -> str | None:
    return None if instant in (BEGINNING, FOREVER) else format_instant(instant)


def _end(text: str | None, unbounded: Instant) -> Instant:
    return unbounded if text is None else parse_instant(text)


def _shown(moment: datetime | None) -> str:
    if moment is None:
        return ""
    text = moment.isoformat().replace("+00:00", "Z")
    return text.removesuffix("T00:00:00Z")
