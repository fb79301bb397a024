"""Records of a Graphiti graph without their secrets."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from bitempo.ingest.secrets import Counts, Redactor, secret_free_json, secret_free_value

_TEXTS = frozenset({"content", "fact", "summary", "source_description", "literal"})

Record = TypeVar("Record")


def secret_free_record(record: Record, redactor: Redactor, counts: Counts) -> Record:
    """The record with the redactor applied to what people wrote: texts, names and attributes.

    Its ids and times stay.
    """
    changed: dict[str, Any] = {}
    for one in fields(cast(Any, record)):
        value = getattr(record, one.name)
        if one.name in _TEXTS and isinstance(value, str):
            changed[one.name] = secret_free_json(value, redactor, counts)
        elif one.name == "name":
            changed[one.name] = secret_free_value("", value, redactor, counts)
        elif one.name == "attributes":
            changed[one.name] = secret_free_json(value, redactor, counts)
    return cast(Record, replace(cast(Any, record), **changed))
