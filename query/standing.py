"""How the claims that match a question stand at the point: which still hold, which no longer do.

What a turn tells is judged by its claims about the topic asked for. A turn can tell several
things, of which some hold and some do not: the one that the question is most about decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from bitempo.engine.lexical import is_sentence, is_stated
from bitempo.engine.model import Assertion, Cardinality, Fact, Modality, Polarity
from bitempo.engine.place import slot_of
from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.query.answering import Asked
from bitempo.query.facts import Claims, cited_by, support_of
from bitempo.query.timing import Timing

Key = TypeVar("Key")
Sentence = tuple[str, str]
"""A turn and a text in it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the claims come to at the point, each number in [0, 1].

    `facts` are those that hold, and `assertions` the claims that say more than a sentence. `tells`
    says by turn how well it tells a fact that the question asks for. `former` and
    `former_sentences` say how much the question is about what a turn, or a sentence of it, told
    that no longer holds. `updated` names by turn the turns that tell what holds in place of it.
    """

    facts: tuple[Fact, ...]
    assertions: Mapping[str, Assertion]
    tells: Mapping[str, float]
    former: Mapping[str, float]
    former_sentences: Mapping[Sentence, float]
    updated: Mapping[str, frozenset[str]]

    def former_sentence(self, text: str, claims: Iterable[Assertion]) -> float:
        """How former a sentence is that these claims made; not at all if one of them is not."""
        said = [(episode, text) for claim in claims for episode in claim.evidence]
        return min((self.former_sentences.get(key, 0.0) for key in said), default=0.0)


def standing(
    reader: Reader,
    asked: Asked,
    claims: Claims,
    point: Point,
    sentences: Collection[str] = (),
    timing: Timing | None = None,
) -> Standing:
    """Look up which of the claims are carried by a fact at the point, or in a window asked for.

    Of the claims that are whole sentences, only the facts of these `sentences` are looked up.
    """
    typed = {id: claim for id, claim in claims.assertions.items() if not is_sentence(claim)}
    facts = _facts(reader, asked, claims, point, typed, sentences)
    held = _support(facts)
    then = _facts_then(reader, point, typed, timing) if timing is not None else []
    told = held | _support(then)
    if timing is not None and timing.asked.windows and not timing.of_former:
        # What held at the time asked for is not former.
        held = told
    facts = tuple({fact.id: fact for fact in (*facts, *then)}.values())
    typed |= reader.assertions(told - typed.keys())
    about: dict[str, _Balance] = {}
    within: dict[Sentence, _Balance] = {}
    tells: dict[str, float] = {}
    gone: list[tuple[float, Assertion]] = []
    for id, claim in typed.items():
        answers = asked.answers(claim)
        strength = max(answers, claims.relevance.get(id, 0.0))
        if id in told and answers and not is_stated(claim):
            tells |= {one: max(answers, tells.get(one, 0.0)) for one in claim.evidence}
        if id not in held and not _gone(claim, point):
            continue
        if id not in held:
            gone.append((strength, claim))
        for episode in claim.evidence:
            about.setdefault(episode, _Balance()).add(strength, holds=id in held)
            within.setdefault((episode, claim.text), _Balance()).add(strength, holds=id in held)
    updated = _updated(facts, typed, gone, about)
    return Standing(facts, typed, tells, dict(_former(about)), dict(_former(within)), updated)


def _facts(
    reader: Reader,
    asked: Asked,
    claims: Claims,
    point: Point,
    typed: Mapping[str, Assertion],
    sentences: Collection[str],
) -> tuple[Fact, ...]:
    wanted = [*typed, *sentences]
    found = reader.facts(FactQuery(point=point, support=wanted)) if wanted else []
    if not claims.whole:
        # What answers may be carried by claims that are not among the candidates.
        predicates = {claim.predicate for claim in typed.values()}
        found = [*found, *asked.facts(reader, point, sorted(predicates))]
    return tuple({fact.id: fact for fact in found}.values())


def _facts_then(
    reader: Reader, point: Point, typed: Mapping[str, Assertion], timing: Timing
) -> list[Fact]:
    """The facts of the claims that held at the time asked for, whether they still do or not."""
    if not timing.looks_back or not typed:
        return []
    query = FactQuery(point=Point(point.known_at), support=list(typed))
    return [fact for fact in reader.facts(query) if timing.within(fact)]


def _support(facts: Iterable[Fact]) -> set[str]:
    return {id for fact in facts if not is_sentence(fact) for id in fact.support}


@dataclass(slots=True)
class _Balance:
    """The strongest claim that holds, and the strongest that no longer does."""

    holding: float = 0.0
    gone: float = 0.0

    def add(self, strength: float, *, holds: bool) -> None:
        if holds:
            self.holding = max(strength, self.holding)
        else:
            self.gone = max(strength, self.gone)


def _updated(
    facts: Iterable[Fact],
    claims: Mapping[str, Assertion],
    gone: Iterable[tuple[float, Assertion]],
    about: Mapping[str, _Balance],
) -> dict[str, frozenset[str]]:
    """By turn, the turns of the fact that holds now in the slot of one of its claims.

    Only a slot of one value is updated, and only a claim counts that the question is about as
    much as about half of what else the turn told.
    """
    tellers: dict[str, set[str]] = {}
    for fact in facts:
        if fact.slot == _single(fact.subject.id, fact.predicate, fact.modality):
            told = cited_by(support_of(fact, claims))
            tellers.setdefault(fact.slot, set()).update(told)
    found: dict[str, frozenset[str]] = {}
    for strength, claim in gone:
        now = tellers.get(_single(claim.subject, claim.predicate, claim.modality), set())
        for episode in claim.evidence if now else ():
            if episode not in now and strength >= about[episode].holding / 2:
                found[episode] = found.get(episode, frozenset()) | now
    return found


def _single(subject: str, predicate: str, modality: Modality) -> str:
    return slot_of(subject, predicate, modality, None, Cardinality.ONE).key


def _former(balances: Mapping[Key, _Balance]) -> Iterator[tuple[Key, float]]:
    for key, balance in balances.items():
        if balance.gone > balance.holding:
            yield key, balance.gone


def _gone(claim: Assertion, point: Point) -> bool:
    """Whether it is a claim that holds, by its own account, and that no fact carries (any more).

    What was over by its own account, such as an event, is told as past, and nothing has changed.
    """
    return (
        claim.polarity is Polarity.POSITIVE
        and claim.modality is Modality.ACTUAL
        and (point.valid_at is None or point.valid_at in claim.valid)
    )
