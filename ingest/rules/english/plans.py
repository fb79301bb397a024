"""Firm plans in the first person: "I'm going to ...", "I have to ... by Friday"."""

from __future__ import annotations

import re

from bitempo.ingest.rules.language import Plan

_SUBJECT = r"\b(?:I|we|i|We)(?:\s+(?:just|also|really|definitely|now|still|actually))?"
_ADVERB = r"(?:(?:just|also|really|definitely|now|still|actually|finally|all|officially)\s+)*"
_FIRM = re.compile(
    rf"{_SUBJECT}(?:"
    rf"(?:'m|\s+am|'re|\s+are)\s+{_ADVERB}(?:going to|gonna|planning (?:to|on)|about to|set to|"
    rf"due to|determined to|scheduled to)\s+"
    rf"|(?:'ll|\s+will)\s+(?!never|not|always|have to){_ADVERB}(?:be\s+(?=\w+ing\b))?"
    rf"|\s+(?:plan|intend|decided|have decided|promised|agreed)\s+(?:to|on)\s+"
    rf"|(?:'ve| have)\s+(?:decided|promised|agreed|arranged)\s+to\s+)(?=[a-z])"
)
_OBLIGED = re.compile(
    rf"{_SUBJECT}(?:\s+(?:have to|need to|must|(?:'ve )?got to|gotta)|'ve got to)\s+"
    rf"(?!say|admit|tell you|be honest|agree|thank)(?=[a-z])"
)
_PROGRESSIVE = re.compile(
    rf"{_SUBJECT}(?:'m|\s+am|'re|\s+are)\s+{_ADVERB}"
    r"(?=(?!going to (?=[a-z])|feeling|looking|trying|thinking|considering|wondering|hoping|"
    r"training|doing|wanting|needing|"
    r"having trouble|getting (?:better|used|into|excited)|loving|enjoying|liking|saying|asking|"
    r"being|learning)"
    r"[a-z]+ing\b)"
)
_APPOINTMENT = (
    r"(?:exam|test|meeting|appointment|interview|flight|deadline|wedding|party|presentation|"
    r"surgery|"
    r"date|class|shift|game|match|concert|trip|call|check-?up|conference|gig|tournament|show|"
    r"performance|audition|race|workshop|lesson|ceremony|recital|session|event|operation)"
)
_APPOINTED = re.compile(
    rf"{_SUBJECT}(?:\s+|'ve got\s+)(?=(?:(?:have|got)\s+(?:an?|my|our|the|"
    rf"another)\s+(?:[\w'-]+\s+){{0,3}}?{_APPOINTMENT}|start|leave|"
    rf"fly|begin|graduate|(?:an?|my)\s+(?:[\w'-]+\s+){{0,2}}?{_APPOINTMENT})\b)"
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
    r"(?:be\s+(?:honest|there for|fine|ok|okay|happy to|sure|careful|back|great|a|able)|let you|"
    r"keep|stay|continue|"
    r"make (?:a difference|some|the most)|see you|talk|check (?:it|that|"
    r"them)|"
    r"remember|miss|give it|do (?:it|that|my best)|make sure|try\b|think|tell you|say|admit|forget|"
    r"love|need|take (?:it|that|your)|definitely|bet|support|cheer|always|never|know|consider|try|"
    r"weigh|explore|look|start (?:looking|thinking))\b"
)
_VAGUE = re.compile(
    r"^(?:[\w'-]+\s+){0,3}(?:it|that|this|these|those|them|'em|you|your|him|her|us|things?|"
    r"everything|something|one|on|going|by|best|dreams?)\b|^\w+$|\bcome true\b|\b(?:you|ya|your)\b"
)
_HIDDEN = re.compile(
    r"\b(?:that|which|who|whatever|if|what|where|how|things|think|thinking|guess|bet|sure|hope|"
    r"know|"
    r"maybe|think that|sure that)\s+$"
)


def plan_in(text: str) -> Plan | None:
    """The first plan of a sentence with straight quotes, with the span of what is planned."""
    due = _DUE.search(text)
    if due:
        thing = (due.group("thing") or due.group("other") or "").strip()
        return Plan(due.start(), due.end(), needs_time=True, deadline_of=thing)
    for pattern, needs_time, needs_future in (
        (_FIRM, False, False),
        (_OBLIGED, True, False),
        (_PROGRESSIVE, True, True),
        (_APPOINTED, True, True),
    ):
        for match in pattern.finditer(text):
            start = match.end()
            end = _end(text, start)
            if end - start < 3 or _HIDDEN.search(text, 0, match.start()):
                continue
            words = text[start:end]
            return Plan(
                start,
                end,
                needs_time,
                needs_future,
                vague=bool(_IDLE.match(words) or _VAGUE.search(words)),
                first=_base_form(words.split(" ")[0]),
            )
    return None


def _base_form(word: str) -> str | None:
    """The base form of a word in "-ing"; None for any other."""
    if not _ING.fullmatch(word):
        return None
    stem = word[:-3]
    if stem in _SILENT_E or stem.endswith(("iv", "at", "iz", "rs", "ov", "av", "ang", "anc")):
        return stem + "e"
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in "bdgkmnprt"
    return stem[:-1] if doubled else stem


_ING = re.compile(r"(?:[b-df-hj-np-tv-z]*[aeiouy]+[a-z]*?)ing")
_SILENT_E = frozenset(
    "mak tak com hav writ hik bak rac us shar tun fil hir driv rid mov leav".split()
)


def _end(text: str, start: int) -> int:
    match = _PLAN_END.search(text, start)
    return match.start() if match else len(text)
