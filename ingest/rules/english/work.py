"""What somebody works as and where, and what they study."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bitempo.engine.model import EntityRef
from bitempo.ingest.rules.english.clauses import Clause, Head, happened, state_shape
from bitempo.ingest.rules.english.lexicon import OCCUPATIONS
from bitempo.ingest.rules.english.patterns import Line, VerbRule, denied, organization
from bitempo.ingest.rules.english.text import CAPITAL, NAME, normal_value, phrase, plain_value
from bitempo.ingest.rules.language import Finding, Shape, Tense

_WORKPLACES = (
    "bakery|bank|bar|bookstore|bookshop|cafe|café|clinic|college|company|factory|farm|firm|gym|"
    "hospital|hotel|laboratory|lab|library|museum|nursery|office|pharmacy|restaurant|salon|school|"
    "shelter|shop|startup|start-up|store|studio|supermarket|university|warehouse|zoo|nonprofit|"
    "non-profit|charity|agency|garage|daycare|theater|theatre|mall|magazine|newspaper"
)
_OF_SAINTS = rf"(?:\s+{CAPITAL}){{0,3}}?\s+(?=[A-Z])(?i:{_WORKPLACES}|academy|church|institute)\b"
_ORG = rf"(?P<org>(?:the\s+)?{NAME}(?:'s\b(?:{_OF_SAINTS})?)?)"
"""With "'s" a name goes on only to what it is the name of ("St. Mary's Hospital")."""
_GENERIC = rf"(?P<generic>(?:a|an|the)\s+(?:[a-z][\w'-]*\s+){{0,3}}?(?:{_WORKPLACES}))\b"
_EMPLOYER = rf"(?:{_ORG}|{_GENERIC})"
_ROLE = r"(?:an?\s+)?(?P<role>(?:[A-Za-z][\w'/&-]*\s+){0,3}?[A-Za-z][\w'/-]*)"
_ROLE_END = (
    r"(?!\s+at heart\b)(?=\s*(?:[.,;:!?)(—–]|$|\s(?:at|for|in|with|and|but|who|from|on|since|now|"
    r"these|by|here|until|"
    r"right|part-time|full-time|because|so|while|when|currently|again|any)\b))"
)


_NOW_END = r"(?=\s*(?:[.,;:!)]|$|\s(?:as|and|but|since|full-time|part-time)\b))"


def _employment(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = match.group("verb").lower()
    shape = state_shape(clause.head, verb, past=verb == "worked", denied=denied(line, clause))
    if shape is None:
        return
    yield from _role(clause, match, shape, known=False)
    yield from _employer(clause, match, shape)
    yield from _role_after(line, clause, match, shape)
    after = _THEN_AT.search(line.text, match.end(), clause.end)
    if after and shape is Shape.FORMER:
        yield from _employer(clause, after, Shape.NEXT)


def _is_a(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    if not clause.head.be:
        return
    shape = state_shape(clause.head, "", denied=denied(line, clause))
    if shape is None:
        return
    at_named = match.group("org") is not None
    role = normal_value(match.group("role"))
    if role.split(" ")[-1].lower() not in OCCUPATIONS and not (
        at_named and _AT.search(match.group())
    ):
        return
    yield from _role(clause, match, shape, known=not at_named)
    if at_named:
        yield from _employer(clause, match, shape)


def _became(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    del line
    if happened(clause.head, match.group("verb").lower()):
        yield from _role(clause, match, Shape.BEGAN, known=True)


def _started(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    head = clause.head
    if head.be and head.tense in (Tense.PAST, Tense.PERFECT) and not head.negative:
        head = Head(head.main, Tense.PAST)  # "was hired by"
    if not happened(head, match.group("verb").lower().split(" ")[0]):
        return
    yield from _employer(clause, match, Shape.BEGAN)
    yield from _role(clause, match, Shape.BEGAN, known=False)
    yield from _role_after(line, clause, match, Shape.BEGAN)


def _joined(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    """ "Joined X": an employer only as a bare name; "joined Ana for lunch" is none."""
    if happened(clause.head, "joined") and not _JOINED_OTHERWISE.match(line.text, match.end()):
        yield from (
            replace(found, confidence=_GUESSED) for found in _employer(clause, match, Shape.BEGAN)
        )
        yield from _role_after(line, clause, match, Shape.BEGAN)


def _now_at(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    """ "I'm now at X"; without "now" it may be where somebody is this evening."""
    head = clause.head
    said_now = _NOW.search(line.text, clause.start, match.start()) or match.group("now")
    if head.be and said_now and state_shape(head, "") is Shape.HOLDS:
        org = match.group("org")
        if org.split(" ")[-1].lower() in _GROUNDS:
            return
        yield from (
            replace(found, confidence=_GUESSED) for found in _employer(clause, match, Shape.HOLDS)
        )
        yield from _role_after(line, clause, match, Shape.HOLDS)


def _job_at(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    """ "I love my job at X" says where the job is."""
    head = clause.head
    if not (head.modal or head.former or head.tense is not Tense.PRESENT or denied(line, clause)):
        yield from _employer(clause, match, Shape.HOLDS)


def _switched(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    """ "Switched from X to Y", where something in the sentence says that it is about work."""
    if not happened(clause.head, "switched") or not _ABOUT_WORK.search(line.text):
        return
    before = organization(match.group("before"))
    if before is not None:
        at = match.start(), match.end()
        yield _work("WORKS_AT", Shape.ENDED, clause, *at, object=before)
        yield from _employer(clause, match, Shape.BEGAN)


def _left(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    del line
    head = clause.head
    if head.negative or head.modal or head.tense is Tense.FUTURE or head.never:
        return
    start, end = match.start(), match.end()
    groups = match.groupdict()
    org = organization(groups["org"]) if groups.get("org") else None
    if org is not None:
        yield _work("WORKS_AT", Shape.ENDED, clause, start, end, object=org)
    elif groups.get("generic"):
        value = normal_value(groups["generic"])
        yield _work("WORKS_AT", Shape.ENDED, clause, start, end, value=value)
    else:
        yield _work("WORKS_AT", Shape.ENDED, clause, start, end)
    if "retire" in match.group():
        yield _work("EMPLOYMENT_STATUS", Shape.BEGAN, clause, start, end, value="retired")


def _status(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    del line
    if clause.head.be and state_shape(clause.head, "") is Shape.HOLDS:
        yield _work(
            "EMPLOYMENT_STATUS",
            Shape.HOLDS,
            clause,
            match.start(),
            match.end(),
            value=match.group().lower(),
        )
        if match.group() in ("retired", "unemployed"):
            yield _work("WORKS_AT", Shape.ENDED, clause, match.start(), match.end())


def _studies(line: Line, clause: Clause, match: re.Match[str]) -> Iterator[Finding]:
    verb = match.group("verb").lower()
    shape = state_shape(
        clause.head,
        verb,
        past=verb in ("studied", "majored", "attended", "went"),
        denied=denied(line, clause),
    )
    if shape is None or (verb == "going" and clause.head.tense is Tense.FUTURE):
        return
    if match.group("org"):
        school = organization(match.group("org"))
        if school and (match.group("at") or _SCHOOL.search(school.name)):
            yield _work("STUDIES_AT", shape, clause, match.start(), match.end(), object=school)
            return
    if match.group("at") or verb in (
        "attend",
        "attends",
        "attended",
        "attending",
        "go",
        "goes",
        "going",
        "went",
    ):
        return
    subject = phrase(line.text, match.end(), clause.end, most=4)
    value = normal_value(subject)
    if value and not _NO_SUBJECT.match(value):
        end = match.end() + len(subject)
        yield _work("STUDIES", shape, clause, match.start(), end, value=value)
        school_at = _AT_SCHOOL.match(line.text, end, clause.end)
        school = organization(school_at.group("org")) if school_at else None
        if school_at and school:
            yield _work("STUDIES_AT", shape, clause, match.start(), school_at.end(), object=school)


def _role(clause: Clause, match: re.Match[str], shape: Shape, *, known: bool) -> Iterator[Finding]:
    found = match.group("role")
    value = plain_value(found) if found else ""
    last = value.split(" ")[-1].lower() if value else ""
    if value and (last in OCCUPATIONS or not known) and last not in _NO_ROLE:
        yield _work("WORKS_AS", shape, clause, match.start(), match.end("role"), value=value)


def _role_after(
    line: Line, clause: Clause, match: re.Match[str], shape: Shape
) -> Iterator[Finding]:
    """The role where it stands after the employer: "at X as a welder"."""
    if match.groupdict().get("org") or match.groupdict().get("generic"):
        after = _AS_ROLE.match(line.text, match.end(), clause.end)
        if after:
            yield from _role(clause, after, shape, known=False)


def _employer(clause: Clause, match: re.Match[str], shape: Shape) -> Iterator[Finding]:
    groups = match.groupdict()
    org: EntityRef | None = organization(groups["org"]) if groups.get("org") else None
    if org is not None:
        yield _work("WORKS_AT", shape, clause, match.start(), match.end("org"), object=org)
    elif groups.get("generic"):
        value = normal_value(groups["generic"])
        yield _work("WORKS_AT", shape, clause, match.start(), match.end("generic"), value=value)


def _work(
    predicate: str,
    shape: Shape,
    clause: Clause,
    start: int,
    end: int,
    *,
    object: EntityRef | None = None,
    value: str | None = None,
) -> Finding:
    return Finding(
        predicate,
        shape,
        start,
        end,
        clause.subject,
        object=object,
        value=value,
        importance=7,
        confidence=0.75 if clause.dropped or clause.subject or object is None else 0.85,
    )


_JOINED_OTHERWISE = re.compile(
    r"\s*(?:(?:for|on|in)\s+(?:an?\b|the\b|my\b|our\b|his\b|her\b|lunch|dinner|breakfast|drinks?|"
    r"coffee)|and\s+[A-Z]|'s\b|[a-z]*\s*(?:group|club|class|team|gym|choir|band|church|game|party))"
)
_GUESSED = 0.65
_GROUNDS = frozenset(
    "park airport station beach stadium square museum mall hotel arena festival conference lake "
    "street road pier gym hospital".split()
)
_THEN_AT = re.compile(
    rf",?\s+(?:and\s+)?(?:then|after that|afterwards|later)\s+(?:at|for)\s+{_EMPLOYER}"
)
_NOW = re.compile(r"\b(?:now|currently|presently)\b")
_ABOUT_WORK = re.compile(
    r"\b(?:jobs?|work(?:s|ed|ing)?|employers?|career|compan(?:y|ies)|colleagues?|boss|manager|hired|"
    r"office|team|position|role)\b",
    re.IGNORECASE,
)
_AS_ROLE = re.compile(rf"\s+as\s+{_ROLE}{_ROLE_END}")
_AT = re.compile(r"\s(?:at|for|with)\s")
_SCHOOL = re.compile(r"\b(?:university|college|school|academy|institute|uni)\b", re.IGNORECASE)
_AT_SCHOOL = re.compile(rf"\s+at\s+{_ORG}")
_NO_SUBJECT = re.compile(
    r"(?:for|hard|at|abroad|together|to|my|it|a lot|all|more|every|exam)\b|.*\btest\b"
)
_NO_ROLE = frozenset("team result part well usual much volunteer it".split())
_ADVERBS = (
    r"(?:\s+(?:part-time|full-time|part time|full time|remotely|freelance|mainly|mostly|there|now|"
    r"now again))?"
)

RULES = (
    VerbRule(
        re.compile(
            rf"(?P<verb>works?|worked|working|employed)\b{_ADVERBS}(?:\s+as\s+{_ROLE}{_ROLE_END})?"
            rf"{_ADVERBS}(?:\s+(?:at|for|over at)\s+{_EMPLOYER})?"
        ),
        _employment,
    ),
    VerbRule(
        re.compile(
            rf"(?:an?|the)\s+(?P<role>(?:[A-Za-z][\w'/&-]*\s+){{0,3}}?[A-Za-z][\w'/-]*){_ROLE_END}"
            rf"(?:\s+(?:working\s+)?(?:at|for|with)\s+{_ORG})?"
        ),
        _is_a,
    ),
    VerbRule(re.compile(rf"(?P<verb>became|become)\s+{_ROLE}{_ROLE_END}"), _became),
    VerbRule(
        re.compile(
            r"(?P<verb>(?:started|began|got|landed|accepted|took|found)\s+"
            r"(?:(?P<labour>working|work)|(?:a|an|my|the)\s+(?:[\w-]+\s+){0,2}?(?:job|position|role|post))"
            r"|(?:got\s+)?hired|started(?=\s+(?:as|at)\b))"
            rf"(?:\s*\bas\s+{_ROLE}{_ROLE_END})?"
            rf"(?:\s*\b(?:at|with|by|(?(labour)for|at))\s+{_EMPLOYER})"
        ),
        _started,
    ),
    VerbRule(
        re.compile(
            r"(?P<verb>started|began|got|landed|accepted|took|found)\s+"
            r"(?:working|(?:a|an|my|the)\s+(?:[\w-]+\s+){0,2}?(?:job|position|role|post))\s+"
            rf"as\s+{_ROLE}{_ROLE_END}"
        ),
        _started,
    ),
    VerbRule(re.compile(rf"(?P<verb>joined)\s+{_ORG}\s+as\s+{_ROLE}{_ROLE_END}"), _started),
    VerbRule(
        re.compile(
            r"joined\s+(?:(?:the|a|their)\s+(?:[\w-]+\s+){0,2}?(?:team|staff|company|firm)\s+"
            rf"(?:at|of)\s+)?{_ORG}(?!\s+as\b)"
        ),
        _joined,
    ),
    VerbRule(re.compile(rf"(?:at|(?<=now )with)\s+{_ORG}(?P<now>\s+now\b)?{_NOW_END}"), _now_at),
    VerbRule(
        re.compile(
            r"(?:love|like|enjoy|hate|have|adore|dislike)s?\s+(?:my|a|an|his|her|our|the)\s+"
            rf"(?:[\w-]+\s+){{0,2}}?(?:job|position|role|post|work)\s+(?:at|with)\s+{_EMPLOYER}"
        ),
        _job_at,
    ),
    VerbRule(
        re.compile(
            r"(?:switched|moved|changed)(?:\s+(?:jobs?|employers?|compan(?:y|ies)|over))*\s+from\s+"
            rf"(?P<before>{NAME})\s+to\s+{_ORG}"
        ),
        _switched,
    ),
    VerbRule(
        re.compile(
            r"(?:quit|left|lost|resigned from|leaving|gave up|stopped|quitting|given up)\s+"
            r"(?:(?:my|the|our|his|her)\s+(?:[\w-]+\s+){0,2}?(?:job|position|role|post)|working|"
            r"work)\b"
            rf"(?:\s+(?:at|with|for)\s+{_EMPLOYER})?"
        ),
        _left,
    ),
    VerbRule(
        re.compile(
            r"(?:quit|resigned from|(?:got\s+)?(?:fired|laid off|let go)\s+(?:from|by)|"
            r"retired from)"
            rf"\s+{_EMPLOYER}"
        ),
        _left,
    ),
    VerbRule(
        re.compile(
            r"(?:got\s+)?(?:fired|laid off|let go)\b|"
            r"retired\b(?=\s*(?:[.,;!)]|$|\s(?:last|in|this|and|at|early|after|but|two|three|a)\b))"
        ),
        lambda line, clause, match: (
            _left(line, clause, match)
            if clause.head.be or match.group().startswith(("got", "retired"))
            else ()
        ),
    ),
    VerbRule(
        re.compile(
            r"(?:retired|unemployed|self-employed)\b(?=\s*(?:[.,;!)]|$|\s(?:now|and|but|since|last|so)\b))"
        ),
        _status,
    ),
    VerbRule(
        re.compile(
            r"(?P<verb>stud(?:y|ies|ied|ying)|major(?:s|ed|ing)?\s+in|attend(?:s|ed|ing)?|go(?:es|"
            r"ing)?|went)\s+"
            rf"(?:(?P<at>at\s+)|to\s+)?(?:{_ORG})?"
        ),
        _studies,
    ),
)
