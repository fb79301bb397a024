"""From sessions to episodes and windows: what is extracted together, and under which ids."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from bitempo.engine.commit import content_hash
from bitempo.engine.errors import IngestError, InvalidInputError, InvalidRecordError
from bitempo.engine.model import Episode, EpisodeKind, Session
from bitempo.engine.names import check_id, clean_text, digest
from bitempo.engine.store.port import InboxWindow
from bitempo.engine.time import Instant
from bitempo.ingest.extraction import Extractor, ModelExtractor, Window
from bitempo.ingest.sessions import EARLIEST, LATEST, SourceSession, Turn, clean_json
from bitempo.ingest.trust import check_trust

CONTEXT_TURNS = 4
"""How many turns before a window go along so that it can be understood."""

TOKEN_CHARACTERS = 4
"""About how many characters a token has; closer for English than for other languages."""

MODEL_WINDOW_TOKENS = 1_500
"""Most tokens of turns that a model is given at once, unless told otherwise."""

AGAIN = "rex_"
"""How the id of a window begins whose turns are on record and are extracted again."""


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """How large windows are: at most so many turns, and turns of so much size together.

    `measure` gives the size of a text: its characters by default. A turn that is larger alone is
    a window of its own. `context_turns` turns before a window go along so that it can be
    understood.

    Raises:
        InvalidInputError: a window could hold nothing.
    """

    turns: int = 20
    size: int = 8_000
    context_turns: int = CONTEXT_TURNS
    measure: Callable[[str], int] = len

    def __post_init__(self) -> None:
        if self.turns < 1 or self.size < 1 or self.context_turns < 0:
            raise InvalidInputError(
                "a window has at least one turn and a size of at least 1, and its context no "
                f"negative number of turns; not {self.turns}, {self.size}, {self.context_turns}"
            )

    @classmethod
    def of_tokens(
        cls, tokens: int = MODEL_WINDOW_TOKENS, count: Callable[[str], int] | None = None
    ) -> WindowSettings:
        """Windows for a model: bounded by tokens, which are estimated unless `count` counts."""
        return cls(size=tokens, measure=count or estimated_tokens)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, without knowing the model's alphabet."""
    return -(-len(text) // TOKEN_CHARACTERS)


def windows_for(extractor: Extractor) -> WindowSettings:
    """As the extractor wants them (its `window_settings`, if it has any); else by its kind."""
    wanted: WindowSettings | None = getattr(extractor, "window_settings", None)
    if wanted is not None:
        return wanted
    if isinstance(extractor, ModelExtractor):
        return WindowSettings.of_tokens()
    return DEFAULT_WINDOWS


DEFAULT_WINDOWS = WindowSettings()
"""What the rules read at once."""


def session_of(source: SourceSession) -> Session:
    """The session's own record.

    Raises:
        InvalidInputError: its id or metadata cannot be kept.
    """
    return checked(Session(source.id, source.started_at, source.actor, source.metadata))


def checked(session: Session) -> Session:
    """The session, if every store can keep it.

    Raises:
        InvalidInputError: its id or metadata cannot be kept.
    """
    place = f"session {session.id!r}"
    check_id(session.id, "a session")
    return replace(
        session,
        started_at=_instant(session.started_at, place),
        actor=None if session.actor is None else _text(session.actor, "the actor", place),
        metadata=_json(session.metadata, place),
    )


def episodes_of(
    tenant: str, session: str, turns: Sequence[Turn], first_position: int = 0
) -> list[Episode]:
    """The turns as episodes, each with the source's id or one made of what it is.

    An id of ours is a hash of (tenant, session, position, content), so the same turn handed in
    again is the same episode. NUL and lone surrogates in text become U+FFFD.

    Raises:
        InvalidInputError: a turn's id, text, time or metadata is of a kind that cannot be kept.
    """
    return [
        _episode(tenant, session, turn, position)
        for position, turn in enumerate(turns, start=first_position)
    ]


def windows_of(
    session: Session,
    episodes: Sequence[Episode],
    new: Collection[str],
    before: Sequence[Episode] = (),
    settings: WindowSettings = DEFAULT_WINDOWS,
) -> Iterator[Window]:
    """The new ones of the session's episodes, in windows of bounded size.

    A window holds consecutive episodes; what was said just before it goes along as context,
    also when that is not new. `before` is what precedes the episodes.
    """
    told = [*before, *episodes]
    start = len(before)
    while start < len(told):
        end = _end_of_window(told, start, new, settings)
        if end > start:
            window = tuple(told[start:end])
            yield Window(
                id=_window_id(session, window),
                session=session.id,
                episodes=window,
                context=tuple(told[max(0, start - settings.context_turns) : start]),
            )
        start = max(end, start + 1)


def to_inbox(
    session: Session, window: Window, received_at: Instant, extractor: str | None = None
) -> InboxWindow:
    """The window as the inbox keeps it; `extractor` is the name of the one it is taken in for."""
    payload = _PAYLOAD.dump_json((session, window)).decode()
    return InboxWindow(
        window.id,
        window.session,
        payload,
        received_at,
        extractor=extractor,
        turns=_turns(window.episodes),
    )


def from_inbox(stored: InboxWindow) -> tuple[Session, Window]:
    """The session and window that `to_inbox` wrote.

    Raises:
        IngestError: it is something else.
    """
    try:
        return _PAYLOAD.validate_json(stored.payload)
    except ValidationError as error:
        raise IngestError(f"window {stored.id} cannot be read: {error}") from error


def _episode(tenant: str, session: str, turn: Turn, position: int) -> Episode:
    place = f"turn {position + 1} of session {session!r}"
    text = _text(turn.text, "the text", place)
    actor = _text(turn.actor, "the actor", place)
    metadata = _json(turn.metadata, place)
    check_trust(metadata, place)
    return Episode(
        id=check_id(_text(turn.id, "the id", place), "a turn")
        if turn.id
        else "ep_" + digest(tenant, session, str(position), actor, text),
        text=text,
        occurred_at=_instant(turn.occurred_at, place),
        kind=EpisodeKind.TURN,
        session=session,
        position=position,
        actor=actor,
        metadata=metadata,
    )


def _text(value: object, what: str, place: str) -> str:
    if not isinstance(value, str):
        raise InvalidRecordError(f"{what} must be text, not {type(value).__name__}", place=place)
    # An id is checked as it is: mended, two that differ could become one.
    return value if what == "the id" else clean_text(value)


def _instant(value: object, place: str) -> Instant:
    if isinstance(value, int) and not isinstance(value, bool) and EARLIEST <= value <= LATEST:
        return value
    raise InvalidRecordError(
        f"a time must be microseconds since 1970 in the years 1 to 9999, not {value!r}; "
        "parse_messages and load_sessions read times from text",
        place=place,
    )


def _json(metadata: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    """The metadata as the JSON that it will come back as."""
    try:
        kept = json.loads(json.dumps(dict(metadata), allow_nan=False, ensure_ascii=False))
        return cast(Mapping[str, Any], clean_json(kept, place)[0])
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRecordError(f"metadata must be JSON: {error}", place=place) from error


def _window_id(session: Session, window: Sequence[Episode]) -> str:
    contents = (part for episode in window for part in (episode.id, content_hash(episode)))
    return "win_" + digest(session.id, *contents)


def _turns(episodes: Sequence[Episode]) -> tuple[int, int] | None:
    positions = [episode.position for episode in episodes if episode.position is not None]
    return (min(positions), max(positions)) if positions else None


def _end_of_window(
    told: Sequence[Episode], start: int, new: Collection[str], settings: WindowSettings
) -> int:
    """The first index after the window that starts there; `start` itself when it is not new."""
    end, size = start, 0
    while end < len(told) and end - start < settings.turns and told[end].id in new:
        size += settings.measure(told[end].text)
        if size > settings.size and end > start:
            break
        end += 1
    return end


_PAYLOAD: TypeAdapter[tuple[Session, Window]] = TypeAdapter(tuple[Session, Window])
