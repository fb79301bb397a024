"""Turns whose extraction has to wait: on record at once, so that recall finds them meanwhile.

Their claims follow in the commit of the window, whenever it is extracted. A turn may be taken back
before; then nothing is claimed on its word any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bitempo.engine.commit import Batch, Commit, commit
from bitempo.engine.errors import BitempoError, IngestError, StoreError
from bitempo.engine.model import AssertionDraft
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import InboxWindow, Reader, Store, WindowState
from bitempo.engine.time import FOREVER, Instant
from bitempo.ingest.extraction import Window
from bitempo.ingest.reextraction import is_again
from bitempo.ingest.windows import from_inbox


def record_turns(
    store: Store,
    tenant: str,
    waiting: Iterable[InboxWindow],
    policy: PredicatePolicy,
    now: Instant,
) -> list[Commit]:
    """Put the turns of windows that wait on record; done again, nothing changes.

    In one commit if possible. A turn that contradicts what is on record says so when its window is
    applied, and holds up no other.

    Raises:
        StoreError: the store failed.
    """
    windows = [stored for stored in waiting if _has_new_turns(stored)]
    # Nothing is known before it arrived, also where a clock lags or is a replay's.
    now = max([now, *(stored.received_at for stored in windows)])
    batches = [batch for batch in map(_turns, windows) if batch is not None]
    together = Batch(
        tuple(session for batch in batches for session in batch.sessions),
        tuple(episode for batch in batches for episode in batch.episodes),
    )
    if not together.episodes:
        return []
    done = _recorded(store, tenant, together, policy, now)
    if done is not None:
        return [done]
    alone = [_recorded(store, tenant, batch, policy, now) for batch in batches]
    return [done for done in alone if done is not None]


def taken_back(window: Window, reader: Reader) -> frozenset[str]:
    """Ids of the turns of the window and its context that are on record and were retracted."""
    ids = [episode.id for episode in (*window.context, *window.episodes)]
    return frozenset(
        id
        for id, episode in reader.episodes(ids).items()
        if episode.believed is not None and episode.believed.end != FOREVER
    )


def without(window: Window, gone: frozenset[str]) -> Window:
    """The window as if these turns had not been said."""
    return replace(
        window,
        episodes=tuple(episode for episode in window.episodes if episode.id not in gone),
        context=tuple(episode for episode in window.context if episode.id not in gone),
    )


def still_said(
    drafts: Sequence[AssertionDraft], gone: frozenset[str]
) -> tuple[AssertionDraft, ...]:
    """The drafts of which some evidence stands."""
    return tuple(draft for draft in drafts if not gone.issuperset(draft.evidence))


def _has_new_turns(stored: InboxWindow) -> bool:
    return stored.state is not WindowState.APPLIED and not is_again(stored)


def _turns(stored: InboxWindow) -> Batch | None:
    try:
        session, window = from_inbox(stored)
    except IngestError:
        # One that cannot be read says so when it is applied.
        return None
    return Batch((session,), window.episodes)


def _recorded(
    store: Store, tenant: str, batch: Batch, policy: PredicatePolicy, now: Instant
) -> Commit | None:
    try:
        return commit(store, tenant, batch, policy, now)
    except StoreError:
        raise
    except BitempoError:
        return None
