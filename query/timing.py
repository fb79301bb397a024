"""What the time that a question speaks of says for each turn and fact of a recall.

Two signals come of it. `time` is how near an item lies to the windows: 1 within one, less outside
it, 0 from one granule on. `order` is where an item stands from the wrong end (0) to the end that
is asked for (1) among what is relevant, times how relevant it is; so it parts only what is alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bitempo.engine.lexical import is_sentence, terms
from bitempo.engine.model import Assertion, Episode, Fact, Modality, Polarity
from bitempo.engine.store.port import Corpus, Point, Reader
from bitempo.engine.time import (
    BEGINNING,
    DAY,
    FOREVER,
    Granularity,
    Instant,
    Interval,
    to_datetime,
)
from bitempo.query.answering import entities_of
from bitempo.query.candidates import Candidate
from bitempo.query.facts import cited_by, names_of, support_of
from bitempo.query.question import read_question
from bitempo.query.times import (
    AskedTime,
    TimeAnchor,
    TimeOrder,
    TimeRelation,
    TimeWindow,
    beside,
    granule,
)


@dataclass(frozen=True, slots=True)
class Timing:
    """The time asked for, with the events that it names looked up, at the query's clock."""

    asked: AskedTime
    clock: Instant

    def __bool__(self) -> bool:
        return bool(self.asked.windows or self.asked.order)

    @property
    def looks_back(self) -> bool:
        """Whether facts that no longer hold at the clock are asked for too."""
        return bool(self.asked.windows) or self.asked.order is TimeOrder.FIRST

    @property
    def of_former(self) -> bool:
        """Whether what was before now is asked for, without saying when."""
        before = Interval(end=self.clock)
        return any(window.valid == before for window in self.asked.windows)

    def within(self, fact: Fact) -> bool:
        """Whether the fact had begun by the clock, and holds in a window if there are any."""
        windows = self.asked.windows
        begun = fact.valid.start <= self.clock
        return begun and (not windows or any(fact.valid.overlaps(one.valid) for one in windows))

    def of_turn(self, turn: Episode, told: Iterable[Assertion | Fact]) -> float:
        """How near a turn is to the windows, by when it was said or by what was told in it."""
        moment = Interval(turn.occurred_at, turn.occurred_at + 1)
        # A window that holds every turn there is tells nothing of one.
        said = [
            window.nearness(moment)
            for window in self.asked.windows
            if window.valid.start != BEGINNING or window.valid.end < self.clock
        ]
        return max([*said, *(self.of_told(one) for one in told)], default=0.0)

    def of_told(self, held: Fact | Assertion) -> float:
        """How near to the windows what is held lies; half for what goes on before and after one.

        A claim alone counts for when it began, since what goes on may have ended since.
        """
        if not isinstance(held, Fact) or is_sentence(held):
            return self._nearness(_event(held)) if _dated(held) else 0.0
        spans = (_covers(held.valid, window.valid) for window in self.asked.windows)
        return self.holding(held) * (0.5 if all(spans) else 1.0)

    def holding(self, fact: Fact) -> float:
        """How far a fact holds in the windows, in [0, 1]; what goes on after one is half before."""
        return max((_overlap(window, fact.valid) for window in self.asked.windows), default=0.0)

    def _nearness(self, held: Interval) -> float:
        return max((window.nearness(held) for window in self.asked.windows), default=0.0)


def timed(
    timing: Timing,
    candidates: Sequence[Candidate],
    claims: Mapping[str, Assertion],
    facts: Iterable[Fact],
    score: Callable[[str, Mapping[str, float]], float],
) -> list[Candidate]:
    """The candidates with their signals of time, and scored anew.

    Args:
        claims: those that were read out of the turns, by their ids.
        facts: those that are known to hold.
        score: the score of a kind of item by its signals.
    """
    told = _told(claims, facts) if timing.asked.windows else {}
    placed = _placed(timing.asked.order, candidates)
    found = []
    for one, place in zip(candidates, placed, strict=True):
        signals = dict(one.signals)
        if timing.asked.windows and one.episode is not None:
            near = timing.of_turn(one.episode, told.get(one.episode.id, ()))
            signals |= {"time": near, "tells": signals["tells"] * near}
        elif timing.asked.windows and one.fact is not None:
            # What does not hold at the time asked for is no answer.
            answers = signals["answers"] * timing.holding(one.fact)
            signals |= {"time": timing.of_told(one.fact), "answers": answers}
        if timing.asked.order is not None:
            signals["order"] = place
        order = (-score(one.kind, signals), *one.order[1:])
        found.append(one._replace(signals=signals, order=order))
    return found


def timing_of(reader: Reader, asked: AskedTime, point: Point, clock: Instant, limit: int) -> Timing:
    """Look up the events that the question names in place of times.

    An event is the claim that has the words of its text, believed at the point's `known_at` and
    begun by the query's clock. What is not found gives no window, and stays among the anchors.
    """
    windows, missing = list(asked.windows), []
    for anchor in asked.anchors:
        event = _event_of(reader, anchor, point.known_at, clock, limit)
        if event is None:
            missing.append(anchor)
            continue
        granularity = _known(event.granularity)
        windows.append(beside(anchor.said, anchor.relation, _event(event), granularity))
    return Timing(replace(asked, windows=tuple(windows), anchors=tuple(missing)), clock)


def turns_within(reader: Reader, timing: Timing, known_at: Instant, limit: int) -> set[str]:
    """Turns that were said in the windows, the short ones; whatever they are about.

    They are found by the days and months in their text, of which a window may span a few.
    """
    found: set[str] = set()
    for window in timing.asked.windows:
        for date in _dates(window.valid):
            matches = reader.search(Corpus.TURNS, terms(date), known_at=known_at, limit=limit)
            episodes = reader.episodes(matches.ids)
            found |= {id for id, one in episodes.items() if one.occurred_at in window.valid}
    return found


_RELEVANT = 0.5
"""The share of the best score from which an item is among those that are put in order."""

_MOST_DAYS = 7
_MOST_MONTHS = 3


def _told(
    claims: Mapping[str, Assertion], facts: Iterable[Fact]
) -> dict[str, list[Assertion | Fact]]:
    """By turn, the claims that were read out of it and the facts that they carry."""
    told: dict[str, list[Assertion | Fact]] = {}
    for claim in claims.values():
        for turn in claim.evidence:
            told.setdefault(turn, []).append(claim)
    for fact in facts:
        for turn in cited_by(support_of(fact, claims)):
            told.setdefault(turn, []).append(fact)
    return told


def _placed(end: TimeOrder | None, candidates: Sequence[Candidate]) -> list[float]:
    """How near each is to the end asked for, among the relevant of its kind, times relevance."""
    top: dict[str, float] = {}
    for one in candidates:
        top[one.kind] = max(-one.order[0], top.get(one.kind, 0.0))
    shares = [max(0.0, -one.order[0]) / (top[one.kind] or 1.0) for one in candidates]
    times: dict[str, list[Instant]] = {}
    for one, share in zip(candidates, shares, strict=True):
        if share >= _RELEVANT:
            times.setdefault(one.kind, []).append(_when(one))
    for found in times.values():
        found.sort()
    return [
        share * _place(end, times.get(one.kind, ()), _when(one))
        for one, share in zip(candidates, shares, strict=True)
    ]


def _place(end: TimeOrder | None, times: Sequence[Instant], when: Instant) -> float:
    """The share of the times that lie on the other side of it than the end asked for."""
    if end is None or len(times) < 2:
        return 0.0
    passed = bisect_left(times, when)
    if end is TimeOrder.FIRST:
        passed = len(times) - bisect_right(times, when)
    return min(1.0, passed / (len(times) - 1))


def _when(one: Candidate) -> Instant:
    return -one.order[1]


def _covers(held: Interval, window: Interval) -> bool:
    return held.start < window.start and window.end < held.end


def _overlap(window: TimeWindow, held: Interval) -> float:
    near = window.nearness(held)
    if window.relation is TimeRelation.BEFORE and held.end > window.valid.end:
        return near / 2
    return near


def _dated(claim: Assertion | Fact) -> bool:
    """Whether it tells when it was: what holds from when it was said says no more than the turn."""
    return not claim.from_inferred and claim.valid.start != BEGINNING


def _event(held: Assertion | Fact) -> Interval:
    """When it happened: all of what is over, and of what goes on the granule that it began in."""
    start, end = held.valid.start, held.valid.end
    if start != BEGINNING and end == FOREVER:
        length = granule(_known(held.granularity))
        start -= start % DAY if length >= DAY else 0
        return Interval(start, start + length)
    return held.valid


def _known(granularity: Granularity) -> Granularity:
    return Granularity.DAY if granularity is Granularity.UNKNOWN else granularity


def _event_of(
    reader: Reader, anchor: TimeAnchor, known_at: Instant, clock: Instant, limit: int
) -> Assertion | None:
    """The claim that tells of the event; of several that fit alike a dated one, and the first."""
    wanted = set(read_question(anchor.text).terms)
    matches = reader.search(Corpus.ASSERTIONS, sorted(wanted), known_at=known_at, limit=limit)
    claims = reader.assertions(matches.ids)
    names = names_of(reader, claims.values())
    fitting: list[tuple[int, bool, Instant, str]] = []
    for id, claim in claims.items():
        text = " ".join([claim.text, *(names[one] for one in entities_of(claim))])
        said = len(wanted & set(terms(text)))
        if said == len(wanted) and _happened(claim, clock):
            fitting.append((-said, not _dated(claim), claim.valid.start, id))
    return claims[min(fitting)[-1]] if fitting else None


def _happened(claim: Assertion, clock: Instant) -> bool:
    return (
        claim.polarity is Polarity.POSITIVE
        and claim.modality is Modality.ACTUAL
        and BEGINNING < claim.valid.start <= clock
    )


def _dates(valid: Interval) -> Iterator[str]:
    """The days of a window in words as turns have them; the months of one of several weeks."""
    start, end = to_datetime(valid.start), to_datetime(valid.end)
    if start is None or end is None:
        return
    days = (end - start) / timedelta(days=1)
    if days <= _MOST_DAYS:
        day = start.replace(hour=0, minute=0, second=0, microsecond=0)
        while day < end:
            yield f"{day.day} {day:%B} {day.year}"
            day += timedelta(days=1)
    elif days <= 31 * _MOST_MONTHS:
        yield from _months(start, end)


def _months(start: datetime, end: datetime) -> Iterator[str]:
    first, last = start.year * 12 + start.month - 1, end.year * 12 + end.month - 1
    for number in range(first, last + 1):
        month = datetime(number // 12, number % 12 + 1, 1)
        yield f"{month:%B} {month.year}"
