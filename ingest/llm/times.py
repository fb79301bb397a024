"""The times that a model gives, checked against the date normaliser.

The normaliser wins where it is certain: where it reads all of the words, and reads them the same
way whether the sentence tells of the past or of the future. Otherwise the model's time stands.
Where the two differ, that is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from bitempo.engine.errors import InvalidInputError, InvalidTimeError
from bitempo.engine.model import Episode
from bitempo.engine.time import (
    BEGINNING,
    DAY,
    FOREVER,
    LONGEST_UNITS,
    Granularity,
    Instant,
    Interval,
    format_instant,
    from_datetime,
    parse_time,
)
from bitempo.ingest.dates import TimeExpression, find_times
from bitempo.ingest.llm.reply import ReplyAssertion
from bitempo.ingest.llm.sources import UnverifiedError

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""How the prompt names them after its times."""


@dataclass(frozen=True, slots=True)
class Times:
    """When a claim holds, as far as the turns say, and remarks on what was not taken."""

    valid_from: Instant | None = None
    valid_to: Instant | None = None
    granularity: Granularity = Granularity.UNKNOWN
    time_text: str | None = None
    due: Interval | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeReader:
    """Reads times of claims for turns that were spoken in one time zone and language."""

    timezone: tzinfo
    language: str = "en"

    def times_of(self, claim: ReplyAssertion, main: Episode, others: Iterable[Episode]) -> Times:
        """The times of a claim from the turn `main`; `others` are what else it may count on.

        Raises:
            UnverifiedError: a time that nothing else tells cannot be read, or it ends before it
                begins.
        """
        words = (claim.time_text or "").strip() or None
        read = self._read(claim)
        told = self._expression(words, main) if words else None
        if words is None:
            read = self._unsaid(read, claim, main, others)
        elif told is not None:
            read = _compared(read, told, claim)
        if read.unreadable:
            field, value = read.unreadable[0]
            raise UnverifiedError(f"{field} {value!r} is not a time")
        start, end = read.start, read.end
        if start is not None and end is not None and end <= start:
            raise UnverifiedError(
                f"it would end at {format_instant(end)}, before it began at {format_instant(start)}"
            )
        stated = Granularity(claim.granularity)
        if stated is Granularity.UNKNOWN and told is not None and told.certain:
            stated = told.expression.granularity
        if start is None and end is None:
            # The telling's own time holds, whatever the words are about.
            stated = Granularity.UNKNOWN
        return Times(start, end, stated, words, read.due, tuple(read.remarks))

    def _read(self, claim: ReplyAssertion) -> _Read:
        read = _Read()
        start = self._parsed("valid_from", claim.valid_from, read)
        end = self._parsed("valid_to", claim.valid_to, read)
        read.start = start.start if start is not None else None
        if end is not None:
            # "From the 7th to the 7th" is that day: a model that forgot that ends are excluded.
            same = start is not None and end.start == start.start and end.end > end.start + 1
            read.end = end.end if same else end.start
            read.end = None if read.end == FOREVER else read.end
        read.due = self._parsed("due", claim.due, read)
        return read

    def _parsed(self, name: str, given: str | None, read: _Read) -> Interval | None:
        text = (given or "").strip()
        if text.casefold() in _OPEN:
            return None
        if name == "valid_from" and text.casefold() in _ALWAYS:
            return Interval()
        try:
            return lenient_time(text, self.timezone)
        except InvalidTimeError:
            read.unreadable.append((name, text))
            return None

    def _expression(self, words: str, main: Episode) -> _Told | None:
        """What the normaliser makes of the words, in their sentence if they stand there."""
        at = main.text.casefold().find(words.casefold())
        if at >= 0 and len(main.text.casefold()) == len(main.text):
            found = [
                e
                for e in self._find(main.text, main.occurred_at)
                if e.start < at + len(words) and at < e.end
            ]
        else:
            found = self._find(words, main.occurred_at)
        if len(found) != 1:
            return None
        expression = found[0]
        plain = len(expression.text) >= _MOST * len(words.strip()) and self._has_one_reading(
            expression, main.occurred_at
        )
        return _Told(expression, plain, plain and not _VAGUE.search(words))

    def _has_one_reading(self, told: TimeExpression, occurred_at: Instant) -> bool:
        if told.source != "rules":
            return False
        readings = [
            self._find(f"{cue} {told.text}", occurred_at) for cue in ("it was", "it will be")
        ]
        return all(len(r) == 1 and r[0].valid == told.valid for r in readings)

    def _find(self, text: str, occurred_at: Instant) -> list[TimeExpression]:
        try:
            return find_times(text, occurred_at, language=self.language, timezone=self.timezone)
        except InvalidInputError:
            # A language without rules: the model's times stand unchecked.
            return []

    def _unsaid(
        self, read: _Read, claim: ReplyAssertion, main: Episode, others: Iterable[Episode]
    ) -> _Read:
        """Times for which the model names no words: kept only if the turns tell them."""
        read.unreadable = [each for each in read.unreadable if each[0] == "due"]
        if claim.inferred or (read.start is None and read.end is None):
            return read
        if self._is_of_the_telling(read, main):
            # A day's event is over with it; what goes on began when it was told, to the minute.
            return read if read.end is not None else replace(read, start=None)
        spoken = [e for t in (main, *others) for e in self._find(t.text, t.occurred_at)]
        for moment in (read.start, read.end):
            if moment is not None and not any(_near(moment, e) for e in spoken):
                read.remarks.append(
                    f"no words of the turns say {format_instant(moment)}: "
                    "the time of the turn holds"
                )
                return replace(read, start=None, end=None)
        return read

    def _is_of_the_telling(self, read: _Read, main: Episode) -> bool:
        said = main.occurred_at
        end = said + 2 * DAY if read.end is None else read.end
        return (
            read.start is not None
            and read.start <= said < read.start + DAY
            and (end <= said + 2 * DAY)
        )


def lenient_time(text: str, timezone: tzinfo) -> Interval:
    """As `parse_time`; a time without an offset is of the time zone.

    The weekday that the prompt puts after a time may stand there: small models copy it along.

    Raises:
        InvalidTimeError: it is no time.
    """
    text = _ISO_SPACE.sub("T", _WEEKDAY.sub("", text.strip()))
    if _LOCAL.fullmatch(text):
        try:
            local = datetime.fromisoformat(text).replace(tzinfo=timezone)
            start = from_datetime(local)
        except (ValueError, OverflowError) as error:
            raise InvalidTimeError(f"{text!r} is not a time") from error
        return Interval(start, start + 1)
    return parse_time(text)[0]


_OPEN = frozenset({"", "present", "now", "ongoing", "unknown", "forever", "inf", "current"})
_ALWAYS = frozenset({"always", "beginning", "-inf"})
_ISO_SPACE = re.compile(r"(?<=\d) (?=\d\d:)")
_WEEKDAY = re.compile(rf"\s+(?:{'|'.join(WEEKDAYS)})$")
_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d(?::?\d\d(?::?\d\d(?:\.\d+)?)?)?")
_VAGUE = re.compile(r"\b(?:few|couple|several|some|about|around|roughly|almost|or so)\b", re.I)
"""Words of amounts that no arithmetic makes exact."""
_MOST = 0.5
"""The share of the words that the normaliser must read to be certain of them."""
_LENGTHS = {**LONGEST_UNITS, Granularity.PART_OF_DAY: DAY // 4}


@dataclass(slots=True)
class _Read:
    """The model's times, read."""

    start: Instant | None = None
    end: Instant | None = None
    due: Interval | None = None
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Told:
    """What the normaliser makes of the words.

    `plain`: it reads them the same way whatever the tense. `certain`: and they are exact as well.
    """

    expression: TimeExpression
    plain: bool
    certain: bool


def _compared(read: _Read, told: _Told, claim: ReplyAssertion) -> _Read:
    """The times of which the model and the normaliser agree, or those of the one that wins."""
    meant = told.expression.valid
    if told.expression.kind == "deadline" or (claim.due is not None and read.start is None):
        return _due_compared(read, told)
    ends = told.expression.kind == "until" or (claim.polarity == "+" and read.start is None)
    if ends and read.end is not None:
        return _end_compared(read, told)
    if meant.start == BEGINNING:
        return read
    unreadable = any(name == "valid_from" for name, _ in read.unreadable)
    if read.start is None and not unreadable:
        return _filled_in(read, told, claim)
    if read.start is not None and (
        _near(read.start, told.expression) or read.start <= meant.start < _end_of(read, claim)
    ):
        return read
    remark = _differ("valid_from", read.start, meant, told)
    if not told.certain:
        return _with(read, remark)
    # An end that the model counted from a wrong start is as wrong.
    bounded = read.end is not None or any(name == "valid_to" for name, _ in read.unreadable)
    end = meant.end if bounded and meant.end != FOREVER else None
    if read.end is not None and read.end > meant.start and _near_end(read.end, told.expression):
        end = read.end
    left = [each for each in read.unreadable if each[0] == "due"]
    return replace(_with(read, remark), start=meant.start, end=end, unreadable=left)


def _end_of(read: _Read, claim: ReplyAssertion) -> Instant:
    """Where the time ends at which the model says that it began: a day, if it says a day."""
    start = read.start or 0
    within = start + _LENGTHS.get(Granularity(claim.granularity), 0)
    return within if read.end is None else min(within, read.end)


def _filled_in(read: _Read, told: _Told, claim: ReplyAssertion) -> _Read:
    """Words that say when, and a model that made no time of them."""
    meant = told.expression.valid
    now = told.expression.granularity is Granularity.INSTANT
    if not told.plain or now or read.due is not None or read.end is not None:
        return read
    # Of a state the words may say when it was seen rather than when it began.
    if claim.kind != "event" and told.expression.kind != "since":
        return read
    end = None if meant.end == FOREVER or told.expression.kind == "since" else meant.end
    remark = f"the model gave no time for words that mean {meant}"
    return replace(_with(read, remark), start=meant.start, end=end)


def _end_compared(read: _Read, told: _Told) -> _Read:
    meant = told.expression.valid
    if read.end is None or meant.end == FOREVER or _near_end(read.end, told.expression):
        return read
    remark = _differ("valid_to", read.end, meant, told)
    return replace(_with(read, remark), end=meant.end) if told.certain else _with(read, remark)


def _due_compared(read: _Read, told: _Told) -> _Read:
    meant = told.expression.valid
    if read.due is None or meant.end == FOREVER:
        return read
    if _near(read.due.start, told.expression) or _near_end(read.due.end, told.expression):
        return read
    if read.due.start <= meant.start < read.due.end:
        return read
    remark = _differ("due", read.due.start, meant, told)
    if not told.certain:
        return _with(read, remark)
    start = meant.start if meant.start != BEGINNING else meant.end - DAY
    return replace(_with(read, remark), due=Interval(start, meant.end))


def _near(moment: Instant, told: TimeExpression) -> bool:
    """Whether the moment lies in the time told, or as near to it as it was exactly told."""
    slack = _slack(told)
    return told.valid.start - slack <= moment < told.valid.end + max(slack, 1)


def _near_end(moment: Instant, told: TimeExpression) -> bool:
    unit = max(_slack(told), _LENGTHS.get(told.granularity, 0))
    return told.valid.end - unit <= moment <= told.valid.end + unit


def _slack(told: TimeExpression) -> int:
    """ "Three years ago" is one day, and may be any within a year of it."""
    if told.valid.start == BEGINNING or told.valid.end == FOREVER:
        return _LENGTHS.get(told.granularity, 0)
    return max(0, _LENGTHS.get(told.granularity, 0) - (told.valid.end - told.valid.start))


def _differ(name: str, given: Instant | None, meant: Interval, told: _Told) -> str:
    said = "nothing that can be read" if given is None else format_instant(given)
    taken = "normaliser's" if told.certain else "model's"
    return f"{name}: the model says {said}, the words mean {meant}; the {taken} was taken"


def _with(read: _Read, remark: str) -> _Read:
    return replace(read, remarks=[*read.remarks, remark])
