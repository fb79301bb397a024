"""Reranking: the best items of a recall, put in a new order by a model that reads the question.

The reranker's scores are min-max normalised over the items that it saw, and added to the scores of
recall with a weight. A model takes its time, so it is asked after the store's read has ended: all
that it needs is in the items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from bitempo.engine.errors import BitempoError, ModelError
from bitempo.engine.reranking import Reranker
from bitempo.query.results import Recall, RecallItem
from bitempo.query.settings import RecallSettings, RecallWeights


def deep_enough(settings: RecallSettings) -> RecallSettings:
    """The settings with which to recall what will be reranked under `settings`."""
    return replace(settings, limit=max(settings.limit, settings.rerank_candidates))


def reranked(found: Recall, reranker: Reranker, settings: RecallSettings) -> Recall:
    """The recall in its new order, cut to the limit of the settings, with a receipt that says so.

    Items beyond `settings.rerank_candidates` keep their scores, as the reranker has not seen them.
    Of equal scores the order of the recall decides.

    Args:
        found: recalled with `deep_enough(settings)`.

    Raises:
        ModelError: the reranker failed, or did not give a finite number for each text.
    """
    weights = found.receipt.settings.weights or RecallWeights()
    seen = found.items[: settings.rerank_candidates]
    raw = _scores(reranker, found.receipt.searched, [passage(item) for item in seen])
    judged = [
        _with_signal(item, signal, weights.rerank)
        for item, signal in zip(seen, _stretched(raw), strict=True)
    ]
    ordered = sorted([*judged, *found.items[len(seen) :]], key=lambda item: -item.score)
    items = tuple(ordered[: settings.limit])
    receipt = replace(
        found.receipt,
        settings=replace(found.receipt.settings, limit=settings.limit),
        items=tuple((item.kind, item.id, item.score) for item in items),
        reranker=reranker.identity,
    )
    return replace(found, items=items, receipt=receipt)


def passage(item: RecallItem) -> str:
    """What of an item the reranker reads: who said it and what, or the fact in words."""
    actor = item.episode.actor if item.episode is not None else None
    return f"{actor}: {item.text}" if actor else item.text


def _scores(reranker: Reranker, question: str, texts: Sequence[str]) -> list[float]:
    if not texts:
        return []
    try:
        found = [float(score) for score in reranker.scores(question, texts)]
    except BitempoError:
        raise
    except Exception as error:
        raise ModelError(f"the reranker {reranker.identity} failed: {error!r}") from error
    if len(found) != len(texts) or not all(map(math.isfinite, found)):
        raise ModelError(
            f"the reranker {reranker.identity} gave {len(found)} scores for {len(texts)} texts, or "
            "some that are not finite; is it a reranking model?"
        )
    return found


def _stretched(scores: Sequence[float]) -> list[float]:
    """The scores, so that the lowest becomes 0 and the highest 1; all 0 where they are equal."""
    lowest = min(scores, default=0.0)
    # Halves, as the distance of two huge numbers may be more than a float holds.
    width = max(scores, default=0.0) / 2 - lowest / 2
    return [(score / 2 - lowest / 2) / width if width > 0 else 0.0 for score in scores]


def _with_signal(item: RecallItem, signal: float, weight: float) -> RecallItem:
    return replace(
        item,
        score=round(item.score + weight * signal, 9),
        signals={**item.signals, "rerank": signal},
        contributions={**item.contributions, "rerank": weight * signal},
        weights={**item.weights, "rerank": weight},
    )
