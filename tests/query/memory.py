"""A small memory for recall tests, written through the real commit into the real store."""

from __future__ import annotations

from collections.abc import Sequence

from bitempo.engine.commit import Batch, Commit, commit
from bitempo.engine.model import AssertionDraft, Cardinality, EntityRef, Episode, Session
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import Point
from bitempo.engine.store.sqlite.store import SqliteStore
from bitempo.engine.time import Instant, parse_instant
from bitempo.ingest.dates import find_times
from bitempo.query.recall import Recall, RecallSettings, recall


class SmallMemory:
    """One tenant of a store, with short verbs. Times are ISO 8601 text."""

    def __init__(self, store: SqliteStore | None = None, tenant: str = "anna") -> None:
        self.store = store or SqliteStore(":memory:")
        self.tenant = tenant

    def session(
        self, id: str, turns: Sequence[tuple[str, str]], at: str, known: str | None = None
    ) -> Commit:
        """Turns (actor, text) with the ids `<session>:<n>`, all at one time."""
        episodes = tuple(
            Episode(
                id=f"{id}:{n}",
                text=text,
                occurred_at=instant(at) + n,
                session=id,
                position=n,
                actor=actor,
            )
            for n, (actor, text) in enumerate(turns)
        )
        return self._commit(
            Batch(sessions=(Session(id, instant(at)),), episodes=episodes), known or at
        )

    def claim(
        self,
        subject: str,
        predicate: str,
        object: str,
        text: str,
        evidence: str,
        known: str,
        *,
        key: str = "0",
        since: str | None = None,
        until: str | None = None,
        importance: int = 5,
        trust: int = 5,
        single: bool = False,
        aliases: tuple[str, ...] = (),
    ) -> Commit:
        """One claim about an entity, cited to a turn that is there already."""
        draft = AssertionDraft(
            subject=EntityRef(subject, aliases=aliases),
            predicate=predicate,
            object=EntityRef(object),
            text=text,
            evidence=(evidence,),
            key=key,
            valid_from=instant(since) if since else None,
            valid_to=instant(until) if until else None,
            importance=importance,
            trust=trust,
            cardinality=Cardinality.ONE if single else Cardinality.MANY,
        )
        return self._commit(Batch(drafts=(draft,)), known)

    def retract_episode(self, id: str, known: str) -> Commit:
        return self._commit(Batch(retract_episodes=(id,)), known)

    def recall(
        self,
        question: str,
        at: str | None = "2030-01-01",
        known: str = "2030-01-01",
        settings: RecallSettings | None = None,
    ) -> Recall:
        point = Point(instant(known), None if at is None else instant(at))
        with self.store.read(self.tenant) as reader:
            return recall(
                reader,
                question,
                point=point,
                settings=settings or RecallSettings(),
                find_times=find_times,
            )

    def _commit(self, batch: Batch, known: str) -> Commit:
        return commit(self.store, self.tenant, batch, PredicatePolicy.default(), instant(known))


def instant(text: str) -> Instant:
    """The instant at which the time starts."""
    return parse_instant(text)


def ids(recalled: Recall, kind: str | None = None) -> list[str]:
    """The ids of the items, best first."""
    return [item.id for item in recalled.items if kind in (None, item.kind)]
