"""Recall: ranked retrieval for a question, at one point in both times.

The store gives candidates; all scoring happens here, with the tenant's own statistics, so that
every store ranks alike and no tenant's score depends on another's rows. A score is the weighted
sum of min-max normalised relevance, recency (exponential decay from the query's clock) and
importance (Park et al., "Generative Agents", 2023), with a turn's relevance spread over its
neighbours, and bonuses for the speaker and the entities that the question names, and for what
answers a question of an entity and a predicate. What no longer holds at the point scores less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from heapq import nsmallest

from bitempo.engine.lexical import is_sentence
from bitempo.engine.model import Assertion, Episode, Fact
from bitempo.engine.store.port import Point, Reader
from bitempo.engine.time import BEGINNING, Instant
from bitempo.query.answering import Asked, entities_of
from bitempo.query.candidates import Candidate, Order, without_repeats
from bitempo.query.facts import (
    Claims,
    cited_by,
    find_claims,
    more_facts,
    superseded,
    support_of,
)
from bitempo.query.question import Question, read_question, require_text
from bitempo.query.results import Recall, RecallItem, Receipt, fact_text
from bitempo.query.scoring import decay
from bitempo.query.settings import RecallSettings, RecallWeights
from bitempo.query.spans import cited_spans, quoted_episodes, whole_turn
from bitempo.query.speakers import speaker_named
from bitempo.query.standing import Standing, standing
from bitempo.query.times import AskedTime, TimeFinder, TimeOrder, clock_of, read_times
from bitempo.query.timing import Timing, timed, timing_of, turns_within
from bitempo.query.turn_scores import Told, TurnScores, score_turns
from bitempo.query.turns import Turns, find_turns
from bitempo.query.vectors import QuestionVectors

__all__ = ["Recall", "RecallItem", "RecallSettings", "RecallWeights", "Receipt", "recall"]

DEFAULT = RecallSettings()


def recall(
    reader: Reader,
    question: str,
    *,
    point: Point,
    settings: RecallSettings = DEFAULT,
    vectors: QuestionVectors | None = None,
    tenant: str = "",
    find_times: TimeFinder | None = None,
) -> Recall:
    """The facts and turns that best answer the question, as of the point.

    Facts hold at `point.valid_at` and were believed at `point.known_at`; turns were believed
    then and had happened by then. With `valid_at=None` every valid time counts, and recency is
    measured from `known_at`. A question without a match gives no items. `vectors` are those that
    the tenant's embedder makes of the question, and `tenant` is whose memory is read.
    `find_times` finds the dates in the question; without, none are read.

    Raises:
        InvalidInputError: the question is not text.
    """
    last_tx = reader.last_tx(point.known_at)
    time = read_times(require_text(question), clock_of(point), find_times)
    return recall_at(reader, question, point, last_tx, settings, vectors, tenant, time)


def recall_at(
    reader: Reader,
    question: str,
    point: Point,
    last_tx: Instant | None,
    settings: RecallSettings,
    vectors: QuestionVectors | None,
    tenant: str,
    time: AskedTime,
) -> Recall:
    """As `recall`, of what was believed at `last_tx`, the tenant's last transaction by then.

    Nothing is read as known at the point itself: it can lie ahead of what was recorded, and what
    is recorded in between must not change the answer when it is computed again.
    """
    asked = read_question(question)
    known = point if last_tx is None else replace(point, known_at=last_tx)
    timing = timing_of(reader, time, known, clock_of(point), settings.candidates)
    ranking = _Ranking(reader, asked, known, settings, vectors, timing)
    searched = last_tx is not None and (asked.terms or vectors is not None)
    items = ranking.items() if searched else []
    receipt = Receipt(
        question=question,
        point=point,
        last_tx=last_tx,
        settings=ranking.settings,
        embedder=None if vectors is None else vectors.identity,
        items=tuple((item.kind, item.id, item.score) for item in items),
        tenant=tenant,
        time=time,
    )
    return Recall(tuple(items), receipt, time=timing.asked)


class _Ranking:
    """One recall at work."""

    def __init__(
        self,
        reader: Reader,
        question: Question,
        point: Point,
        settings: RecallSettings,
        vectors: QuestionVectors | None,
        timing: Timing,
    ) -> None:
        self._reader = reader
        self._question = question
        self._point = point
        self._settings = settings
        self._vectors = vectors
        kind = None if vectors is None else vectors.kind
        weights = settings.weights or RecallWeights.for_vectors(kind)
        self.settings = replace(settings, weights=weights)
        # Who asks for what was before is not kept from it.
        self._of_earlier = question.of_earlier or timing.asked.order is TimeOrder.FIRST
        self._weights = replace(weights, former=0) if self._of_earlier else weights
        weights = self._weights
        self._by_kind = {kind: weights.of(kind) for kind in ("fact", "turn")}
        self._clock = timing.clock
        self._timing = timing

    def items(self) -> list[RecallItem]:
        """The best items, best first, with the sources of the facts among them."""
        claims = find_claims(
            self._reader,
            self._question,
            self._point,
            self._settings,
            self._weights,
            self._vectors,
        )
        asked = Asked(self._reader, self._question, self._point.known_at)
        facts = "facts" in self._settings.include
        sentences = self._sentences(claims, asked) if facts else []
        first, rest = sentences[: 4 * self._settings.limit], sentences[4 * self._settings.limit :]
        stands = standing(self._reader, asked, claims, self._point, first, self._timing)
        cited = {**claims.assertions, **stands.assertions}
        found: list[Candidate] = []
        episodes: Mapping[str, Episode] = {}
        if facts:
            found.extend(self._facts(claims, asked, stands, rest))
        if "turns" in self._settings.include:
            turns, candidates = self._turns(claims, stands)
            found.extend(candidates)
            episodes = turns.episodes
        if self._timing:
            found = timed(self._timing, found, cited, stands.facts, self._score)
        best = without_repeats(found, self._settings.limit)
        support = {id for one in best if one.fact for id in one.fact.support}
        cited |= self._reader.assertions(support - cited.keys())
        before = superseded(self._reader, [one.fact for one in best if one.fact], self._point)
        told = [claim for one in best if one.fact for claim in support_of(one.fact, cited)]
        quoted = self._reader.episodes(quoted_episodes(told) - episodes.keys())
        wanted = {id for claim in told for id in claim.evidence}
        wanted |= {one.episode.id for one in best if one.episode}
        shown = {id: _copied(one) for id, one in {**episodes, **quoted}.items() if id in wanted}
        return [self._item(candidate, cited, before, shown) for candidate in best]

    def _turns(self, claims: Claims, stands: Standing) -> tuple[Turns, list[Candidate]]:
        """The turns looked at, and as candidates the best of them; all where time counts too."""
        shares = claims.shares(self._weights)
        then = turns_within(
            self._reader, self._timing, self._point.known_at, self._settings.candidates
        )
        cited = {*shares, *stands.tells, *then}
        turns = find_turns(
            self._reader, self._question, self._point, self._settings, self._vectors, claims, cited
        )
        weights = self._weights.for_turns(turns.mean_length).of("turn")
        self._by_kind["turn"] = weights
        speaker = speaker_named(self._question, {e.actor for e in turns.episodes.values()})
        recency = {
            id: decay(episode.occurred_at, self._clock, self._settings.half_life)
            for id, episode in turns.episodes.items()
        }
        told = Told(shares, stands.tells, stands.former)
        found = score_turns(turns, told, speaker, recency, weights, self._weights.texts, then)
        changed = {} if self._of_earlier else self._updated(found, stands)
        scores = {**found.scores, **{id: self._score("turn", of) for id, of in changed.items()}}
        orders: Iterable[Order] = (
            (-score, -turns.episodes[id].occurred_at, 0, id) for id, score in scores.items()
        )
        best = orders if self._timing else nsmallest(self._settings.limit, orders)
        return turns, [
            Candidate(
                "turn",
                order,
                changed.get(order[-1]) or found.signals(order[-1]),
                (order[-1],),
                episode=turns.episodes[order[-1]],
            )
            for order in best
        ]

    def _updated(self, found: TurnScores, stands: Standing) -> dict[str, dict[str, float]]:
        """A turn that tells what holds now stands above those that told what held before.

        It is lifted to their score; of equals the newer comes first. Gives the signals of those
        that are lifted.
        """
        scores = found.scores
        lifted: dict[str, float] = {}
        for former, now in stands.updated.items():
            for id in now:
                lifted[id] = max(scores.get(former, 0.0), lifted.get(id, 0.0))
        return {
            id: found.signals(id) | {"update": score - scores[id]}
            for id, score in lifted.items()
            if id in scores and score > scores[id]
        }

    def _sentences(self, claims: Claims, asked: Asked) -> list[str]:
        """The claims that are whole sentences, by what their facts promise to score."""
        promise = []
        for id, relevance in claims.relevance.items():
            claim = claims.assertions[id]
            if is_sentence(claim):
                signals = self._fact_signals(claim, relevance, asked)
                promise.append(self._fact_order(id, claim, signals))
        return [order[-1] for order in sorted(promise)]

    def _facts(
        self, claims: Claims, asked: Asked, stands: Standing, rest: Sequence[str]
    ) -> Iterator[Candidate]:
        sentences = [fact for fact in stands.facts if is_sentence(fact)]
        enough = 2 * self._settings.limit
        more = more_facts(self._reader, self._point, rest, sentences, enough)
        for fact in (*stands.facts, *more):
            signals = self._fact_signals(fact, claims.best(fact.support), asked)
            told = support_of(fact, claims.assertions)
            if is_sentence(fact):
                signals["former"] = stands.former_sentence(fact.text, told)
            order = self._fact_order(fact.id, fact, signals)
            yield Candidate("fact", order, signals, cited_by(told), fact=fact)

    def _fact_order(self, id: str, held: Fact | Assertion, signals: Mapping[str, float]) -> Order:
        return (-self._score("fact", signals), -_began(held), -held.importance, id)

    def _fact_signals(
        self, held: Fact | Assertion, relevance: float, asked: Asked
    ) -> dict[str, float]:
        entities = entities_of(held)
        return {
            "fact": relevance,
            "entity": len(entities & asked.named) / len(entities),
            "recency": decay(_began(held), self._clock, self._settings.half_life),
            "importance": held.importance / 10,
            "answers": asked.answers(held),
            "former": 0.0,
        }

    def _score(self, kind: str, signals: Mapping[str, float]) -> float:
        """Rounded, so that sums that differ in their last bits only are ties."""
        weights = self._by_kind[kind]
        return round(sum([weights[name] * value for name, value in signals.items()]), 9)

    def _item(
        self,
        candidate: Candidate,
        cited: Mapping[str, Assertion],
        before: Mapping[str, Fact],
        episodes: Mapping[str, Episode],
    ) -> RecallItem:
        fact, id = candidate.fact, candidate.order[-1]
        episode = None if candidate.episode is None else episodes[id]
        told = support_of(fact, cited) if fact else []
        weights = self._by_kind[candidate.kind]
        return RecallItem(
            kind=candidate.kind,
            id=id,
            text=fact_text(fact) if fact else episode.text if episode else "",
            score=self._score(candidate.kind, candidate.signals),
            signals=candidate.signals,
            contributions={name: weights[name] * v for name, v in candidate.signals.items()},
            weights={name: weights[name] for name in candidate.signals},
            sources=cited_by(told) if fact else (id,),
            fact=fact,
            episode=episode,
            superseded=before.get(id),
            spans=(whole_turn(episode),) if episode else cited_spans(told, episodes),
        )


def _copied(episode: Episode) -> Episode:
    """The same with metadata of its own: whoever is given it may change these."""
    return replace(episode, metadata=deepcopy(episode.metadata))


def _began(held: Fact | Assertion) -> Instant:
    """When it is new: when it began to hold or, with an unbounded start, to be believed."""
    return held.valid.start if held.valid.start != BEGINNING else held.believed.start
