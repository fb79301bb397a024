"""Replay: sessions recorded at their own time, as if they had been ingested live then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bitempo.engine.errors import ConflictError
from bitempo.engine.time import Instant, format_instant
from bitempo.ingest.sessions import Malformed, SourceSession
from bitempo.ingest.windows import episodes_of

if TYPE_CHECKING:
    from bitempo import Tenant
    from bitempo._clock import ReplayClock
    from bitempo.ingest.loaders.registry import Progress

_TOLERANCE: Instant = 1_000_000
"""The windows of one session are recorded microseconds apart, so its last one comes later."""


def in_order_of_time(
    items: Iterable[SourceSession | Malformed],
    tenant: Tenant,
    clock: ReplayClock,
    progress: Progress,
) -> Iterator[SourceSession | Malformed]:
    """The sessions as they ended, with the clock set to each one's end before it is given out.

    All are held in memory, since a file need not have them in order. `progress` is called as
    that of `load_sessions` is.

    Raises:
        ConflictError: the tenant holds something recorded later than a session that is new;
            nothing was given out.
    """
    held = list(items)
    sessions = [item for item in held if isinstance(item, SourceSession)]
    _refuse_the_past(sessions, tenant)
    return _set_clock(held, sessions, clock, progress)


def ended(session: SourceSession) -> Instant:
    """When the last turn was spoken: nobody could know of the whole session before."""
    return max((turn.occurred_at for turn in session.turns), default=session.started_at)


def _set_clock(
    held: Sequence[SourceSession | Malformed],
    sessions: Sequence[SourceSession],
    clock: ReplayClock,
    progress: Progress,
) -> Iterator[SourceSession | Malformed]:
    yield from (item for item in held if isinstance(item, Malformed))
    ordered = sorted(sessions, key=lambda one: (ended(one), one.id))
    for done, session in enumerate(ordered, start=1):
        clock.set(ended(session))
        yield session
        progress(done, len(ordered))


def _refuse_the_past(sessions: Sequence[SourceSession], tenant: Tenant) -> None:
    with tenant._store.read(tenant.name) as reader:
        last = reader.last_tx()
        if last is None:
            return
        for session in sessions:
            if ended(session) + _TOLERANCE >= last:
                continue
            ids = [episode.id for episode in episodes_of(tenant.name, session.id, session.turns)]
            if len(reader.episodes(ids)) < len(set(ids)):
                raise ConflictError(
                    f"session {session.id!r} ended at {format_instant(ended(session))}, but "
                    f"tenant {tenant.name!r} was last written at {format_instant(last)}, and "
                    "nothing can be recorded before that; replay into a new tenant, or record "
                    "it now with --as-recorded"
                )
