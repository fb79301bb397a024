"""What a tenant holds that an export needs, but for the texts of the episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bitempo.engine.model import Assertion, Entity, Episode, Modality, Session
from bitempo.engine.store.port import (
    BelievedFact,
    FactVersion,
    PlacedAssertion,
    Record,
    Role,
    Transaction,
)
from bitempo.engine.time import FOREVER, Instant
from bitempo.ingest.graphiti import kept
from bitempo.ingest.graphiti.claims import Taken
from bitempo.ingest.graphiti.model import EXTRACTOR, GraphitiEntity


@dataclass(frozen=True, slots=True)
class Current:
    """A fact believed now, with the assertions that support it and since when."""

    fact: FactVersion
    support: tuple[str, ...]
    since: Instant


@dataclass(frozen=True, slots=True)
class Told:
    """An episode that stands, without its text: its uuid in Graphiti, and its times."""

    uuid: str
    occurred_at: Instant
    recorded_at: Instant


@dataclass(slots=True)
class Gathered:
    """A tenant's records by id. Of what is kept of Graphiti, only the latest record counts.

    `ends` says when an end of a fact was learnt, by slot, lead and end; `given_up` when the last
    fact that a claim supported stopped being believed; `told` has the episodes that stand.
    """

    basis: Instant | None = None
    sessions: dict[str, Session] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    told: dict[str, Told] = field(default_factory=dict)
    taken: dict[str, tuple[int, Taken]] = field(default_factory=dict)
    kept: dict[str, tuple[int, GraphitiEntity]] = field(default_factory=dict)
    assertions: dict[str, Assertion] = field(default_factory=dict)
    current: list[Current] = field(default_factory=list)
    supported: dict[str, list[Current]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[tuple[str, str, Instant], Instant] = field(default_factory=dict)
    leads: dict[tuple[str, str], set[Instant]] = field(default_factory=lambda: defaultdict(set))
    given_up: dict[str, Instant] = field(default_factory=dict)
    plans: int = 0

    def native(self, current: Current) -> list[Assertion]:
        """The supporting assertions that are not Graphiti's, the earliest first."""
        found = [self.assertions[id] for id in current.support]
        own = [assertion for assertion in found if assertion.extractor != EXTRACTOR]
        return sorted(own, key=lambda one: (one.recorded_at, one.id))

    def learnt(self, fact: FactVersion) -> Instant | None:
        """When the fact's end was learnt; None when it was part of the fact from the first."""
        if len(self.leads[fact.slot, fact.lead]) < 2:
            return None
        return self.ends[fact.slot, fact.lead, fact.valid.end]


def gather(records: Iterable[Record]) -> Gathered:
    """Everything but texts, out of a tenant's dump."""
    found = Gathered()
    for record in records:
        match record:
            case Transaction(tx):
                found.basis = tx if found.basis is None else max(found.basis, tx)
            case Session():
                found.sessions[record.id] = record
            case Entity():
                found.entities[record.id] = record
            case Episode():
                _episode(found, record)
            case PlacedAssertion(assertion):
                found.assertions[assertion.id] = assertion
            case BelievedFact():
                _fact(found, record)
            case _:
                pass
    return found


def standing(records: Iterable[Record]) -> Iterator[Episode]:
    """The episodes that have not been retracted, and that are not kept for Graphiti alone."""
    for record in records:
        if isinstance(record, Episode) and _stands(record) and not kept.is_kept(record):
            yield record


def _episode(found: Gathered, episode: Episode) -> None:
    place = kept.place_of(episode)
    if place is not None:
        kind, uuid, number = place
        if kind == "fact" and number > found.taken.get(uuid, (0,))[0]:
            found.taken[uuid] = (number, kept.taken_fact(episode))
        elif kind == "entity" and number > found.kept.get(uuid, (0,))[0]:
            found.kept[uuid] = (number, kept.taken_entity(episode))
    elif _stands(episode) and not kept.is_kept(episode) and episode.believed is not None:
        uuid = kept.uuid_of(episode.id, episode.metadata)
        found.told[episode.id] = Told(uuid, episode.occurred_at, episode.believed.start)


def _fact(found: Gathered, record: BelievedFact) -> None:
    fact, believed = record.fact, record.believed
    support = [link for link in record.links if link.role == Role.SUPPORTS]
    for link in support:
        until = min(link.believed.end, believed.end)
        found.given_up[link.assertion] = max(until, found.given_up.get(link.assertion, until))
    if fact.modality is not Modality.ACTUAL:
        found.plans += believed.end == FOREVER
        return
    key = (fact.slot, fact.lead, fact.valid.end)
    found.ends[key] = min(believed.start, found.ends.get(key, believed.start))
    found.leads[fact.slot, fact.lead].add(fact.valid.end)
    if believed.end != FOREVER:
        return
    standing = tuple(link.assertion for link in support if link.believed.end == FOREVER)
    current = Current(fact, standing, believed.start)
    found.current.append(current)
    for id in standing:
        found.supported[id].append(current)


def _stands(episode: Episode) -> bool:
    return episode.believed is not None and episode.believed.end == FOREVER
