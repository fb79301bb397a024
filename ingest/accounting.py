"""What calls to a model took, as it is kept with the windows they were for, and added up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pydantic import TypeAdapter

from bitempo.ingest.metering import Usage


class UsageBy(StrEnum):
    """What usage can be told apart by."""

    ACTOR = "actor"
    SESSION = "session"
    EXTRACTOR = "extractor"


@dataclass(frozen=True, slots=True)
class Spending:
    """What one attempt at a window took, for whose session, and by which extractor."""

    extractor: str
    actor: str | None
    usage: Usage

    def to_json(self) -> str:
        """As JSON text, which the inbox keeps."""
        return _SPENDING.dump_json(self).decode()

    @staticmethod
    def from_json(text: str) -> Spending:
        """What `to_json` wrote."""
        return _SPENDING.validate_json(text)


def added_up(spent: Iterable[tuple[str, str]], by: UsageBy) -> dict[str | None, Usage]:
    """The usage by actor, session or extractor, the most expensive first.

    Args:
        spent: pairs (session, spending as JSON), as the inbox gives them.
        by: what to tell apart. Sessions that are nobody's have the actor None.
    """
    totals: dict[str | None, Usage] = {}
    for session, text in spent:
        spending = Spending.from_json(text)
        match by:
            case UsageBy.ACTOR:
                key = spending.actor
            case UsageBy.SESSION:
                key = session
            case UsageBy.EXTRACTOR:
                key = spending.extractor
        totals[key] = totals.get(key, Usage()) + spending.usage
    return dict(sorted(totals.items(), key=lambda item: _expense(*item)))


def _expense(key: str | None, usage: Usage) -> tuple[float, int, int, str]:
    return (-usage.cost, -usage.tokens, -usage.calls, key or "")


_SPENDING = TypeAdapter(Spending)
