"""Sessions, turns and JSON without their secrets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from bitempo.engine.model import Session
from bitempo.ingest.secrets import words
from bitempo.ingest.secrets.redaction import NO_REDACTION, Redactor
from bitempo.ingest.secrets.spans import MARK, mark
from bitempo.ingest.secrets.values import is_placeholder, is_random
from bitempo.ingest.sessions import SourceSession, Turn

Counts = Counter[str]
"""How many secrets of each kind were taken out."""

Recorded = TypeVar("Recorded", Session, SourceSession)

_DEEPEST = 60
_MOST = 10**20
"""No number that is a secret is as large."""


def secret_free_turns(turns: Iterable[Turn], redactor: Redactor, counts: Counts) -> list[Turn]:
    """The turns with the redactor applied to their text, actor and metadata.

    Ids stay: they are what the turn is found by. What is not text is left to be refused later.
    """
    return [
        replace(
            turn,
            text=secret_free_json(turn.text, redactor, counts),
            actor=secret_free_json(turn.actor, redactor, counts),
            metadata=secret_free_json(turn.metadata, redactor, counts),
        )
        for turn in turns
    ]


def secret_free_session(session: Recorded, redactor: Redactor, counts: Counts) -> Recorded:
    """The session with the redactor applied to its actor and metadata, and to its turns if it has
    them."""
    metadata = secret_free_json(session.metadata, redactor, counts)
    actor = secret_free_json(session.actor, redactor, counts)
    if isinstance(session, SourceSession):
        turns = tuple(secret_free_turns(session.turns, redactor, counts))
        return replace(session, actor=actor, metadata=metadata, turns=turns)
    return replace(session, actor=actor, metadata=metadata)


def secret_free_json(value: Any, redactor: Redactor, counts: Counts, depth: int = 0) -> Any:
    """The JSON with the redactor applied to its texts; a field named as a secret is one.

    What is no JSON, or nested too deep to be kept, stays as it is.
    """
    if redactor is NO_REDACTION or depth > _DEEPEST:
        return value
    if isinstance(value, str):
        found = redactor.redact(value)
        counts.update(found.counts)
        return found.text
    if isinstance(value, Mapping):
        return {
            _secret_free_key(key, redactor, counts): secret_free_value(
                key, item, redactor, counts, depth + 1
            )
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [secret_free_json(item, redactor, counts, depth + 1) for item in value]
    return value


def _secret_free_key(key: Any, redactor: Redactor, counts: Counts) -> Any:
    """A key that is no text is no JSON either, and is refused by whoever keeps it."""
    return secret_free_json(key, redactor, counts) if isinstance(key, str) else key


def secret_free_value(
    name: object, value: Any, redactor: Redactor, counts: Counts, depth: int = 0
) -> Any:
    """What a field or a predicate of this name holds, without secrets.

    A value without words around it ("hunter2") is known by the name alone.
    """
    if redactor is NO_REDACTION:
        return value
    kind = _named_kind(str(name), value)
    if kind is not None:
        counts[kind] += 1
        return mark(kind)
    if _is_number(value):
        # A card number may be written as a number.
        found = redactor.redact(str(value))
        if found.counts:
            counts.update(found.counts)
            return found.text
    return secret_free_json(value, redactor, counts, depth)


def _named_kind(name: str, value: Any) -> str | None:
    """The kind of secret that a field's name makes of its value."""
    if _is_number(value):
        return _numbered_kind(name, str(value))
    if not isinstance(value, str) or MARK.search(value) or not value.strip():
        return None
    if _ends(words.PASSWORD, name) and len(value) >= 4:
        said = is_placeholder(value) or value.lower() in words.FOLLOW
        return None if said else "password"
    if value.isdecimal():
        return _numbered_kind(name, value)
    return "secret" if _ends(words.KEY, name) and is_random(value) else None


def _is_number(value: Any) -> bool:
    """Whether it is a whole number of a length that a store keeps."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MOST


def _numbered_kind(name: str, digits: str) -> str | None:
    spaced = name.lower().replace("_", " ").strip().removeprefix("has ")
    if words.CARD_CODE.fullmatch(spaced) and 2 < len(digits) < 5:
        return "card-code"
    named = words.PIN.fullmatch(spaced) or _ends(words.PASSWORD, name)
    return "pin" if named and 3 < len(digits) < 9 else None


def _ends(pattern: re.Pattern[str], name: str) -> bool:
    return any(match.end() == len(name) for match in pattern.finditer(name))
