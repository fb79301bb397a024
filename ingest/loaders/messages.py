"""OpenAI-style message lists, as JSON and as JSON lines.

JSON: a list of messages, an object with `messages`, or a list of such objects (or of such
lists). JSON lines: one message per line (the file is one session), or one conversation per line.

A conversation may have `id`, `started_at`, `actor` and `metadata`. One without an id is named
after the file, with its number in the list or of its line: "<file>/3". A message's own id is
kept behind that of its session, "<session>/<id>", since such ids are often "1", "2", "3".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bitempo.engine.errors import InvalidInputError, InvalidRecordError
from bitempo.engine.time import Instant
from bitempo.ingest.loaders.loader import FallbackStart, Item, Loader, LoadOptions
from bitempo.ingest.loaders.source import Line, Source, parse_json
from bitempo.ingest.sessions import Malformed, SessionBuilder, add_message, clean_name, moment


def recognises(source: Source) -> bool:
    """Whether it holds messages, or conversations with `messages`."""
    if source.is_json_lines:
        return any(_is_conversation(one) or _is_message(one) for one in source.first_records)
    if not source.is_json:
        return False
    document = source.document
    records = document if isinstance(document, list) else [document]
    if any(isinstance(record, list) for record in records):
        records = [message for record in records if isinstance(record, list) for message in record]
    return any(_is_message(record) or _is_conversation(record) for record in records)


def load(source: Source, options: LoadOptions) -> Iterator[Item]:
    """One session per conversation.

    Raises:
        InvalidRecordError: the document is neither a list nor an object with messages.
    """
    reading = _Reading(source, options)
    if source.is_json_lines:
        return reading.json_lines()
    document = source.document
    if isinstance(document, Mapping) and "messages" in document:
        return reading.conversation(document, source.stem, source.name)
    if isinstance(document, Mapping):
        raise InvalidRecordError("the object has no messages", place=source.name)
    if not isinstance(document, list):
        raise InvalidRecordError("must be a list of messages", place=source.name)
    if any(_is_conversation(record) or isinstance(record, list) for record in document):
        return reading.conversations(document)
    return reading.conversation({"messages": document}, source.stem, source.name)


MESSAGES = Loader(
    name="messages",
    description="OpenAI-style messages with role and content, as JSON or as JSON lines",
    recognises=recognises,
    load=load,
    streams=lambda source: source.is_json_lines,
)


def _is_conversation(record: object) -> bool:
    return isinstance(record, Mapping) and "messages" in record


def _is_message(record: object) -> bool:
    return (
        isinstance(record, Mapping)
        and "content" in record
        and ("role" in record or "name" in record)
    )


class _Reading:
    """The reading of one file: what its conversations share."""

    def __init__(self, source: Source, options: LoadOptions) -> None:
        self.source = source
        self.options = options
        self.fallback = FallbackStart(options.started_at)
        self.seen: set[str] = set()

    def conversations(self, records: Sequence[object]) -> Iterator[Item]:
        for number, record in enumerate(records, start=1):
            place = f"{self.source.name}, conversation {number}"
            yield from self.conversation(record, f"{self.source.stem}/{number}", place)

    def json_lines(self) -> Iterator[Item]:
        """The first line with a message or a conversation decides what every line is."""
        single: SessionBuilder | None = None
        decided = False
        for line in self.source.lines():
            if isinstance(line, Malformed):
                yield line
                continue
            place = f"{self.source.name}, line {line.number}"
            try:
                record = self._record(line)
                if not decided and not _is_conversation(record):
                    single = self._builder({}, self.source.stem, self.source.name)
                decided = True
                if single is not None:
                    self._add(single, record, place)
                    continue
            except InvalidRecordError as error:
                yield Malformed.of(error)
                continue
            yield from self.conversation(record, f"{self.source.stem}/{line.number}", place)
        if single is not None:
            yield self._build(single)

    def conversation(self, record: object, default_id: str, place: str) -> Iterator[Item]:
        try:
            if isinstance(record, list):
                record = {"messages": record}
            if not isinstance(record, Mapping) or not isinstance(record.get("messages"), list):
                raise InvalidRecordError("needs messages, which must be a list", place=place)
            builder = self._builder(record, default_id, place)
        except InvalidRecordError as error:
            yield Malformed.of(error)
            return
        for number, message in enumerate(record["messages"], start=1):
            try:
                self._add(builder, message, f"{place}, message {number}")
            except InvalidRecordError as error:
                yield Malformed.of(error)
        yield self._build(builder)

    def _record(self, line: Line) -> Mapping[str, Any]:
        place = f"{self.source.name}, line {line.number}"
        record = parse_json(line.text, self.source.name, line.number)
        if not isinstance(record, Mapping):
            raise InvalidRecordError("must be an object", place=place)
        if not _is_conversation(record) and not _is_message(record):
            raise InvalidRecordError("needs role and content, or messages", place=place)
        return record

    def _builder(self, record: Mapping[str, Any], default_id: str, place: str) -> SessionBuilder:
        metadata = record.get("metadata")
        if metadata is not None and not isinstance(metadata, Mapping):
            raise InvalidRecordError("metadata must be an object", place=place)
        own_id = record.get("id")
        if isinstance(own_id, int) and not isinstance(own_id, bool):
            own_id = str(own_id)
        name = default_id if own_id is None else clean_name(own_id, "the id of a session", place)
        if name in self.seen:
            raise InvalidRecordError(f"the session id {name!r} is used twice", place=place)
        actor = record.get("actor")
        builder = SessionBuilder(
            name,
            started_at=self._start(record, place),
            actor=self.options.actor if actor is None else actor,
            metadata=metadata,
            place=place,
        )
        self.seen.add(name)
        return builder

    def _start(self, record: Mapping[str, Any], place: str) -> Instant | None:
        for key in ("started_at", "created_at", "timestamp"):
            if record.get(key) is not None:
                try:
                    return moment(record[key], self.options.timezone)
                except InvalidInputError as error:
                    raise InvalidRecordError(f"{key}: {error}", place=place) from error
        return None

    def _add(self, builder: SessionBuilder, message: object, place: str) -> None:
        add_message(
            builder,
            message,
            place=place,
            timezone=self.options.timezone,
            id_prefix=f"{builder.id}/",
        )

    def _build(self, builder: SessionBuilder) -> Item:
        try:
            return self.fallback.build(builder)
        except InvalidRecordError as error:
            return Malformed.of(error)
