"""What there is to import of a group, and when each part of it became known."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

from bitempo.engine.errors import InvalidRecordError
from bitempo.engine.model import EntityRef, Literal
from bitempo.engine.store.port import Reader
from bitempo.engine.time import BEGINNING, FOREVER, Instant
from bitempo.ingest.graphiti import kept
from bitempo.ingest.graphiti.claims import (
    Setting,
    Supporter,
    Taken,
    check,
    key_of,
    predicate_of,
    stages,
)
from bitempo.ingest.graphiti.model import EXTRACTOR, GraphitiEpisode, GraphitiFact, GraphitiSaga
from bitempo.ingest.graphiti.report import GraphitiImport
from bitempo.ingest.graphiti.scope import id_of, into_group
from bitempo.ingest.graphiti.source import GraphitiSource
from bitempo.ingest.sessions import Malformed

Item = TypeVar("Item")

BATCH = 500
"""How many records are read, or looked up, at once."""

UNTIMED: Instant = FOREVER
"""When something became known of which the graph does not tell: after all that it tells of."""


@dataclass(frozen=True, slots=True, order=True)
class Event:
    """That something of the record at a place of the source became known at a time."""

    at: Instant
    is_fact: bool
    place: str


@dataclass(slots=True)
class Plan:
    """The events in order of time, and what the group's episodes say about its facts.

    Episodes and sagas are under the ids that they have here, facts under their uuids. `touching`
    says which episodes touched a fact, and when; `threads` which saga an episode is part of, and
    its place there; `seen` how the fact at a place looked; `starts` which facts say the same of
    the same entities, and from when; `last` is the last time that the graph tells of.
    """

    events: list[Event] = field(default_factory=list)
    supporters: dict[str, Supporter] = field(default_factory=dict)
    touching: dict[str, list[tuple[Instant, str]]] = field(default_factory=dict)
    sagas: dict[str, GraphitiSaga] = field(default_factory=dict)
    threads: dict[str, tuple[str, int]] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    starts: dict[tuple[str, str, str], list[tuple[Instant, str]]] = field(default_factory=dict)
    predicates: set[str] = field(default_factory=set)
    last: Instant | None = None

    def setting(
        self,
        fact: GraphitiFact,
        subject: EntityRef,
        object: EntityRef | None,
        value: Literal | None,
        taken: Taken | None,
    ) -> Setting:
        """What surrounds a fact between these entities."""
        supporters = self._supporters_of(fact)
        return Setting(
            subject,
            object,
            value,
            supporters,
            self._ended_by(fact),
            self.is_alone(fact),
            late=UNTIMED,
            taken=taken,
        )

    def is_alone(self, fact: GraphitiFact) -> bool:
        """Whether no other fact says the same of the same entities from before its end."""
        end = fact.invalid_at
        return end is None or all(
            start >= end or uuid == fact.uuid for start, uuid in self.starts[_same(fact)]
        )

    def note(self, *times: Instant | None) -> None:
        """Take account of times that the graph tells of."""
        self.last = max((at for at in (self.last, *times) if at is not None), default=None)

    def _supporters_of(self, fact: GraphitiFact) -> list[Supporter]:
        known = self.supporters
        found = [known[id] for id in dict.fromkeys(map(id_of, fact.episodes)) if id in known]
        if not found:
            telling = kept.told(fact)
            return [Supporter(telling.id, fact.created_at, telling.occurred_at)]
        first = min(found, key=lambda one: one.created_at)
        if first.created_at <= fact.created_at:
            return found
        # What a fact is taken from was there when the fact was.
        early = replace(first, created_at=fact.created_at)
        return [early if one is first else one for one in found]

    def _ended_by(self, fact: GraphitiFact) -> str | None:
        """The last episode that had touched the fact, when it expired, without supporting it."""
        if fact.expired_at is None:
            return None
        touching = self.touching.get(fact.uuid, [])
        before = touching[: bisect_right(touching, fact.expired_at, key=lambda one: one[0])]
        supporting = set(map(id_of, fact.episodes))
        others = [id for _, id in before if id not in supporting]
        return others[-1] if others else None


def make_plan(source: GraphitiSource, reader: Reader, report: GraphitiImport) -> Plan:
    """Look through the group and compare with what was taken of it before."""
    plan = Plan()
    for _, saga in source.sagas():
        if isinstance(saga, Malformed):
            report.malformed.append(saga)
            continue
        plan.sagas[id_of(saga.uuid)] = saga
        for position, uuid in enumerate(saga.episodes):
            plan.threads.setdefault(id_of(uuid), (id_of(saga.uuid), position))
    planner = _Planner(plan, reader, report)
    for episodes in chunks(source.episodes(), BATCH):
        planner.episodes(episodes)
    for touching in plan.touching.values():
        touching.sort()
    for facts in chunks(source.facts(), BATCH):
        planner.facts(facts)
    planner.finish()
    report.communities = source.communities()
    return plan


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items, so many at a time."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


class _Planner:
    def __init__(self, plan: Plan, reader: Reader, report: GraphitiImport) -> None:
        self._plan = plan
        self._reader = reader
        self._report = report
        self._fresh = reader.last_tx() is None
        self._wanted: dict[str, tuple[Instant, str]] = {}
        self._denied: list[tuple[str, GraphitiFact]] = []

    def episodes(self, found: Sequence[tuple[str, GraphitiEpisode | Malformed]]) -> None:
        """Take account of episodes."""
        sound = self._sound(found, GraphitiEpisode)
        known = {} if self._fresh else self._reader.episodes([id_of(e.uuid) for _, e in sound])
        for place, episode in sound:
            id, at = id_of(episode.uuid), episode.created_at
            self._plan.supporters[id] = Supporter(id, at, episode.valid_at)
            self._plan.note(at)
            for fact in episode.entity_edges:
                self._plan.touching.setdefault(fact, []).append((at, id))
            if id not in known:
                self._wanted[id] = (at, place)

    def facts(self, found: Sequence[tuple[str, GraphitiFact | Malformed]]) -> None:
        """Plan what is new about facts."""
        sound = self._sound(found, GraphitiFact)
        records = self._records([fact.uuid for _, fact in sound])
        ours = self._asserted_here([fact for _, fact in sound if fact.uuid not in records])
        for place, fact in sound:
            self._plan.note(fact.created_at, fact.expired_at)
            start = BEGINNING if fact.valid_at is None else fact.valid_at
            self._plan.starts.setdefault(_same(fact), []).append((start, fact.uuid))
            taken = records.get(fact.uuid)
            if fact.uuid in ours or (taken is not None and taken.fact == fact):
                self._report.unchanged += 1
                if taken is not None and taken.denial is not None:
                    self._denied.append((place, fact))
                continue
            try:
                check(fact)
            except InvalidRecordError as error:
                uuid = into_group(fact.uuid, self._report.group_id)
                self._report.malformed.append(Malformed(f"RELATES_TO {uuid}", str(error)))
                continue
            self._plan_fact(place, fact, taken)

    def finish(self) -> None:
        """Put the events in order, with what new facts change about the ends of others."""
        for place, fact in self._denied:
            if not self._plan.is_alone(fact):
                self._plan.seen[place] = hash(repr(fact))
                self._plan.events.append(Event(UNTIMED, True, place))
        self._plan.events.extend(Event(at, False, place) for at, place in self._wanted.values())
        self._report.episodes = len(self._wanted)
        threads = (self._plan.threads.get(id) for id in self._wanted)
        self._report.sagas = len({thread[0] for thread in threads if thread is not None})
        self._plan.events = sorted(set(self._plan.events))

    def _plan_fact(self, place: str, fact: GraphitiFact, taken: Taken | None) -> None:
        plan = self._plan
        subject, object = EntityRef(fact.source), EntityRef(fact.target)
        setting = plan.setting(fact, subject, object, None, taken)
        told, _ = stages(fact, setting)
        for supporter in setting.supporters:
            if supporter.id in self._wanted:
                at, where = self._wanted[supporter.id]
                self._wanted[supporter.id] = (min(at, supporter.created_at), where)
        plan.seen[place] = hash(repr(fact))
        times = {stage.at for stage in told} or {UNTIMED if taken else fact.created_at}
        plan.events.extend(Event(at, True, place) for at in times)
        if taken is None:
            self._report.facts += 1
            return
        self._report.changed += 1
        if taken.denial is not None:
            self._denied.append((place, fact))

    def _records(self, uuids: Sequence[str]) -> Mapping[str, Taken]:
        if self._fresh:
            return {}
        found = kept.latest(self._reader, "fact", uuids)
        return {uuid: kept.taken_fact(record) for uuid, (_, record) in found.items()}

    def _asserted_here(self, facts: Sequence[GraphitiFact]) -> set[str]:
        """Facts that this very tenant has exported: their assertions are here."""
        if self._fresh:
            return set()
        by_claim = defaultdict(list)
        for fact in facts:
            for episode in map(id_of, fact.episodes):
                by_claim[f"{episode}#{key_of(fact.uuid, episode)}"].append(fact.uuid)
        return {
            uuid
            for id, assertion in self._reader.assertions(by_claim).items()
            if assertion.extractor != EXTRACTOR
            for uuid in by_claim[id]
        }

    def _sound(
        self, found: Sequence[tuple[str, Item | Malformed]], kind: type[Item]
    ) -> list[tuple[str, Item]]:
        self._report.malformed.extend(one for _, one in found if isinstance(one, Malformed))
        return [(place, one) for place, one in found if isinstance(one, kind)]


def _same(fact: GraphitiFact) -> tuple[str, str, str]:
    return fact.source, predicate_of(fact), fact.target
