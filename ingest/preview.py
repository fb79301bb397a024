"""A dry run: what an ingest would send to the model, without sending or writing anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bitempo.ingest.extraction import Request
from bitempo.ingest.metering import Usage
from bitempo.ingest.secrets import Counts
from bitempo.ingest.sessions import Malformed


@dataclass(frozen=True, slots=True)
class PreviewedWindow:
    """The calls for one window of turns.

    Later windows may be told more: what the memory learns from those before them.
    """

    session: str
    actor: str | None
    turns: int
    requests: tuple[Request, ...]


@dataclass(slots=True)
class Preview:
    """What a run would send now.

    Tokens are estimates of what goes in; what comes out and what has to be asked again is not
    known before. `cost` is that of the tokens in, where the extractor knows its prices.
    `redacted` counts the secrets that are taken out before anything is sent.
    """

    extractor: str
    sessions: int = 0
    new_turns: int = 0
    windows: list[PreviewedWindow] = field(default_factory=list)
    malformed: list[Malformed] = field(default_factory=list)
    redacted: Counts = field(default_factory=Counts)

    @property
    def requests(self) -> Iterator[Request]:
        """All calls, in the order they would be made one by one."""
        return (request for window in self.windows for request in window.requests)

    @property
    def usage(self) -> Usage:
        """The calls, their estimated prompt tokens, and what these would cost."""
        return _summed(self.requests)


def _summed(requests: Iterable[Request]) -> Usage:
    calls, tokens, cost = 0, 0, 0.0
    for request in requests:
        calls += 1
        tokens += request.prompt_tokens
        cost += request.cost
    return Usage(calls, tokens, 0, cost)
