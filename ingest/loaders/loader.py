"""What a loader is: the reading of one format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from bitempo.engine.time import Instant
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.sessions import LATEST, Malformed, SessionBuilder, SourceSession

Item = SourceSession | Malformed


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What the caller of a load says about the file.

    `timezone` is that of times without an offset. `started_at` is for sessions that state no
    time; `actor` is whose sessions they are, where the file does not say.
    """

    timezone: tzinfo = UTC
    started_at: Instant | None = None
    actor: str | None = None


@dataclass(frozen=True, slots=True)
class Loader:
    """The reading of one format.

    `recognises` tells from a file's first bytes or its JSON whether it has the format.
    `load` gives its sessions in the order of the file, each after the reports of what in it is
    malformed; it raises `InvalidRecordError` when no part of the file has the format.
    `streams` says that it reads piece by piece and never holds the whole file.
    """

    name: str
    description: str
    recognises: Callable[[Source], bool]
    load: Callable[[Source, LoadOptions], Iterator[Item]]
    streams: Callable[[Source], bool] = field(default=lambda _: False)


class FallbackStart:
    """Starts for sessions that state no time: each follows the turns of the one before."""

    def __init__(self, started_at: Instant | None) -> None:
        self._following = started_at

    def build(self, builder: SessionBuilder) -> SourceSession:
        """The finished session.

        Raises:
            InvalidRecordError: it states no time, and there is no start to fall back on.
        """
        session = builder.build(self._following)
        if not builder.states_a_time:
            self._following = min(session.started_at + max(1, len(session.turns)), LATEST)
        return session
