"""What callers may hand in as sessions and turns, brought into one shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.time import Instant, TimeLike, to_datetime
from bitempo.ingest.sessions import Malformed, SourceSession, Turn, parse_messages

Source = SourceSession | Iterable[SourceSession | Malformed | Mapping[str, Any]]
"""A session, sessions as `load_sessions` gives them, or a list of OpenAI-style messages."""

Said = Turn | Mapping[str, Any]
"""One turn, or one OpenAI-style message."""


def sessions_of(
    source: Source, session: str | None, started_at: TimeLike | None, actor: str | None
) -> Iterator[SourceSession | Malformed]:
    """The sessions that a caller hands in; messages become one, of the id `session`.

    Raises:
        InvalidRecordError: a message is malformed.
        InvalidInputError: it is none of what `Source` says.
    """
    if session is not None:
        # Handed on as it is: what is no message is refused there, with its place.
        messages = cast(Sequence[Mapping[str, Any]], source)
        yield parse_messages(messages, session=session, started_at=started_at, actor=actor)
        return
    for item in [source] if isinstance(source, SourceSession) else source:
        if not isinstance(item, SourceSession | Malformed):
            raise InvalidInputError(
                "give sessions (from load_sessions or parse_messages), or messages together "
                f"with session='an id'; got {type(item).__name__}"
            )
        yield item


def turns_of(given: Sequence[Said], session: str, actor: str | None, now: Instant) -> list[Turn]:
    """The turns that a caller hands in; a message without a time happens `now`.

    Raises:
        InvalidRecordError: a message is malformed.
    """
    turns: list[Turn] = []
    for item in given:
        if isinstance(item, Turn):
            turns.append(item)
            continue
        messages = cast(Sequence[Mapping[str, Any]], [item])
        at = to_datetime(now)
        turns += parse_messages(messages, session=session, started_at=at, actor=actor).turns
    return turns
