"""Where a secret stands in a text, and what kind it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """A secret at `text[start:end]`."""

    start: int
    end: int
    kind: str


MARK = re.compile(r"\[REDACTED:[a-z-]{1,40}\]")
"""What stands for a secret."""


def mark(kind: str) -> str:
    """What stands for a secret of this kind."""
    return f"[REDACTED:{kind}]"


def settled(spans: Iterable[Span], text: str) -> list[Span]:
    """The spans in order, with those that overlap joined into one and without what is marked.

    Of joined spans the kind is that of the one that came first in `spans`.
    """
    taken = [match.span() for match in MARK.finditer(text)]
    ranked = sorted(enumerate(spans), key=lambda pair: (pair[1].start, pair[1].end))
    joined: list[tuple[int, Span]] = []
    for rank, span in ranked:
        if joined and span.start < joined[-1][1].end:
            best, last = joined[-1]
            kind = span.kind if rank < best else last.kind
            joined[-1] = (min(rank, best), Span(last.start, max(last.end, span.end), kind))
        else:
            joined.append((rank, span))
    return _outside([span for _, span in joined], taken)


def _outside(spans: list[Span], taken: list[tuple[int, int]]) -> list[Span]:
    """The spans that touch none of the stretches; both are in order."""
    free: list[Span] = []
    at = 0
    for span in spans:
        while at < len(taken) and taken[at][1] <= span.start:
            at += 1
        if at == len(taken) or taken[at][0] >= span.end:
            free.append(span)
    return free
