"""Resolution of one window: which of the names in an extraction are one thing with another.

What it finds goes into the same commit as the window's claims, as assertions of the predicate
SAME_AS that cite the turn which brings the name up. They are evidence like any other: to retract
one parts the two again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from bitempo.engine.errors import ModelError
from bitempo.engine.identity import SAME_AS
from bitempo.engine.model import AssertionDraft, Cardinality
from bitempo.engine.names import digest, normalise_name
from bitempo.engine.store.port import Reader
from bitempo.ingest.extraction import Extraction, Note, Window
from bitempo.ingest.metering import Meter
from bitempo.ingest.resolution.candidates import KnownEntities
from bitempo.ingest.resolution.decision import NEAR
from bitempo.ingest.resolution.matching import Judged, agreed, settled
from bitempo.ingest.resolution.mentions import with_believed_aliases, with_owners
from bitempo.ingest.resolution.model import (
    MOST_QUESTIONS,
    Decider,
    Question,
    Side,
    UndecidedError,
)
from bitempo.ingest.resolution.record import EntitiesOnRecord
from bitempo.ingest.resolution.scene import Scene, Thing

if TYPE_CHECKING:
    from bitempo.engine.embedding import Embedder
    from bitempo.ingest.resolution.likeness import Likeness, Near

RULES_VERSION = "resolution/1"


Reading = Callable[[], AbstractContextManager[Reader]]
"""Opens a read of the tenant's memory."""


class Resolver(Protocol):
    """Finds which names of an extraction are one thing with what the memory knows."""

    @property
    def name(self) -> str:
        """Name and version."""
        ...

    def resolve(
        self, window: Window, extraction: Extraction, read: Reading, meter: Meter
    ) -> Extraction:
        """The extraction with a draft more for every two names that are one thing.

        No read may be open while a model is asked.

        Raises:
            BudgetExceededError, ModelError: as the model that is asked raises them.
        """
        ...


class _NoResolution:
    name = "none"

    def resolve(
        self, window: Window, extraction: Extraction, read: Reading, meter: Meter
    ) -> Extraction:
        del window, read, meter
        return extraction


NO_RESOLUTION: Resolver = _NoResolution()
"""Leaves all names apart that are not spelled alike."""


class EntityMatcher:
    """The resolver that ships: rules, and a model for what they leave open, if there is one.

    Args:
        decider: asked at most once for a window; without one, whatever is open stays apart.
        embedder: finds what the decider is asked about by the meaning of names too.
    """

    def __init__(self, decider: Decider | None = None, embedder: Embedder | None = None) -> None:
        self._decider = decider
        self._likeness: Likeness | None = None
        # Without a model nothing comes of likeness alone, and arrays take long to import.
        if decider is not None and embedder is not None:
            from bitempo.ingest.resolution.likeness import Likeness

            self._likeness = Likeness(embedder)

    @property
    def name(self) -> str:
        """The version of the rules, and the decider's name."""
        return RULES_VERSION if self._decider is None else f"{RULES_VERSION}/{self._decider.name}"

    def resolve(
        self, window: Window, extraction: Extraction, read: Reading, meter: Meter
    ) -> Extraction:
        """As `Resolver.resolve`."""
        near, failed = self._near(window, extraction, read)
        with read() as reader:
            valid_at = max(turn.occurred_at for turn in window.episodes)
            known = EntitiesOnRecord(reader, valid_at, near)
            drafts, scene, merged, asked = _by_rules(window, extraction, known)
        extraction = replace(extraction, notes=(*extraction.notes, *failed))
        return self._asked(extraction, drafts, scene, merged, asked, meter)

    def resolve_among(
        self, window: Window, extraction: Extraction, known: KnownEntities, meter: Meter
    ) -> Extraction:
        """As `resolve`, against entities that are known without a store."""
        return self._asked(extraction, *_by_rules(window, extraction, known), meter)

    def _near(
        self, window: Window, extraction: Extraction, read: Reading
    ) -> tuple[Near, list[Note]]:
        """What an embedder finds near, and a note where it failed; no read is open meanwhile."""
        if self._likeness is None:
            return {}, []
        from bitempo.ingest.resolution.likeness import compared

        with read() as reader:
            names, entities = compared(_names(window, extraction), reader)
        try:
            return self._likeness.near(names, entities, NEAR), []
        except ModelError as error:
            remark = f"likeness of names was left out: {error}"
            return {}, [Note(f"{len(names)} names", remark)]

    def _asked(
        self,
        extraction: Extraction,
        drafts: Sequence[AssertionDraft],
        scene: Scene,
        merged: Sequence[Judged],
        asked: Sequence[Judged],
        meter: Meter,
    ) -> Extraction:
        """The extraction with what the rules found, and what the model says to the rest."""
        found = [_draft(item, scene, RULES_VERSION) for item in merged]
        notes = list(extraction.notes)
        if self._decider is not None and asked:
            asked = asked[:MOST_QUESTIONS]
            try:
                same = self._decider.same([_question(item, scene) for item in asked], meter)
            except UndecidedError as error:
                notes.append(Note(f"{len(asked)} pairs of names", f"they stay apart: {error}"))
                same = {}
            allowed = {index: reason for index, reason in same.items() if 0 <= index < len(asked)}
            decided = agreed(asked, allowed, merged, scene.forbids, scene.groups())
            found += [_draft(item, scene, self.name) for item in decided]
        return replace(extraction, drafts=(*drafts, *found), notes=tuple(notes))


def _by_rules(
    window: Window, extraction: Extraction, known: KnownEntities
) -> tuple[list[AssertionDraft], Scene, list[Judged], list[Judged]]:
    """The drafts with owners by name, and what is merged and what is open by the rules."""
    drafts = [with_owners(draft, window) for draft in extraction.drafts]
    scene = Scene.of(window, drafts, known)
    merged, asked = settled(scene.judged(), scene.forbids, scene.groups())
    return with_believed_aliases(drafts, window), scene, merged, asked


def _names(window: Window, extraction: Extraction) -> set[str]:
    """The names, normalised, of what the claims are about."""
    drafts = (with_owners(draft, window) for draft in extraction.drafts)
    refs = (ref for draft in drafts for ref in (draft.subject, draft.object))
    return {normalise_name(ref.name) for ref in refs if ref is not None and ref.name.strip()}


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
        cardinality=Cardinality.MANY,
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
