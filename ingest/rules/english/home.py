"""Where somebody lives, comes from or stays."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitempo.engine.model import EntityRef
from bitempo.ingest.rules.english.clauses import Clause, happened, state_shape
from bitempo.ingest.rules.english.patterns import Line, VerbRule, denied, place
from bitempo.ingest.rules.english.text import LOW_NAME, NAME
from bitempo.ingest.rules.language import Finding, Shape, Tense


def _named_place(group: str) -> str:
    return (
        r"(?:(?:downtown|central|northern|southern|eastern|western|rural|beautiful|sunny)\s+)?"
        rf"(?P<{group}>(?:the\s+)?{NAME}|{LOW_NAME})"
    )


_HERE = _named_place("place")
_FROM = _named_place("source")


def _place(line: Line, match: re.Match[str], group: str = "place") -> EntityRef | None:
    """The matched place; lower-case words count only where the whole line is lower-case."""
    name = match.group(group)
    bare = re.sub(r"^the\s+", "", name)
    if bare[:1].islower() and not line.lower:
        return None
    return place(name)


def _lives(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    where = _place(line, match)
    verb = match.group("verb").lower()
    shape = state_shape(
        clause.head, verb, past=verb in ("lived", "resided"), denied=denied(line, clause)
    )
    if verb == "based" and not (clause.head.be or clause.dropped):
        return
    if verb == "staying" and shape is Shape.HOLDS:
        return
    if where and shape:
        yield _finding("LIVES_IN", shape, clause, match, where)


def _moved(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = match.group("verb").lower()
    if not happened(clause.head, verb):
        return
    before = next((group for group in ("source", "late_source") if match.group(group)), None)
    source = _place(line, match, before) if before else None
    if source:
        yield _finding("LIVES_IN", Shape.ENDED, clause, match, source)
    where = match.group("place") and _place(line, match)
    if where and where != source:
        yield _finding("LIVES_IN", Shape.BEGAN, clause, match, where)


def _born(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    year = match.group("year")
    if year:
        yield Finding(
            "BIRTH_YEAR",
            Shape.ALWAYS,
            match.start(),
            match.end(),
            clause.subject,
            value=int(year),
            importance=8,
            confidence=0.9,
        )
    where = match.group("place") and _place(line, match)
    if where and not clause.head.negative:
        yield _finding("BORN_IN", Shape.ALWAYS, clause, match, where)


def _grew(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    where = _place(line, match)
    if where and not (clause.head.negative or clause.head.modal):
        yield _finding("GREW_UP_IN", Shape.TIMELESS, clause, match, where)


def _from(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    where = _place(line, match)
    head = clause.head
    if where and not (head.negative or head.modal or head.tense is not Tense.PRESENT):
        yield _finding("COMES_FROM", Shape.TIMELESS, clause, match, where)


def _located(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    where = _place(line, match)
    head = clause.head
    if where and head.be and not (head.negative or head.modal or head.tense is not Tense.PRESENT):
        yield _finding("LOCATED_IN", Shape.BOUNDED, clause, match, where)


def _finding(
    predicate: str, shape: Shape, clause: Clause, match: re.Match[str], where: EntityRef
) -> Finding:
    return Finding(
        predicate,
        shape,
        match.start(),
        match.end(),
        clause.subject,
        object=where,
        importance=8 if predicate == "LIVES_IN" else 7,
        confidence=0.75 if clause.dropped or clause.subject else 0.85,
    )


RULES = (
    VerbRule(
        re.compile(
            r"(?P<verb>lives?|lived|living|resides?|resided|residing|based|settled)"
            r"(?:\s+(?:right|over|here|alone|abroad|together|out|up|down|full-time|"
            r"most of the year|"
            rf"with (?:my|our|his|her) [\w-]+))?\s+(?:in|at|near|outside|outside of)\s+{_HERE}"
        ),
        _lives,
    ),
    VerbRule(
        re.compile(
            r"(?P<verb>moved|relocated|emigrated|immigrated|moving|relocating|settled)"
            r"(?:\s+(?:back|away|over|out|here|down|up|house|home|permanently|all the way|together|"
            r"with (?:my|our) [\w-]+))*"
            rf"(?=\s+(?:from|out of|to|in|into|down to)\b)(?:\s+(?:from|out of)\s+{_FROM})?"
            rf"(?:\s+(?:down\s+|up\s+|over\s+|back\s+)?(?:to|into|in)\s+{_HERE}"
            rf"(?:\s+from\s+{_named_place('late_source')})?)?"
        ),
        _moved,
    ),
    VerbRule(
        re.compile(
            rf"born(?:\s+and\s+(?:raised|bred|brought up))?(?:\s+in\s+(?:(?P<year>(?:19|"
            rf"20)\d\d)\b|{_HERE}))"
        ),
        _born,
    ),
    VerbRule(re.compile(rf"(?:grew up|raised|brought up)\s+in\s+{_HERE}"), _grew),
    VerbRule(re.compile(rf"(?:originally\s+)?from\s+{_HERE}"), _from),
    VerbRule(re.compile(rf"(?:(?:staying|visiting|back)\s+)?in\s+{_HERE}"), _located),
)
