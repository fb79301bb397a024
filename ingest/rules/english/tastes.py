"""Tastes, diets, health, what somebody plays and owns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bitempo.engine.model import Cardinality, EntityRef
from bitempo.ingest.rules.english.clauses import Clause, happened, state_shape
from bitempo.ingest.rules.english.lexicon import (
    ALLERGENS,
    CONDITIONS,
    DIETS,
    LANGUAGES,
    NATIONALITIES,
)
from bitempo.ingest.rules.english.patterns import Line, PhraseRule, VerbRule, denied, person
from bitempo.ingest.rules.english.text import NAME, before_aside, items, normal_value, phrase
from bitempo.ingest.rules.language import Finding, Shape, Tense

_LIKING = "love like enjoy adore"
_VAGUE = re.compile(
    r"(?:it|that|this|you|your|yours|how|what|when|where|the way|to (?:think|say|hear|see|know|"
    r"share|help|"
    r"chat|talk|do|be|have|show|meet|get|join|come|check|make)|being (?:able|around|here|there)|"
    r"the|these|those|his|her|their|"
    r"my|our|him|them|me|us|every|all|both|seeing (?:you|the|how)|hearing|each other|one another|"
    r"doing|"
    r"having|getting|talking|to$|a lot|so|them|one|ones|that's|it's)\b",
    re.IGNORECASE,
)
_THIN = re.compile(
    r"\b(?:them|him|her|us|you|it|each|everyone|someone|this|that|these|those|my|our|your|their|"
    r"his|"
    r"yourself|myself|when|because)\b"
    r"|^(?:better|best|more|most|listening|"
    r"playing|helping|learning|discovering \w+|making|spending|spending time|watching|seeing|"
    r"finding|having|getting|giving|taking|"
    r"using|"
    r"putting|bringing|trying|sharing|hearing|knowing|feeling|looking|going|coming|seeing \w+ \w+|"
    r"being|keeping|way|idea|fact|ones?|part|things?|stuff|lot)$",
    re.IGNORECASE,
)
_THEME = re.compile(r"^to\s+")


def _likes(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = match.group("verb").lower()
    head = clause.head
    if head.be and not verb.endswith("ing"):
        return
    past = verb.endswith("ed")
    any_more = denied(line, clause)
    shape = state_shape(head, verb, past=past, denied=any_more)
    if shape in (None, Shape.PERFECT) or (past and not head.former):
        return
    if _JOINED.search(line.text, 0, clause.start) and re.search(
        rf"\b{re.escape(verb)}\b", line.text[: clause.start], re.IGNORECASE
    ):
        return  # "I love the trust and love theme": the second one is a noun
    bad = verb.rstrip("sd").rstrip("e") in ("hat", "dislik", "detest", "loath", "can't stand")
    for item in items(line.text, match.end(), clause.end):
        value = normal_value(_THEME.sub("", item))
        if not value or _VAGUE.match(item) or _THIN.search(value) or len(value) < 3:
            return
        at = line.text.find(item, match.end())
        yield _taste(
            "DISLIKES" if bad else "LIKES", shape, clause, match.start(), at + len(item), value
        )
        if shape is Shape.ENDED and not bad and not any_more:
            yield _taste("DISLIKES", Shape.HOLDS, clause, match.start(), at + len(item), value)


def _cannot_stand(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    if not (clause.head.modal and clause.head.negative):
        return
    for item in items(line.text, match.end(), clause.end)[:1]:
        value = normal_value(item)
        if value and not _VAGUE.match(item):
            yield _taste("DISLIKES", Shape.HOLDS, clause, match.start(), match.end(), value)


def _prefers(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    shape = state_shape(clause.head, "", past=match.group("verb") == "preferred")
    item = phrase(line.text, match.end(), clause.end, most=4)
    value = normal_value(_THEME.sub("", item))
    if shape is Shape.HOLDS and value and not _VAGUE.match(item):
        yield _taste("PREFERS", shape, clause, match.start(), match.end() + len(item), value)


def _favourite(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    start, end = match.span("value")
    quoted = line.text[start - 1] == '"'
    found = match.group("value") if quoted else phrase(line.text, start, end, most=5)
    yield from _favourite_of(match, found)


def _is_favourite(line: Line, match: re.Match[str]) -> Iterator[Finding]:
    del line
    found = match.group("value")
    first, *rest = found.split(" ")
    if not rest and first.lower() not in NATIONALITIES | LANGUAGES:
        found = first[:1].lower() + first[1:]  # the capital is the sentence's
    yield from _favourite_of(match, found)


def _favourite_of(match: re.Match[str], found: str) -> Iterator[Finding]:
    thing = " ".join(match.group("thing").lower().split())
    value = normal_value(found)
    head = thing.split(" ")[-1]
    if not value or head in _NO_THING or thing.split(" ")[0] in _NO_THING:
        return
    if value.split(" ")[0].lower() in _NO_FAVOURITE:
        return
    owner = match.groupdict().get("owner")
    subject: EntityRef | None = person(owner) if owner else None
    if owner and subject is None:
        return
    name = re.sub(r"\W+", "_", _SPELLING.sub(r"\1our", thing)).strip("_").upper()
    yield Finding(
        f"FAVOURITE_{name}",
        Shape.HOLDS,
        match.start(),
        match.end(),
        subject,
        value=value,
        importance=5,
        confidence=0.85,
        cardinality=Cardinality.ONE,
    )


def _diet(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = (match.group("verb") or "").strip()
    if verb:
        shape = Shape.BEGAN if happened(clause.head, verb) else None
        if verb.startswith(("stopped", "quit")) and shape:
            shape = Shape.ENDED
    elif clause.head.be or clause.dropped:
        shape = state_shape(clause.head, "", denied=denied(line, clause))
        shape = Shape.HOLDS if shape is Shape.PERFECT else shape
    else:
        return
    if shape:
        yield Finding(
            "DIET",
            shape,
            match.start(),
            match.end(),
            clause.subject,
            value=DIETS[match.group("diet").lower()],
            importance=8,
            confidence=0.85,
        )


def _allergic(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    if not (clause.head.be or clause.dropped):
        return
    shape = state_shape(clause.head, "", denied=denied(line, clause))
    shape = Shape.HOLDS if shape is Shape.PERFECT else shape
    if shape is None:
        return
    for item in items(line.text, match.end(), clause.end):
        value = normal_value(item)
        if value and not _VAGUE.match(item):
            start = line.text.find(item, match.end())
            end = start + len(item)
            timeless = shape is Shape.HOLDS and before_aside(line.text, end, clause.end)
            own = Shape.TIMELESS if timeless else shape
            yield _health("ALLERGIC_TO", own, clause, match, value, span=(start, end))


def _allergy(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    shape = state_shape(
        clause.head, "", past=match.group("verb") == "had", denied=denied(line, clause)
    )
    if shape:
        yield _health("ALLERGIC_TO", shape, clause, match, normal_value(match.group("allergen")))


def _condition(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = match.group("verb").lower()
    value = normal_value(match.group("condition")).lower()
    if value.split(" ")[-1].lower() not in CONDITIONS:
        return
    if "diagnosed" in verb:
        yield _health("HAS_CONDITION", Shape.BEGAN, clause, match, value)
        return
    shape = state_shape(
        clause.head, "", past=verb in ("had", "suffered from"), denied=denied(line, clause)
    )
    if shape:
        yield _health("HAS_CONDITION", shape, clause, match, value)


def _plays(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = match.group("verb").lower()
    stopped = verb.startswith(("stopped", "quit", "gave"))
    if stopped:
        shape = Shape.ENDED if happened(clause.head, verb.split(" ")[0]) else None
    elif verb.startswith(("started", "began", "took up")):
        shape = Shape.BEGAN if happened(clause.head, verb.split(" ")[0]) else None
    else:
        past = verb == "played"
        if past and not clause.head.former and clause.head.tense is not Tense.PERFECT:
            return  # "we played chess yesterday" is one game
        shape = state_shape(clause.head, verb, past=past, denied=denied(line, clause))
        if verb == "playing" and shape is Shape.HOLDS:
            shape = None  # a game going on
    if shape is None:
        return
    for item in items(line.text, match.end(), clause.end, most=2):
        value = normal_value(item)
        if not value or _VAGUE.match(re.sub(r"^the\s+", "", item)) or _NO_PLAY.search(value):
            return
        yield _taste("PLAYS", shape, clause, match.start(), match.end() + len(item), value)


def _owns(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = match.group("verb").lower()
    if verb in ("own", "owns", "owned"):
        shape = state_shape(clause.head, "", past=verb == "owned", denied=denied(line, clause))
    elif happened(clause.head, verb):
        shape = Shape.ENDED if verb == "sold" else Shape.BEGAN
    else:
        return
    item = phrase(line.text, match.end(), clause.end, most=4)
    value = re.sub(r"^(?:(?:brand|new|used|second-hand|own|old)\s+)+", "", normal_value(item))
    value = re.sub(r"\s+(?:called|named|titled)$", "", value)
    if " " not in value and _MORE_ADJECTIVES.match(line.text, match.end() + len(item)):
        return
    if shape and value and not _VAGUE.match(value) and not _NO_THING_OWNED.search(value):
        yield _taste("OWNS", shape, clause, match.start(), match.end() + len(item), value)


def _taste(
    predicate: str, shape: Shape, clause: Clause, start: int, end: int, value: str
) -> Finding:
    return Finding(
        predicate,
        shape,
        start,
        end,
        clause.subject,
        value=value,
        importance=5,
        confidence=0.65 if clause.dropped or clause.subject else 0.75,
    )


def _health(
    predicate: str,
    shape: Shape,
    clause: Clause,
    match: re.Match[str],
    value: str,
    span: tuple[int, int] | None = None,
) -> Finding:
    start, end = span or match.span()
    return Finding(
        predicate,
        shape,
        start,
        end,
        clause.subject,
        value=value,
        importance=9,
        confidence=0.85,
    )


_JOINED = re.compile(r"\b(?:and|or)\s+$")
_SPELLING = re.compile(r"\b(col|flav)or\b")
_NO_THING = frozenset(
    "part thing things one ones way memory memories moment moments time times person people aspect "
    "so is was of feature quote".split()
)
_NO_FAVOURITE = frozenset(
    "when how that to what where getting being definitely probably still so not too "
    "you your his her their him them it these those one".split()
)
_NO_PLAY = re.compile(
    r"\b(?:role|part|with|around|outside|together|game|games?$|it|along|music|for|again|here|"
    r"there|big|"
    r"hard|well|fetch|live|kids|dad|mom)\b"
)
_MORE_ADJECTIVES = re.compile(
    r",\s+(?!(?:and|but|so|i|it|it's|we|my|which|because|for|then|he|she|they)\b)[a-z]"
)
_NO_THING_OWNED = re.compile(
    r"\b(?:ticket|tickets|drink|drinks|lunch|dinner|coffee|food|gift|gifts|present|presents|time|"
    r"flowers|groceries|stuff|few|ones?|lot|couple|some|bunch|out|pack|way|mind|right|things?|"
    r"supplies)\b"
)
_DIET = "|".join(sorted(map(re.escape, DIETS), key=len, reverse=True))
_CONDITION = "|".join(sorted(CONDITIONS))
_ALLERGEN = "|".join(sorted(ALLERGENS, key=len, reverse=True))
_FAVOURITE = r"(?:all-time\s+)?favou?rite"

PHRASES = (
    PhraseRule(
        re.compile(
            rf"(?:\b(?<!of )(?:[Mm]y|[Oo]ur)|(?<![\w'])(?P<owner>{NAME})'s)\s+{_FAVOURITE}\s+"
            r"(?P<thing>(?:[\w'-]+\s+){0,2}?[\w'-]+)(?:\s+(?:is|would be|has always been|"
            r"has to be|is definitely|of all time is|ever is))"
            r"\s+(?:now\s+|definitely\s+|probably\s+|still\s+|called\s+|"
            r"actually\s+)?[\"“]?(?P<value>[^.;:!?\"”()]{2,60})"
        ),
        _favourite,
    ),
    PhraseRule(
        re.compile(
            r"(?:^|[,;]\s+|\band\s+)(?P<value>(?:[\w'-]+\s+){0,3}?[\w'-]+)\s+(?:is|"
            r"are)\s+(?:definitely\s+|still\s+|now\s+)?"
            rf"my\s+{_FAVOURITE}\s+(?P<thing>(?:[\w-]+\s+)?[\w-]+)(?=\s*(?:[.,;!]|$|\s(?:and|but|"
            rf"because|of all|ever)\b))"
        ),
        _is_favourite,
    ),
)

RULES = (
    VerbRule(
        re.compile(
            r"(?P<verb>loves?|likes?|enjoys?|adores?|hates?|dislikes?|detests?|loathes?|loved|"
            r"liked|"
            r"enjoyed|hated|loving|enjoying)\s+(?=\w)(?!you\b|it\b)"
        ),
        _likes,
    ),
    VerbRule(re.compile(r"(?P<verb>stand)\s+(?=\w)"), _cannot_stand),
    VerbRule(re.compile(r"(?P<verb>prefers?|preferred)\s+(?=\w)"), _prefers),
    VerbRule(
        re.compile(
            r"(?P<verb>(?:became|become|went|gone|turned|stopped being|quit being)\s+)?"
            rf"(?:an?\s+)?(?:strict(?:ly)?\s+)?(?P<diet>{_DIET})\b(?!\s+(?:recipe|food|option|ice|"
            rf"dish|"
            r"meal|cake|cook|baker|restaurant|diet plan|alternative|dessert|version)s?)",
            re.IGNORECASE,
        ),
        _diet,
    ),
    VerbRule(
        re.compile(r"(?:very\s+|severely\s+|highly\s+|deathly\s+)?allergic\s+to\s+"), _allergic
    ),
    VerbRule(
        re.compile(
            rf"(?P<verb>have|has|had|got)\s+an?\s+(?:severe\s+|bad\s+|"
            rf"mild\s+)?(?P<allergen>{_ALLERGEN})\s+allergy"
        ),
        _allergy,
    ),
    VerbRule(
        re.compile(
            r"(?P<verb>have|has|had|suffer from|suffers from|suffered from|(?:was |been |"
            r"got )?diagnosed with)\s+"
            rf"(?P<condition>(?:[a-z0-9]+\s+){{0,2}}?(?:{_CONDITION}))\b",
            re.IGNORECASE,
        ),
        _condition,
    ),
    VerbRule(
        re.compile(
            r"(?P<verb>(?:stopped|quit|gave up|started|began|took up)\s+playing|"
            r"took up(?=\s+(?:the|tennis))|plays?|"
            r"played|playing)\s+(?=\w)"
        ),
        _plays,
    ),
    VerbRule(
        re.compile(r"(?P<verb>owns?|owned|bought|purchased|sold)\s+(?:an?|my|our|the)\s+(?=\w)"),
        _owns,
    ),
)
