"""Who somebody is: name, age, birthday, languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitempo.engine.names import normalise_name
from bitempo.ingest.rules.english.clauses import Clause, state_shape
from bitempo.ingest.rules.english.lexicon import (
    LANGUAGES,
    MONTHS,
    NATIONALITIES,
    NOT_SELF,
    OCCUPATIONS,
)
from bitempo.ingest.rules.english.patterns import Line, PhraseRule, VerbRule, denied
from bitempo.ingest.rules.english.text import LOW_NAME, NAME, clean_name, is_name
from bitempo.ingest.rules.language import Finding, Shape, Tense


def _named(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    name = clean_name(match.group("name"))
    if name[:1].islower() and not line.lower:
        return
    if is_name(name):
        yield Finding(
            "NAME",
            Shape.HOLDS if match.group("now") else Shape.ALWAYS,
            match.start(),
            match.end(),
            value=name,
            importance=9,
            confidence=0.9,
        )


def _renamed(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    del line
    name = clean_name(match.group("name") or match.group("name2"))
    if is_name(name):
        yield Finding(
            "NAME",
            Shape.BEGAN,
            match.start(),
            match.end(),
            value=name,
            importance=9,
            confidence=0.85,
        )


def _called(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    name = clean_name(match.group("name"))
    if not is_name(name):
        return
    # "My name is Alexandra, but call me Alex": the second is a nickname.
    predicate = "NICKNAME" if _NAMED.search(line.text) else "NAME"
    yield Finding(
        predicate,
        Shape.HOLDS,
        match.start(),
        match.end(),
        value=name,
        importance=9,
        confidence=0.8,
    )


def _i_am(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    head = clause.head
    if clause.subject is not None or not head.be or head.tense is not Tense.PRESENT:
        return
    found = match.group("name")
    name = clean_name(found)
    word = name.split(" ")[0].lower()
    if not is_name(name) or word in NOT_SELF or word in OCCUPATIONS:
        return
    if not NATIONALITIES.isdisjoint(word.split("-")):
        return
    if head.negative or (name.isupper() and len(name) > 1) or not _CALM.match(line.text):
        return
    known = normalise_name(name) in normalise_name(line.speaker) if line.speaker.strip() else False
    yield Finding(
        "NAME",
        Shape.ALWAYS,
        match.start(),
        match.end(),
        value=name,
        importance=9,
        confidence=0.9 if known else 0.7,
    )


def _nationality(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    shape = state_shape(clause.head, "", denied=denied(line, clause)) if clause.head.be else None
    if shape is Shape.HOLDS:
        yield Finding(
            "NATIONALITY",
            shape,
            match.start(),
            match.end(),
            clause.subject,
            value=_capital(match.group("nationality")),
            importance=8,
        )


def _age(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    if _WHEN.search(line.text, 0, clause.start):
        return
    years = int(match.group("age") or match.group("turned"))
    if match.group("turned"):
        if clause.head.modal or clause.head.negative or clause.head.tense is Tense.FUTURE:
            return
        shape: Shape | None = Shape.BEGAN
    else:
        shape = state_shape(clause.head, "") if clause.head.be else None
    if shape in (Shape.HOLDS, Shape.BEGAN) and 0 < years < 121:
        yield Finding(
            "AGE",
            shape,
            match.start(),
            match.end(),
            clause.subject,
            value=years,
            importance=8,
            confidence=0.85,
        )


def _birthday(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    del line
    day = int(match.group("day1") or match.group("day2"))
    month = (match.group("month1") or match.group("month2")).lower()
    full = next(name for name in MONTHS if name.startswith(month.rstrip(".")[:3]))
    if not 1 <= day <= 31:
        return
    yield Finding(
        "BIRTHDAY",
        Shape.ALWAYS,
        match.start(),
        match.end(),
        value=f"{day} {full.title()}",
        importance=8,
        confidence=0.9,
    )
    year = match.group("year")
    if year:
        yield Finding(
            "BIRTH_YEAR",
            Shape.ALWAYS,
            match.start(),
            match.end(),
            value=int(year),
            importance=8,
            confidence=0.9,
        )


def _native(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    del line
    word = match.group("language") or match.group("spoken")
    if word.lower() in LANGUAGES:
        yield Finding(
            "NATIVE_LANGUAGE",
            Shape.ALWAYS,
            match.start(),
            match.end(),
            value=_capital(word),
            importance=7,
        )


def _speaks(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    shape = state_shape(
        clause.head,
        match.group("verb"),
        past=match.group("verb") == "spoke",
        denied=denied(line, clause),
    )
    if clause.head.modal and not clause.head.negative:
        shape = Shape.HOLDS if _CAN.search(line.text, clause.start, match.start()) else None
    if shape in (None, Shape.PERFECT):
        return
    for word in re.findall(r"\w+", match.group("languages")):
        if word.lower() in LANGUAGES:
            yield Finding(
                "SPEAKS",
                shape,
                match.start(),
                match.end(),
                clause.subject,
                value=_capital(word),
                importance=6,
            )


def _capital(word: str) -> str:
    """A people or a language as it is spelt, however it is typed."""
    return word.upper() if word.lower() in ("asl", "bsl") else word.capitalize()


_NOT_NATIONAL = frozenset(
    "south asian european arab jewish muslim christian catholic protestant buddhist hindu sikh "
    "mormon "
    "orthodox anglican caucasian hispanic black white latin polish".split()
)
_NAMED = re.compile(
    r"\b[Mm]y\s+(?:full\s+|real\s+|first\s+)?name(?:'s|\s+is)\s+(?P<now>now\s+)?"
    rf"(?P<name>{NAME}|{LOW_NAME})"
)
_CALL = re.compile(
    rf"(?:^|[.,;!]\s+|\band\s+|\bbut\s+|\bso\s+)(?i:(?:please|just|you can|everyone|people|"
    rf"friends|my friends|everybody|they|"
    rf"most people)\s+)*[Cc]alls?\s+me\s+(?P<name>{NAME})(?=\s*(?:[.,;!)]|$|\s(?:and|for|because|"
    rf"instead)\b))"
)
_CALM = re.compile(r"(?!(?:[^a-z]*[A-Z]){12}[^a-z]*$)")
_WHEN = re.compile(r"\b(?:when|before|after|since|till|by)\s+$")
_CAN = re.compile(r"\bcan\b")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_LANGUAGE = "|".join(sorted(LANGUAGES))

PHRASES = (
    PhraseRule(_NAMED, _named),
    PhraseRule(_CALL, _called),
    PhraseRule(
        re.compile(
            rf"\bI\s+(?:legally\s+)?changed my name to\s+(?P<name>{NAME})|"
            rf"\b[Tt]his is\s+(?P<name2>{NAME})\s+speaking"
        ),
        _renamed,
    ),
    PhraseRule(
        re.compile(
            r"\b(?:my birthday(?:'s|\s+is)?(?:\s+on)?|I was born(?:\s+in\s+\w+)?\s+on|"
            r"my birth ?date is|my date of birth is)\s+"
            r"(?:the\s+)?(?:(?P<day1>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?"
            rf"(?P<month1>{_MONTH})\b|(?P<month2>{_MONTH})\s+(?:the\s+)?(?P<day2>\d{{1,2}})(?:st|"
            rf"nd|rd|th)?\b)"
            r"(?:,?\s+(?P<year>(?:19|20)\d\d))?",
            re.IGNORECASE,
        ),
        _birthday,
    ),
    PhraseRule(
        re.compile(
            rf"\b(?:my\s+(?:native\s+(?:language|tongue)|mother\s+tongue|first\s+language)\s+is\s+"
            rf"(?P<language>{_LANGUAGE})|I(?:'m|\s+am)\s+a\s+native\s+(?P<spoken>{_LANGUAGE})\s+"
            r"speaker)\b",
            re.IGNORECASE,
        ),
        _native,
    ),
)

_NATIONALITY = "|".join(sorted(NATIONALITIES - _NOT_NATIONAL))

RULES = (
    VerbRule(
        re.compile(
            rf"(?:half\s+)?(?P<nationality>{_NATIONALITY})(?=\s*(?:[.,;!)]|$|\s(?:and|but|"
            rf"by birth)\b))",
            re.IGNORECASE,
        ),
        _nationality,
    ),
    VerbRule(
        re.compile(rf"(?P<name>{NAME})(?=\s*(?:[.,;!)]|$|\s(?:and|from|by the way)\b|\s-))"),
        _i_am,
    ),
    VerbRule(
        re.compile(
            r"(?P<age>\d{1,3})(?=\s*(?:[.,;!)]|$|\s(?:and|years? old|now|yrs? old|but|this)\b|\s-|"
            r"-years?-old))"
            r"(?!\s*(?:years?|months?|weeks?|days?|hours?)\s+(?!old))"
            r"|(?:just\s+)?turned\s+(?P<turned>\d{1,3})\b"
            r"(?!\s*[%°]|\s+(?!(?:years|this|was|is|as|has)\b)[a-z-]+s\b)"
        ),
        _age,
    ),
    VerbRule(
        re.compile(
            rf"(?P<verb>speaks?|spoke|fluent in|learned to speak)\s+(?:fluent\s+|some\s+|"
            rf"a little\s+|a bit of\s+|both\s+|native\s+)*"
            rf"(?P<languages>(?:{_LANGUAGE})(?:(?:\s*,\s*|\s+and\s+|,\s+and\s+)(?:some\s+|"
            rf"a little\s+|a bit of\s+)?(?:{_LANGUAGE}))*)\b",
            re.IGNORECASE,
        ),
        _speaks,
    ),
)
