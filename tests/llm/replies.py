"""Replies of a model, and the turns that they are about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bitempo.engine.model import Episode
from bitempo.engine.time import Instant, from_datetime
from bitempo.ingest.extraction import Window


def at(year: int, month: int, day: int, hour: int = 12) -> Instant:
    return from_datetime(datetime(year, month, day, hour, tzinfo=UTC))


SAID = at(2024, 5, 20)
"""A Monday."""


def turn(number: int, text: str, actor: str = "Anna", when: Instant = SAID, **more: Any) -> Episode:
    return Episode(
        f"e{number}", text, when, session="s", position=number, actor=actor, metadata=more
    )


def window(*turns: Episode, context: tuple[Episode, ...] = ()) -> Window:
    return Window("w", "s", turns, context)


def claim(**given: Any) -> dict[str, Any]:
    """An assertion of a reply: Anna lives in Lisbon, unless told otherwise."""
    return {
        "text": "Anna lives in Lisbon.",
        "subject": "Anna",
        "predicate": "LIVES_IN",
        "object": None if "value" in given else "Lisbon",
        "value": None,
        "cardinality": "one",
        "polarity": "+",
        "modality": "actual",
        "kind": "state",
        "time_text": None,
        "valid_from": None,
        "valid_to": None,
        "granularity": "unknown",
        "due": None,
        "importance": 7,
        "confidence": 0.9,
        "inferred": False,
        "evidence": ["t1"],
        "quote": "I live in Lisbon",
        "corrects": None,
    } | given


def reply(*claims: dict[str, Any], entities: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"entities": list(entities), "assertions": list(claims)}
