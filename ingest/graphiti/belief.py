"""A tenant's belief as facts of Graphiti.

What came from Graphiti goes back as it was, unless belief in it has changed here since. What is
our own becomes one fact for each that is believed now, those that have ended included.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from bitempo.engine.model import Assertion, Literal
from bitempo.engine.names import value_key
from bitempo.engine.time import BEGINNING, FOREVER, Instant, format_instant
from bitempo.ingest.graphiti.claims import Taken
from bitempo.ingest.graphiti.gather import Current, Gathered
from bitempo.ingest.graphiti.importer import entity_id
from bitempo.ingest.graphiti.model import GraphitiEntity, GraphitiFact
from bitempo.ingest.graphiti.scope import own


@dataclass(frozen=True, slots=True)
class Believed:
    """A fact to export; `ours` when it is not as Graphiti had it."""

    fact: GraphitiFact
    ours: bool


@dataclass(slots=True)
class Belief:
    """Goes through what was gathered of a tenant; `now` says which ends are past.

    `literals` fills up with the entities that have to stand for literal values.
    """

    found: Gathered
    now: Instant
    literals: dict[str, GraphitiEntity] = field(default_factory=dict)
    uuids: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.uuids = {entity_id(one.uuid): one.uuid for _, one in self.found.kept.values()}
        for _, taken in self.found.taken.values():
            for uuid in (taken.fact.source, taken.fact.target):
                # An export of an earlier version gave our ids as uuids, and nothing is kept of
                # its entities; facts are found by their ends.
                if uuid.startswith("ent_"):
                    self.uuids.setdefault(entity_id(uuid), uuid)

    def facts(self) -> Iterator[Believed]:
        """Every fact: Graphiti's, then ours."""
        covered: set[str] = set()
        for _, taken in self.found.taken.values():
            fact, changed, folded = self._again(taken)
            covered.update(folded)
            yield Believed(fact, changed)
        # A fact that an export of ours wrote has the id of its lead already.
        used = set(self.found.taken)
        for current in sorted(self.found.current, key=_start):
            native = self.found.native(current)
            if native and current.fact.id not in covered:
                yield Believed(self._own(current, native, used), True)

    def uuid_of(self, entity: str) -> str:
        """The uuid of an entity of ours in Graphiti: its own there, or one of ours."""
        return self.uuids.get(entity, own(entity))

    def _again(self, taken: Taken) -> tuple[GraphitiFact, bool, set[str]]:
        """Graphiti's fact as it is believed now, whether that changed, and what it speaks for."""
        fact = taken.fact
        claims, undone = self._claims(taken)
        for id in claims & self.found.assertions.keys():
            assertion = self.found.assertions[id]
            if assertion.value is not None:
                # An entity of an earlier export of ours, which no record is kept of.
                self._literal(fact.target, assertion.value, assertion)
        supported = {
            current.fact.id: current
            for id in claims
            for current in self.found.supported.get(id, ())
        }
        if not supported:
            return *self._given_up(fact, claims), set()
        stated = FOREVER if fact.invalid_at is None else fact.invalid_at
        last = max(supported.values(), key=lambda one: one.fact.valid.end)
        end = last.fact.valid.end
        if end < stated:
            expired = fact.expired_at or self.found.learnt(last.fact) or last.since
            return replace(fact, invalid_at=end, expired_at=expired), True, set()
        if end > stated and not undone:
            # Another claim of the same value goes on, and is a fact of its own.
            return fact, False, set()
        if end > stated:
            if end == FOREVER:
                return replace(fact, invalid_at=None, expired_at=None), True, set()
            return replace(fact, invalid_at=end), True, set()
        evidence = [e for a in self.found.native(last) for e in self._standing(a)]
        uuids = [self.found.told[id].uuid for id in dict.fromkeys(evidence)]
        added = tuple(uuid for uuid in uuids if uuid not in fact.episodes)
        return replace(fact, episodes=fact.episodes + added), bool(added), {last.fact.id}

    def _claims(self, taken: Taken) -> tuple[set[str], bool]:
        """The claims that speak for the fact, and whether its end has been taken back here."""
        assertions = self.found.assertions
        denial = assertions.get(taken.denial) if taken.denial else None
        undone = denial is not None and denial.retracted
        claims = set()
        for id in taken.claims.values():
            claim = assertions.get(id)
            while claim is not None and claim.retracted and claim.corrects is not None:
                claim, undone = assertions.get(claim.corrects), True
            if claim is not None:
                claims.add(claim.id)
        return claims, undone

    def _given_up(self, fact: GraphitiFact, claims: set[str]) -> tuple[GraphitiFact, bool]:
        """The fact, expired when belief in it ended here, if it was believed at all."""
        ends = [self.found.given_up[id] for id in claims if id in self.found.given_up]
        if fact.expired_at is not None or not ends or max(ends) == FOREVER:
            return fact, False
        return replace(fact, expired_at=max(ends)), True

    def _own(self, current: Current, native: Sequence[Assertion], used: set[str]) -> GraphitiFact:
        fact = current.fact
        lead = self.found.assertions[fact.lead]
        start = fact.valid.start
        id = fact.lead if fact.lead not in used else f"{fact.lead}@{format_instant(start)}"
        used.add(fact.lead)
        end = None if fact.valid.end == FOREVER else fact.valid.end
        evidence = dict.fromkeys(e for a in native for e in self._standing(a))
        told = [self.found.told[id] for id in evidence]
        if fact.object:
            target = self.uuid_of(fact.object)
        else:
            target = own(value_key(None, fact.value) or "")
            self._literal(target, fact.value, lead)
        return GraphitiFact(
            uuid=own(id),
            source=self.uuid_of(fact.subject),
            target=target,
            name=fact.predicate,
            fact=fact.text,
            created_at=lead.recorded_at,
            episodes=tuple(one.uuid for one in told),
            valid_at=None if fact.from_inferred or start == BEGINNING else start,
            invalid_at=end,
            expired_at=None if end is None else self._expired(current, end, lead),
            reference_time=told[0].occurred_at if told else None,
        )

    def _expired(self, current: Current, end: Instant, lead: Assertion) -> Instant | None:
        """When the end was learnt; one that was told with the fact expires it once it is past."""
        learnt = self.found.learnt(current.fact)
        if learnt is not None and learnt > lead.recorded_at:
            return learnt
        return lead.recorded_at if end <= self.now else None

    def _standing(self, assertion: Assertion) -> list[str]:
        return [id for id in assertion.evidence if id in self.found.told]

    def _literal(self, uuid: str, value: Literal | None, lead: Assertion) -> None:
        """Have an entity of this uuid stand for a literal."""
        text = value if isinstance(value, str) and value.strip() else json.dumps(value)
        created_at = lead.recorded_at
        if uuid in self.literals:
            created_at = min(created_at, self.literals[uuid].created_at)
        self.literals[uuid] = GraphitiEntity(
            uuid, text, created_at, literal=json.dumps(value, ensure_ascii=False)
        )


def _start(current: Current) -> tuple[Instant, str]:
    return current.fact.valid.start, current.fact.id
