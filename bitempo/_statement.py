"""Statements: facts that a caller asserts directly, without a text to extract them from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeVar

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import (
    AssertionDraft,
    Cardinality,
    EntityRef,
    Episode,
    EpisodeKind,
    Literal,
    Modality,
    Polarity,
)
from bitempo.engine.names import check_id, check_literal, clean_text, digest
from bitempo.engine.time import (
    BEGINNING,
    Granularity,
    Instant,
    Interval,
    TimeLike,
    format_instant,
    parse_instant,
    parse_time,
)

Choice = TypeVar("Choice", bound=Enum)


class NotStated(Enum):
    """The type of `NOT_STATED`."""

    NOT_STATED = "not stated"

    def __repr__(self) -> str:
        return "NOT_STATED"


NOT_STATED: Final = NotStated.NOT_STATED
"""No time was stated: the episode's own time holds, and the fact says that it is inferred."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim of a caller.

    Args:
        subject: an entity, by name or by name and type.
        predicate: such as `LIVES_IN` or "lives in".
        object: an entity; or give `value`, a literal. A negative without either denies the
            whole slot.
        valid_from: when it began to hold: an aware datetime, a date or ISO 8601 text ("2019",
            "2024-05-01"); None for an unbounded start; by default not stated.
        valid_to: when it stopped holding, the end excluded; None while nothing has ended it.
        polarity: "+", or "-" to say that it does not hold (any more).
        modality: "actual", "planned" or "hypothetical"; each has slots of its own.
        trust: 1 to 10; a lower-trust claim never supersedes a higher one.
        importance: 1 to 10.
        confidence: 0 to 1.
        due: a deadline, as data on a plan; it ends nothing.
        corrects: the id of the assertion that this one replaces. Statement number n (from 0) of
            episode E makes assertion `E#n`, with n in four digits: `E#0000`.
        cardinality: "one" or "many", for a predicate that no policy knows yet.
        text: how the fact reads; made of the other fields when not given.

    Raises:
        InvalidInputError: the subject or object is no entity, or the value no literal.
    """

    subject: str | EntityRef
    predicate: str
    object: str | EntityRef | None = None
    value: Literal | None = None
    valid_from: TimeLike | NotStated | None = NOT_STATED
    valid_to: TimeLike | None = None
    polarity: Polarity | str = Polarity.POSITIVE
    modality: Modality | str = Modality.ACTUAL
    trust: int = 5
    importance: int = 5
    confidence: float = 1.0
    due: TimeLike | None = None
    corrects: str | None = None
    cardinality: Cardinality | str | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        # What is no name or literal would only fail where it is written, or worse, restored.
        for name in (self.subject, self.object or ""):
            if not isinstance(name, str | EntityRef):
                raise InvalidInputError(f"{name!r} is no entity; give its name, or an EntityRef")
        if not isinstance(self.predicate, str):
            raise InvalidInputError(f"{self.predicate!r} is no predicate; give text")
        if self.value is not None:
            check_literal(self.value)


def statement_episode(
    tenant: str, statements: Sequence[Statement], id: str | None, occurred_at: Instant
) -> Episode:
    """The episode that records the statements, with an id of its content when none is given."""
    content = [_content(statement) for statement in statements]
    occurred = format_instant(occurred_at)
    return Episode(
        id=id or "st_" + digest(tenant, occurred, json.dumps(content, sort_keys=True)),
        text="\n".join(_text(statement) for statement in statements),
        occurred_at=occurred_at,
        kind=EpisodeKind.STATEMENT,
        metadata={"statements": content},
    )


def draft_of(statement: Statement, episode: str, position: int) -> AssertionDraft:
    """The statement as a draft, with the episode as its evidence.

    Raises:
        InvalidTimeError: a time cannot be read.
        InvalidInputError: a polarity, modality or cardinality that there is not.
    """
    valid_from, granularity = _start(statement)
    return AssertionDraft(
        subject=_ref(statement.subject),
        predicate=statement.predicate,
        object=None if statement.object is None else _ref(statement.object),
        value=statement.value,
        text=_text(statement),
        evidence=(episode,),
        key=f"{position:04d}",
        polarity=choice(Polarity, statement.polarity),
        modality=choice(Modality, statement.modality),
        valid_from=valid_from,
        valid_to=None if statement.valid_to is None else parse_time(statement.valid_to)[0].start,
        granularity=granularity,
        due=_due(statement.due),
        importance=statement.importance,
        confidence=statement.confidence,
        trust=statement.trust,
        corrects=None
        if statement.corrects is None
        else check_id(statement.corrects, "an assertion to correct"),
        cardinality=None
        if statement.cardinality is None
        else choice(Cardinality, statement.cardinality),
        extractor="statement",
    )


def choice(kind: type[Choice], value: Choice | str) -> Choice:
    """The member of the enumeration that a caller means.

    Raises:
        InvalidInputError: there is none; the message lists them.
    """
    try:
        return kind(value)
    except ValueError:
        names = ", ".join(repr(member.value) for member in kind)
        raise InvalidInputError(f"{value!r} is no {kind.__name__.lower()}; use {names}") from None


def modality_or_any(value: Modality | str | None) -> Modality | None:
    """The modality that a caller means; None asks for any.

    Raises:
        InvalidInputError: there is none of that name.
    """
    return None if value is None else choice(Modality, value)


def _start(statement: Statement) -> tuple[Instant | None, Granularity]:
    match statement.valid_from:
        case NotStated():
            return None, Granularity.UNKNOWN
        case None:
            return BEGINNING, Granularity.UNKNOWN
        case stated:
            interval, granularity = parse_time(stated)
            return interval.start, granularity


def _due(due: TimeLike | None) -> Interval | None:
    return None if due is None else parse_time(due)[0]


def _ref(name: str | EntityRef) -> EntityRef:
    return name if isinstance(name, EntityRef) else EntityRef(name)


def _text(statement: Statement) -> str:
    if statement.text is not None:
        return statement.text
    subject = _ref(statement.subject).name
    predicate = statement.predicate.replace("_", " ").lower()
    said = statement.object if statement.object is not None else statement.value
    said = said.name if isinstance(said, EntityRef) else said
    negated = "not " if statement.polarity in (Polarity.NEGATIVE, "-") else ""
    return f"{subject} {negated}{predicate} {'' if said is None else said}".strip()


def _content(statement: Statement) -> dict[str, Any]:
    """What makes two statements the same, as JSON."""
    fields = {
        name: getattr(statement, name)
        for name in Statement.__slots__
        if getattr(statement, name) is not None and name != "text"
    }
    content = {name: _plain(value) for name, value in fields.items()}
    # However a time is spelled, it is the same claim.
    content |= {
        name: format_instant(parse_instant(fields[name]))
        for name in ("valid_from", "valid_to", "due")
        if name in fields and fields[name] is not NOT_STATED
    }
    return content | {"text": clean_text(_text(statement))}


def _plain(value: object) -> object:
    if isinstance(value, EntityRef):
        parts = [clean_text(part) for part in (value.name, value.type, *value.aliases)]
        return parts if value.id is None else [*parts, {"id": clean_text(value.id)}]
    if isinstance(value, bool | int | float):
        return value
    return clean_text(str(value))
