"""The store port: what the engine asks of a store, small enough to hold in the head.

A store keeps five kinds of record per tenant (sessions, episodes, entities, assertions, fact
versions), an inbox of windows, and the tenant's transaction times. All reads and writes are
bound to one tenant. Nothing here decides anything about time: `bitempo.engine.commit` does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from bitempo.engine.model import (
    Assertion,
    Entity,
    Episode,
    Fact,
    Modality,
    Session,
)
from bitempo.engine.store.records import (
    BelievedFact,
    Claimed,
    Corpus,
    FactQuery,
    FactVersion,
    InboxWindow,
    Link,
    Matches,
    Neighbour,
    OneWith,
    PlacedAssertion,
    Point,
    Predicate,
    Reading,
    Record,
    Role,
    Slot,
    Stats,
    Transaction,
    WindowState,
)
from bitempo.engine.store.vector_port import Near, Vectors, VectorSpace
from bitempo.engine.time import Instant

if TYPE_CHECKING:
    # Arrays take long to import, and most of what uses the port has none.
    from bitempo.engine.embedding import Vector
    from bitempo.engine.late import Late, TokenQuestion

__all__ = [
    "BelievedFact",
    "Claimed",
    "Corpus",
    "FactQuery",
    "FactVersion",
    "Inbox",
    "InboxWindow",
    "Link",
    "Matches",
    "Neighbour",
    "OneWith",
    "PlacedAssertion",
    "Point",
    "Predicate",
    "Reader",
    "Reading",
    "Record",
    "Result",
    "Role",
    "Slot",
    "Stats",
    "Store",
    "Transaction",
    "WindowState",
    "WriteTransaction",
]

Result = TypeVar("Result")


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

    def nearest(
        self, corpus: Corpus, vector: Vector, *, known_at: Instant, limit: int
    ) -> list[Near]:
        """What is believed at `known_at` and most like the vector, best first.

        Raises:
            InvalidInputError: the vector is of another dimension than the tenant's.
        """
        ...

    def late(
        self,
        corpus: Corpus,
        question: TokenQuestion,
        *,
        known_at: Instant,
        limit: int,
        among: Collection[str] = (),
    ) -> Late:
        """What is believed at `known_at` and meets the question's tokens best.

        Of a corpus too large to be compared whole only the texts `among` these are looked at.
        """
        ...

    def token_maxima(
        self, corpus: Corpus, question: TokenQuestion, ids: Collection[str]
    ) -> dict[str, Vector]:
        """How these texts meet the question: the best cosine of each of its tokens, by id."""
        ...

    def stats(self) -> Stats: ...


class Inbox(Protocol):
    """One tenant's durable inbox. Each call is a transaction of its own."""

    def put(self, windows: Sequence[InboxWindow]) -> list[InboxWindow]:
        """Add the windows that are not there yet; gives each as it is in the inbox now."""
        ...

    def claim(self, window: str, owner: str, seconds: float) -> Claimed:
        """Hold the window for so long from now, by the clock of the store.

        One that is held already, and not for longer than it was claimed for, stays with whom it
        is; whoever holds it holds it longer. What is applied is nobody's. Gives the window as it
        is now, and who holds it.

        Raises:
            NotFoundError: there is no such window.
        """
        ...

    def release(self, window: str, owner: str) -> None:
        """Hold the window no longer; nothing where somebody else holds it."""
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
