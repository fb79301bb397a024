"""The shape in which sources hand over sessions, and the reading of message lists.

A source (a loader, or a caller of the SDK) gives `SourceSession`s. Their text is clean: it holds
no NUL and no lone surrogate, so that every store can keep it. Every turn has a time.

The time of a turn that states none: one microsecond after the turn before it, and the start of
the session for the first. A microsecond keeps the order of the turns and moves no date, however
long the session is; seconds would stretch 10,000 turns over three hours that nobody spoke.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any

from bitempo.engine.errors import InvalidInputError, InvalidRecordError, InvalidTimeError
from bitempo.engine.time import Instant, TimeLike, from_datetime, parse_instant

EARLIEST: Instant = from_datetime(datetime.min.replace(tzinfo=UTC))
"""The first instant that a turn can have: the start of the year 1."""

LATEST: Instant = from_datetime(datetime.max.replace(tzinfo=UTC))
"""The last instant that a turn can have: the end of the year 9999."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `actor` is who spoke; `id` is None when the source has none of its own.

    `metadata["repaired"]` is true when characters that cannot be stored were replaced.
    """

    text: str
    actor: str
    occurred_at: Instant
    id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Malformed:
    """A record that could not be read: where it stands in its source, and why."""

    place: str
    reason: str

    @classmethod
    def of(cls, error: InvalidRecordError) -> Malformed:
        """What the error says, as a report."""
        return cls(error.place, str(error).removeprefix(f"{error.place}: "))


@dataclass(frozen=True, slots=True)
class SourceSession:
    """The ordered turns of one conversation as a source gives them.

    `actor` is whose session it is, where the source knows. `skipped` reports the records that
    are well formed but are no turns: empty ones, and messages of the system or of a tool.
    """

    id: str
    started_at: Instant
    turns: tuple[Turn, ...]
    actor: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[Malformed, ...] = ()


def parse_messages(
    messages: Sequence[Mapping[str, Any]],
    *,
    session: str,
    started_at: TimeLike | None = None,
    actor: str | None = None,
    timezone: tzinfo | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> SourceSession:
    """Reads an OpenAI-style list of messages as one session.

    A message has `content` (text, or a list of parts of which the text is taken) and `role`,
    `name` or both. Optional: `id`; `timestamp` or `created_at` (a datetime, ISO 8601 text with
    an offset, or seconds since the epoch); `metadata`. Its actor is its `name`; without one,
    `actor` for the role "user" where `actor` is given; else its role. Messages of the roles
    system, developer, tool and function are no turns and are reported in `skipped`, as are
    messages without text.

    Without `started_at` the session starts with its first message that has a time. `timezone`
    is for times without an offset, which are refused while it is None.

    Raises:
        InvalidRecordError: a message is malformed (`place` says which, from 1), two have the
            same id, or neither `started_at` nor any message says when it was.
        InvalidTimeError: `started_at` is naive or unparsable.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InvalidRecordError("messages must be a list of objects with role and content")
    builder = SessionBuilder(
        session,
        started_at=None if started_at is None else moment(started_at, timezone),
        actor=actor,
        metadata=metadata,
    )
    for number, message in enumerate(messages, start=1):
        add_message(builder, message, place=f"message {number}", timezone=timezone)
    return builder.build()


def add_message(
    builder: SessionBuilder,
    message: object,
    *,
    place: str,
    timezone: tzinfo | None,
    id_prefix: str = "",
) -> None:
    """Adds one OpenAI-style message (see `parse_messages`) to a session that is being built.

    Raises:
        InvalidRecordError: it is malformed; nothing was added.
    """
    if not isinstance(message, Mapping):
        raise InvalidRecordError("a message must be an object with role and content", place=place)
    role, name = _optional_text(message, "role", place), _optional_text(message, "name", place)
    if not role and not name:
        raise InvalidRecordError("a message needs a role or a name", place=place)
    if "content" not in message:
        raise InvalidRecordError("a message needs content", place=place)
    text, attachments = _content(message["content"], place)
    occurred_at = _message_time(message, place, timezone)
    own_id = _message_id(message, place)
    extra = message.get("metadata")
    if extra is not None and not isinstance(extra, Mapping):
        raise InvalidRecordError("metadata must be an object", place=place)
    if role in NOT_TURNS:
        builder.skip(place, f"a message of the role {role} is not a turn")
        return
    builder.add(
        text,
        name or (builder.actor if role == "user" and builder.actor else role),
        place=place,
        occurred_at=occurred_at,
        id=None if own_id is None else id_prefix + own_id,
        metadata={
            **(extra or {}),
            **({"role": role} if role else {}),
            **({"attachments": attachments} if attachments else {}),
        },
    )


NOT_TURNS = frozenset({"system", "developer", "tool", "function"})
"""The roles whose messages nobody spoke: instructions, and what programs returned."""


class SessionBuilder:
    """Gathers the turns of one session: cleans text, gives times, keeps ids apart.

    Raises:
        InvalidRecordError: the id or the actor is not text or is empty.
    """

    def __init__(
        self,
        id: str,
        *,
        started_at: Instant | None,
        actor: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        place: str = "",
    ) -> None:
        self.id = clean_name(id, "the id of a session", place)
        self.actor = None if actor is None else clean_name(actor, "the actor of a session", place)
        self.place = place
        self._started_at = started_at
        self._metadata, _ = clean_json(dict(metadata or {}), place)
        self._turns: list[tuple[Instant | None, Turn]] = []
        self._ids: set[str] = set()
        self._skipped: list[Malformed] = []

    def add(
        self,
        text: object,
        actor: object,
        *,
        place: str,
        occurred_at: Instant | None = None,
        id: object = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Adds a turn; one without text is skipped and reported.

        Raises:
            InvalidRecordError: text, actor or id is not text, the actor or the id is empty, or
                the id was used before in this session; nothing was added.
        """
        if not isinstance(text, str):
            raise InvalidRecordError(f"the text must be text, not {_kind(text)}", place=place)
        speaker = clean_name(actor, "the actor of a turn", place)
        turn_id = None if id is None else clean_name(id, "the id of a turn", place)
        if turn_id in self._ids:
            raise InvalidRecordError(
                f"the id {turn_id!r} is used twice in the session", place=place
            )
        if not text.strip():
            self.skip(place, "the turn has no text")
            return
        if turn_id is not None:
            self._ids.add(turn_id)
        cleaned, extra_repaired = clean_json(dict(metadata or {}), place)
        clean, text_repaired = clean_text(text)
        if text_repaired or extra_repaired or speaker != str(actor).strip():
            cleaned["repaired"] = True
        self._turns.append((occurred_at, Turn(clean, speaker, 0, turn_id, cleaned)))

    def skip(self, place: str, reason: str) -> None:
        """Reports a record that is no turn."""
        self._skipped.append(Malformed(place, reason))

    @property
    def states_a_time(self) -> bool:
        """Whether the session or any of its turns says when it was."""
        return self._started_at is not None or any(own is not None for own, _ in self._turns)

    def build(self, fallback: Instant | None = None) -> SourceSession:
        """The session; `fallback` is its start when nothing in it states a time.

        Raises:
            InvalidRecordError: nothing says when the session was.
        """
        start = self._started_at
        if start is None:
            start = next((own for own, _ in self._turns if own is not None), fallback)
        if start is None:
            raise InvalidRecordError(
                "nothing says when the session was; give started_at", place=self.place
            )
        return SourceSession(
            id=self.id,
            started_at=start,
            turns=tuple(self._timed(start)),
            actor=self.actor,
            metadata=self._metadata,
            skipped=tuple(self._skipped),
        )

    def _timed(self, start: Instant) -> Iterable[Turn]:
        following = start
        for own, turn in self._turns:
            occurred_at = following if own is None else own
            following = min(occurred_at + 1, LATEST)
            yield Turn(turn.text, turn.actor, occurred_at, turn.id, turn.metadata)


def moment(value: object, timezone: tzinfo | None = None) -> Instant:
    """The instant of a datetime, of ISO 8601 text, or of seconds since the epoch.

    `timezone` holds for times and dates without an offset; while it is None, naive times are
    refused and dates are days in UTC.

    Raises:
        InvalidTimeError: naive, unparsable, or outside the years 1 to 9999.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | date):
        raise InvalidTimeError(f"a time must be ISO 8601 text or a number, not {_kind(value)}")
    try:
        instant = _instant(value, timezone)
    except OverflowError as error:
        raise InvalidTimeError(f"{value!r} is outside the years 1 to 9999") from error
    if not EARLIEST <= instant <= LATEST:
        hint = "; is it in milliseconds?" if isinstance(value, int | float) else ""
        raise InvalidTimeError(f"{value!r} is outside the years 1 to 9999{hint}")
    return instant


def clean_text(text: str) -> tuple[str, bool]:
    """The text with NUL and lone surrogates replaced by U+FFFD, and whether there were any."""
    clean = _UNSTORABLE.sub("�", text)
    return clean, clean is not text and clean != text


def clean_name(value: object, what: str, place: str) -> str:
    """A name or an id: clean text without blanks around it.

    Raises:
        InvalidRecordError: it is not text, or is empty.
    """
    if not isinstance(value, str):
        raise InvalidRecordError(f"{what} must be text, not {_kind(value)}", place=place)
    name = clean_text(value)[0].strip()
    if not name:
        raise InvalidRecordError(f"{what} is empty", place=place)
    return name


def clean_json(value: Any, place: str = "", depth: int = 0) -> tuple[Any, bool]:
    """The value as plain JSON that every store can keep, and whether anything was replaced.

    Text as in `clean_text`; numbers that JSON does not have (NaN, infinities) become null;
    what is no JSON at all becomes its text.

    Raises:
        InvalidRecordError: it is nested more than 50 deep.
    """
    if depth > 50:
        raise InvalidRecordError("metadata is nested more than 50 deep", place=place)
    if value is None or isinstance(value, bool | int):
        return value, False
    if isinstance(value, float):
        return (value, False) if math.isfinite(value) else (None, True)
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        pairs = [
            (clean_text(str(key)), clean_json(item, place, depth + 1))
            for key, item in value.items()
        ]
        repaired = any(key[1] or item[1] for key, item in pairs)
        return {key[0]: item[0] for key, item in pairs}, repaired
    if isinstance(value, list | tuple):
        items = [clean_json(item, place, depth + 1) for item in value]
        return [item for item, _ in items], any(repaired for _, repaired in items)
    return clean_text(str(value))


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TEXT_PARTS = ("text", "refusal", "transcript")


def _instant(value: int | float | str | date, timezone: tzinfo | None) -> Instant:
    if isinstance(value, int):
        return value * 1_000_000
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidTimeError(f"{value!r} is not a time")
        return round(value * 1_000_000)
    if isinstance(value, str) and timezone is not None:
        # What is no full date, such as 2019-05, is left to the engine.
        with contextlib.suppress(ValueError):
            value = datetime.fromisoformat(value.strip())
    if timezone is None or not isinstance(value, datetime):
        return parse_instant(value)
    if value.tzinfo is None:
        value = value.replace(tzinfo=timezone)
    return from_datetime(value)


def _optional_text(message: Mapping[str, Any], key: str, place: str) -> str:
    value = message.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidRecordError(f"{key} must be text, not {_kind(value)}", place=place)
    return value.strip()


def _content(content: object, place: str) -> tuple[str, list[str]]:
    """The text of a message's content, and the types of the parts that have none."""
    if content is None:
        return "", []
    if isinstance(content, str):
        return content, []
    if not isinstance(content, list | tuple):
        raise InvalidRecordError(
            f"content must be text or a list of parts, not {_kind(content)}", place=place
        )
    texts: list[str] = []
    attachments: list[str] = []
    for number, part in enumerate(content, start=1):
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, Mapping):
            raise InvalidRecordError(f"part {number} must be text or an object", place=place)
        said = next((part[key] for key in _TEXT_PARTS if isinstance(part.get(key), str)), None)
        if said is None:
            attachments.append(str(part.get("type", "unknown")))
        else:
            texts.append(said)
    return "\n".join(text for text in texts if text), attachments


def _message_time(
    message: Mapping[str, Any], place: str, timezone: tzinfo | None
) -> Instant | None:
    for key in ("timestamp", "created_at"):
        if message.get(key) is not None:
            try:
                return moment(message[key], timezone)
            except InvalidInputError as error:
                raise InvalidRecordError(f"{key}: {error}", place=place) from error
    return None


def _message_id(message: Mapping[str, Any], place: str) -> str | None:
    value = message.get("id")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidRecordError(f"id must be text, not {_kind(value)}", place=place)
    return clean_name(str(value), "the id of a message", place)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "a truth value", dict: "an object", list: "a list", str: "text"}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a number"
    return names.get(type(value), type(value).__name__)
