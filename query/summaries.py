"""The aggregates of one subject and predicate, with the facts and episodes behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from bitempo.engine.model import Assertion, Fact
from bitempo.engine.names import value_key
from bitempo.engine.store.port import Reader
from bitempo.engine.time import Instant, Interval, to_datetime
from bitempo.query.aggregates import (
    Count,
    Duration,
    Pick,
    in_window,
    lengths,
    possibly_in_window,
    surely_in_window,
)
from bitempo.query.bounds import Bounds
from bitempo.query.facts import cited_by, support_of
from bitempo.query.when import supported_bounds

Choose = Callable[[Sequence[Bounds], Interval], tuple[Bounds | None, list[Bounds]]]
"""`earliest` or `latest`."""


def count(reader: Reader, facts: Sequence[Fact], known_at: Instant, window: Interval) -> Count:
    """How many of the facts hold in the window."""
    every, claims = supported_bounds(reader, facts, known_at)
    found, possible = _in(every, window)
    return Count(
        facts=_facts(found),
        possible=_facts(possible),
        sources=_sources(claims, [*found, *possible]),
        number=len(found),
        values=len({_value(one.fact) for one in found}),
        at_least=sum(surely_in_window(one, window) for one in found),
        at_most=len(found) + len(possible),
    )


def pick(
    reader: Reader, facts: Sequence[Fact], known_at: Instant, window: Interval, choose: Choose
) -> Pick:
    """The one of the facts that hold in the window which is chosen by its start."""
    every, claims = supported_bounds(reader, facts, known_at)
    chosen, rivals = choose(every, window)
    taken = [] if chosen is None else [chosen]
    return Pick(
        facts=_facts(taken),
        possible=_facts(rivals),
        sources=_sources(claims, [*taken, *rivals]),
        fact=None if chosen is None else chosen.fact,
    )


def duration(
    reader: Reader,
    facts: Sequence[Fact],
    known_at: Instant,
    window: Interval | None,
    until: Instant,
) -> Duration:
    """How long the facts hold in the window; None is one that has not begun."""
    if window is None:
        nothing = timedelta(0)
        return Duration((), (), (), nothing, nothing, nothing, to_datetime(until))
    every, claims = supported_bounds(reader, facts, known_at)
    found, possible = _in(every, window)
    held, at_least, at_most = (
        None if one is None else timedelta(microseconds=one)
        for one in lengths([*found, *possible], window)
    )
    return Duration(
        facts=_facts(found),
        possible=_facts(possible),
        sources=_sources(claims, [*found, *possible]),
        held=held,
        at_least=at_least,
        at_most=at_most,
        until=to_datetime(until),
    )


def _in(found: Sequence[Bounds], window: Interval) -> tuple[list[Bounds], list[Bounds]]:
    """Those that hold in the window, and those that only may."""
    held = [one for one in found if in_window(one, window)]
    possible = [
        one for one in found if possibly_in_window(one, window) and not in_window(one, window)
    ]
    return held, possible


def _value(fact: Fact) -> str | None:
    return value_key(None if fact.object is None else fact.object.id, fact.value)


def _facts(found: Sequence[Bounds]) -> tuple[Fact, ...]:
    return tuple(one.fact for one in found)


def _sources(claims: Mapping[str, Assertion], found: Sequence[Bounds]) -> tuple[str, ...]:
    """The ids of the episodes that are evidence of the facts, each once, in their order."""
    return cited_by(claim for one in found for claim in support_of(one.fact, claims))
