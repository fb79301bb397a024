"""What a question asks of whom: "Where does Anna live?" asks for LIVES_IN of Anna."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from bitempo.engine.lexical import STOP_WORDS, is_sentence, predicate_words, terms, words
from bitempo.engine.model import Assertion, Fact
from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.engine.time import Instant
from bitempo.query.question import Question
from bitempo.query.subjects import with_all_it_is

# The words that tell LIVES_IN from LIVES_WITH, and WORKS_AT from WORKS_AS.
_LINKS = frozenset("as at by for from in of on to with".split())
_MOST_FACTS = 200


class Asked:
    """The entities that the question names, as known at the point, and what it asks of them."""

    def __init__(self, reader: Reader, question: Question, known_at: Instant) -> None:
        found = [
            entity
            for entities in reader.entities_named(question.names, known_at).values()
            for entity in entities
        ]
        ids = {entity.id for entity in found}
        self.named = frozenset(with_all_it_is(reader, ids, known_at))
        called = {
            term for one in found for name in (one.name, *one.aliases) for term in terms(name)
        }
        self._topic = frozenset(question.terms) - called
        self._said = question.said

    def fit(self, predicate: str) -> float:
        """How far the predicate is what the question asks for, in [0, 1].

        That is the share of its words, prepositions included, that the question has; times the
        share that it accounts for of what the question is about, names aside.
        """
        topic, links = _parts(predicate)
        hits = len(topic & self._topic)
        if not hits:
            return 0.0
        said = len((topic | links) & self._said) / len(topic | links)
        return said * hits / len(self._topic)

    def answers(self, held: Fact | Assertion) -> float:
        """How far this is what the question asks for of an entity that it names."""
        if is_sentence(held) or self.named.isdisjoint(entities_of(held)):
            return 0.0
        return self.fit(held.predicate)

    def facts(self, reader: Reader, point: Point, predicates: Iterable[str]) -> list[Fact]:
        """The facts at the point, of these predicates, that answer.

        They are looked up by the entities, so whatever the words of their sources are.
        """
        wanted = [predicate for predicate in predicates if self.fit(predicate)]
        if not self.named or not wanted:
            return []
        query = FactQuery(point, subjects=self.named, predicates=wanted, limit=_MOST_FACTS)
        return [fact for fact in reader.facts(query) if not is_sentence(fact)]


def entities_of(held: Fact | Assertion) -> set[str]:
    """The ids of what it is about: the subject and the object."""
    if isinstance(held, Fact):
        return {entity.id for entity in (held.subject, held.object) if entity is not None}
    return {id for id in (held.subject, held.object) if id is not None}


@lru_cache(maxsize=10_000)
def _parts(predicate: str) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of the predicate that carry its topic, and its prepositions."""
    found = words(predicate_words(predicate))
    topic = {term for word in found if word not in STOP_WORDS for term in terms(word)}
    return frozenset(topic), frozenset(word for word in found if word in _LINKS)
