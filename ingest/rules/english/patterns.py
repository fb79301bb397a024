"""How a pattern family says what it looks for.

A `VerbRule` matches at the main part of a clause, whoever it is about; a `PhraseRule` is searched
in the whole sentence ("my sister Ana"). Both give findings with offsets in the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bitempo.engine.model import EntityRef
from bitempo.ingest.rules.english.clauses import Clause
from bitempo.ingest.rules.english.text import clean_name, is_name
from bitempo.ingest.rules.language import Finding


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence under the rules: straight quotes, and whether it is typed without capitals."""

    text: str
    speaker: str
    lower: bool


@dataclass(frozen=True, slots=True)
class VerbRule:
    """A pattern at the main part of a clause, and the findings that a match makes."""

    pattern: re.Pattern[str]
    build: Callable[[Line, Clause, re.Match[str]], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """A pattern anywhere in the sentence, and the findings that a match makes."""

    pattern: re.Pattern[str]
    build: Callable[[Line, re.Match[str]], Iterable[Finding]]


def denied(line: Line, clause: Clause) -> bool:
    """Whether the clause goes on with "any more"."""
    return _ANY_MORE.search(line.text, clause.head.main, clause.end) is not None


def person(name: str) -> EntityRef | None:
    """The person of that name; None when it is no name."""
    return _entity(name, "person")


def place(name: str) -> EntityRef | None:
    """The place of that name; None when it is no name."""
    cleaned = clean_name(re.sub(r"^the\s+", "", name, flags=re.IGNORECASE))
    if cleaned.lower() in _STATES_OF_MIND or not _PLACE_NAME.match(cleaned):
        return None
    return EntityRef(cleaned, "place") if _names_thing(cleaned) else None


def organization(name: str) -> EntityRef | None:
    """The organization of that name; None when it is no name."""
    bare = re.sub(r"^the\s+", "", name, flags=re.IGNORECASE)
    cleaned = clean_name(bare, possessive=True)
    return EntityRef(cleaned, "organization") if _names_thing(cleaned) else None


def animal(name: str) -> EntityRef | None:
    """The animal of that name; None when it is no name."""
    return _entity(name, "animal")


_ANY_MORE = re.compile(r"\b(?:any\s?more|any longer)\b")
_STATES_OF_MIND = frozenset("denial fear peace harmony limbo misery chaos poverty".split())
"""Where somebody is said to live that is no place, however it is spelt."""
_OPENING = re.compile(r"(?:New|Old|Long|Big|Great|Best|First|Good) (?=[A-Z])")
_PLACE_NAME = re.compile(r"\w{2,}", re.UNICODE)


def _names_thing(name: str) -> bool:
    """Whether it names a place or an organization: "New York" does, although "new" is no name."""
    opening = _OPENING.match(name)
    return is_name(name[opening.end() :] if opening else name)


def _entity(name: str, type: str) -> EntityRef | None:
    cleaned = clean_name(name)
    return EntityRef(cleaned, type) if is_name(cleaned) else None
