"""How the command line gives what is computed from intervals."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from bitempo.cli import words
from bitempo.cli.shapes import Shape, fact, time
from bitempo.cli.tables import table
from bitempo.engine.time import Granularity
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
    return table(columns)


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
