"""What an extractor is given and what it gives back: the port between text and assertions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pydantic import TypeAdapter

from bitempo.engine.model import AssertionDraft, Episode


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive turns of one session that are extracted together.

    `context` are the few turns before it: to be understood, not to be extracted again.
    """

    id: str
    session: str
    episodes: tuple[Episode, ...]
    context: tuple[Episode, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """An item that an extractor proposed and that was not taken, with the reason."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The parsed result of one window, as it is kept in the inbox before it is applied."""

    extractor: str
    drafts: tuple[AssertionDraft, ...] = ()
    rejections: tuple[Rejection, ...] = ()

    def to_json(self) -> str:
        """The extraction as JSON text."""
        return _EXTRACTION.dump_json(self).decode()

    @staticmethod
    def from_json(text: str) -> Extraction:
        """The extraction that `to_json` wrote."""
        return _EXTRACTION.validate_json(text)


class Extractor(Protocol):
    """Turns a window into assertion drafts. Must not raise on any text.

    `name` carries a version ("rules-en/1"), and is recorded with every assertion.
    """

    @property
    def name(self) -> str:
        """Name and version."""
        ...

    def extract(self, window: Window) -> Extraction:
        """The claims of the window's turns (not of its context)."""
        ...


_EXTRACTION = TypeAdapter(Extraction)
