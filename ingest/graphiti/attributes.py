"""The attributes of Graphiti's custom entity types as claims about the entity."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bitempo.engine.errors import InvalidInputError, PolicyError
from bitempo.engine.model import (
    AssertionDraft,
    Cardinality,
    EntityRef,
    Episode,
    Literal,
    Polarity,
)
from bitempo.engine.names import check_literal, digest
from bitempo.engine.policy import normalise_predicate
from bitempo.ingest.graphiti.model import EXTRACTOR, GraphitiEntity


def attribute_drafts(
    subject: EntityRef, entity: GraphitiEntity, before: GraphitiEntity | None, record: Episode
) -> Iterator[AssertionDraft]:
    """What is new about the attributes: each value holds from the record's time.

    At first that is when the entity was made, since Graphiti keeps no times of attributes; a
    value that has changed or gone since the import before ends where the record begins.
    """
    old = {} if before is None else before.attributes
    for name, value in old.items():
        if entity.attributes.get(name) != value:
            yield from _draft(subject, entity, name, value, record, Polarity.NEGATIVE)
    for name, value in entity.attributes.items():
        if old.get(name) != value:
            yield from _draft(subject, entity, name, value, record, Polarity.POSITIVE)


def _draft(
    subject: EntityRef,
    entity: GraphitiEntity,
    name: str,
    value: Any,
    record: Episode,
    polarity: Polarity,
) -> Iterator[AssertionDraft]:
    try:
        predicate = normalise_predicate(name)
    except PolicyError:
        return
    literal = _literal(value)
    words = name.replace("_", " ")
    is_so = "is" if polarity is Polarity.POSITIVE else "is no longer"
    yield AssertionDraft(
        subject=subject,
        predicate=predicate,
        value=literal,
        text=f"{entity.name}: {words} {is_so} {literal}",
        evidence=(record.id,),
        key=f"{polarity}{digest(name)[:12]}",
        polarity=polarity,
        valid_from=None if polarity is Polarity.POSITIVE else record.occurred_at,
        cardinality=Cardinality.ONE,
        extractor=EXTRACTOR,
    )


def _literal(value: Any) -> Literal:
    """The value, if it can be a literal; a time as its text, anything else as JSON."""
    if isinstance(value, dict):
        return str(next(iter(value.values())))
    try:
        check_literal(value)
    except InvalidInputError:
        return json.dumps(value, ensure_ascii=False)
    literal: Literal = value
    return literal
