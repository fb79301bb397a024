"""All things that a window's names may mean, and the verdicts on their pairs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from bitempo.engine.model import AssertionDraft, Entity, EntityRef, Episode, Fact
from bitempo.engine.names import normalise_name
from bitempo.engine.policy import normalise_predicate
from bitempo.engine.resolve import EntityResolver
from bitempo.engine.store.port import WriteTransaction
from bitempo.engine.time import Instant
from bitempo.ingest.extraction import Window
from bitempo.ingest.resolution.candidates import KnownEntities, lexical_candidates
from bitempo.ingest.resolution.clues import addressed, says, side_by_side, stated_same
from bitempo.ingest.resolution.decision import Clues, Named, Outcome, Verdict, decide
from bitempo.ingest.resolution.matching import Judged
from bitempo.ingest.resolution.mentions import (
    Mention,
    mentions_of,
    speakers_of,
    trusted,
    trustworthy,
)
from bitempo.ingest.resolution.names import family_of, read_name
from bitempo.ingest.resolution.naming import NAMING
from bitempo.ingest.resolution.roles import Relation, by_role, role_of
from bitempo.ingest.trust import USUAL

_MOST_TOLD = 3


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that is on record (then not `new`), or that the commit of the window will make.

    `mention` is there where the window names it; who only speaks may have none. `spoken` are the
    names by which turns may speak of it.
    """

    entity: Entity
    named: Named
    new: bool
    mention: Mention | None = None
    spoken: tuple[str, ...] = ()

    @property
    def ref(self) -> EntityRef:
        """As a draft names it: by its id what is on record, as first named what is new."""
        if not self.new:
            return EntityRef(self.entity.name, self.entity.type, id=self.entity.id)
        if self.mention is not None:
            return self.mention.ref
        return EntityRef(self.entity.name, self.entity.type)


@dataclass(slots=True)
class Scene:
    """The things of one window, by the ids of their entities. Made by `of`."""

    window: Window
    drafts: Sequence[AssertionDraft]
    known: KnownEntities
    things: dict[str, Thing] = field(default_factory=dict)
    _texts: list[str] = field(default_factory=list)
    _trusted: list[str] = field(default_factory=list)
    _wanted: dict[frozenset[str], tuple[str, str]] = field(default_factory=dict)
    _near: dict[frozenset[str], float] = field(default_factory=dict)
    _only_near: set[frozenset[str]] = field(default_factory=set)
    _alias: dict[frozenset[str], str] = field(default_factory=dict)
    _facts: list[Fact] = field(default_factory=list)
    _groups: dict[str, list[Entity]] = field(default_factory=dict)
    _claims: list[tuple[str, str, str, str]] = field(default_factory=list)
    _hearsay: list[tuple[str, str, str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, window: Window, drafts: Sequence[AssertionDraft], known: KnownEntities) -> Scene:
        """The scene of a window whose claims are known, against what the memory knows."""
        scene = cls(window, drafts, known)
        turns = (*window.context, *window.episodes)
        scene._texts = [turn.text for turn in turns]
        scene._trusted = [turn.text for turn in turns if trusted(turn)]
        scene._gather()
        return scene

    def judged(self) -> list[Judged]:
        """The verdicts on all pairs that may be one thing; the new one comes first in each."""
        judged = [Judged(a, b, self._verdict(a, b)) for a, b in self._wanted.values()]
        best: dict[frozenset[str], Judged] = {}
        for item in (*judged, *self._by_roles()):
            pair = frozenset((str(item.a), str(item.b)))
            if pair not in best or _order(item) > _order(best[pair]):
                best[pair] = item
        return [item for item in best.values() if item.verdict.outcome is not Outcome.DIFFERENT]

    def forbids(self, a: object, b: object) -> bool:
        """Whether two things are certainly different."""
        first, second = self.things.get(str(a)), self.things.get(str(b))
        if first is None or second is None:
            return False
        verdict = decide(first.named, second.named, self._clues(first, second))
        return verdict.outcome is Outcome.DIFFERENT and verdict.firm

    def groups(self) -> list[list[str]]:
        """The things on record that are one already."""
        return [[entity.id for entity in group] for group in self._groups.values()]

    def turn_of(self, thing: Thing) -> Episode | None:
        """The turn that names it."""
        if thing.mention is None:
            return None
        id = thing.mention.evidence
        return next((turn for turn in self.window.episodes if turn.id == id), None)

    def told_of(self, thing: Thing) -> list[str]:
        """A few sentences about it: facts on record, then what the window claims."""
        id, name = thing.entity.id, normalise_name(thing.named.name)
        about = [fact.text for fact in self._facts if _concerns(fact, id)]
        about += [draft.text for draft in self.drafts if name in _names_of(draft)]
        return list(dict.fromkeys(about))[:_MOST_TOLD]

    def _gather(self) -> None:
        mentions = mentions_of(self.drafts, self.window)
        speakers = speakers_of(self.window)
        names = {normalise_name(n) for m in mentions for n in (m.ref.name, *m.aliases)}
        named = self.known.named(names | {normalise_name(speaker) for speaker in speakers})
        self._add_mentioned(mentions, speakers, named)
        self._want_aliases(named)
        fresh = [thing for thing in self.things.values() if thing.new and thing.mention]
        if not fresh and not self._wanted:
            # Whatever is named is known by this name: nothing more is read.
            return
        around = list(self.things)
        for thing in fresh:
            for other in around:
                self._want(thing.entity.id, other)
            for entity in lexical_candidates(thing.named.name, self.known):
                self._want(thing.entity.id, self._add_known(entity))
        alike = self.known.alike([thing.named.name for thing in fresh]) if fresh else []
        for thing, near in zip(fresh, alike, strict=True):
            for entity, similarity in near:
                id = self._add_known(entity)
                pair = frozenset((thing.entity.id, id))
                self._near[pair] = similarity
                if pair not in self._wanted:
                    self._only_near.add(pair)
                self._want(thing.entity.id, id)
        self._read(fresh)

    def _add_mentioned(
        self,
        mentions: Sequence[Mention],
        speakers: Sequence[str],
        named: dict[str, list[Entity]],
    ) -> None:
        """What the mentions and speakers mean: the same choice, by the same code, as a commit."""
        known = {entity.id for entities in named.values() for entity in entities}
        resolver = EntityResolver(cast(WriteTransaction, _OnRecord(named)), self.drafts)
        for mention in mentions:
            entity = resolver.resolve(mention.ref)
            before = self.things.get(entity.id)
            new = entity.id not in known
            names = (mention.ref.name, entity.name, *entity.aliases)
            spoken = dict.fromkeys((*(before.spoken if before else ()), *names))
            first = before.mention if before else mention
            whole = before.named if before else _named(entity)
            self.things[entity.id] = Thing(entity, whole, new, first, tuple(spoken))
        for speaker in speakers:
            entity = resolver.resolve(EntityRef(speaker, "person"))
            if entity.id not in self.things:
                new = entity.id not in known
                spoken_of = (entity.name, *entity.aliases)
                self.things[entity.id] = Thing(entity, _named(entity), new, spoken=spoken_of)

    def _read(self, fresh: Sequence[Thing]) -> None:
        """What is on record of the things, and of the owners of what is only described."""
        ids = {thing.entity.id for thing in self.things.values() if not thing.new}
        owners = {o for thing in fresh if (o := read_name(thing.named.name).owner) is not None}
        owning = self.known.named(owners) if owners else {}
        ids |= {self._add_known(entity) for entities in owning.values() for entity in entities}
        if ids:
            self._facts = self.known.facts(ids)
            self._groups = self.known.groups(ids)
            for group in self._groups.values():
                for entity in group:
                    self._add_known(entity)
        sure = [draft for draft in self.drafts if trustworthy(draft, self.window)]
        self._claims = [*_claims_of(sure), *self._facts_told()]
        # What is not trusted makes no two one, but may keep them apart.
        unsure = [draft for draft in self.drafts if draft not in sure]
        self._hearsay = [c for c in _claims_of(unsure) if normalise_predicate(c[0]) not in NAMING]

    def _add_known(self, entity: Entity) -> str:
        spoken = (entity.name, *entity.aliases)
        self.things.setdefault(entity.id, Thing(entity, _named(entity), False, spoken=spoken))
        return entity.id

    def _want(self, a: str, b: str) -> None:
        if a != b:
            pair = (b, a) if self.things[b].new and not self.things[a].new else (a, b)
            self._wanted.setdefault(frozenset(pair), pair)

    def _want_aliases(self, named: dict[str, list[Entity]]) -> None:
        """Where an alias is the name of another, the two may be one: the turns have to say so."""
        for thing in list(self.things.values()):
            for alias in thing.mention.aliases if thing.mention else ():
                for id in list(self._called(alias, named)):
                    if id == thing.entity.id:
                        continue
                    reason = f"{alias} is said to be another name of {thing.named.name}"
                    self._alias[frozenset((thing.entity.id, id))] = reason
                    self._want(thing.entity.id, id)

    def _called(self, alias: str, named: dict[str, list[Entity]]) -> Iterator[str]:
        """Things whose own name the alias is."""
        normal = normalise_name(alias)
        for entity in named.get(normal, []):
            if normalise_name(entity.name) == normal:
                yield self._add_known(entity)
        for id, thing in self.things.items():
            if thing.new and normalise_name(thing.named.name) == normal:
                yield id

    def _verdict(self, a: str, b: str) -> Verdict:
        first, second = self.things[a], self.things[b]
        if not first.new and not second.new and self.known.once_merged(a, b):
            return Verdict(Outcome.DIFFERENT, "they were merged before", firm=True)
        verdict = decide(first.named, second.named, self._clues(first, second))
        if frozenset((a, b)) in self._only_near and verdict.outcome is Outcome.SAME:
            # What an embedder has found is never one without a question, unless it is said so.
            return verdict if verdict.stated else Verdict(Outcome.ASK, verdict.reason)
        said = self._alias.get(frozenset((a, b))) or self._said_to_be_one(first, second)
        if said is None or verdict.outcome is not Outcome.DIFFERENT or verdict.firm:
            return verdict
        if self._apart(first, second):
            return verdict
        return Verdict(Outcome.ASK, said)

    def _apart(self, a: Thing, b: Thing) -> bool:
        """Whether each takes part, or is on record with facts of its own."""
        speakers = set(map(normalise_name, speakers_of(self.window)))
        facts = self.known.facts({thing.entity.id for thing in (a, b) if not thing.new})
        return all(
            normalise_name(thing.entity.name) in speakers
            or any(_concerns(f, thing.entity.id) and f.predicate not in NAMING for f in facts)
            for thing in (a, b)
        )

    def _said_to_be_one(self, a: Thing, b: Thing) -> str | None:
        """A claim that both are one: what was made of the turns, not what they say."""
        linked = self._linked(a, b)
        return linked[1] if linked is not None and linked[0] else None

    def _clues(self, a: Thing, b: Thing) -> Clues:
        pairs = [
            (x, y) for x in a.spoken for y in b.spoken if normalise_name(x) != normalise_name(y)
        ]
        stated = next((s for x, y in pairs if (s := stated_same(x, y, self._trusted))), None)
        apart = None
        if any(side_by_side(x, y, self._texts) for x, y in pairs):
            apart = "a turn names them side by side"
        linked = self._linked(a, b)
        if linked is not None:
            stated, apart = (stated, None) if linked[0] else (None, linked[1])
        return Clues(
            stated=stated,
            apart=apart,
            addressed=self._addressed(a, b) or self._addressed(b, a),
            together=self._spoken_of(a) and self._spoken_of(b),
            one_turn=self._one_turn(a, b),
            near=self._near.get(frozenset((a.entity.id, b.entity.id)), 0.0),
        )

    def _addressed(self, called: Thing, speaker: Thing) -> bool:
        turns = (*self.window.context, *self.window.episodes)
        return any(addressed(x, y, turns) for x in called.spoken for y in speaker.spoken)

    def _spoken_of(self, thing: Thing) -> bool:
        if thing.mention is not None:
            return True
        names = {rest for name in thing.spoken for rest in (name, " ".join(read_name(name).words))}
        return any(says(name, text) for name in names for text in self._texts)

    def _one_turn(self, a: Thing, b: Thing) -> bool:
        if a.mention is None or b.mention is None:
            return False
        return a.mention.evidence == b.mention.evidence

    def _linked(self, a: Thing, b: Thing) -> tuple[bool, str] | None:
        """Whether a claim about both says that they are one, or two, and the claim."""
        ours, theirs = ({normalise_name(name) for name in thing.spoken} for thing in (a, b))
        for predicate, x, y, text in (*self._claims, *self._hearsay):
            if (x in ours and y in theirs) or (x in theirs and y in ours):
                one = normalise_predicate(predicate) in NAMING
                return one, f"said: {text}" if one else f"it is said of both: {text}"
        return None

    def _facts_told(self) -> Iterator[tuple[str, str, str, str]]:
        for fact in self._facts:
            if fact.object is not None and fact.trust >= USUAL:
                x, y = normalise_name(fact.subject.name), normalise_name(fact.object.name)
                yield fact.predicate, x, y, fact.text

    def _by_roles(self) -> list[Judged]:
        """What is described by its role, and who has the role by the facts of its owner."""
        judged = []
        for thing in list(self.things.values()):
            if not thing.new or thing.mention is None or role_of(thing.named.name) is None:
                continue
            name = normalise_name(thing.named.name)
            owners = self._owner_names(read_name(thing.named.name).owner or "")
            relations = [
                Relation(predicate, y, text)
                for predicate, x, y, text in self._claims
                if x in owners and y != name
            ]
            found = by_role(thing.named.name, relations)
            other = None if found is None else self._known_as(found[0])
            if found is None or other is None or other == thing.entity.id:
                continue
            verdict = self._verdict(thing.entity.id, other)
            if not verdict.firm and _animate(self.things[other]):
                judged.append(Judged(thing.entity.id, other, found[1]))
        return judged

    def _owner_names(self, owner: str) -> set[str]:
        """The owner's name, and the names of what is one with it."""
        names = {owner}
        for thing in self.things.values():
            if owner in map(normalise_name, (thing.named.name, *thing.named.aliases)):
                group = self._groups.get(thing.entity.id, [thing.entity])
                names |= {normalise_name(entity.name) for entity in group}
        return names

    def _known_as(self, name: str) -> str | None:
        for id, thing in self.things.items():
            if normalise_name(thing.named.name) == name:
                return id
        entities = self.known.named({name}).get(name, [])
        return self._add_known(entities[0]) if len(entities) == 1 else None


class _OnRecord:
    """What a commit would find on record, for the resolver that it uses."""

    tx: Instant = 0

    def __init__(self, named: dict[str, list[Entity]]) -> None:
        self._named = named

    def entities_named(self, names: Collection[str]) -> dict[str, list[Entity]]:
        return {name: list(found) for name, found in self._named.items() if name in names}


_OUTCOMES = {Outcome.DIFFERENT: 0, Outcome.ASK: 1, Outcome.SAME: 2}
_ANIMATE = {family_of("person"), family_of("pet")}


def _named(entity: Entity) -> Named:
    return Named(entity.name, entity.type, entity.aliases)


def _claims_of(drafts: Iterable[AssertionDraft]) -> Iterator[tuple[str, str, str, str]]:
    """Predicate, both names and text of the claims about two things."""
    for draft in drafts:
        if draft.object is not None and draft.object.name.strip() and draft.subject.name.strip():
            x, y = normalise_name(draft.subject.name), normalise_name(draft.object.name)
            yield draft.predicate, x, y, draft.text


def _names_of(draft: AssertionDraft) -> set[str]:
    refs = (draft.subject, *(() if draft.object is None else (draft.object,)), *draft.mentions)
    return {normalise_name(ref.name) for ref in refs if ref.name.strip()}


def _concerns(fact: Fact, entity: str) -> bool:
    return fact.subject.id == entity or (fact.object is not None and fact.object.id == entity)


def _animate(thing: Thing) -> bool:
    return not thing.named.type or family_of(thing.named.type) in _ANIMATE


def _order(item: Judged) -> tuple[int, float]:
    return _OUTCOMES[item.verdict.outcome], item.verdict.confidence
