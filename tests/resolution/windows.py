"""Windows and claims for the tests of resolution, written short."""

from __future__ import annotations

from collections.abc import Sequence

from bitempo.engine.model import AssertionDraft, Entity, EntityRef, Episode, Fact
from bitempo.engine.names import entity_id
from bitempo.engine.time import FOREVER, Interval, parse_instant
from bitempo.ingest.extraction import Extraction, Window
from bitempo.ingest.metering import Meter
from bitempo.ingest.resolution import Decider, EntityMatcher, KnownEntities, ListedEntities

SAID_AT = parse_instant("2024-05-16T12:00:00Z")
NOTHING = ListedEntities()


def entity(name: str, type: str = "person", *aliases: str) -> Entity:
    """An entity on record."""
    return Entity(entity_id(name, type), name, type, aliases, created_at=1)


def fact(subject: Entity, predicate: str, object: Entity, text: str) -> Fact:
    """A fact on record that holds now."""
    always = Interval(0, FOREVER)
    return Fact(f"f-{text}", "slot", subject, predicate, text, always, always, object=object)


def window(*said: tuple[str, str], context: Sequence[tuple[str, str]] = ()) -> Window:
    """A window of (speaker, text) turns with the ids t0, t1, …"""
    return Window("window", "session", _turns("t", said), _turns("c", context))


def claim(
    subject: str | EntityRef,
    object: str | EntityRef | None = None,
    predicate: str = "KNOWS",
    *,
    turn: str = "t0",
    type: str = "person",
    text: str = "said",
) -> AssertionDraft:
    """A claim about one or two things; names without a type of their own are of `type`."""

    def ref(named: str | EntityRef) -> EntityRef:
        return named if isinstance(named, EntityRef) else EntityRef(named, type)

    return AssertionDraft(
        subject=ref(subject),
        predicate=predicate,
        object=None if object is None else ref(object),
        value=True if object is None else None,
        text=text,
        evidence=(turn,),
        key=f"{subject}-{object}-{predicate}".replace("#", ""),
    )


def resolved(
    window: Window,
    *drafts: AssertionDraft,
    known: KnownEntities = NOTHING,
    decider: Decider | None = None,
) -> Extraction:
    """The extraction of the drafts, resolved."""
    extraction = Extraction("test/1", drafts)
    return EntityMatcher(decider).resolve_among(window, extraction, known, Meter())


def merged(
    window: Window,
    *drafts: AssertionDraft,
    known: KnownEntities = NOTHING,
    decider: Decider | None = None,
) -> set[tuple[str, str]]:
    """Pairs (new, known) of names that are taken for one thing."""
    extraction = resolved(window, *drafts, known=known, decider=decider)
    return {
        (draft.subject.name, draft.object.name)
        for draft in extraction.drafts
        if draft.predicate == "SAME_AS" and draft.object is not None
    }


def _turns(prefix: str, said: Sequence[tuple[str, str]]) -> tuple[Episode, ...]:
    return tuple(
        Episode(f"{prefix}{number}", text, SAID_AT, actor=actor, position=number)
        for number, (actor, text) in enumerate(said)
    )
