"""Late interaction over the tokens of one tenant's corpus in memory, for any store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import TypeVar

import numpy as np

from bitempo.engine.embedding import Vector
from bitempo.engine.late import Late, TokenCorpus, TokenQuestion, relevance
from bitempo.engine.time import Instant

Item = TypeVar("Item", int, str)
"""How a store finds the row of an item again."""

MOST_SCANNED = 5_000
"""Texts of a corpus whose tokens are all compared; of a larger one only those asked for are."""


def best(
    corpus: TokenCorpus[Item],
    count: int,
    question: TokenQuestion,
    *,
    known_at: Instant,
    believed: Callable[[list[Item]], dict[Item, str]],
    limit: int,
    among: Callable[[], Mapping[Item, str]],
) -> Late:
    """The texts, of the first `count`, that meet the question best and are believed.

    Args:
        believed: says which of some items are believed at `known_at`, with the id of each.
        among: gives, of a corpus too large to be scanned, the items that are compared, with their
            ids.
    """
    recorded = corpus.recorded_until(count, known_at)
    weights = corpus.weights(question, recorded)
    if len(recorded) > MOST_SCANNED:
        rows = rows_of(corpus, question, among())
        scores = relevance(np.array(list(rows.values()), np.float32), weights) if rows else None
        return Late((), rows, weights, float(scores.min()) if scores is not None else 0.0)
    maxima = corpus.maxima(question, recorded)
    scores = relevance(maxima, weights)
    # By score, then by place, so that equals come in the same order every time.
    ordered = iter(np.lexsort((recorded, -scores)).tolist())
    found: dict[str, Vector] = {}
    while len(found) < limit and (part := list(islice(ordered, max(limit, 64)))):
        items = {corpus.items[recorded[row]]: row for row in part}
        ids = believed(list(items))
        found |= {ids[item]: maxima[row] for item, row in items.items() if item in ids}
    chosen = dict(islice(found.items(), limit))
    return Late(tuple(chosen), chosen, weights, float(scores.min()) if len(scores) else 0.0)


def rows_of(
    corpus: TokenCorpus[Item], question: TokenQuestion, items: Mapping[Item, str]
) -> dict[str, Vector]:
    """The best cosine of each token of the question in each of the items, by their ids."""
    placed = {place: id for item, id in items.items() if (place := corpus.place(item)) is not None}
    places = np.array(sorted(placed), np.int64)
    maxima = corpus.maxima(question, places)
    return {placed[place]: row for place, row in zip(places.tolist(), maxima, strict=True)}
