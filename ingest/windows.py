"""From sessions to episodes and windows: what is extracted together, and under which ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter

from bitempo.engine.model import Episode, EpisodeKind, Session
from bitempo.engine.names import digest
from bitempo.engine.store.port import InboxWindow
from bitempo.engine.time import Instant
from bitempo.ingest.extraction import Window
from bitempo.ingest.sessions import SourceSession, Turn

WINDOW_TURNS = 20
"""Most turns a window holds."""

WINDOW_CHARACTERS = 8_000
"""Most characters a window holds, unless its only turn is longer."""

CONTEXT_TURNS = 4
"""How many turns before a window go along so that it can be understood."""


def session_of(source: SourceSession) -> Session:
    """The session's own record."""
    return Session(source.id, source.started_at, source.actor, source.metadata)


def episodes_of(
    tenant: str, session: str, turns: Sequence[Turn], first_position: int = 0
) -> list[Episode]:
    """The turns as episodes, each with the source's id or one made of what it is.

    An id of ours is a hash of (tenant, session, position, content), so the same turn handed in
    again is the same episode.
    """
    return [
        Episode(
            id=turn.id or "ep_" + digest(tenant, session, str(position), turn.actor, turn.text),
            text=turn.text,
            occurred_at=turn.occurred_at,
            kind=EpisodeKind.TURN,
            session=session,
            position=position,
            actor=turn.actor,
            metadata=turn.metadata,
        )
        for position, turn in enumerate(turns, start=first_position)
    ]


def windows_of(session: Session, episodes: Sequence[Episode]) -> Iterator[tuple[Session, Window]]:
    """Consecutive episodes of the session, in windows of bounded size."""
    start = 0
    while start < len(episodes):
        end = start + 1
        size = len(episodes[start].text)
        while end < len(episodes) and end - start < WINDOW_TURNS:
            size += len(episodes[end].text)
            if size > WINDOW_CHARACTERS:
                break
            end += 1
        window = episodes[start:end]
        yield (
            session,
            Window(
                id="win_" + digest(session.id, *(episode.id for episode in window)),
                session=session.id,
                episodes=tuple(window),
                context=tuple(episodes[max(0, start - CONTEXT_TURNS) : start]),
            ),
        )
        start = end


def to_inbox(session: Session, window: Window, received_at: Instant) -> InboxWindow:
    """The window as the inbox keeps it."""
    payload = _PAYLOAD.dump_json((session, window)).decode()
    return InboxWindow(window.id, window.session, payload, received_at)


def from_inbox(stored: InboxWindow) -> tuple[Session, Window]:
    """The session and window that `to_inbox` wrote."""
    return _PAYLOAD.validate_json(stored.payload)


_PAYLOAD: TypeAdapter[tuple[Session, Window]] = TypeAdapter(tuple[Session, Window])
