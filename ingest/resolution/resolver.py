"""Resolution of one window: which of the names in an extraction are one thing with another.

What it finds goes into the same commit as the window's claims, as assertions of the predicate
SAME_AS that cite the turn which brings the name up. They are evidence like any other: to retract
one parts the two again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from bitempo.engine.model import AssertionDraft
from bitempo.engine.names import digest
from bitempo.ingest.extraction import Extraction, Window
from bitempo.ingest.metering import Meter
from bitempo.ingest.resolution.candidates import KnownEntities
from bitempo.ingest.resolution.matching import Judged, agreed, settled
from bitempo.ingest.resolution.mentions import with_owners
from bitempo.ingest.resolution.model import MOST_QUESTIONS, Decider, Question, Side
from bitempo.ingest.resolution.naming import SAME_AS
from bitempo.ingest.resolution.scene import Scene, Thing

RULES_VERSION = "resolution/1"


class Resolver(Protocol):
    """Finds which names of an extraction are one thing with what the memory knows."""

    @property
    def name(self) -> str:
        """Name and version."""
        ...

    def resolve(
        self, window: Window, extraction: Extraction, known: KnownEntities, meter: Meter
    ) -> Extraction:
        """The extraction with a draft more for every two names that are one thing.

        Raises:
            BudgetExceededError, ModelError: as the model that is asked raises them.
        """
        ...


@dataclass(frozen=True, slots=True)
class EntityMatcher:
    """The resolver that ships: rules, and a model for what they leave open, if there is one.

    Without a decider whatever is open stays apart.
    """

    decider: Decider | None = None

    @property
    def name(self) -> str:
        """The version of the rules, and the decider's name."""
        return RULES_VERSION if self.decider is None else f"{RULES_VERSION}+{self.decider.name}"

    def resolve(
        self, window: Window, extraction: Extraction, known: KnownEntities, meter: Meter
    ) -> Extraction:
        """As `Resolver.resolve`; the model is asked once at most, about ambiguous pairs only."""
        drafts = [with_owners(draft, window) for draft in extraction.drafts]
        scene = Scene.of(window, drafts, known)
        judged = scene.judged()
        groups = scene.groups()
        accepted, asked = settled(judged, scene.forbids, groups)
        drafts += [_draft(item, scene, RULES_VERSION) for item in accepted]
        if self.decider is not None and asked:
            asked = asked[:MOST_QUESTIONS]
            same = self.decider.same([_question(item, scene) for item in asked], meter)
            allowed = {index: reason for index, reason in same.items() if 0 <= index < len(asked)}
            decided = agreed(asked, allowed, accepted, scene.forbids, groups)
            drafts += [_draft(item, scene, self.decider.name) for item in decided]
        return replace(extraction, drafts=tuple(drafts))


def _draft(item: Judged, scene: Scene, extractor: str) -> AssertionDraft:
    new, known = scene.things[str(item.a)], scene.things[str(item.b)]
    mention = new.mention or known.mention
    assert mention is not None, "one of a pair is named in the window"
    return AssertionDraft(
        subject=new.ref,
        predicate=SAME_AS,
        object=known.ref,
        text=f"{new.ref.name} is the same as {known.ref.name}: {item.verdict.reason}",
        evidence=(mention.evidence,),
        key=f"same-{digest(new.entity.id, known.entity.id)}",
        quote=mention.quote,
        importance=1,
        confidence=item.verdict.confidence,
        inferred=not item.verdict.stated,
        extractor=extractor,
    )


def _question(item: Judged, scene: Scene) -> Question:
    new, known = scene.things[str(item.a)], scene.things[str(item.b)]
    turn = scene.turn_of(new) or scene.turn_of(known)
    return Question(
        new=_side(new, scene),
        known=_side(known, scene),
        turn=turn.text if turn else "",
        speaker=turn.actor if turn else None,
        doubt=item.verdict.reason,
    )


def _side(thing: Thing, scene: Scene) -> Side:
    named = thing.named
    return Side(named.name, named.type, named.aliases, tuple(scene.told_of(thing)))
