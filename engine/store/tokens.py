"""Late interaction over the tokens of one tenant's corpus in memory, for any store."""

from __future__ import annotations

from collections.abc import Callable, Collection
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
    among: Collection[str],
    item: Callable[[str], Item],
) -> Late:
    """The texts, of the first `count`, that meet the question best and are believed.

    Args:
        believed: says which of some items are believed at `known_at`, with the id of each.
        among: the ids of those that are compared, of a corpus too large to be scanned.
        item: gives the item of an id.
    """
    recorded = corpus.recorded_until(count, known_at)
    weights = corpus.weights(question, recorded)
    if len(recorded) > MOST_SCANNED:
        rows = rows_of(corpus, question, among, item)
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

    def scanned(ids: Collection[str]) -> dict[str, Vector]:
        placed = _placed(corpus, ids, item)
        rows = np.searchsorted(recorded, list(placed))
        return {
            id: maxima[row]
            for (place, id), row in zip(placed.items(), rows.tolist(), strict=True)
            if row < len(recorded) and recorded[row] == place
        }

    lowest = float(scores.min()) if len(scores) else 0.0
    return Late(tuple(chosen), chosen, weights, lowest, scanned)


def rows_of(
    corpus: TokenCorpus[Item],
    question: TokenQuestion,
    ids: Collection[str],
    item: Callable[[str], Item],
) -> dict[str, Vector]:
    """The best cosine of each token of the question in each of the texts, by their ids."""
    placed = _placed(corpus, ids, item)
    places = np.array(sorted(placed), np.int64)
    maxima = corpus.maxima(question, places)
    return {placed[place]: row for place, row in zip(places.tolist(), maxima, strict=True)}


def _placed(
    corpus: TokenCorpus[Item], ids: Collection[str], item: Callable[[str], Item]
) -> dict[int, str]:
    """By their places the ids of those that have tokens in the corpus."""
    return {place: id for id in ids if (place := corpus.place(item(id))) is not None}
