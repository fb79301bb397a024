"""Why an item was recalled, in lines that a person can read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bitempo.engine.model import Fact, Modality
from bitempo.engine.time import Granularity, format_instant
from bitempo.query import wording

if TYPE_CHECKING:
    from bitempo.query.results import Recall, RecallItem
    from bitempo.query.spans import SourceSpan

_MOST_SPANS = 5


def explanation(item: RecallItem) -> str:
    """What the item is, when it holds, what it rests on, and what its score is made of.

    The parts of the score come largest first, each as `added = weight x signal`.
    """
    lines = [f"{item.kind} {item.id}, score {item.score:.3f}: {item.text}"]
    if item.fact is not None:
        lines += [f"  {line}" for line in _of_fact(item, item.fact)]
        lines += [f"  {line}" for line in _sources(item)]
    elif item.episode is not None:
        who = item.episode.actor or "someone"
        lines.append(f"  said by {who} at {format_instant(item.episode.occurred_at)}")
        lines += ["  tells what no longer holds"] if item.former else []
    return "\n".join([*lines, *_parts(item)])


def reading(found: Recall) -> Iterator[str]:
    """How the question of a recall was read: what it was rewritten to, and what it says of time."""
    rewriting = found.receipt.rewriting
    if rewriting is not None:
        yield f"rewritten by {rewriting.rewriter}: {rewriting.text}"
    if found.rewrite_error is not None:
        yield f"not rewritten: {found.rewrite_error}"
    yield from (f"time: {line}" for line in found.time.to_text().splitlines())


def _of_fact(item: RecallItem, fact: Fact) -> Iterator[str]:
    start = "inferred from when it was said" if fact.from_inferred else "as stated"
    yield f"holds {wording.valid(fact)} (start {start}{_precision(fact)})"
    yield "read out of what was said" if fact.inferred else "stated as such"
    if fact.modality is not Modality.ACTUAL:
        yield f"is {fact.modality}, not actual"
    if item.former:
        yield "tells what no longer holds"
    if item.superseded is not None:
        before = item.superseded
        yield f"superseded {before.answer}, which held {wording.valid(before)} [{before.id}]"
    if fact.contested:
        yield f"contested by {', '.join(fact.contested)}"
    if fact.conflicts:
        yield f"in conflict with {', '.join(fact.conflicts)}"


def _precision(fact: Fact) -> str:
    if fact.granularity is Granularity.UNKNOWN:
        return ""
    return f", to the {str(fact.granularity).replace('_', ' ')}"


def _sources(item: RecallItem) -> Iterator[str]:
    for span in item.spans[:_MOST_SPANS]:
        yield f"from {_span(span)}"
    if len(item.spans) > _MOST_SPANS:
        yield f"and from {len(item.spans) - _MOST_SPANS} more"
    without = [id for id in item.sources if id not in {span.episode.id for span in item.spans}]
    if without:
        yield f"from {', '.join(without)}"


def _span(span: SourceSpan) -> str:
    episode = span.episode
    place = "" if span.start is None else f", characters {span.start} to {span.end}"
    who = episode.actor or str(episode.kind)
    return f'{episode.id}, {who}, {wording.moment(episode.occurred_at)}{place}: "{span.text}"'


def _parts(item: RecallItem) -> Iterator[str]:
    ordered = sorted(item.contributions.items(), key=lambda part: (-part[1], part[0]))
    for name, added in ordered:
        if added:
            yield f"  {name}: {added:+.3f} = {item.weights[name]:.3f} x {item.signals[name]:.3f}"
