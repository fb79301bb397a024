"""What is true now, what was true then, what we knew then: reads of facts in both times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bitempo.engine.errors import InvalidInputError, NotFoundError
from bitempo.engine.model import Assertion, Entity, Episode, Fact, Modality
from bitempo.engine.policy import normalise_predicate
from bitempo.engine.store.port import FactQuery, Neighbour, OneWith, Point, Reader
from bitempo.engine.time import FOREVER, Instant
from bitempo.query.merges import merges
from bitempo.query.subjects import Subject, meant, named, whole

__all__ = [
    "Diff",
    "Evidence",
    "Subject",
    "Why",
    "as_of",
    "diff",
    "entities",
    "fact_version",
    "neighbours",
    "predicates_but",
    "versions",
    "why",
]

MOST_HOPS = 8
"""How far a walk may go: the entities of one person's memory are hardly further apart."""

SENTENCES = "STATES"
"""The predicate of facts that are whole sentences."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """An assertion and the episodes it was taken from."""

    assertion: Assertion
    episodes: tuple[Episode, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """Why a fact is believed.

    `superseded` is what held in its slot just before it, `superseded_by` what holds just after,
    both as known at the same time. `contested` are lower-trust claims it withstood, `conflicts`
    claims with an equal start that it was decided against, `corrected` what its support corrects.
    `merges` is what makes entities that the support names one with those of the fact.
    """

    fact: Fact
    support: tuple[Evidence, ...]
    contested: tuple[Evidence, ...] = ()
    conflicts: tuple[Evidence, ...] = ()
    corrected: tuple[Evidence, ...] = ()
    superseded: Fact | None = None
    superseded_by: Fact | None = None
    merges: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Diff:
    """How belief changed between two transaction times."""

    known_a: Instant
    known_b: Instant
    believed: tuple[Fact, ...]
    """Facts believed at `known_b` and not at `known_a`."""
    no_longer: tuple[Fact, ...]
    """Facts believed at `known_a` and not at `known_b`."""


def as_of(
    reader: Reader,
    point: Point,
    *,
    subject: Subject | None = None,
    predicate: str | None = None,
    modality: Modality | None = None,
    limit: int | None = None,
) -> list[Fact]:
    """The facts of a slot, an entity (without a predicate) or everything, at one point.

    With `point.valid_at=None`, the facts of every valid time as known then: the history. Ordered
    by valid start. A subject or predicate that nothing is known of gives an empty list.
    """
    return reader.facts(
        FactQuery(
            point=point,
            subjects=None if subject is None else meant(reader, subject, point.known_at),
            predicates=None if predicate is None else [normalise_predicate(predicate)],
            modality=modality,
            limit=limit,
        )
    )


def versions(
    reader: Reader, subject: Subject, predicate: str | None, modality: Modality | None = None
) -> list[Fact]:
    """Every version ever believed of a slot, those that were given up included.

    Of what is one with the subject now too, and of what stood for it while they were believed.
    """
    ids = meant(reader, subject, FOREVER - 1)
    over = reader.stood_for(ids)
    found = reader.facts(
        FactQuery(
            subjects=ids.union(one.canonical for one in over),
            predicates=None if predicate is None else [normalise_predicate(predicate)],
            modality=modality,
        )
    )
    return [fact for fact in found if fact.subject.id in ids or _stood_for(over, fact)]


def neighbours(
    reader: Reader,
    point: Point,
    subject: Subject,
    *,
    hops: int = 1,
    fan_out: int = 50,
    predicate: str | None = None,
    modality: Modality | None = None,
    sentences: bool = True,
) -> list[Neighbour]:
    """The facts around an entity at one point, nearest first; see `Reader.neighbourhood`.

    Args:
        hops: how many facts to go at most, 1 to `MOST_HOPS`.
        fan_out: how many facts to take of each entity at most.
        predicate: go along facts of this predicate only.
        sentences: whether to take facts that are whole sentences.

    Raises:
        InvalidInputError: `hops` or `fan_out` is out of range.
    """
    if not 1 <= hops <= MOST_HOPS:
        raise InvalidInputError(f"hops must be 1 to {MOST_HOPS}, not {hops}")
    if fan_out < 1:
        raise InvalidInputError(f"fan_out must be 1 or more, not {fan_out}")
    along = None if predicate is None else [normalise_predicate(predicate)]
    if not sentences:
        known = along or predicates_but(reader)
        along = [name for name in known if name != SENTENCES]
    return reader.neighbourhood(
        meant(reader, subject, point.known_at),
        point,
        hops=hops,
        fan_out=fan_out,
        predicates=along,
        modality=modality,
    )


def entities(
    reader: Reader, subject: Subject | None, known_at: Instant, limit: int | None = None
) -> list[Entity]:
    """The entities that a name, an alias or an id meant then, or all, up to a limit.

    Those that were merged are one, the canonical one, with the names of all as its aliases.
    """
    if subject is None:
        found = reader.list_entities(None, limit, known_at)
    else:
        known = reader.entities(named(reader, subject, known_at), known_at).values()
        found = [entity for entity in known if entity.created_at <= known_at]
    return whole(reader, found, known_at)[:limit]


def diff(reader: Reader, known_a: Instant, known_b: Instant) -> Diff:
    """What we came to believe, and stopped believing, from `known_a` to `known_b`.

    A version that only changed in what supports it is no change of belief. Asking backwards
    (`known_b` before `known_a`) swaps the two sides.
    """
    first, last = sorted((known_a, known_b))
    changed = reader.changed_facts(first, last)
    before = {_belief(fact): fact for fact in changed if first in fact.believed}
    after = {_belief(fact): fact for fact in changed if last in fact.believed}
    gained = tuple(fact for belief, fact in after.items() if belief not in before)
    lost = tuple(fact for belief, fact in before.items() if belief not in after)
    if known_a > known_b:
        gained, lost = lost, gained
    return Diff(known_a, known_b, gained, lost)


def why(reader: Reader, fact_id: str, known_at: Instant | None = None) -> Why:
    """A fact's evidence back to the turns, with what it superseded and withstood.

    Args:
        fact_id: any version's id.
        known_at: when it is asked; by default while the version was believed, at its last.

    Raises:
        NotFoundError: no such fact, or it was not believed at `known_at`.
    """
    fact, point = fact_version(reader, fact_id, known_at)
    known = point.known_at
    cited = {*fact.support, *fact.contested, *fact.conflicts}
    assertions = reader.assertions(cited)
    corrected = reader.assertions(
        {a.corrects for id in fact.support if (a := assertions[id]).corrects is not None}
    )
    merging = _merging(reader, fact, [assertions[id] for id in fact.support], known)
    everything = assertions | corrected | merging
    episodes = reader.episodes({id for a in everything.values() for id in a.evidence})

    def evidence(ids: Iterable[str]) -> tuple[Evidence, ...]:
        return tuple(
            Evidence(everything[id], tuple(episodes[e] for e in everything[id].evidence))
            for id in ids
            if id in everything
        )

    slot = reader.facts(FactQuery(point=point, slots=[fact.slot]))
    return Why(
        fact=fact,
        support=evidence(fact.support),
        contested=evidence(fact.contested),
        conflicts=evidence(fact.conflicts),
        corrected=evidence(corrected),
        superseded=max(
            (f for f in slot if f.valid.end <= fact.valid.start),
            key=lambda f: f.valid.end,
            default=None,
        ),
        superseded_by=min(
            (f for f in slot if f.valid.start >= fact.valid.end),
            key=lambda f: f.valid.start,
            default=None,
        ),
        merges=evidence(merging),
    )


def fact_version(reader: Reader, fact: Fact | str, known_at: Instant | None) -> tuple[Fact, Point]:
    """The fact as it was believed at a time, by default its last, and that time.

    Raises:
        NotFoundError: there is no such fact, or it was not believed then.
    """
    id = fact.id if isinstance(fact, Fact) else fact
    point = Point(_asked_at(reader, id, known_at))
    found = reader.facts(FactQuery(point=point, ids=[id]))
    if not found:
        raise NotFoundError(f"fact {id!r} was not believed at the time asked for")
    return found[0], point


def predicates_but(reader: Reader, *left_out: str) -> list[str]:
    """All predicates that are known, but for these."""
    return [one.name for one in reader.predicates() if one.name not in left_out]


def _asked_at(reader: Reader, fact_id: str, known_at: Instant | None) -> Instant:
    """When a fact is asked about: then, or by default while the version was believed, at its last.

    Raises:
        NotFoundError: there is no such fact.
    """
    if known_at is not None:
        return known_at
    versions = reader.facts(FactQuery(ids=[fact_id]))
    if not versions:
        raise NotFoundError(f"no fact {fact_id!r} in this tenant")
    end = versions[0].believed.end
    return FOREVER - 1 if end == FOREVER else end - 1


def _stood_for(over: Iterable[OneWith], fact: Fact) -> bool:
    return any(
        one.canonical == fact.subject.id and one.believed.overlaps(fact.believed) for one in over
    )


def _merging(
    reader: Reader, fact: Fact, support: Iterable[Assertion], known_at: Instant
) -> dict[str, Assertion]:
    """The assertions of the merges that made what the support names the entities of the fact."""
    ends = {fact.subject.id, *([fact.object.id] if fact.object else [])}
    said = {id for a in support for id in (a.subject, a.object) if id is not None}
    if said <= ends:
        return {}
    found = merges(reader, known_at, said - ends)
    return reader.assertions({id for merge in found for id in merge.fact.support})


def _belief(fact: Fact) -> tuple[object, ...]:
    return (fact.slot, fact.object.id if fact.object else fact.value, fact.valid)
