"""Recall: ranked retrieval for a question, at one point in both times.

The store gives candidates; all scoring happens here, with the tenant's own statistics, so that
every store ranks alike and no tenant's score depends on another's rows. A score is the weighted
sum of min-max normalised relevance, recency (exponential decay from the query's clock) and
importance (Park et al., "Generative Agents", 2023), with a turn's relevance spread over its
neighbours, and bonuses for the speaker and the entities that the question names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import nsmallest
from operator import attrgetter
from typing import NamedTuple

from bitempo.engine.model import Assertion, Episode, Fact
from bitempo.engine.store.port import Point, Reader
from bitempo.engine.time import BEGINNING, Instant
from bitempo.query.facts import Claims, facts_of, find_claims, named_entities
from bitempo.query.question import Question, read_question, speaker_named
from bitempo.query.results import Recall, RecallItem, Receipt
from bitempo.query.scoring import decay
from bitempo.query.settings import RecallSettings, RecallWeights
from bitempo.query.turns import Turns, find_turns

__all__ = ["Recall", "RecallItem", "RecallSettings", "RecallWeights", "Receipt", "recall"]

DEFAULT = RecallSettings()

Order = tuple[float, Instant, int, str]
"""Best first: less the score, then of equals the newer, the more important, and by id."""


def recall(
    reader: Reader, question: str, *, point: Point, settings: RecallSettings = DEFAULT
) -> Recall:
    """The facts and turns that best answer the question, as of the point.

    Facts hold at `point.valid_at` and were believed at `point.known_at`; turns were believed
    then and had happened by then. With `valid_at=None` every valid time counts, and recency is
    measured from `known_at`. A question without a match gives no items.

    Raises:
        InvalidInputError: the question is not text.
    """
    asked = read_question(question)
    ranking = _Ranking(reader, asked, point, settings)
    items = ranking.items() if asked.terms else []
    receipt = Receipt(
        question=question,
        point=point,
        last_tx=reader.last_tx(point.known_at),
        settings=settings.hash,
        items=tuple((item.kind, item.id, item.score) for item in items),
    )
    return Recall(tuple(items), receipt)


class _Ranking:
    """One recall at work."""

    def __init__(
        self, reader: Reader, question: Question, point: Point, settings: RecallSettings
    ) -> None:
        self._reader = reader
        self._question = question
        self._point = point
        self._settings = settings
        self._weights = settings.weights
        self._by_kind = {kind: settings.weights.of(kind) for kind in ("fact", "turn")}
        self._clock: Instant = point.known_at if point.valid_at is None else point.valid_at

    def items(self) -> list[RecallItem]:
        """The best items, best first, with the sources of the facts among them."""
        claims = find_claims(self._reader, self._question, self._point, self._settings)
        found: list[_Candidate] = []
        if "facts" in self._settings.include:
            found.extend(self._facts(claims))
        if "turns" in self._settings.include:
            found.extend(self._turns(claims))
        best = nsmallest(self._settings.limit, found, key=attrgetter("order"))
        support = {id for found in best if found.fact for id in found.fact.support}
        cited = self._reader.assertions(support)
        return [self._item(candidate, cited) for candidate in best]

    def _turns(self, claims: Claims) -> Iterator[_Candidate]:
        shares = claims.shares()
        turns = find_turns(self._reader, self._question, self._point, self._settings, shares)
        speaker = speaker_named(self._question, {e.actor for e in turns.episodes.values()})
        own = self._own_relevance(turns)
        for id, episode in turns.episodes.items():
            relevance = {
                "turn": turns.alone.get(id, 0.0),
                "window": turns.window.get(id, 0.0),
                "before": own.get(turns.before.get(id, ""), 0.0),
                "after": own.get(turns.after.get(id, ""), 0.0),
                "evidence": shares.get(id, 0.0),
            }
            if not any(relevance.values()):
                continue
            signals = relevance | {
                "session": turns.sessions.get(episode.session or "", 0.0),
                "speaker": float(speaker is not None and episode.actor == speaker),
                "recency": decay(episode.occurred_at, self._clock, self._settings.half_life),
            }
            order: Order = (-self._score("turn", signals), -episode.occurred_at, 0, id)
            yield _Candidate("turn", order, signals, episode=episode)

    def _own_relevance(self, turns: Turns) -> dict[str, float]:
        """What a turn lends to the turns next to it."""
        weights = self._weights
        total = (weights.turn + weights.window) or 1.0
        return {
            id: (
                weights.turn * turns.alone.get(id, 0.0) + weights.window * turns.window.get(id, 0.0)
            )
            / total
            for id in turns.episodes
        }

    def _facts(self, claims: Claims) -> Iterator[_Candidate]:
        """The facts of the claims that promise most, since a fact scores much as its claims do."""
        named = named_entities(self._reader, self._question)
        promise = []
        for id, relevance in claims.relevance.items():
            claim = claims.assertions[id]
            signals = self._fact_signals(claim, {claim.subject, claim.object}, relevance, named)
            promise.append(self._fact_order(id, claim, signals))
        ordered = [order[-1] for order in sorted(promise)]
        enough = 2 * self._settings.limit
        for fact, relevance in facts_of(self._reader, claims, self._point, ordered, enough):
            of = {fact.subject.id, fact.object.id if fact.object else None}
            signals = self._fact_signals(fact, of, relevance, named)
            yield _Candidate("fact", self._fact_order(fact.id, fact, signals), signals, fact=fact)

    def _fact_order(self, id: str, held: Fact | Assertion, signals: Mapping[str, float]) -> Order:
        return (-self._score("fact", signals), -_began(held), -held.importance, id)

    def _fact_signals(
        self,
        held: Fact | Assertion,
        about: set[str | None],
        relevance: float,
        named: frozenset[str],
    ) -> dict[str, float]:
        entities = about - {None}
        return {
            "fact": relevance,
            "entity": len(entities & named) / len(entities),
            "recency": decay(_began(held), self._clock, self._settings.half_life),
            "importance": held.importance / 10,
        }

    def _score(self, kind: str, signals: Mapping[str, float]) -> float:
        """Rounded, so that sums that differ in their last bits only are ties."""
        weights = self._by_kind[kind]
        return round(sum([weights[name] * value for name, value in signals.items()]), 9)

    def _item(self, candidate: _Candidate, cited: Mapping[str, Assertion]) -> RecallItem:
        fact, episode = candidate.fact, candidate.episode
        weights = self._by_kind[candidate.kind]
        return RecallItem(
            kind=candidate.kind,
            id=candidate.order[-1],
            text=fact.text if fact else episode.text if episode else "",
            score=self._score(candidate.kind, candidate.signals),
            signals=candidate.signals,
            contributions={name: weights[name] * v for name, v in candidate.signals.items()},
            sources=_evidence(fact, cited) if fact else (candidate.order[-1],),
            fact=fact,
            episode=episode,
        )


class _Candidate(NamedTuple):
    """What may become an item."""

    kind: str
    order: Order
    signals: dict[str, float]
    fact: Fact | None = None
    episode: Episode | None = None


def _began(held: Fact | Assertion) -> Instant:
    """When it is new: when it began to hold or, with an unbounded start, to be believed."""
    return held.valid.start if held.valid.start != BEGINNING else held.believed.start


def _evidence(fact: Fact, claims: Mapping[str, Assertion]) -> tuple[str, ...]:
    cited = (id for claim in fact.support if claim in claims for id in claims[claim].evidence)
    return tuple(dict.fromkeys(cited))
