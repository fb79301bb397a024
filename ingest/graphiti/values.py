"""Property values of Neo4j as instants and as JSON, and back."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from neo4j.time import Date, DateTime

from bitempo.engine.errors import InvalidRecordError, InvalidTimeError
from bitempo.engine.time import Instant, from_datetime, to_datetime


class TimeReader:
    """Reads times, and counts those without an offset, which are taken as UTC."""

    def __init__(self) -> None:
        self.naive = 0

    def required(self, value: Any, name: str) -> Instant:
        """The instant of a property that must be there.

        Raises:
            InvalidRecordError: it is not there, or is no time.
        """
        found = self.optional(value, name)
        if found is None:
            raise InvalidRecordError(f"it has no {name}")
        return found

    def optional(self, value: Any, name: str) -> Instant | None:
        """The instant of a property, None where it is absent."""
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value) if isinstance(value, str) else value
            if isinstance(moment, DateTime):
                moment = moment.to_native()
            if not isinstance(moment, datetime):
                raise InvalidRecordError(f"its {name} is no time but {value!r}")
            if moment.tzinfo is None:
                self.naive += 1
                moment = moment.replace(tzinfo=UTC)
            return from_datetime(moment)
        except (ValueError, InvalidTimeError) as error:
            raise InvalidRecordError(f"its {name} cannot be read: {error}") from error


def to_plain(value: Any) -> Any:
    """A property value as JSON. A type that JSON lacks becomes an object that names it."""
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    if isinstance(value, DateTime | datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, Date | date):
        return {"date": value.isoformat()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def from_plain(value: Any) -> Any:
    """The property value that `to_plain` was given; a type it does not know comes as text."""
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if isinstance(value, dict):
        text = next(iter(value.values()))
        return date.fromisoformat(text) if "date" in value else DateTime.from_iso_format(text)
    return value


def property_of(instant: Instant | None) -> datetime | None:
    """The value to write for an instant; None, which is no property, where there is none."""
    return None if instant is None else to_datetime(instant)
