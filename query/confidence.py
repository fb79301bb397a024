"""How sure it is that a recall holds the answer at all.

A ranking always has a first item, also for a question of what was never told. Whether that item
answers is judged by the question's own words, so that it does not depend on how much there is in
the memory: how many of them the best item has, how many all items have together, and, where the
question names who spoke, how many more the best of that speaker's turns has than the best of the
others. The three are put together by a logistic regression.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from bitempo.engine.lexical import query_terms, terms, turn_text

if TYPE_CHECKING:
    from bitempo.query.results import RecallItem

_LOOKED_AT = 10
"""Items that are looked at: more would only add words by chance."""

_CONSTANT = -4.2
_WEIGHTS = (3.5, 2.1, 2.2)
"""Fitted on two conversations of LoCoMo, recalled by words alone; see docs/benchmarks.md."""


def confidence(question: str, items: Sequence[RecallItem]) -> float:
    """From 0, nothing recalled is about the question, to 1."""
    if not items:
        return 0.0
    total = _CONSTANT + sum(
        weight * value for weight, value in zip(_WEIGHTS, features(question, items), strict=True)
    )
    return 1 / (1 + math.exp(-total))


def features(question: str, items: Sequence[RecallItem]) -> tuple[float, float, float]:
    """What it is judged by: the share of the question's words in the best item, in all together,
    and how much larger it is in the speaker's own turns than in those of others, in [-1, 1]."""
    wanted = frozenset(query_terms(question))
    looked_at = items[:_LOOKED_AT]
    found = [wanted.intersection(terms(_text(item))) for item in looked_at]
    own: list[frozenset[str]] = []
    others: list[frozenset[str]] = []
    for item, words in zip(looked_at, found, strict=True):
        if item.episode is not None:
            (own if item.signals.get("speaker", 0.0) > 0 else others).append(words)
    together = frozenset[str]().union(*found)
    lead = _best(own, wanted) - _best(others, wanted) if own else 0.0
    return _best(found, wanted), len(together) / (len(wanted) or 1), lead


def _best(found: Sequence[Collection[str]], wanted: Collection[str]) -> float:
    return max((len(one) for one in found), default=0) / (len(wanted) or 1)


def _text(item: RecallItem) -> str:
    return turn_text(item.episode) if item.episode is not None else item.text
