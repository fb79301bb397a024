"""Which predicates a question asks for: "Where does Anna live?" asks for LIVES_IN."""

from __future__ import annotations

from functools import lru_cache

from bitempo.engine.lexical import STOP_WORDS, predicate_words, terms, words
from bitempo.engine.model import Fact
from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.query.question import Question

# The words that tell LIVES_IN from LIVES_WITH, and WORKS_AT from WORKS_AS.
_LINKS = frozenset("as at by for from in of on to with".split())
_LINK_WEIGHT = 1.0
_MOST_FACTS = 200


def fit(question: Question, predicate: str) -> float:
    """How much of the predicate's words the question has, in [0, 1]; 0 without one of its topic.

    A preposition counts as another word does.
    """
    topic, links = _parts(predicate)
    hits = len(topic & question.said)
    if not hits:
        return 0.0
    reached = hits + _LINK_WEIGHT * len(links & question.said)
    return reached / (len(topic) + _LINK_WEIGHT * len(links))


def answering_facts(
    reader: Reader, question: Question, point: Point, named: frozenset[str]
) -> list[Fact]:
    """The facts at the point about what the question names, of a predicate that it asks for.

    They are looked up, so that they are found whatever the words of their sources are.
    """
    if not named:
        return []
    wanted = [found.name for found in reader.predicates() if fit(question, found.name)]
    if not wanted:
        return []
    return reader.facts(
        FactQuery(point=point, subjects=named, predicates=wanted, limit=_MOST_FACTS)
    )


@lru_cache(maxsize=10_000)
def _parts(predicate: str) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of the predicate that carry its topic, and its prepositions."""
    found = words(predicate_words(predicate))
    topic = {term for word in found if word not in STOP_WORDS for term in terms(word)}
    return frozenset(topic), frozenset(word for word in found if word in _LINKS)
