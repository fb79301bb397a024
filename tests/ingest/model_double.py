"""A model for tests that costs something, and what it does with a window is the test's choice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from bitempo import EntityRef, SourceSession, Turn, Usage
from bitempo.engine.model import AssertionDraft, Cardinality, Episode
from bitempo.engine.store.port import Reader
from bitempo.engine.time import parse_instant
from bitempo.ingest.extraction import Extraction, Known, Request, Window
from bitempo.ingest.metering import Meter

START = parse_instant("2024-01-01")
MINUTE = 60_000_000
CALL = Usage(1, 100, 10, 0.5)
"""What each call takes."""


@dataclass
class PaidModel:
    """One call a window: the speaker LIKES what each turn says.

    `before` is called with the window once its call has been paid for, and may raise.
    """

    name: str = "model/1"
    before: Callable[[Window], None] = lambda _: None
    key: str = "m1-0"
    read: list[Window] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def texts(self) -> list[str]:
        """What has been read, a window each."""
        return [" ".join(episode.text for episode in window.episodes) for window in self.read]

    def informed(self, window: Window, reader: Reader) -> Window:
        """With the predicates that are known."""
        return Window(
            window.id,
            window.session,
            window.episodes,
            window.context,
            Known(predicates=tuple(reader.predicates())),
        )

    def extract(self, window: Window) -> Extraction:
        raise AssertionError(f"{window.id}: a model is asked with a meter")

    def extract_metered(self, window: Window, meter: Meter) -> Extraction:
        meter.start_call()
        with self._lock:
            self.read.append(window)
        meter.finish_call(CALL)
        self.before(window)
        drafts = tuple(self._likes(episode) for episode in window.episodes)
        return Extraction(self.name, drafts)

    def requests(self, window: Window) -> tuple[Request, ...]:
        said = "\n".join(episode.text for episode in window.episodes)
        return (Request("model", (("system", "Read."), ("user", said)), 100, 0.4),)

    def _likes(self, episode: Episode) -> AssertionDraft:
        return AssertionDraft(
            subject=EntityRef(episode.actor or "user"),
            predicate="LIKES",
            value=f"{episode.text} ({self.name})",
            text=f"{episode.actor} likes {episode.text}",
            evidence=(episode.id,),
            key=self.key,
            cardinality=Cardinality.MANY,
        )


def told(id: str, *texts: str, actor: str | None = None) -> SourceSession:
    """A session of turns a minute apart."""
    turns = tuple(
        Turn(text, actor or "Ana", START + number * MINUTE, f"{id}-{number}")
        for number, text in enumerate(texts)
    )
    return SourceSession(id, START, turns, actor)
