"""Firm plans in the first person: "I'm going to ...", "I plan to ...", "I have to ... by Friday"."""

from __future__ import annotations

import re

from bitempo.ingest.rules.language import Plan

_SUBJECT = r"\b(?:I|we|i|We)(?:\s+(?:just|also|really|definitely|now|still|actually))?"
_ADVERB = r"(?:(?:just|also|really|definitely|now|still|actually|finally|all|officially)\s+)*"
_FIRM = re.compile(
    rf"{_SUBJECT}(?:"
    rf"(?:'m|\s+am|'re|\s+are)\s+{_ADVERB}(?:going to|gonna|planning (?:to|on)|about to|set to|due to|"
    rf"determined to|scheduled to)\s+"
    rf"|(?:'ll|\s+will)\s+(?!never|not|always|have to)(?:be\s+(?=\w+ing\b))?{_ADVERB}"
    rf"|\s+(?:plan|intend|decided|have decided|promised|agreed)\s+(?:to|on)\s+"
    rf"|(?:'ve| have)\s+(?:decided|promised|agreed|arranged)\s+to\s+)(?=[a-z])"
)
_OBLIGED = re.compile(
    rf"{_SUBJECT}(?:\s+(?:have to|need to|must|(?:'ve )?got to|gotta|want to)|'ve got to)\s+"
    rf"(?!say|admit|tell you|be honest|agree|thank)(?=[a-z])"
)
_PROGRESSIVE = re.compile(
    rf"{_SUBJECT}(?:'m|\s+am|'re|\s+are)\s+{_ADVERB}(?=(?!going to|feeling|looking forward)[a-z]+ing\b)"
)
_APPOINTED = re.compile(
    rf"{_SUBJECT}(?:\s+|'ve got\s+)(?=(?:have|got|start|leave|fly|begin|travel|graduate|move|turn|"
    rf"finish|return|a|an|my)\b)(?!have to)"
)
_DUE = re.compile(
    r"\b(?:[Mm]y|[Oo]ur|[Tt]he)\s+(?P<thing>(?:[\w'-]+\s+){1,4}?)(?:is|are)\s+due\b"
    r"|\bdeadline\s+(?:for|of)\s+(?:my|our|the)\s+(?P<other>(?:[\w'-]+\s+){1,4}?)is\b"
)
_PLAN_END = re.compile(
    r"\s*(?:[.;!?…(]|,?\s+(?:but|because|'cause|so that|so|which|since|while|as)\s|,\s|\s-\s|[—–]"
    r"|,?\s+and\s+(?:I|we|it|my|that|they|he|she)\b|$)"
)
_IDLE = re.compile(
    r"(?:be\s+(?:honest|there for|fine|ok|okay|happy to|sure|careful|back|great|a|able)|let you|keep you|"
    r"keep (?:it|that|going|at it|pushing|up|my|trying|doing|an)|see you|talk|check (?:it|that|them)|"
    r"remember|miss|give it|do (?:it|that|my best)|make sure|try\b|think|tell you|say|admit|forget|"
    r"love|need|take (?:it|that|your)|definitely|bet|support|cheer|always|never|know)\b"
)


def plan_in(text: str) -> Plan | None:
    """The first plan of a sentence with straight quotes, with the span of what is planned."""
    due = _DUE.search(text)
    if due:
        thing = (due.group("thing") or due.group("other") or "").strip()
        return Plan(due.start(), due.end(), needs_time=True, deadline_of=thing)
    for pattern, needs_time in (
        (_FIRM, False),
        (_OBLIGED, True),
        (_PROGRESSIVE, True),
        (_APPOINTED, True),
    ):
        for match in pattern.finditer(text):
            start = match.end()
            end = _end(text, start)
            if end - start < 3 or _IDLE.match(text, start):
                continue
            return Plan(start, end, needs_time=needs_time)
    return None


def base_form(words: str) -> str:
    """The words with a leading "-ing" form made the base form: "moving to X", "move to X"."""
    first, _, rest = words.partition(" ")
    if not _ING.fullmatch(first):
        return words
    stem = first[:-3]
    if stem in _SILENT_E or stem.endswith(("iv", "at", "iz", "rs", "ov", "av", "ang", "anc")):
        stem += "e"
    elif len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in "bdgmnprt":
        stem = stem[:-1]
    return f"{stem} {rest}".strip()


_ING = re.compile(r"(?:[b-df-hj-np-tv-z]*[aeiouy]+[a-z]*?)ing")
_SILENT_E = frozenset("mak tak com hav writ hik bak rac us shar tun fil hir driv rid mov leav".split())


def _end(text: str, start: int) -> int:
    match = _PLAN_END.search(text, start)
    return match.start() if match else len(text)
