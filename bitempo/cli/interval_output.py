"""How the command line gives what is computed from intervals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from rich.console import Console
from rich.table import Table

from bitempo.cli import tables, words
from bitempo.cli.shapes import Shape, fact, time
from bitempo.engine.time import Granularity, from_datetime
from bitempo.query.aggregates import Count, Duration, Pick, Sourced
from bitempo.query.bounds import Bound, Bounds


def bounds(value: Bounds) -> Shape:
    """A fact's interval as JSON."""
    return {"fact": fact(value.fact), "start": _bound(value.start), "end": _bound(value.end)}


def bounds_table(found: Sequence[Bounds]) -> Table:
    """One row an interval, with what its ends come from."""
    columns = {
        "subject": [one.fact.subject.name for one in found],
        "predicate": [one.fact.predicate for one in found],
        "value": [str(one.fact.answer) for one in found],
        "from": [words.moment(one.start.at) for one in found],
        "which is": [_origin(one.start) for one in found],
        "until": [words.moment(one.end.at) for one in found],
        "which is ": [_origin(one.end) for one in found],
    }
    return tables.table(columns)


def count(value: Count) -> Shape:
    """A count as JSON."""
    return {
        "number": value.number,
        "values": value.values,
        "at_least": value.at_least,
        "at_most": value.at_most,
        **_sourced(value),
    }


def show_count(console: Console, found: Count) -> None:
    """The number, and the facts that were counted."""
    range = "" if found.at_least == found.at_most else f", {found.at_least} to {found.at_most}"
    facts = "fact" if found.number == 1 else "facts"
    values = "value" if found.values == 1 else "values"
    console.print(f"{found.number} {facts}{range}; {found.values} {values}")
    _show_facts(console, found)


def pick(value: Pick) -> Shape:
    """A fact that was picked, as JSON."""
    picked = None if value.fact is None else fact(value.fact)
    return {"fact": picked, "sure": value.sure, **_sourced(value)}


def show_pick(console: Console, found: Pick) -> None:
    """The fact, and its rivals."""
    _show_facts(console, found)


def duration(value: Duration) -> Shape:
    """A duration as JSON, its lengths in seconds."""
    return {
        "held": _seconds(value.held),
        "at_least": _seconds(value.at_least),
        "at_most": _seconds(value.at_most),
        "until": None if value.until is None else time(from_datetime(value.until)),
        **_sourced(value),
    }


def show_duration(console: Console, found: Duration) -> None:
    """The length, and the facts that it is the length of."""
    said = _length(found.held)
    if not found.held == found.at_least == found.at_most:
        said += f", at least {_length(found.at_least)}"
        # What nobody dated may have begun at any time.
        said += "" if found.at_most is None else f", at most {_length(found.at_most)}"
    console.print(said)
    _show_facts(console, found)


def _sourced(value: Sourced) -> Shape:
    return {
        "facts": [fact(one) for one in value.facts],
        "possible": [fact(one) for one in value.possible],
        "sources": list(value.sources),
    }


def _show_facts(console: Console, found: Sourced) -> None:
    for title, listed in (("", found.facts), ("possibly too", found.possible)):
        if listed:
            if title:
                console.print(title, style="bold")
            console.print(tables.facts(listed, width=console.width))


def _seconds(length: timedelta | None) -> float | None:
    return None if length is None else length.total_seconds()


def _length(length: timedelta | None) -> str:
    """In days, or exactly where it is less than one."""
    if length is None:
        return "always"
    if length < timedelta(days=1):
        return str(length)
    return "1 day" if length.days == 1 else f"{length.days} days"


def _bound(value: Bound) -> Shape:
    return {
        "at": time(value.at),
        "earliest": time(value.earliest),
        "latest": time(value.latest),
        "granularity": str(value.granularity),
        "origin": str(value.origin),
    }


def _origin(bound: Bound) -> str:
    if bound.granularity is Granularity.UNKNOWN:
        return str(bound.origin)
    return f"{bound.origin} ({str(bound.granularity).replace('_', ' ')})"
