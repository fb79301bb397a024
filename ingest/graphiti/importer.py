"""Import: replay a Graphiti group as commits of ours, each at its own transaction time."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from bitempo.engine.commit import Batch, commit
from bitempo.engine.model import Cardinality, Entity, EntityRef, Episode, Literal, Session
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import Reader, Store
from bitempo.engine.time import Instant
from bitempo.ingest.graphiti import kept
from bitempo.ingest.graphiti.attributes import attribute_drafts
from bitempo.ingest.graphiti.claims import Stage, Taken, predicate_of, stages
from bitempo.ingest.graphiti.model import GraphitiEntity, GraphitiEpisode, GraphitiFact
from bitempo.ingest.graphiti.plan import BATCH, UNTIMED, Event, Plan, chunks, make_plan
from bitempo.ingest.graphiti.report import GraphitiImport
from bitempo.ingest.graphiti.scope import id_of, into_group
from bitempo.ingest.graphiti.source import GraphitiSource
from bitempo.ingest.sessions import Malformed

Progress = Callable[[int, int], None]
"""Called with the number of events done, and of all."""

# Nothing is decided by a vocabulary here: the drafts say what Graphiti holds.
_NO_POLICY = PredicatePolicy()


def import_group(
    source: GraphitiSource, store: Store, tenant: str, progress: Progress | None = None
) -> GraphitiImport:
    """Take one group into one tenant.

    What was taken before is left alone, so that an import again, or after one that broke off,
    adds only what is new. Transaction times are Graphiti's own where the tenant holds no later
    ones.

    Raises:
        StoreError: the source or the store failed; what was taken until then is kept.
    """
    report = GraphitiImport(source.group, tenant)
    with store.read(tenant) as reader:
        plan = make_plan(source, reader, report)
    report.without_offset = source.times.naive
    writer = _Writer(store, tenant, plan, report)
    done = 0
    for chunk in _whole_times(plan.events):
        for at, batch, events in _Chunk(source, store, tenant, plan, report).batches(chunk):
            writer.write(batch, at)
            done += events
            if progress is not None:
                progress(done, len(plan.events))
    _take_entities(source, store, writer, report)
    report.redacted = dict(sorted(source.redacted.items()))
    with store.read(tenant) as reader:
        report.single = tuple(
            one.name
            for one in reader.predicates()
            if one.name in plan.predicates and one.cardinality is Cardinality.ONE
        )
    return report


def entity_id(uuid: str) -> str:
    """The id of the entity that Graphiti's becomes; an export of ours gives back its own."""
    id = id_of(uuid)
    return id if id.startswith("ent_") else f"ent_{id}"


class _Writer:
    """Commits batches, at the time of each or, where there is none, at the graph's last."""

    def __init__(self, store: Store, tenant: str, plan: Plan, report: GraphitiImport) -> None:
        self._store = store
        self.tenant = tenant
        self.plan = plan
        self._report = report

    def write(self, batch: Batch, at: Instant) -> None:
        now = at if at != UNTIMED or self.plan.last is None else self.plan.last
        tx = commit(self._store, self.tenant, batch, _NO_POLICY, now).tx
        if tx is None:
            return
        report = self._report
        report.late += at not in (UNTIMED, tx)
        report.first_tx = tx if report.first_tx is None else report.first_tx
        report.last_tx = tx


class _Chunk:
    """Some events, with all that is needed to turn them into batches."""

    def __init__(
        self,
        source: GraphitiSource,
        store: Store,
        tenant: str,
        plan: Plan,
        report: GraphitiImport,
    ) -> None:
        self._source = source
        self._store = store
        self._tenant = tenant
        self._plan = plan
        self._report = report

    def batches(self, events: Sequence[Event]) -> Iterator[tuple[Instant, Batch, int]]:
        """One batch for each time, and how many events are in it."""
        episodes = self._source.episodes_at([e.place for e in events if not e.is_fact])
        told = self._tellings({e.place for e in events if e.is_fact})
        for at, group in groupby(events, key=lambda event: event.at):
            batches = [
                told.get(event.place, {}).get(at, Batch())
                if event.is_fact
                else self._episode(episodes.get(event.place))
                for event in group
            ]
            yield at, _joined(batches), len(batches)

    def _episode(self, episode: GraphitiEpisode | None) -> Batch:
        if episode is None:
            return Batch()
        thread = self._plan.threads.get(id_of(episode.uuid))
        sessions: tuple[Session, ...] = ()
        if thread is not None:
            saga = self._plan.sagas[thread[0]]
            metadata = kept.saga_metadata(saga)
            sessions = (Session(thread[0], saga.created_at, metadata=metadata),)
        return Batch(sessions=sessions, episodes=(kept.source_episode(episode, thread),))

    def _tellings(self, places: Collection[str]) -> dict[str, dict[Instant, Batch]]:
        """What to write about each fact, by time."""
        facts = self._source.facts_at(places)
        # A fact that was written to since it was looked at comes with the next import.
        facts = {p: f for p, f in facts.items() if hash(repr(f)) == self._plan.seen[p]}
        ends = {uuid for fact in facts.values() for uuid in (fact.source, fact.target)}
        entities = self._source.entities_with(ends)
        with self._store.read(self._tenant) as reader:
            names = _Names(entities, reader.entities([entity_id(uuid) for uuid in entities]))
            records = kept.latest(reader, "fact", [fact.uuid for fact in facts.values()])
            taken = _standing(reader, records)
        told = {}
        for place, fact in facts.items():
            if fact.source in entities and fact.target in entities:
                number = records[fact.uuid][0] + 1 if fact.uuid in records else 1
                told[place] = self._telling(fact, names, taken.get(fact.uuid), number)
                self._plan.predicates.add(predicate_of(fact))
            else:
                self._report.malformed.append(
                    Malformed(
                        f"RELATES_TO {into_group(fact.uuid, self._source.group)}",
                        "one of its entities cannot be read",
                    )
                )
        return told

    def _telling(
        self, fact: GraphitiFact, names: _Names, taken: Taken | None, number: int
    ) -> dict[Instant, Batch]:
        value = names.literal(fact.target)
        object = names.ref(fact.target) if value is None else None
        setting = self._plan.setting(fact, names.ref(fact.source), object, value, taken)
        told, stands = stages(fact, setting)
        last = told[-1].at if told else (UNTIMED if taken else fact.created_at)
        batches = {stage.at: _batch(stage) for stage in told}
        record = kept.fact_record(stands, number)
        batches[last] = _joined([batches.get(last, Batch()), Batch(episodes=(record,))])
        if any(supporter.id == kept.told_id(fact.uuid) for supporter in setting.supporters):
            first = min(batches)
            batches[first] = _joined([batches[first], Batch(episodes=(kept.told(fact),))])
        return batches


class _Names:
    """The entities of some facts, under the names that they have here."""

    def __init__(self, found: Mapping[str, GraphitiEntity], stored: Mapping[str, Entity]) -> None:
        self._found = found
        self._stored = stored

    def ref(self, uuid: str) -> EntityRef:
        entity = self._found[uuid]
        id = entity_id(uuid)
        type = entity.labels[0] if entity.labels else ""
        here = self._stored.get(id)
        if here is None or here.name == entity.name:
            return EntityRef(entity.name, type, id=id)
        return EntityRef(here.name, type, (entity.name,), id)

    def literal(self, uuid: str) -> Literal | None:
        """The literal that an export of ours made this entity of."""
        text = self._found[uuid].literal
        value: Literal | None = None if text is None else json.loads(text)
        return value


def _take_entities(
    source: GraphitiSource, store: Store, writer: _Writer, report: GraphitiImport
) -> None:
    """Keep the entities as they are read, and their attributes as claims."""
    for chunk in chunks(source.entities(), BATCH):
        report.malformed.extend(one for _, one in chunk if isinstance(one, Malformed))
        sound = [one for _, one in chunk if isinstance(one, GraphitiEntity)]
        with store.read(writer.tenant) as reader:
            records = kept.latest(reader, "entity", [entity.uuid for entity in sound])
            names = _Names(
                {entity.uuid: entity for entity in sound},
                reader.entities([entity_id(entity.uuid) for entity in sound]),
            )
        batches = []
        for entity in sound:
            number, record = records.get(entity.uuid, (0, None))
            before = None if record is None else kept.taken_entity(record)
            if before == entity or _is_ours(entity):
                continue
            at = entity.created_at if before is None else writer.plan.last or entity.created_at
            new = kept.entity_record(entity, number + 1, at)
            drafts = attribute_drafts(names.ref(entity.uuid), entity, before, new)
            batches.append(Batch(episodes=(new,), drafts=tuple(drafts)))
            report.entities += 1
        if batches:
            writer.plan.note(*(entity.created_at for entity in sound))
            writer.write(_joined(batches), UNTIMED)


def _is_ours(entity: GraphitiEntity) -> bool:
    """Whether there is nothing in it that an export of ours did not put there."""
    if entity.literal is not None:
        return True
    return entity.uuid.startswith("ent_") and not entity.summary and not entity.attributes


def _standing(reader: Reader, records: Mapping[str, tuple[int, Episode]]) -> dict[str, Taken]:
    """How the facts stood, and which of their claims have been retracted here since."""
    taken = {uuid: kept.taken_fact(record) for uuid, (_, record) in records.items()}
    found = reader.assertions({id for one in taken.values() for id in one.claims.values()})
    gone = {id for id, assertion in found.items() if assertion.retracted}
    return {
        uuid: replace(one, retracted=frozenset(s for s, id in one.claims.items() if id in gone))
        for uuid, one in taken.items()
    }


def _batch(stage: Stage) -> Batch:
    return Batch(drafts=tuple(stage.drafts), retract_assertions=tuple(stage.retract))


def _joined(batches: Sequence[Batch]) -> Batch:
    sessions = {s.id: s for batch in batches for s in batch.sessions}
    return Batch(
        sessions=tuple(sessions.values()),
        episodes=tuple(one for batch in batches for one in batch.episodes),
        drafts=tuple(one for batch in batches for one in batch.drafts),
        retract_assertions=tuple(one for batch in batches for one in batch.retract_assertions),
    )


def _whole_times(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    """The events in chunks that do not part those of one time."""
    start = 0
    while start < len(events):
        end = min(start + BATCH, len(events))
        while end < len(events) and events[end].at == events[end - 1].at:
            end += 1
        yield events[start:end]
        start = end
