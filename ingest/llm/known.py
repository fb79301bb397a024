"""What the memory knows that a window may speak of: entities, what holds of them, predicates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.lexical import STOP_WORDS, query_terms
from bitempo.engine.model import Cardinality, Entity, Fact
from bitempo.engine.names import normalise_name
from bitempo.engine.store.port import Corpus, FactQuery, Point, Predicate, Reader
from bitempo.engine.time import FOREVER, Instant
from bitempo.ingest.extraction import Known, Window
from bitempo.ingest.llm.prompt import speaker_of

MOST_NAMES = 4_000
"""Runs of words of a window that are looked up as names."""
LONGEST_NAME = 4
"""Words of a name that is looked for in the text."""
MOST_ENTITIES = 40
MOST_FACTS = 60
MOST_PREDICATES = 120
MOST_FOUND = 40
"""Assertions that the full-text search may bring."""
MOST_TERMS = 60
"""Terms of a window that are searched for."""


def known_of(window: Window, reader: Reader) -> Known:
    """What the tenant's memory knows now of the window's speakers, names and topics.

    Facts come in the order of use: those that the text is about, then the single values of whom
    it names. Their support begins with the assertion that the fact is read from.
    """
    now = reader.last_tx()
    if now is None:
        return Known()
    named = _entities(window, reader)
    found = _found(window, reader, now)
    single = [p.name for p in reader.predicates() if p.cardinality is Cardinality.ONE]
    said = max((episode.occurred_at for episode in window.episodes), default=now)
    subjects = [entity.id for entity in named]
    about = _facts(reader, Point(now, said), subjects=subjects, predicates=single)
    facts = _open(_distinct([*found, *about]), window)[:MOST_FACTS]
    others = (entity for fact in facts for entity in (fact.subject, fact.object) if entity)
    entities = {entity.id: entity for entity in [*named, *others]}
    return Known(
        tuple(entities.values())[:MOST_ENTITIES],
        tuple(_leads_first(facts, reader)),
        tuple(_predicates(reader, facts)),
    )


def _entities(window: Window, reader: Reader) -> list[Entity]:
    """The speakers, then those whose names stand in the text."""
    told = [*window.episodes, *window.context]
    speakers = [name for episode in told if (name := _normal(speaker_of(episode)))]
    texts = [*window.episodes, *reversed(window.context)]
    names = dict.fromkeys(speakers)
    for name in _names_in(episode.text for episode in texts):
        if len(names) >= MOST_NAMES:
            break
        names.setdefault(name)
    named = reader.entities_named(list(names))
    entities = (entity for name in names for entity in named.get(name, ()))
    return list({entity.id: entity for entity in entities}.values())[:MOST_ENTITIES]


_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*[+#]*")
_POSSESSIVE = re.compile(r"['’]s$")
_SPACELESS = re.compile(r"[\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff]+")
_LONGEST_SPACELESS = 8


def _names_in(texts: Iterable[str]) -> Iterator[str]:
    """Runs of words that may be names, in the form in which names are compared."""
    for text in texts:
        words = list(_WORD.finditer(text))
        for at, first in enumerate(words):
            for last in words[at : at + LONGEST_NAME]:
                if last is first and first.group().casefold() in STOP_WORDS:
                    continue
                run = text[first.start() : last.end()]
                for form in (run, _POSSESSIVE.sub("", run)):
                    if name := _normal(form):
                        yield name
        for spaceless in _SPACELESS.finditer(text):
            run = spaceless.group()
            for start in range(len(run)):
                for end in range(start + 2, min(len(run), start + _LONGEST_SPACELESS) + 1):
                    if name := _normal(run[start:end]):
                        yield name


def _normal(name: str) -> str:
    try:
        return normalise_name(name)
    except InvalidInputError:
        return ""


def _found(window: Window, reader: Reader, now: Instant) -> list[Fact]:
    """Facts whose assertions share words with the turns, the best match first."""
    text = "\n".join(episode.text for episode in window.episodes)
    terms = query_terms(text)[:MOST_TERMS]
    if not terms:
        return []
    matches = reader.search(Corpus.ASSERTIONS, terms, known_at=now, limit=MOST_FOUND)
    rank = {id: place for place, id in enumerate(matches.ids)}
    facts = reader.facts(FactQuery(point=Point(now), support=list(rank)))
    last = len(rank)
    return sorted(facts, key=lambda f: (min(rank.get(id, last) for id in f.support), f.id))


def _facts(
    reader: Reader, point: Point, *, subjects: Sequence[str], predicates: Sequence[str]
) -> list[Fact]:
    """What holds of the subjects then, of one value each, in the order of the subjects."""
    query = FactQuery(point=point, subjects=subjects, predicates=predicates, limit=10 * MOST_FACTS)
    place = {id: number for number, id in enumerate(subjects)}
    facts = reader.facts(query)
    return sorted(facts, key=lambda f: (place.get(f.subject.id, len(place)), -f.valid.start, f.id))


def _open(facts: Iterable[Fact], window: Window) -> list[Fact]:
    """Those that nothing has ended before the window was said."""
    said = min((episode.occurred_at for episode in window.episodes), default=0)
    return [fact for fact in facts if fact.valid.end == FOREVER or fact.valid.end > said]


def _distinct(facts: Iterable[Fact]) -> list[Fact]:
    return list({fact.id: fact for fact in facts}.values())


def _leads_first(facts: Sequence[Fact], reader: Reader) -> Iterator[Fact]:
    assertions = reader.assertions({id for fact in facts for id in fact.support})
    for fact in facts:
        reads = {id: id in assertions and assertions[id].text == fact.text for id in fact.support}
        yield replace(fact, support=tuple(sorted(fact.support, key=lambda id: not reads[id])))


def _predicates(reader: Reader, facts: Sequence[Fact]) -> list[Predicate]:
    """Those of the facts first, then the others by name."""
    used = dict.fromkeys(fact.predicate for fact in facts)
    place = {name: number for number, name in enumerate(used)}
    known = sorted(reader.predicates(), key=lambda p: (place.get(p.name, len(place)), p.name))
    return known[:MOST_PREDICATES]
