"""What goes through the store port: the records a store keeps, and what it is asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bitempo.engine.model import (
    Assertion,
    Cardinality,
    Entity,
    Episode,
    Fact,
    Literal,
    Modality,
    Session,
)
from bitempo.engine.time import Granularity, Instant, Interval

__all__ = [
    "BelievedFact",
    "Claimed",
    "Corpus",
    "FactQuery",
    "FactVersion",
    "InboxWindow",
    "Link",
    "Matches",
    "Neighbour",
    "OneWith",
    "PlacedAssertion",
    "Point",
    "Predicate",
    "Reading",
    "Record",
    "Role",
    "Slot",
    "Stats",
    "Transaction",
    "WindowState",
]


@dataclass(frozen=True, slots=True)
class Point:
    """One point in both times. `valid_at=None` asks for every valid time as known then."""

    known_at: Instant
    valid_at: Instant | None = None


@dataclass(frozen=True, slots=True)
class Predicate:
    """The decision on record for a predicate, and what it was taken from."""

    name: str
    cardinality: Cardinality
    source: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot's key and its family (subject, predicate, modality).

    For a single-valued predicate the two keys are equal; so are they for a whole-slot negative.
    """

    key: str
    family: str
    cardinality: Cardinality


@dataclass(frozen=True, slots=True)
class PlacedAssertion:
    """An assertion with the slot it belongs to."""

    assertion: Assertion
    slot: Slot
    value_key: str | None


@dataclass(frozen=True, slots=True)
class FactVersion:
    """A fact as it is stored: entity ids instead of entities, and the slot it fills."""

    id: str
    slot: str
    value_key: str
    subject: str
    predicate: str
    text: str
    lead: str
    valid: Interval
    object: str | None = None
    value: Literal | None = None
    modality: Modality = Modality.ACTUAL
    granularity: Granularity = Granularity.UNKNOWN
    from_inferred: bool = False
    due: Interval | None = None
    importance: int = 5
    confidence: float = 1.0
    trust: int = 5
    inferred: bool = False
    links: frozenset[tuple[str, str]] = frozenset()
    """Pairs (role, assertion id); the roles are those of `Role`."""


class Role(StrEnum):
    """How an assertion stands to a fact."""

    SUPPORTS = "supports"
    CONTESTS = "contests"
    CONFLICTS = "conflicts"


class WindowState(StrEnum):
    """How far a window has come on its way from the inbox into the graph."""

    RECEIVED = "received"
    EXTRACTED = "extracted"
    APPLIED = "applied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class InboxWindow:
    """A durable unit of ingest.

    `payload`, `extraction`, `rejected` and each of `usage` are JSON that ingest understands; the
    first two are emptied once the window is applied. `usage` has an entry for each attempt that
    cost something, whether it came to anything or not. `extractor` is whose extraction is kept or
    was applied, and before that the one it was taken in for; `turns` are the positions of its first
    and its last turn.
    """

    id: str
    session: str
    payload: str
    received_at: Instant
    state: WindowState = WindowState.RECEIVED
    extraction: str | None = None
    error: str | None = None
    attempts: int = 0
    rejected: str | None = None
    usage: tuple[str, ...] = ()
    extractor: str | None = None
    turns: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A window as it is now, and who holds it: None once it is applied."""

    window: InboxWindow
    owner: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """That a window of a session was applied: which turns, and whose extraction.

    Both are None for a window that an older bitempo applied.
    """

    session: str
    extractor: str | None
    turns: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class FactQuery:
    """Which facts to read. None means any; an empty collection means none.

    With `point=None` every version ever believed is read.
    """

    point: Point | None = None
    ids: Collection[str] | None = None
    subjects: Collection[str] | None = None
    predicates: Collection[str] | None = None
    objects: Collection[str] | None = None
    slots: Collection[str] | None = None
    support: Collection[str] | None = None
    modality: Modality | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A fact that stands near an entity: `distance` 1 is a fact of the entity itself."""

    fact: Fact
    distance: int


@dataclass(frozen=True, slots=True)
class Matches:
    """Candidates of a full-text search, with what ranking them needs to know.

    `ids` (of assertions or episodes) come best first by the store's own ranking. `frequencies`
    says in how many of the tenant's `documents` each term stands, `mean_length` how many terms
    a document has, all as known at the time asked for. `dropped` are terms too frequent to look
    up.
    """

    ids: Sequence[str]
    frequencies: Mapping[str, int]
    documents: int
    mean_length: float
    dropped: tuple[str, ...] = ()


class Corpus(StrEnum):
    """What a search by text or by vector looks through."""

    ASSERTIONS = "assertions"
    TURNS = "turns"


@dataclass(frozen=True, slots=True)
class Stats:
    """How much a tenant holds.

    `vectors` are those of `embedder`, the identity on record; so many turns and assertions, which
    a search by vector does not find, are `unembedded`.
    """

    sessions: int = 0
    episodes: int = 0
    entities: int = 0
    assertions: int = 0
    retracted: int = 0
    facts: int = 0
    fact_versions: int = 0
    predicates: int = 0
    transactions: int = 0
    inbox: Mapping[str, int] = field(default_factory=dict)
    first_tx: Instant | None = None
    last_tx: Instant | None = None
    embedder: str | None = None
    vectors: int = 0
    unembedded: int = 0


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction time that was used."""

    tx: Instant


@dataclass(frozen=True, slots=True)
class OneWith:
    """That an entity had another one standing for it, and over which transaction time."""

    entity: str
    canonical: str
    believed: Interval


@dataclass(frozen=True, slots=True)
class Link:
    """How an assertion stood to a fact, and over which transaction time."""

    role: str
    assertion: str
    believed: Interval


@dataclass(frozen=True, slots=True)
class BelievedFact:
    """A fact version with the transaction time over which it and each of its links held."""

    fact: FactVersion
    believed: Interval
    links: tuple[Link, ...]


Record = (
    Predicate
    | Session
    | Entity
    | OneWith
    | Episode
    | PlacedAssertion
    | BelievedFact
    | InboxWindow
    | Transaction
)
"""Everything a tenant holds, record by record: what export writes and import reads."""
