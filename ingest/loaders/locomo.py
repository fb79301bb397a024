"""LoCoMo: long conversations of two speakers (Maharana et al. 2024).

A list of objects with `sample_id` and `conversation`; the conversation has `session_1`,
`session_1_date_time` and so on. Only these are read: what the file says about the conversation
(questions, observations, summaries) is never looked at, since a live system would not have it.

A turn's id is "<sample_id>/<dia_id>", so that a question's evidence can be matched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bitempo.engine.errors import InvalidInputError, InvalidRecordError
from bitempo.engine.time import Instant
from bitempo.ingest.loaders.loader import FallbackStart, Item, Loader, LoadOptions
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.loaders.stamps import parse_stamp
from bitempo.ingest.sessions import Malformed, SessionBuilder, clean_name


def recognises(source: Source) -> bool:
    """Whether the JSON is one conversation of LoCoMo or a list of them."""
    if not source.is_json:
        return False
    document = source.document
    records = document if isinstance(document, list) else [document]
    return any(
        isinstance(record, Mapping) and isinstance(record.get("conversation"), Mapping)
        for record in records
    )


def load(source: Source, options: LoadOptions) -> Iterator[Item]:
    """One session per `session_N` that has turns, in the order of N, conversation by conversation.

    Raises:
        InvalidRecordError: the document is neither an object nor a list.
    """
    document = source.document
    records = [document] if isinstance(document, Mapping) else document
    if not isinstance(records, list):
        raise InvalidRecordError("must be a list of conversations", place=source.name)
    seen: set[str] = set()
    fallback = FallbackStart(options.started_at)
    for number, record in enumerate(records, start=1):
        place = f"{source.name}, conversation {number}"
        try:
            sample, conversation = _conversation(record, number, place)
        except InvalidRecordError as error:
            yield Malformed.of(error)
            continue
        if sample in seen:
            yield Malformed(place, f"the sample_id {sample!r} is used twice")
            continue
        seen.add(sample)
        yield from _sessions(sample, conversation, f"{source.name}, {sample}", options, fallback)


LOCOMO = Loader(
    name="locomo",
    description="LoCoMo: a JSON list of long conversations of two speakers, in dated sessions",
    recognises=recognises,
    load=load,
)

_SESSION = re.compile(r"session_([0-9]{1,9})")


def _conversation(record: object, number: int, place: str) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(record, Mapping):
        raise InvalidRecordError("a conversation must be an object", place=place)
    sample = record.get("sample_id")
    if sample is None:
        sample = f"conversation-{number}"
    name = clean_name(sample, "sample_id", place)
    conversation = record.get("conversation")
    if not isinstance(conversation, Mapping):
        raise InvalidRecordError("conversation must be an object with session_1 …", place=place)
    return name, conversation


def _sessions(
    sample: str,
    conversation: Mapping[str, Any],
    place: str,
    options: LoadOptions,
    fallback: FallbackStart,
) -> Iterator[Item]:
    matches = [match for key in conversation if (match := _SESSION.fullmatch(key))]
    turn_ids: set[str] = set()
    for match in sorted(matches, key=lambda match: int(match[1])):
        key = match.string
        where = f"{place}, {key}"
        turns = conversation[key]
        if not isinstance(turns, list):
            yield Malformed(where, "the turns must be a list")
            continue
        try:
            builder = SessionBuilder(
                f"{sample}/{key}",
                started_at=_start(conversation.get(f"{key}_date_time"), where, options),
                actor=options.actor,
                place=where,
            )
        except InvalidRecordError as error:
            yield Malformed.of(error)
            continue
        for number, turn in enumerate(turns, start=1):
            try:
                _add(builder, sample, turn, f"{where}, turn {number}", turn_ids)
            except InvalidRecordError as error:
                yield Malformed.of(error)
        try:
            yield fallback.build(builder)
        except InvalidRecordError as error:
            yield Malformed.of(error)


def _start(value: object, place: str, options: LoadOptions) -> Instant | None:
    if value is None:
        return None
    try:
        return parse_stamp(value, options.timezone)
    except InvalidInputError as error:
        raise InvalidRecordError(str(error), place=f"{place}_date_time") from error


def _add(
    builder: SessionBuilder, sample: str, turn: object, place: str, turn_ids: set[str]
) -> None:
    if not isinstance(turn, Mapping):
        raise InvalidRecordError("a turn must be an object", place=place)
    text = turn.get("text")
    caption = turn.get("blip_caption")
    if caption is not None and not isinstance(caption, str):
        raise InvalidRecordError("blip_caption must be text", place=place)
    if isinstance(text, str) and caption and caption.strip():
        text = f"{text} [image: {caption.strip()}]".lstrip()
    turn_id = f"{sample}/{clean_name(turn.get('dia_id'), 'dia_id', place)}"
    if turn_id in turn_ids:
        raise InvalidRecordError(f"the dia_id of {turn_id!r} is used twice", place=place)
    builder.add(text, turn.get("speaker"), place=place, id=turn_id)
    turn_ids.add(turn_id)
