"""One write: add or retract assertions, derive what they touch, all at one transaction time."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bitempo.engine.derive import Derived, derive
from bitempo.engine.errors import EpisodeConflictError, InvalidInputError, NotFoundError
from bitempo.engine.identity import SAME_AS, Identity
from bitempo.engine.model import Assertion, AssertionDraft, Correction, Episode, Session
from bitempo.engine.names import check_id, clean_text, digest
from bitempo.engine.place import Placer, assertion_id, choose_correction, validate
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.regroup import regroup
from bitempo.engine.resolve import EntityResolver
from bitempo.engine.store.port import PlacedAssertion, Slot, Store, WriteTransaction
from bitempo.engine.time import FOREVER, Instant, Interval


@dataclass(frozen=True, slots=True)
class Batch:
    """What one write brings: sources, claims and retractions, applied together or not at all.

    `window` is the inbox window that it applies, `rejected` what was not taken of it, as JSON.
    """

    sessions: tuple[Session, ...] = ()
    episodes: tuple[Episode, ...] = ()
    drafts: tuple[AssertionDraft, ...] = ()
    retract_assertions: tuple[str, ...] = ()
    retract_episodes: tuple[str, ...] = ()
    window: str | None = None
    rejected: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """What one write did. `tx` is None when there was nothing to change.

    `assertions` holds the id of every draft of the batch, in order, whether new or there before.
    """

    tx: Instant | None
    assertions: tuple[str, ...] = ()
    new_episodes: tuple[str, ...] = ()
    new_assertions: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


def commit(
    store: Store, tenant: str, batch: Batch, policy: PredicatePolicy, now: Instant
) -> Commit:
    """Apply the batch in one transaction of the store.

    Episodes and assertions that are there already are left alone, so that a replay changes
    nothing, costs no transaction time and gives the same ids.

    Raises:
        EpisodeConflictError: an episode's id is taken by other content.
        NotFoundError: something to retract or to correct does not exist.
        InvalidInputError: a draft is malformed.
        StoreError: the store failed; nothing was written.
    """
    return store.write(tenant, now, lambda write: _Write(write, batch, policy).run())


def content_hash(episode: Episode) -> str:
    """What two episodes of one id must agree on to be the same record."""
    return digest(
        episode.kind,
        clean_text(episode.text),
        episode.session or "",
        episode.actor or "",
        str(episode.occurred_at),
        json.dumps(episode.metadata.get("statements"), sort_keys=True, ensure_ascii=False),
    )


class _Placing(NamedTuple):
    """Assertions in their slots, with what has to be written before them."""

    resolver: EntityResolver
    placer: Placer
    placed: list[PlacedAssertion]


class _Write:
    def __init__(
        self, transaction: WriteTransaction, batch: Batch, policy: PredicatePolicy
    ) -> None:
        self._transaction = transaction
        self._batch = batch
        self._policy = policy
        self._identity = Identity(transaction)
        self._touched: dict[str, Slot] = {}
        self._merging: dict[str, Slot] = {}
        self._merged: set[str] = set()

    def run(self) -> Commit:
        transaction, batch = self._transaction, self._batch
        ids = [assertion_id(draft) for draft in batch.drafts]
        if batch.window is not None and not transaction.finish_window(batch.window, batch.rejected):
            transaction.discard()
            return Commit(tx=None, assertions=tuple(ids))
        episodes = self._new_episodes()
        known = transaction.assertions(ids)
        drafts = {id: d for id, d in _by_id(ids, batch.drafts).items() if id not in known}
        retracted, silenced = self._retractions()
        if not (episodes or drafts or retracted or silenced):
            if batch.window is None:
                transaction.discard()
            return Commit(tx=None, assertions=tuple(ids))
        # All reading comes before the first writing, which a server then gets in one piece.
        placing = self._place(drafts)
        transaction.add_sessions(batch.sessions)
        transaction.add_episodes(episodes)
        self._add_assertions(placing)
        transaction.retract_episodes(silenced)
        transaction.retract_assertions([assertion.id for assertion in retracted])
        self._touch_retracted(retracted)
        derived = self._derive()
        return Commit(
            tx=transaction.tx,
            assertions=tuple(ids),
            new_episodes=tuple(episode.id for episode in episodes),
            new_assertions=tuple(drafts),
            retracted=tuple(assertion.id for assertion in retracted),
            opened=derived.opened,
            closed=derived.closed,
        )

    def _new_episodes(self) -> list[Episode]:
        existing = self._transaction.episodes([episode.id for episode in self._batch.episodes])
        new: dict[str, Episode] = {}
        for episode in self._batch.episodes:
            check_id(episode.id)
            if episode.session is not None:
                check_id(episode.session)
            other = existing.get(episode.id) or new.get(episode.id)
            if other is None:
                new[episode.id] = replace(
                    episode,
                    text=clean_text(episode.text),
                    believed=Interval(self._transaction.tx, FOREVER),
                )
            elif content_hash(other) != content_hash(episode):
                raise EpisodeConflictError(
                    f"episode {episode.id!r} exists with other content; episodes are immutable. "
                    "Use another id, or retract the old one and add what is right"
                )
        return list(new.values())

    def _retractions(self) -> tuple[list[Assertion], list[str]]:
        """The assertions to retract, and the episodes that are retracted themselves."""
        batch, transaction = self._batch, self._transaction
        found = transaction.assertions(batch.retract_assertions)
        _require(found, batch.retract_assertions, "assertion")
        retracted = {
            id: placed.assertion for id, placed in found.items() if not placed.assertion.retracted
        }
        episodes = transaction.episodes(batch.retract_episodes)
        _require(episodes, batch.retract_episodes, "episode")
        silenced = [id for id, episode in episodes.items() if _standing(episode)]
        if silenced:
            for assertion in self._unsupported_without(silenced):
                retracted[assertion.id] = assertion
        return list(retracted.values()), silenced

    def _unsupported_without(self, silenced: Collection[str]) -> list[Assertion]:
        """The assertions of which no evidence stands once the episodes are gone."""
        citing = self._transaction.evidenced_by(silenced)
        others = {id for assertion in citing for id in assertion.evidence} - set(silenced)
        standing = {
            id for id, episode in self._transaction.episodes(others).items() if _standing(episode)
        }
        return [assertion for assertion in citing if not standing.intersection(assertion.evidence)]

    def _place(self, drafts: Mapping[str, AssertionDraft]) -> _Placing | None:
        if not drafts:
            return None
        transaction = self._transaction
        for draft in drafts.values():
            validate(draft)
        resolver = EntityResolver(transaction, drafts.values())
        placer = Placer(transaction, drafts.values(), self._policy, self._identity)
        occurred = self._occurred(drafts.values())
        placed = placer.place(drafts, resolver, occurred)
        placed = self._resolve_corrections(placed, drafts)
        self._touch_corrected(item.assertion for item in placed)
        self._touch(placed)
        return _Placing(resolver, placer, placed)

    def _add_assertions(self, placing: _Placing | None) -> None:
        if placing is None:
            return
        placing.resolver.write()
        placing.placer.write()
        self._transaction.add_assertions(placing.placed)

    def _occurred(self, drafts: Iterable[AssertionDraft]) -> dict[str, Instant]:
        """When each cited episode happened; all of them must exist."""
        occurred = {episode.id: episode.occurred_at for episode in self._batch.episodes}
        cited = {id for draft in drafts for id in draft.evidence} - occurred.keys()
        stored = self._transaction.episodes(cited)
        _require(stored, cited, "episode")
        return occurred | {id: episode.occurred_at for id, episode in stored.items()}

    def _resolve_corrections(
        self, placed: Sequence[PlacedAssertion], drafts: Mapping[str, AssertionDraft]
    ) -> list[PlacedAssertion]:
        """Turn corrections that say what was said into the ids of what they mean."""
        wanted = [i for i in placed if drafts[i.assertion.id].corrects not in (None, "")]
        if not wanted:
            return list(placed)
        families = {i.slot.family for i in wanted}
        # What this very commit takes back is gone, and nothing that it adds can mean it.
        stored = [
            item
            for item in self._transaction.unretracted_in_families(families)
            if item.assertion.id not in self._batch.retract_assertions
        ]
        told: dict[object, list[PlacedAssertion]] = {}
        result = []
        for index, item in enumerate(placed):
            draft = drafts[item.assertion.id]
            # A correction in several drafts takes back the several drafts of one telling.
            telling = (item.slot.family, draft.evidence, draft.corrects)
            among = told.get(telling, [*stored, *placed[:index]])
            target = choose_correction(item, draft, among)
            if isinstance(draft.corrects, Correction):
                told[telling] = _same_telling(among, target)
            result.append(
                replace(item, assertion=replace(item.assertion, corrects=target))
                if target
                else item
            )
        ids = {item.assertion.corrects for item in result if item.assertion.corrects}
        missing = ids - drafts.keys()
        _require(self._transaction.assertions(missing), missing, "assertion to correct")
        return result

    def _touch_retracted(self, retracted: Sequence[Assertion]) -> None:
        self._touch(self._transaction.assertions([a.id for a in retracted]).values())
        self._touch_corrected(retracted)

    def _touch_corrected(self, correcting: Iterable[Assertion]) -> None:
        """What is corrected may live in another slot than its correction."""
        corrected = {assertion.corrects for assertion in correcting if assertion.corrects}
        self._touch(self._transaction.assertions(corrected).values())

    def _touch(self, placed: Iterable[PlacedAssertion]) -> None:
        for item in placed:
            assertion = item.assertion
            if assertion.predicate == SAME_AS and assertion.object is not None:
                self._merging[item.slot.key] = item.slot
                self._merged |= {assertion.subject, assertion.object}
            else:
                self._touched[item.slot.key] = item.slot

    def _derive(self) -> Derived:
        """Merges come first: they decide in which slots the rest is."""
        merges = derive(self._transaction, self._merging.values(), self._identity)
        if self._merged:
            moved = regroup(self._transaction, self._merged, self._identity)
            self._touched |= {slot.key: slot for slot in moved}
        derived = derive(self._transaction, self._touched.values(), self._identity)
        return Derived(merges.opened + derived.opened, merges.closed + derived.closed)


def _by_id(ids: Sequence[str], drafts: Sequence[AssertionDraft]) -> dict[str, AssertionDraft]:
    by_id: dict[str, AssertionDraft] = {}
    for id, draft in zip(ids, drafts, strict=True):
        if by_id.setdefault(id, draft) != draft:
            raise InvalidInputError(
                f"{by_id[id].text!r} and {draft.text!r} would both be assertion {id!r}; "
                "drafts of one episode must differ in their key"
            )
    return by_id


def _same_telling(among: Iterable[PlacedAssertion], id: str | None) -> list[PlacedAssertion]:
    """What else the telling of the assertion `id` said, where it said more than one thing."""
    among = list(among)
    chosen = next((item.assertion for item in among if item.assertion.id == id), None)
    if chosen is None:
        return []
    return [
        item
        for item in among
        if item.assertion.id != id
        and (item.assertion.evidence, item.assertion.object, item.assertion.value)
        == (chosen.evidence, chosen.object, chosen.value)
    ]


def _standing(episode: Episode) -> bool:
    return episode.believed is not None and episode.believed.end == FOREVER


def _require(found: Mapping[str, object], wanted: Collection[str], kind: str) -> None:
    missing = sorted(set(wanted) - found.keys())
    if missing:
        raise NotFoundError(f"no {kind} {', '.join(map(repr, missing[:5]))} in this tenant")
