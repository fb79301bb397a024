"""The records that bitempo keeps, in the words of the field.

All are frozen: nothing is edited in place. Instants are microseconds since the epoch, UTC
(see `bitempo.engine.time`); properties give aware datetimes where a person reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from bitempo.engine.time import FOREVER, Granularity, Instant, Interval, to_datetime

Literal = str | int | float | bool
"""A value that is not an entity."""


class Polarity(StrEnum):
    """Whether an assertion claims that something holds or that it does not."""

    POSITIVE = "+"
    NEGATIVE = "-"


class Modality(StrEnum):
    """Whether an assertion is about the world, a plan, or a supposition."""

    ACTUAL = "actual"
    PLANNED = "planned"
    HYPOTHETICAL = "hypothetical"


class Cardinality(StrEnum):
    """How many values a predicate's slot can hold at one instant."""

    ONE = "one"
    MANY = "many"


class EpisodeKind(StrEnum):
    """What an episode is a record of."""

    TURN = "turn"
    TEXT = "text"
    JSON = "json"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Episode:
    """One immutable source record.

    `actor` is who spoke or wrote. `position` orders the turns of a session, from 0.
    `believed` is `[recorded_at, retracted_at)`; before the store has assigned a transaction
    time it is None.
    """

    id: str
    text: str
    occurred_at: Instant
    kind: EpisodeKind = EpisodeKind.TURN
    session: str | None = None
    position: int | None = None
    actor: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    believed: Interval | None = None

    @property
    def recorded_at(self) -> datetime | None:
        """When the store recorded it (transaction time)."""
        return to_datetime(self.believed.start) if self.believed else None


@dataclass(frozen=True, slots=True)
class Session:
    """The ordered turns of one conversation. `actor` is whose session it is."""

    id: str
    started_at: Instant
    actor: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity as a source names it, before it is resolved. An empty type means not known.

    With an `id`, which a source that knows its entities can give, it is the entity of that id and
    of this name, whatever else has the name.
    """

    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that facts are about.

    `learnt` says of each alias at what transaction time it was learnt, in the order of
    `aliases`; without it, all were known when the entity was made.
    """

    id: str
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    created_at: Instant = 0
    learnt: tuple[Instant, ...] = ()

    def names_learnt(self) -> list[tuple[str, Instant]]:
        """Its name and aliases, each with the transaction time at which it was learnt."""
        learnt = self.learnt or (self.created_at,) * len(self.aliases)
        return [(self.name, self.created_at), *zip(self.aliases, learnt, strict=True)]


@dataclass(frozen=True, slots=True)
class Correction:
    """Names the assertion that a draft corrects by what it said, where its id is not known.

    It is the latest unretracted assertion of the same subject and predicate that was recorded
    earlier and, when `value` is given, had that object name or literal text.
    """

    value: str | None = None


@dataclass(frozen=True, slots=True)
class AssertionDraft:
    """One claim as it comes out of extraction or a call, before resolution.

    `valid_from=None` means not stated (the evidence's `occurred_at` holds, flagged inferred);
    an unbounded start is `BEGINNING`. `valid_to=None` means that nothing stated ends it.
    A negative draft with neither object nor value denies the whole slot.
    `key` names the assertion within its evidence; two drafts of one episode must differ in it.
    `corrects` is the id of the assertion that this one replaces, or what it said.
    """

    subject: EntityRef
    predicate: str
    text: str
    evidence: tuple[str, ...]
    key: str
    object: EntityRef | None = None
    value: Literal | None = None
    polarity: Polarity = Polarity.POSITIVE
    modality: Modality = Modality.ACTUAL
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    granularity: Granularity = Granularity.UNKNOWN
    time_text: str | None = None
    due: Interval | None = None
    importance: int = 5
    confidence: float = 1.0
    trust: int = 5
    inferred: bool = False
    quote: str | None = None
    corrects: str | Correction | None = None
    cardinality: Cardinality | None = None
    mentions: tuple[EntityRef, ...] = ()
    extractor: str = ""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One claim on record: append-only evidence from which facts are derived.

    `subject` and `object` are entity ids. `valid` is the stated interval (or the inferred one,
    then `from_inferred`). `believed` is `[recorded_at, retracted_at)` in transaction time.
    """

    id: str
    subject: str
    predicate: str
    text: str
    evidence: tuple[str, ...]
    valid: Interval
    believed: Interval
    object: str | None = None
    value: Literal | None = None
    polarity: Polarity = Polarity.POSITIVE
    modality: Modality = Modality.ACTUAL
    granularity: Granularity = Granularity.UNKNOWN
    from_inferred: bool = False
    time_text: str | None = None
    due: Interval | None = None
    importance: int = 5
    confidence: float = 1.0
    trust: int = 5
    inferred: bool = False
    quote: str | None = None
    corrects: str | None = None
    mentions: tuple[str, ...] = ()
    extractor: str = ""

    @property
    def recorded_at(self) -> Instant:
        """The transaction time at which the store recorded it."""
        return self.believed.start

    @property
    def retracted(self) -> bool:
        """Whether it has been retracted by now."""
        return self.believed.end != FOREVER


@dataclass(frozen=True, slots=True)
class Fact:
    """A derived belief: one value of one slot over `valid`, believed over `believed`.

    `support` are the ids of the assertions that carry it, `contested` those of lower trust that
    it withstood, `conflicts` those with an equal start that it was decided against.
    """

    id: str
    slot: str
    subject: Entity
    predicate: str
    text: str
    valid: Interval
    believed: Interval
    object: Entity | None = None
    value: Literal | None = None
    modality: Modality = Modality.ACTUAL
    granularity: Granularity = Granularity.UNKNOWN
    from_inferred: bool = False
    due: Interval | None = None
    importance: int = 5
    confidence: float = 1.0
    trust: int = 5
    inferred: bool = False
    support: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()

    @property
    def answer(self) -> Literal:
        """The object's name, or the literal value."""
        if self.object is not None:
            return self.object.name
        return "" if self.value is None else self.value

    @property
    def valid_from(self) -> datetime | None:
        """When it began to hold; None when unbounded."""
        return self.valid.from_

    @property
    def valid_to(self) -> datetime | None:
        """When it stopped holding; None while nothing has ended it."""
        return self.valid.to

    @property
    def tx_from(self) -> datetime | None:
        """When it began to be believed."""
        return self.believed.from_

    @property
    def tx_to(self) -> datetime | None:
        """When it stopped being believed; None while it is."""
        return self.believed.to
