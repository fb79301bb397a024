"""From the object of a reply to its items, one by one: what cannot be read is told apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, get_args

from pydantic import ValidationError

from bitempo.engine.names import clean_text
from bitempo.ingest.extraction import Rejection
from bitempo.ingest.llm.reply import Granularity, ReplyAssertion, ReplyEntity


@dataclass(frozen=True, slots=True)
class Item:
    """One assertion of a reply, with its number in it, from 1."""

    number: int
    claim: ReplyAssertion


@dataclass(slots=True)
class Reading:
    """What a reply holds, and what of it could not be read."""

    entities: list[ReplyEntity] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)


def read_reply(data: Mapping[str, Any]) -> Reading:
    """The items of a reply. What has one plain meaning is read so, though the schema is stricter.

    Missing fields that a claim can do without have the value that claims least; a claim without
    words, subject, predicate, evidence or quote is rejected.
    """
    reading = Reading()
    for given in _list(data.get("entities")):
        entity = _entity(given)
        if entity is None:
            reading.rejections.append(Rejection(_shown(given), "an entity needs a name"))
        else:
            reading.entities.append(entity)
    for number, given in enumerate(_list(data.get("assertions")), start=1):
        if not isinstance(given, Mapping):
            reading.rejections.append(Rejection(_shown(given), "an assertion must be an object"))
            continue
        try:
            reading.items.append(Item(number, ReplyAssertion.model_validate(_levelled(given))))
        except (ValidationError, ValueError) as error:
            reading.rejections.append(Rejection(_named(given), _why(error)))
    return reading


_DEFAULTS: Mapping[str, object] = {
    "object": None,
    "value": None,
    "cardinality": "many",
    "polarity": "+",
    "modality": "actual",
    "kind": "state",
    "time_text": None,
    "valid_from": None,
    "valid_to": None,
    "granularity": "unknown",
    "due": None,
    "importance": 5,
    "confidence": 0.7,
    "inferred": False,
    "corrects": None,
}
_NULLABLE = ("object", "time_text", "valid_from", "valid_to", "due", "corrects")
_NOTHING = frozenset({"", "null", "none", "n/a", "nil"})
_SIGNS = {
    "positive": "+", "pos": "+", "true": "+", "affirmative": "+", "1": "+",
    "negative": "-", "neg": "-", "false": "-", "\u2212": "-", "\u2013": "-", "-1": "-",
}  # fmt: skip
_KINDS = frozenset(get_args(ReplyAssertion.model_fields["kind"].annotation))
_GRANULARITIES = frozenset(get_args(Granularity))
_LONGEST_SHOWN = 200


def _levelled(given: Mapping[str, Any]) -> dict[str, Any]:
    """The item with what has one plain meaning in the form of the schema."""
    fields = ReplyAssertion.model_fields
    known = {key: _clean(value) for key, value in given.items() if key in fields}
    # A field that is null where the schema has no null is as good as missing.
    absent = [k for k, v in known.items() if v is None and _DEFAULTS.get(k, ...) is not ...]
    item: dict[str, Any] = {**_DEFAULTS, **{k: v for k, v in known.items() if k not in absent}}
    for key in _NULLABLE:
        if isinstance(item[key], str) and item[key].strip().casefold() in _NOTHING:
            item[key] = None
    if isinstance(item["value"], str) and not item["value"].strip():
        item["value"] = None
    for key in ("valid_from", "valid_to", "due", "object", "corrects"):
        if isinstance(item[key], int) and not isinstance(item[key], bool):
            item[key] = str(item[key])
    sign = item["polarity"]
    item["polarity"] = _SIGNS.get(str(sign).strip().casefold(), sign)
    for key in ("cardinality", "modality", "kind", "granularity"):
        item[key] = item[key].strip().casefold() if isinstance(item[key], str) else item[key]
    item["kind"] = _one_of(_KINDS, item["kind"], "state")
    item["granularity"] = _one_of(_GRANULARITIES, item["granularity"], "unknown")
    item["evidence"] = _labels(item.get("evidence"))
    item["importance"] = round(_number(item["importance"], 5))
    item["confidence"] = float(_number(item["confidence"], 0.7))
    item["value"] = _literal(item["value"])
    return item


def _one_of(words: frozenset[str], given: object, default: str) -> str:
    return given if isinstance(given, str) and given in words else default


def _labels(given: object) -> object:
    if isinstance(given, str | int):
        given = [given]
    if not isinstance(given, list):
        return given
    return [f"t{label}" if isinstance(label, int) else label for label in given]


def _number(given: object, default: float) -> float:
    if isinstance(given, str):
        try:
            given = float(given.strip().removesuffix("%"))
        except ValueError:
            return default
    if isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < 1e9:
        return given if isfinite(given) else default
    return default


def _literal(value: object) -> object:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list | Mapping):
        raise ValueError("the value must be a literal: text, a number, true or false")
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def _entity(given: object) -> ReplyEntity | None:
    if isinstance(given, str):
        given = {"name": given}
    if not isinstance(given, Mapping):
        return None
    name, type, aliases = given.get("name"), given.get("type"), given.get("aliases")
    if not isinstance(name, str) or not any(char.isalnum() for char in name):
        return None
    return ReplyEntity(
        name=clean_text(name).strip(),
        type=clean_text(type).strip() if isinstance(type, str) else "",
        aliases=[
            clean_text(alias).strip()
            for alias in _list(aliases)
            if isinstance(alias, str) and any(char.isalnum() for char in alias)
        ],
    )


def _clean(value: object) -> object:
    return clean_text(value) if isinstance(value, str) else value


def _list(given: object) -> list[Any]:
    if given is None:
        return []
    return given if isinstance(given, list) else [given]


def _named(given: Mapping[str, Any]) -> str:
    text = given.get("text")
    return text[:_LONGEST_SHOWN] if isinstance(text, str) and text.strip() else _shown(given)


def _shown(given: object) -> str:
    return json.dumps(given, ensure_ascii=False, default=repr)[:_LONGEST_SHOWN]


def _why(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    said = (
        f"{'.'.join(map(str, each['loc'][:1]))}: {each['msg'].lower()}"
        for each in error.errors(include_url=False, include_input=False)[:3]
    )
    return "malformed: " + "; ".join(said)
