"""How far a source is to be trusted: said by who hands it in, never by what it says itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bitempo.engine.errors import InvalidRecordError
from bitempo.engine.model import AssertionDraft, Episode

KEY = "trust"
"""The key of an episode's metadata under which its trust stands, 1 to 10."""

USUAL = 5
"""The trust of a source of which nothing was said."""

MACHINES = frozenset({"assistant", "system", "tool", "function", "developer", "model"})
"""Actors that are no persons, in lower case."""


def by_machine(episode: Episode) -> bool:
    """Whether no person said it: by who the actor is, or by the role of the message.

    An agent may have a name of its own, which tells nothing.
    """
    role = episode.metadata.get("role")
    said_by = (episode.actor or "", role if isinstance(role, str) else "")
    return any(each.strip().lower() in MACHINES for each in said_by)


def check_trust(metadata: Mapping[str, Any], place: str) -> None:
    """Refuse a trust that there is not.

    Raises:
        InvalidRecordError: it is no whole number from 1 to 10.
    """
    given = metadata.get(KEY, USUAL)
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= 10:
        raise InvalidRecordError(
            f"trust in the metadata must be a whole number from 1 to 10, not {given!r}",
            place=place,
        )


def as_trusted(
    drafts: Iterable[AssertionDraft], episodes: Iterable[Episode]
) -> tuple[AssertionDraft, ...]:
    """The drafts with the trust of the episode that is their main evidence.

    What an extractor trusts less than usual (hearsay, an instruction) is not raised by that.
    """
    trust = {e.id: e.metadata[KEY] for e in episodes if KEY in e.metadata}
    if not trust:
        return tuple(drafts)
    return tuple(
        replace(draft, trust=_of(draft.trust, trust.get(draft.evidence[0], USUAL)))
        for draft in drafts
    )


def _of(extracted: int, source: int) -> int:
    return source if extracted >= USUAL else min(extracted, source)
