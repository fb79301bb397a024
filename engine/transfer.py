"""The records of an export as JSON lines: readable times, every field, and nothing lost.

The first line names the format and its version. Each further line is `{"record": kind, ...}`.
Instants are ISO 8601 with microseconds kept; null stands for an unbounded end of an interval.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bitempo.engine.errors import InvalidRecordError, InvalidTimeError
from bitempo.engine.model import Entity, Episode, Session
from bitempo.engine.store.port import (
    BelievedFact,
    InboxWindow,
    OneWith,
    PlacedAssertion,
    Predicate,
    Record,
    Transaction,
)
from bitempo.engine.time import BEGINNING, FOREVER, Interval, format_instant, parse_instant

FORMAT = "bitempo-export"
VERSION = 1
_END = "end"

_KINDS: dict[str, type[Any]] = {
    "transaction": Transaction,
    "predicate": Predicate,
    "session": Session,
    "entity": Entity,
    "identity": OneWith,
    "episode": Episode,
    "assertion": PlacedAssertion,
    "fact": BelievedFact,
    "window": InboxWindow,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_ADAPTERS: dict[str, TypeAdapter[Any]] = {name: TypeAdapter(kind) for name, kind in _KINDS.items()}
_INSTANTS = {"tx", "started_at", "created_at", "occurred_at", "received_at"}
# What a user handed in is kept as it is, whatever its keys are called.
_OPAQUE = {"metadata"}
_LISTS_OF_INSTANTS = {"learnt"}


def to_lines(records: Iterable[Record]) -> Iterator[str]:
    """The records as lines of JSON, without newlines, between a header and a last line that
    says how many there are: an export that was cut off is found out."""
    yield json.dumps({"format": FORMAT, "version": VERSION})
    count = 0
    for record in records:
        count += 1
        line = {"record": _NAMES[type(record)], **_readable(record)}
        yield json.dumps(line, ensure_ascii=False)
    yield json.dumps({"record": _END, "records": count})


def from_lines(lines: Iterable[str], source: str = "the export") -> Iterator[Record]:
    """The records that `to_lines` wrote; blank lines are passed over.

    Raises:
        InvalidRecordError: a line is not what `to_lines` writes, or the last ones are missing;
            the place is named.
    """
    numbered = ((n, line) for n, line in enumerate(lines, start=1) if line.strip())
    number, first = next(numbered, (1, ""))
    _check_header(_object(first, f"{source}, line {number}"), f"{source}, line {number}")
    for known, (number, line) in enumerate(numbered):
        place = f"{source}, line {number}"
        data = _object(line, place)
        kind = data.pop("record", None)
        if kind == _END:
            _check_end(data, known, [number for number, _ in numbered], place)
            return
        yield _record(kind, data, place)
    raise InvalidRecordError(
        "the export is not whole: its last line, which counts the records, is missing",
        place=source,
    )


def _readable(value: Any) -> Any:
    if isinstance(value, Interval):
        return {"from": _iso(value.start), "to": _iso(value.end)}
    if is_dataclass(value):
        return {
            field.name: _field(field.name, getattr(value, field.name)) for field in fields(value)
        }
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [_readable(item) for item in value]
    return value


def _field(name: str, value: Any) -> Any:
    if name in _OPAQUE:
        return dict(value)
    if name in _LISTS_OF_INSTANTS:
        return [_iso(instant) for instant in value]
    return _iso(value) if name in _INSTANTS else _readable(value)


def _stored(value: Any) -> Any:
    """The inverse of `_readable`, on JSON."""
    if isinstance(value, list):
        return [_stored(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"from", "to"}:
        start, end = value["from"], value["to"]
        return {
            "start": BEGINNING if start is None else parse_instant(start),
            "end": FOREVER if end is None else parse_instant(end),
        }
    return {name: _stored_field(name, item) for name, item in value.items()}


def _stored_field(name: str, item: Any) -> Any:
    if name in _OPAQUE:
        return item
    if name in _LISTS_OF_INSTANTS and isinstance(item, list):
        return [parse_instant(instant) for instant in item]
    return parse_instant(item) if name in _INSTANTS and item is not None else _stored(item)


def _iso(instant: int) -> str | None:
    return None if instant in (BEGINNING, FOREVER) else format_instant(instant)


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise InvalidRecordError(f"not JSON ({error})", place=place) from error
    if not isinstance(data, dict):
        raise InvalidRecordError("not a JSON object", place=place)
    return data


def _record(kind: object, data: dict[str, Any], place: str) -> Record:
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InvalidRecordError(f"unknown record {kind!r}", place=place)
    try:
        record: Record = _ADAPTERS[kind].validate_python(_stored(data))
        if isinstance(record, Entity) and len(record.learnt) not in (0, len(record.aliases)):
            raise InvalidTimeError("it does not say of each alias when it was learnt")
    except (ValidationError, InvalidTimeError) as error:
        raise InvalidRecordError(f"a malformed {kind}: {error}", place=place) from error
    return record


def _check_end(data: dict[str, Any], count: int, more: list[int], place: str) -> None:
    if data.get("records") != count:
        raise InvalidRecordError(
            f"the export is not whole: it has {count} records, and its last line counts "
            f"{data.get('records')!r}",
            place=place,
        )
    if more:
        raise InvalidRecordError(f"line {more[0]} comes after the end", place=place)


def _check_header(header: dict[str, Any], place: str) -> None:
    if header.get("format") != FORMAT:
        raise InvalidRecordError(
            f'an export begins with a line {{"format": "{FORMAT}"}}', place=place
        )
    if header.get("version") != VERSION:
        raise InvalidRecordError(
            f"this export has version {header.get('version')!r}, and this bitempo reads "
            f"{VERSION}; upgrade bitempo",
            place=place,
        )
