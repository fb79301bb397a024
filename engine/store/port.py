"""The store port: what the engine asks of a store, small enough to hold in the head.

A store keeps five kinds of record per tenant (sessions, episodes, entities, assertions, fact
versions), an inbox of windows, and the tenant's transaction times. All reads and writes are
bound to one tenant. Nothing here decides anything about time: `bitempo.engine.commit` does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

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
from bitempo.engine.store.vector_port import ItemVectors, Near, Vectors, VectorSpace
from bitempo.engine.time import Granularity, Instant, Interval

if TYPE_CHECKING:
    # Arrays take long to import, and most of what uses the port has none.
    from bitempo.engine.embedding import Vector

Result = TypeVar("Result")


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
    was applied; `turns` are the positions of its first and its last turn.
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


class WriteTransaction(Protocol):
    """One tenant's write in progress. `tx` is its transaction time, assigned by the store."""

    @property
    def tx(self) -> Instant:
        """Strictly later than every earlier transaction time of the tenant."""
        ...

    def episodes(self, ids: Collection[str]) -> dict[str, Episode]: ...
    def predicates(self, names: Collection[str]) -> dict[str, Predicate]: ...
    def entities(self, ids: Collection[str]) -> dict[str, Entity]: ...
    def entities_named(self, names: Collection[str]) -> dict[str, list[Entity]]:
        """By normalised name or alias, oldest first."""
        ...

    def identities(self, entities: Collection[str]) -> dict[str, str]:
        """Of every entity that is one with another and with any of these, the canonical one."""
        ...

    def assertions(self, ids: Collection[str]) -> dict[str, PlacedAssertion]: ...
    def evidenced_by(self, episodes: Collection[str]) -> list[Assertion]:
        """The unretracted assertions that cite any of the episodes."""
        ...

    def live_assertions(self, slots: Collection[str]) -> list[PlacedAssertion]:
        """Neither retracted nor corrected by an unretracted assertion."""
        ...

    def unretracted_in_families(self, families: Collection[str]) -> list[PlacedAssertion]: ...
    def assertions_of_predicate(self, name: str) -> list[PlacedAssertion]:
        """All of them, the retracted ones too."""
        ...

    def assertions_about(self, entities: Collection[str]) -> list[PlacedAssertion]:
        """All whose subject or object is one of these, the retracted ones too."""
        ...

    def slots_of_families(self, families: Collection[str]) -> list[Slot]: ...
    def current_facts(self, slots: Collection[str]) -> list[FactVersion]: ...
    def facts_about(self, subjects: Collection[str], predicate: str) -> list[FactVersion]:
        """The facts now believed that have the predicate and one of the subjects."""
        ...

    def add_sessions(self, sessions: Sequence[Session]) -> None: ...
    def add_episodes(self, episodes: Sequence[Episode]) -> None: ...
    def add_predicates(self, predicates: Sequence[Predicate]) -> None: ...
    def add_entities(self, entities: Sequence[Entity]) -> None: ...
    def add_aliases(self, aliases: Sequence[tuple[str, str]]) -> None:
        """Pairs (entity id, alias), learnt now."""
        ...

    def set_entity_types(self, types: Sequence[tuple[str, str]]) -> None:
        """Pairs (entity id, type), for entities whose type was not known."""
        ...

    def add_assertions(self, assertions: Sequence[PlacedAssertion]) -> None: ...
    def retract_assertions(self, ids: Collection[str]) -> None: ...
    def retract_episodes(self, ids: Collection[str]) -> None: ...
    def close_facts(self, ids: Collection[str]) -> None: ...
    def open_facts(self, facts: Sequence[FactVersion]) -> None: ...
    def change_links(
        self,
        added: Sequence[tuple[str, str, str]],
        removed: Sequence[tuple[str, str, str]],
    ) -> None:
        """Triples (fact id, role, assertion id) that hold from now on, or no longer hold."""
        ...

    def set_cardinality(self, predicate: Predicate) -> None:
        """Put another decision on record."""
        ...

    def set_identities(self, canonical: Mapping[str, str]) -> None:
        """From now on, the canonical entity by entity; its own where it stands for itself."""
        ...

    def move_assertions(self, placed: Sequence[PlacedAssertion]) -> None:
        """Put assertions that are on record in the slots they have now."""
        ...

    def finish_window(self, window: str, rejected: str | None) -> bool:
        """Mark the window applied and forget its content, which is in the graph now.

        `rejected` is what was not taken and why, as JSON; it is kept. False when the window
        does not wait (any more), since another process was faster: then it must not be applied.
        """
        ...

    def discard(self) -> None:
        """Leave without a trace: nothing is written and no transaction time is used."""
        ...


class Reader(Protocol):
    """One tenant's reads, each of one consistent state of the store."""

    def last_tx(self, until: Instant | None = None) -> Instant | None:
        """The tenant's latest transaction time, or the latest that is not after `until`."""
        ...

    def facts(self, query: FactQuery) -> list[Fact]: ...
    def neighbourhood(
        self,
        entities: Collection[str],
        point: Point,
        *,
        hops: int,
        fan_out: int,
        predicates: Collection[str] | None = None,
        modality: Modality | None = None,
    ) -> list[Neighbour]:
        """The facts within `hops` of the entities at the point, as a walk in breadth finds them.

        A step goes from an entity to the facts that it is the subject or the object of, and on to
        their other ends. Of each entity at most `fan_out` facts are taken: the most important,
        of those the latest to begin, then by id. So what is found does not depend on the store.
        Nearest first, then in that same order.
        """
        ...

    def changed_facts(self, after: Instant, until: Instant) -> list[Fact]:
        """Versions whose belief began or ended in `(after, until]`."""
        ...

    def assertions(self, ids: Collection[str]) -> dict[str, Assertion]: ...
    def correctors(self, ids: Collection[str]) -> dict[str, list[str]]:
        """Ids of the assertions that correct the given ones."""
        ...

    def evidenced_by(self, episodes: Collection[str], known_at: Instant) -> dict[str, list[str]]:
        """Ids of the assertions believed at `known_at`, by episode id."""
        ...

    def episodes(self, ids: Collection[str]) -> dict[str, Episode]: ...
    def sessions(self, ids: Collection[str]) -> dict[str, Session]: ...
    def turns(self, session: str, last: int | None = None) -> list[Episode]:
        """The turns of a session in order: all, or the `last` so many."""
        ...

    def neighbours(self, episodes: Collection[str], reach: int) -> dict[str, Episode]:
        """The turns up to `reach` positions before and after the given ones, and these."""
        ...

    def entities(self, ids: Collection[str], known_at: Instant | None = None) -> dict[str, Entity]:
        """With the aliases that were known then; None: all."""
        ...

    def entities_named(
        self, names: Collection[str], known_at: Instant | None = None
    ) -> dict[str, list[Entity]]:
        """By normalised name or alias as known then (None: by any), oldest first."""
        ...

    def entities_sharing(self, words: Collection[str], limit: int) -> list[Entity]:
        """Those with any of the words, as `name_words` gives them, in a name or an alias.

        Of those that share most words first, then oldest first. Of a word that very many names
        have, only some entities are looked at unless another word of theirs is given too.
        """
        ...

    def identities(self, entities: Collection[str] | None, known_at: Instant) -> dict[str, str]:
        """Of every entity that was believed to be one with another and with any of these (None:
        with any at all), the canonical one. What stands alone is not among them."""
        ...

    def stood_for(self, entities: Collection[str]) -> list[OneWith]:
        """Which other entities ever stood for these, and when."""
        ...

    def list_entities(
        self, after: str | None, limit: int | None, known_at: Instant | None = None
    ) -> list[Entity]:
        """A page in the order of ids: those known then, but for those that another stood for."""
        ...

    def predicates(self) -> list[Predicate]: ...
    def search(
        self, corpus: Corpus, terms: Sequence[str], *, known_at: Instant, limit: int
    ) -> Matches: ...
    def vector_space(self) -> VectorSpace | None:
        """What the tenant's vectors were made by; None when it has none yet."""
        ...

    def vectors(self, corpus: Corpus, *, known_at: Instant) -> ItemVectors:
        """The vectors of what is believed at `known_at`, of the space that is in use."""
        ...

    def nearest(
        self, corpus: Corpus, vector: Vector, *, known_at: Instant, limit: int
    ) -> list[Near]:
        """What is believed at `known_at` and most like the vector, best first.

        Raises:
            InvalidInputError: the vector is of another dimension than the tenant's.
        """
        ...

    def stats(self) -> Stats: ...


class Inbox(Protocol):
    """One tenant's durable inbox. Each call is a transaction of its own."""

    def put(self, windows: Sequence[InboxWindow]) -> list[InboxWindow]:
        """Add the windows that are not there yet; gives each as it is in the inbox now."""
        ...

    def store_extraction(
        self,
        window: str,
        extraction: str,
        *,
        extractor: str | None = None,
        usage: str | None = None,
    ) -> None:
        """Keep what `extractor` made of the window, and what that cost."""
        ...

    def fail(self, window: str, error: str, *, usage: str | None = None) -> None:
        """Mark the window failed, and keep what the attempt cost."""
        ...

    def add_usage(self, window: str, usage: str) -> None:
        """Keep what an attempt cost that came to nothing and does not count as failed."""
        ...

    def pending(self, session: str | None = None) -> list[InboxWindow]:
        """Not applied yet, of one session or of all, in the order received."""
        ...

    def get(self, ids: Collection[str]) -> dict[str, InboxWindow]: ...
    def usage(self) -> list[tuple[str, str]]:
        """Pairs (session, what an attempt cost as JSON), in the order the windows were received."""
        ...

    def readings(self, session: str | None = None) -> list[Reading]:
        """The windows that were applied, of one session or of all, in the order received."""
        ...


class Store(Protocol):
    """A place that keeps tenants."""

    def write(
        self, tenant: str, now: Instant, work: Callable[[WriteTransaction], Result]
    ) -> Result:
        """One atomic, durable write; its transaction time is `now`, or later if need be.

        `work` may be called again when a server lost the first attempt, so it must do nothing
        but read and write through the transaction it is given.

        Raises:
            StoreBusyError: other writers held the store for longer than the configured wait.
        """
        ...

    def read(self, tenant: str) -> AbstractContextManager[Reader]: ...
    def inbox(self, tenant: str) -> Inbox: ...
    def vectors(self, tenant: str) -> Vectors: ...
    def dump(self, tenant: str) -> Iterator[Record]: ...
    def load(self, tenant: str, records: Iterable[Record]) -> int:
        """Restore what `dump` gave, into an empty tenant: all of it or nothing.

        Raises:
            TenantNotEmptyError: the tenant holds something already.
        """
        ...

    def backup(self, target: Path) -> None:
        """Copy the whole store while it is in use.

        Raises:
            StoreError: this kind of store is backed up by its server's own tools.
        """
        ...

    def close(self) -> None: ...
