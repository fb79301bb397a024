"""Extractors for tests, well-behaved and not, and sessions to give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bitempo import EntityRef, SourceSession, Turn
from bitempo.engine.model import AssertionDraft, Episode
from bitempo.engine.time import parse_instant
from bitempo.ingest.extraction import Extraction, Window

START = parse_instant("2024-01-01")
MINUTE = 60_000_000


@dataclass
class Scripted:
    """Gives what a function makes of each window, and remembers which windows it was given."""

    of: Callable[[Window], Any]
    name: str = "scripted/1"
    windows: list[Window] = field(default_factory=list)

    def extract(self, window: Window) -> Extraction:
        self.windows.append(window)
        made = self.of(window)
        if isinstance(made, list):
            return Extraction(self.name, tuple(made))
        return made  # type: ignore[no-any-return]


def says(episode: Episode, **changes: Any) -> AssertionDraft:
    """That the speaker said the text of the episode."""
    fields: dict[str, Any] = {
        "subject": EntityRef(episode.actor or "?"),
        "predicate": "SAID",
        "value": episode.text,
        "text": episode.text,
        "evidence": (episode.id,),
        "key": "0",
    }
    return AssertionDraft(**{**fields, **changes})


def each_says(window: Window) -> list[AssertionDraft]:
    return [says(episode) for episode in window.episodes]


def session(
    texts: Iterable[str],
    id: str = "s",
    *,
    ids: bool = True,
    actor: str = "Ana",
    metadata: Mapping[str, Any] | None = None,
) -> SourceSession:
    """A turn a minute, with ids of their own ("s-0") or without."""
    turns = [
        Turn(
            text,
            actor,
            START + number * MINUTE,
            f"{id}-{number}" if ids else None,
            metadata or {},
        )
        for number, text in enumerate(texts)
    ]
    return SourceSession(id, START, tuple(turns))
