"""What an extractor is given and what it gives back: the port between text and assertions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pydantic import TypeAdapter

from bitempo.engine.model import AssertionDraft, Entity, Episode, Fact
from bitempo.engine.store.port import Predicate, Reader
from bitempo.ingest.metering import Meter


@dataclass(frozen=True, slots=True)
class Known:
    """What a tenant's memory knows that a window may speak of, as of the last commit."""

    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    predicates: tuple[Predicate, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive turns of one session that are extracted together.

    `context` are the few turns before it: to be understood, not to be extracted again. `known`
    is there only for an extractor that asks for it, and is not kept in the inbox.
    """

    id: str
    session: str
    episodes: tuple[Episode, ...]
    context: tuple[Episode, ...] = ()
    known: Known = Known()


@dataclass(frozen=True, slots=True)
class Rejection:
    """An item that an extractor proposed and that was not taken, with the reason."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something about an item that was taken, but not quite as the extractor proposed it."""

    item: str
    remark: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The parsed result of one window, as it is kept in the inbox before it is applied.

    `resolver` is what resolved its names, where something did.
    """

    extractor: str
    drafts: tuple[AssertionDraft, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    notes: tuple[Note, ...] = ()
    resolver: str = ""

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


@dataclass(frozen=True, slots=True)
class Request:
    """A call that an extractor would make: what a dry run shows."""

    model: str
    messages: tuple[tuple[str, str], ...]
    """Pairs (role, text)."""
    prompt_tokens: int
    """Estimated."""
    cost: float = 0.0
    """Of the prompt's tokens, where the extractor knows its prices."""


@runtime_checkable
class ModelExtractor(Extractor, Protocol):
    """An extractor that reads the memory before it works, and pays for what it does."""

    def informed(self, window: Window, reader: Reader) -> Window:
        """The window with what the memory knows of it; called right before it is extracted."""
        ...

    def extract_metered(self, window: Window, meter: Meter) -> Extraction:
        """As `extract`, with every call counted on the meter.

        Raises:
            BudgetExceededError: the meter allows no further call.
            ModelError: the endpoint failed after all retries.
        """
        ...

    def requests(self, window: Window) -> tuple[Request, ...]:
        """The calls that extracting the (informed) window would begin with; none is made."""
        ...


_EXTRACTION = TypeAdapter(Extraction)
