"""The people and animals in somebody's life."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitempo.engine.model import EntityRef
from bitempo.ingest.rules.english.clauses import Clause, happened, state_shape
from bitempo.ingest.rules.english.lexicon import ANIMALS, BORN_RELATIONS, PLURAL_ANIMALS, RELATIONS
from bitempo.ingest.rules.english.patterns import Line, PhraseRule, VerbRule, animal, denied, person
from bitempo.ingest.rules.english.text import NAME, without_opening
from bitempo.ingest.rules.language import Finding, Shape

_RELATION = "|".join(sorted(RELATIONS, key=len, reverse=True))
_ANIMAL = "|".join(sorted(ANIMALS, key=len, reverse=True))
_ANIMALS = PLURAL_ANIMALS.replace(" ", "|")
_ADJECTIVES = (
    r"(?:(?:best|older|younger|elder|little|big|eldest|twin|new|good|close|dear|lovely|wonderful|"
    r"amazing|beautiful|oldest|youngest|middle|half|baby|adorable|sweet|rescue|golden|german|black|"
    r"white|pet|\d+[- ]year[- ]old|two|three|other|only|great|childhood|adopted|foster|"
    r"beloved)\s+)*"
)
_NAMES = rf"(?P<names>{NAME}(?:,\s+{NAME})*(?:,?\s+(?:and|&)\s+{NAME})?)"
_NAME = re.compile(NAME)
_OWNERS = (r"\b[Mm]y(?P<owner>)", r"\b[Oo]ur(?P<owner>)", rf"(?<![\w'])(?P<owner>{NAME})'s")
_CALLED = (
    r"(?:,?\s+(?:(?:is|was|are|were|who is|who's)\s+)?(?:called|named)|'s\s+name\s+is|"
    r"'\s+names\s+are)"
)
_LOST = re.compile(
    r"\b(?:passed away|died|passed on|crossed the rainbow bridge|was put (?:down|to sleep))\b"
)


def _standing(relation: str) -> Shape:
    """Who is family by birth always was."""
    return Shape.ALWAYS if relation.lower() in BORN_RELATIONS else Shape.HOLDS


def _related(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    subject = _owner(match)
    predicate = RELATIONS[match.group("relation").lower()]
    if match.group("owner") and subject is None:
        return
    names = _people(match)
    if not match.group("plural"):
        names = names[:1]
    for name in names:
        yield Finding(
            predicate,
            _standing(match.group("relation")),
            match.start(),
            match.end(),
            subject,
            object=name,
            importance=8,
            confidence=0.85 if subject is None else 0.7,
        )
    del line


def _is_relation(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    del line
    name = person(match.group("name"))
    # "Thanks, Tom, my friend!" addresses Tom.
    addressed = match.group("comma") and RELATIONS[match.group("relation").lower()] == "HAS_FRIEND"
    if name and not addressed:
        predicate = RELATIONS[match.group("relation").lower()]
        yield Finding(
            predicate,
            _standing(match.group("relation")),
            match.start(),
            match.end(),
            object=name,
            importance=8,
            confidence=0.8,
        )


def _has_relation(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    shape = state_shape(clause.head, "", past=match.group("verb") == "had")
    if shape is not Shape.HOLDS:
        return
    noun = match.group("relation").lower()
    predicate = RELATIONS[noun]
    for name in _people(match):
        yield Finding(
            predicate,
            _standing(match.group("relation")),
            match.start(),
            match.end(),
            clause.subject,
            object=name,
            importance=8,
            confidence=0.85,
        )
    del line


def _married(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    name = person(match.group("name"))
    verb = match.group("verb")
    engaged = "engaged" in verb
    predicate = "ENGAGED_TO" if engaged else "PARTNER" if "dating" in verb else "MARRIED_TO"
    if name is None:
        return
    if clause.head.be:
        shape = state_shape(clause.head, "", denied=denied(line, clause))
    else:
        shape = Shape.BEGAN if happened(clause.head, verb) else None
        shape = Shape.PERFECT if "dating" in verb else shape
    if shape:
        yield Finding(
            predicate,
            shape,
            match.start(),
            match.end(),
            clause.subject,
            object=name,
            importance=9,
            confidence=0.85,
        )


_STATUS = {
    "single": ("PARTNER",),
    "divorced": ("MARRIED_TO", "PARTNER"),
    "widowed": ("MARRIED_TO", "PARTNER"),
    "separated": (),
    "married": (),
    "engaged": (),
}


def _status(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    status = match.group("status")
    head = clause.head
    got = match.group("got")
    shape: Shape | None
    if got:
        shape = Shape.BEGAN if happened(head, got) else None
    elif head.be:
        shape = state_shape(head, "", denied=denied(line, clause))
    else:
        shape = Shape.HOLDS if clause.dropped else None
    if shape is None or shape is Shape.FORMER:
        return
    start, end = match.start(), match.end()
    yield Finding(
        "RELATIONSHIP_STATUS",
        shape,
        start,
        end,
        clause.subject,
        value=status,
        importance=9,
    )
    if shape is Shape.ENDED:
        if status == "married":
            yield Finding("MARRIED_TO", Shape.ENDED, start, end, clause.subject, importance=9)
        return
    for predicate in _STATUS[status]:
        yield Finding(predicate, Shape.ENDED, start, end, clause.subject, importance=9)


def _broke_up(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    if not happened(clause.head, match.group("verb")):
        return
    together = _AND_I.search(line.text, 0, clause.start + 1)
    named = match.group("name") or (together and together.group("name"))
    name = person(without_opening(named)) if named else None
    for predicate in ("MARRIED_TO", "PARTNER"):
        yield Finding(
            predicate,
            Shape.ENDED,
            match.start(),
            match.end(),
            clause.subject,
            object=name,
            importance=9,
        )


def _pet(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    subject = _owner(match)
    if match.group("owner") and subject is None:
        return
    lost = _LOST.search(line.text, match.end()) or _LOST_BEFORE.search(line.text, 0, match.start())
    for name in _animals(match):
        yield Finding(
            "HAS_PET",
            Shape.ENDED if lost else Shape.HOLDS,
            match.start(),
            match.end(),
            subject,
            object=name,
            importance=7,
            confidence=0.85 if subject is None else 0.7,
        )


def _has_pet(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = match.group("verb").lower()
    began = verb not in ("have", "has", "had", "own", "owns", "having", "'ve got", "got")
    shape: Shape | None
    if began:
        shape = Shape.BEGAN if happened(clause.head, verb) else None
    else:
        shape = state_shape(clause.head, "", past=verb == "had", denied=denied(line, clause))
        shape = Shape.HOLDS if shape is Shape.PERFECT else shape
    if shape is None:
        return
    start, end = match.start(), match.end()
    lost = _LOST.search(line.text, end) if shape is Shape.FORMER else None
    if lost:
        # "We used to have a dog, but he died in 2021": the time is that of the end.
        shape, start, end = Shape.LAPSED, lost.start(), lost.end()
    if match.group("names"):
        for name in _animals(match):
            yield Finding(
                "HAS_PET",
                shape,
                start,
                end,
                clause.subject,
                object=name,
                importance=7,
                confidence=0.85,
            )
    elif match.group("animal") and not match.group("after"):
        yield Finding(
            "HAS_PET",
            shape,
            start,
            end,
            clause.subject,
            value=match.group("animal").lower(),
            importance=6,
            confidence=0.7,
        )


_AND_I = re.compile(rf"(?<![\w'])(?P<name>{NAME})\s+and\s+I$")
_LOST_BEFORE = re.compile(r"\blost\s+$|\bput down\s+$|\bsaid goodbye to\s+$")


def _no_pets(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    del line
    if clause.head.negative and not clause.head.modal:
        yield Finding("HAS_PET", Shape.ENDED, match.start(), match.end(), clause.subject)


def _owner(match: re.Match[str]) -> EntityRef | None:
    return person(match.group("owner")) if match.group("owner") else None


def _people(match: re.Match[str]) -> list[EntityRef]:
    found = (person(name.group()) for name in _NAME.finditer(match.group("names")))
    return [name for name in found if name]


def _animals(match: re.Match[str]) -> list[EntityRef]:
    found = (animal(name.group()) for name in _NAME.finditer(match.group("names")))
    return [name for name in found if name]


# What follows is nothing or a time: "we separated the eggs" parts nobody.
_PARTED_END = (
    r"(?=\s*(?:[.,;:!?)(\u2014\u2013]|-\s|$)"
    r"|\s+(?:a|an|\w+)(?:\s+few)?\s+(?:weeks?|months?|years?|days?)\b"
    r"|\s+(?:in|on|last|this|after|before|since|back|earlier|yesterday|today|recently|when|and|but|"
    r"because|for good|amicably|again|now|around|during)\b)"
)

PHRASES = (
    *(
        PhraseRule(
            re.compile(
                rf"{owner}\s+{_ADJECTIVES}(?P<relation>{_RELATION})(?P<plural>s)?"
                rf"(?:{_CALLED}|,|\s+is)?\s+[\"“]?{_NAMES}(?!\s+(?:Day|Street|University)\b)"
            ),
            _related,
        )
        for owner in _OWNERS
    ),
    PhraseRule(
        re.compile(
            rf"(?<![\w'-])(?P<name>{NAME})(?:(?P<comma>,)\s+|,?\s+(?:is|was|who is|"
            rf"who's)\s+)(?:[Mm]y|[Oo]ur)\s+"
            rf"{_ADJECTIVES}(?P<relation>{_RELATION})\b(?!')(?=\s*(?:[.,;:!?)]|$|\s(?:and|who|"
            rf"from|is|was|has|since)\b))"
        ),
        _is_relation,
    ),
    *(
        PhraseRule(
            re.compile(
                rf"{owner}\s+{_ADJECTIVES}(?:(?:{_ANIMAL}|{_ANIMALS}|pet)s?\s?)+"
                rf"(?:{_CALLED}|,|\s*(?:is|are)\b)?\s*[\"“]?{_NAMES}"
            ),
            _pet,
        )
        for owner in _OWNERS
    ),
)

RULES = (
    VerbRule(
        re.compile(
            rf"(?P<verb>have|has|had|got)\s+(?:an?\s+|two\s+|three\s+|one\s+){_ADJECTIVES}"
            rf"(?P<relation>{_RELATION})s?(?:{_CALLED}|,)\s+{_NAMES}"
        ),
        _has_relation,
    ),
    VerbRule(
        re.compile(
            r"(?P<verb>(?:got |been )?(?:married|engaged) to|married|dating|seeing)\s+"
            rf"(?:a\s+\w+\s+(?:named|called)\s+)?(?P<name>{NAME})"
        ),
        _married,
    ),
    VerbRule(
        re.compile(
            r"(?P<got>got\s+)?(?P<status>single|divorced|widowed|separated|married|"
            r"engaged)\b(?!\s+to\s+[A-Z])"
            r"(?!\s+(?:parent|mom|mum|mother|dad|father|day|time|person|one|piece|room|couple|"
            r"in\b|with\b|by\b))"
        ),
        _status,
    ),
    VerbRule(
        re.compile(
            r"(?P<verb>broke up|split up|separated|broken up|got divorced|got a divorce|divorced)\b"
            rf"(?:\s+(?:with|from))?(?:\s+(?:my\s+)?(?:boyfriend|girlfriend|partner|husband|"
            rf"wife))?(?:\s+(?P<name>{NAME}))?{_PARTED_END}"
        ),
        _broke_up,
    ),
    VerbRule(
        re.compile(
            r"(?P<verb>have|has|had|own|owns|got|adopted|bought|rescued|welcomed)\s+(?:an?|two|"
            r"three|four|one|this|"
            r"our|my)\s+(?:(?!(?:love|for|of|about|with|to|photo|picture|pic|lot|bond|soft|book|"
            r"song|and)\b)"
            r"[a-z-]+\s+){0,2}?"
            rf"(?P<animal>(?:(?:{_ANIMAL}|{_ANIMALS})\s?)+)(?<!\s)(?!\w)"
            rf"(?:(?:,?\s+(?:called|named|,)|,|"
            rf",?\s+whose name is)\s+[\"“]?{_NAMES})?(?P<after>\s+(?:bed|food|toy|collar|person|"
            r"park|walker|house|lover|allergy|allergies|shelter|costume|cafe|sitter|for|show|"
            r"video)\b)?"
        ),
        _has_pet,
    ),
    VerbRule(re.compile(r"have\s+(?:any\s+|a\s+)?pets?\b"), _no_pets),
)
