"""Who and what else a sentence names: a light finder of proper names."""

from __future__ import annotations

import re

from bitempo.engine.model import EntityRef
from bitempo.engine.names import normalise_name
from bitempo.ingest.rules.english.text import NAME, clean_name, is_name, without_opening
from bitempo.ingest.rules.language import Finding

_NAME = re.compile(rf"(?<![\w'@#-]){NAME}")
_HANDLE = re.compile(r"(?<![\w@.])@([A-Za-z][\w.]{1,30}\w)")
_START = re.compile(r"(?:^|[.!?:;…—–]\s+|\s-\s+|[\"“(]\s*)\W*$")
_CALENDAR = frozenset(
    (
        "mon tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov "
        "dec"
    ).split()
)
_DATED_BEFORE = re.compile(
    r"(?:\b(?:in|on|by|since|until|till|last|next|this|every|early|late|mid|and|or|to|from|of)\s+|"
    r"\d(?:st|nd|rd|th)?\s+|[-–/(,]\s*)$",
    re.IGNORECASE,
)
_DATED_AFTER = re.compile(r"\.?\s*\d")
_ADDRESSED_BEFORE = re.compile(
    r"(?:\b(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|oh|bye|sure|dear|sorry|congrats|cool|"
    r"nice|great|"
    r"awesome|definitely|totally|absolutely|ok|okay|well|so)(?: so much)?,?\s*)$",
    re.IGNORECASE,
)
_ADDRESSED_AFTER = re.compile(r"\s*(?:[,!]|[.?!]*$)")
_VERB_AFTER = re.compile(
    r"\s+(?:lives|works|loves|likes|moved|told|said|says|and I|and me|who|came|thinks|wants|called|"
    r"texted|visited)\b"
)
_SHOUTED = re.compile(r"[A-Z]{2,}")
_MOST = 12


def mentions_in(text: str, speaker: str, findings: tuple[Finding, ...]) -> tuple[EntityRef, ...]:
    """The entities named in the sentence, without its speaker and whoever is addressed.

    A name that a finding typed keeps that type; the type of any other is not known. A sentence
    in capitals names nobody.
    """
    typed: dict[str, EntityRef] = {}
    for finding in findings:
        for entity in (finding.subject, finding.object):
            if entity is not None:
                typed.setdefault(normalise_name(entity.name), entity)
    found = dict(typed)
    if not _shouting(text):
        for name in _names(text):
            key = normalise_name(name)
            if not any(key in other for other in typed):
                found.setdefault(key, EntityRef(name))
    own = normalise_name(speaker) if speaker.strip() else ""
    own_names = {own, *own.split(" ")}
    return tuple(entity for key, entity in found.items() if key not in own_names)[:_MOST]


def _names(text: str) -> list[str]:
    names = []
    for match in _NAME.finditer(text):
        name = without_opening(match.group())
        start = match.end() - len(name)
        name = clean_name(name)
        if not is_name(name) or (name.isupper() and not 2 < len(name) <= 6):
            continue
        if _is_addressed(text, start, match.end()) or _is_date(text, name, start, match.end()):
            continue
        if (
            _START.search(text, 0, start)
            and " " not in name
            and not _VERB_AFTER.match(text, match.end())
        ):
            continue
        names.append(name)
    names.extend(match.group(1) for match in _HANDLE.finditer(text))
    return names


def _is_date(text: str, name: str, start: int, end: int) -> bool:
    """Whether "Tues" or "Jan" is a day or a month here: Jan may also be somebody."""
    if name.lower() not in _CALENDAR:
        return False
    return (
        _DATED_BEFORE.search(text, 0, start) is not None
        or _DATED_AFTER.match(text, end) is not None
        or name.lower() != "jan"
    )


def _is_addressed(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 20) : start]
    if _ADDRESSED_BEFORE.search(before) and _ADDRESSED_AFTER.match(text, end):
        return True
    return (
        before.endswith(", ")
        and re.match(r"[.!?]+\W*$", text[end:]) is not None
        and ("," not in text[: start - 2])
    )


def _shouting(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    capitals = sum(char.isupper() for char in letters)
    return len(_SHOUTED.findall(text)) > 2 and capitals > 0.6 * len(letters)
