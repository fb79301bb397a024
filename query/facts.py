"""The facts of a recall: the claims that match the question, and the facts they carry."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bitempo.engine.lexical import assertion_text, is_sentence, is_stated
from bitempo.engine.model import Assertion, Fact
from bitempo.engine.store.port import Corpus, FactQuery, Point, Reader
from bitempo.query.answering import entities_of
from bitempo.query.counting import Counts, count
from bitempo.query.question import MOST_TERMS, Question
from bitempo.query.scoring import Bm25, normalised, rarest
from bitempo.query.settings import RecallSettings, RecallWeights
from bitempo.query.vectors import Likeness, QuestionVectors


@dataclass(frozen=True, slots=True)
class Claims:
    """Assertions believed at the point that match the question, with their relevance."""

    assertions: Mapping[str, Assertion]
    relevance: Mapping[str, float]
    counts: Counts
    """How often each term stands in the text of each."""
    like: Likeness
    """How like the question they are by vectors."""
    whole: bool = True
    """Whether every assertion that has any of the terms is among them."""

    def told(self) -> dict[str, list[str]]:
        """By turn, the claims that were read out of it and say more than its sentences do."""
        told: dict[str, list[str]] = {}
        for id, claim in self.assertions.items():
            if not is_sentence(claim) and not is_stated(claim):
                for episode in claim.evidence:
                    told.setdefault(episode, []).append(id)
        return told

    def shares(self, weights: RecallWeights) -> dict[str, float]:
        """By turn, the relevance of the best claim that it is evidence of, in [0, 1].

        A claim's relevance spreads over the graph: to the other claims of the same subject and
        predicate, and to those of the same object. A claim that is a sentence says nothing that
        its turn does not, and lends it less.
        """
        families = self._best_by(lambda claim: (claim.subject, claim.predicate))
        objects = self._best_by(lambda claim: claim.object)
        most = 1 + weights.family + weights.object
        shares: dict[str, float] = {}
        for id, claim in self.assertions.items():
            share = self.relevance.get(id, 0.0)
            if is_sentence(claim):
                share *= weights.sentence
            else:
                share += weights.family * families[claim.subject, claim.predicate]
                share += weights.object * objects.get(claim.object, 0.0)
            for episode in claim.evidence if share and not is_stated(claim) else ():
                shares[episode] = max(share / most, shares.get(episode, 0.0))
        return shares

    def _best_by(self, key: Callable[[Assertion], Hashable]) -> dict[Hashable, float]:
        found: dict[Hashable, float] = {}
        for id, claim in self.assertions.items():
            of = None if is_sentence(claim) else key(claim)
            if of is not None:
                found[of] = max(self.relevance.get(id, 0.0), found.get(of, 0.0))
        return found

    def best(self, ids: Iterable[str]) -> float:
        """The best relevance of these claims."""
        return max((self.relevance.get(id, 0.0) for id in ids), default=0.0)


def find_claims(
    reader: Reader,
    question: Question,
    point: Point,
    settings: RecallSettings,
    weights: RecallWeights,
    vectors: QuestionVectors | None,
) -> Claims:
    """The assertions that match the question or are like it, whatever valid time they are about.

    What was claimed about another time still tells which turn spoke of it. Whether a fact holds
    at the point is decided by `standing`.
    """
    matches = reader.search(
        Corpus.ASSERTIONS, question.terms, known_at=point.known_at, limit=settings.candidates
    )
    like = Likeness(
        reader, Corpus.ASSERTIONS, vectors, known_at=point.known_at, limit=settings.candidates
    )
    assertions = reader.assertions(dict.fromkeys([*matches.ids, *like.ids]))
    like.look_at(assertions)
    frequencies = rarest(matches.frequencies, MOST_TERMS)
    names = names_of(reader, assertions.values())
    texts = count(
        {id: assertion_text(assertions[id], names) for id in sorted(assertions)}, frequencies
    )
    bm25 = Bm25(frequencies, matches.documents, matches.mean_length, settings.k1, settings.b)
    whole = not matches.dropped and len(matches.ids) < settings.candidates
    relevance = _together(
        (weights.fact_words, normalised(bm25.scores(texts))),
        (weights.fact_tokens, like.shares(like.alone())),
        (weights.fact_meaning, like.meaning),
    )
    return Claims(assertions, relevance, texts, like, whole)


def more_facts(
    reader: Reader, point: Point, ordered: Sequence[str], known: Iterable[Fact], enough: int
) -> Iterator[Fact]:
    """Facts that hold at the point, of the claims in the order given.

    They are read in steps, until there are `enough` with those `known`, which are not repeated.
    """
    found = {fact.id for fact in known}
    for start in range(0, len(ordered), 2 * enough):
        if len(found) >= enough:
            return
        wanted = ordered[start : start + 2 * enough]
        for fact in reader.facts(FactQuery(point=point, support=wanted)):
            if fact.id not in found:
                found.add(fact.id)
                yield fact


def support_of(fact: Fact, claims: Mapping[str, Assertion]) -> list[Assertion]:
    """The claims that carry the fact, as far as they are among these."""
    return [claims[id] for id in fact.support if id in claims]


def cited_by(claims: Iterable[Assertion]) -> tuple[str, ...]:
    """The ids of the episodes that are evidence of the claims, each once, in their order."""
    return tuple(dict.fromkeys(id for claim in claims for id in claim.evidence))


def names_of(reader: Reader, assertions: Iterable[Assertion]) -> dict[str, str]:
    """The names of what the claims are about, by the ids of entities."""
    ids = {id for assertion in assertions for id in entities_of(assertion)}
    return {id: entity.name for id, entity in reader.entities(ids).items()}


def superseded(reader: Reader, facts: Sequence[Fact], point: Point) -> dict[str, Fact]:
    """By fact, what held in its slot until it began, as known at the point."""
    slots = {fact.slot for fact in facts if not is_sentence(fact)}
    if not slots:
        return {}
    found: dict[str, list[Fact]] = {}
    for held in reader.facts(FactQuery(point=Point(point.known_at), slots=slots)):
        found.setdefault(held.slot, []).append(held)
    before = {
        fact.id: [held for held in found.get(fact.slot, ()) if held.valid.end <= fact.valid.start]
        for fact in facts
    }
    return {id: max(held, key=lambda one: one.valid.end) for id, held in before.items() if held}


def _together(*parts: tuple[float, Mapping[str, float]]) -> dict[str, float]:
    """The weighted sum of the scores by each signal, of those that there are, in [0, 1]."""
    present = [(weight, scores) for weight, scores in parts if scores and weight]
    total = sum(weight for weight, _ in present)
    found: dict[str, float] = {}
    for weight, scores in present:
        for id, score in scores.items():
            found[id] = found.get(id, 0.0) + weight * score / total
    return {id: round(score, 12) for id, score in found.items() if score > 0}
