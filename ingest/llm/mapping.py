"""From a reply to assertion drafts: item by item, and only what can be traced to the turns.

A model proposes a claim about one slot. It closes nothing else: a negative cuts the slot that it
names, and a correction takes back only what was claimed of the same subject and predicate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.identity import SAME_AS
from bitempo.engine.lexical import words
from bitempo.engine.model import (
    AssertionDraft,
    Cardinality,
    Entity,
    EntityRef,
    Episode,
    Literal,
    Modality,
    Polarity,
)
from bitempo.engine.names import clean_text, normalise_name
from bitempo.engine.place import assertion_id, validate
from bitempo.engine.policy import PredicatePolicy, normalise_predicate
from bitempo.ingest.extraction import Known, Note, Rejection
from bitempo.ingest.instructions import QUOTED_IMPORTANCE, QUOTED_TRUST
from bitempo.ingest.llm.naming import Names
from bitempo.ingest.llm.prompt import Prompt, speaker_of
from bitempo.ingest.llm.reading import Item, read_reply
from bitempo.ingest.llm.reply import ReplyAssertion
from bitempo.ingest.llm.sources import Sources, UnverifiedError, levelled
from bitempo.ingest.llm.times import TimeReader
from bitempo.ingest.trust import KEY, MACHINES, USUAL, by_machine

SAID = "SAID"
"""The predicate of what is kept as a quotation only."""
MACHINE_TRUST = 3
"""Of what an assistant or a tool says: it must not supersede a person's own words."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """What was taken of a reply, what was not, and remarks on what was taken otherwise."""

    drafts: tuple[AssertionDraft, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps replies for one extractor.

    `key` begins the drafts' keys; it differs between extractors, so that what one makes of a
    turn never has the id of what another made of it.
    """

    extractor: str
    key: str
    times: TimeReader
    reads_as_instruction: Callable[[str], bool]
    cardinalities: Mapping[str, Cardinality] = field(default_factory=dict)
    """Of predicates that the user has types for; they stand whatever the model says."""

    def map(self, data: Mapping[str, Any], prompt: Prompt, known: Known) -> Mapped:
        """The drafts of a reply's object to this prompt. Raises nothing, on any object."""
        reading = read_reply(data)
        names = Names(prompt.turns.values(), known, reading.entities)
        work = _Mapping(self, prompt, names, {p.name: p.cardinality for p in known.predicates})
        work.rejections.extend(reading.rejections)
        for item in reading.items:
            try:
                work.take(item)
            except (UnverifiedError, InvalidInputError, ValueError, OverflowError) as error:
                work.rejections.append(Rejection(item.claim.text, str(error)))
        return Mapped(tuple(work.corrected()), tuple(work.rejections), tuple(work.notes))


def _trust_of(episode: Episode) -> int:
    """How far a turn is trusted of which nobody said how far."""
    if KEY in episode.metadata:
        return USUAL
    return MACHINE_TRUST if by_machine(episode) else USUAL


_FACT_LABEL = re.compile(r"\W*f\s*#?(\d{1,9})\W*", re.I)
_CLAIM_LABEL = re.compile(r"\W*a\s*#?(\d{1,9})\W*", re.I)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_OF_CONDUCT = frozenset({"procedure", "knowledge", "correction"})
"""Kinds that an agent may act on."""
_EVERYTHING = frozenset(
    # "no" and its like are missing: "no more tea" ends one value.
    "all any anything anyone anybody none nothing nobody everything everyone everybody neither "
    "both every alle alles nichts niemand keins keiner todo todos todas nada nadie ninguno ninguna "
    "tout tous toutes rien aucun aucune tutto tutti tutte niente nulla nessuno nessuna tudo nenhum "
    "nenhuma".split()
)
_REDACTED = re.compile(r"\W*(?:\[REDACTED[^\]]*\]\W*)+", re.I)


@dataclass(slots=True)
class _Mapping:
    """The work on one reply."""

    mapper: Mapper
    prompt: Prompt
    names: Names
    recorded: Mapping[str, Cardinality]
    """Of the predicates on record."""
    rejections: list[Rejection] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    _sources: Sources = field(init=False)
    _drafts: dict[int, AssertionDraft] = field(default_factory=dict)
    _same: dict[object, int] = field(default_factory=dict)
    _numbers: dict[int, int] = field(default_factory=dict)
    _corrects: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._sources = Sources(self.prompt.turns)

    def take(self, item: Item) -> None:
        """Take the item as a draft.

        Raises:
            ValueError: it cannot be taken; the message says why.
        """
        draft, remarks = self._draft(item)
        validate(draft)
        same = self._same.setdefault(_claimed(draft), item.number)
        self._numbers[item.number] = same
        if same != item.number:
            self._drafts[same] = _merged(self._drafts[same], draft)
            remarks.append("said twice in one reply")
        else:
            self._drafts[same] = draft
        if item.claim.corrects and draft.predicate != SAID:
            self._corrects.setdefault(same, item.claim.corrects)
        self.notes.extend(Note(item.claim.text, remark) for remark in remarks)

    def corrected(self) -> list[AssertionDraft]:
        """The drafts in order, with what they correct. An unknown target leaves the claim alone."""
        result = []
        for number, draft in self._drafts.items():
            label = self._corrects.get(number)
            targets: tuple[str, ...] = ()
            if label is not None:
                try:
                    targets = self._targets(label, number, draft)
                except (ValueError, OverflowError) as error:
                    self.notes.append(Note(draft.text, f"corrects nothing: {error}"))
            if not targets:
                result.append(draft)
            # What several turns had claimed is taken back from each.
            result.extend(
                replace(draft, corrects=target, key=f"{draft.key}-{n}" if n else draft.key)
                for n, target in enumerate(targets)
            )
        return result

    def _draft(self, item: Item) -> tuple[AssertionDraft, list[str]]:
        claim = item.claim
        if not claim.text.strip():
            raise UnverifiedError("there is no sentence")
        evidence = self._sources.evidence(claim.evidence, claim.quote)
        main = self.prompt.turns[evidence.labels[0]]
        remarks = list(evidence.remarks)
        key = f"{self.mapper.key}-{item.number:04d}"
        ids = tuple(dict.fromkeys(self.prompt.turns[label].id for label in evidence.labels))
        if claim.kind == "instruction" or self._instructs(claim, main):
            remarks.append("kept as a quotation: it reads as an instruction")
            return self._quotation(claim, main, ids, key), remarks
        others = [e for e in self.prompt.turns.values() if e.id != main.id]
        times = self.mapper.times.times_of(claim, main, others)
        object, value = self._answer(claim, main, remarks)
        predicate = self._predicate(claim, object is None and value is None)
        untold = value is not None and not self.names.tells(value)
        if untold:
            remarks.append("no words of the turns say its value: it counts as inferred")
        draft = AssertionDraft(
            subject=self.names.subject(claim.subject, speaker_of(main)),
            predicate=predicate,
            text=clean_text(claim.text).strip(),
            evidence=ids,
            key=key,
            object=object,
            value=value,
            polarity=Polarity(claim.polarity),
            modality=Modality(claim.modality),
            valid_from=times.valid_from,
            valid_to=times.valid_to,
            granularity=times.granularity,
            time_text=times.time_text,
            due=times.due,
            importance=int(_clamped("importance", claim.importance, 1, 10, remarks)),
            confidence=_clamped("confidence", claim.confidence, 0.0, 1.0, remarks),
            trust=_trust_of(main),
            inferred=claim.inferred or untold,
            quote=claim.quote.strip(),
            cardinality=self.mapper.cardinalities.get(predicate, Cardinality(claim.cardinality)),
            extractor=self.mapper.extractor,
        )
        return draft, [*remarks, *times.remarks]

    def _predicate(self, claim: ReplyAssertion, unspecific: bool) -> str:
        """The predicate of the claim; `unspecific` is one with neither object nor value.

        Raises:
            ValueError: it is none, or one that a model may not claim this way.
        """
        predicate = normalise_predicate(claim.predicate)
        if predicate == SAME_AS:
            raise UnverifiedError(
                "who is who is not for the model to say; another name is an alias of the entity"
            )
        ends_all = unspecific and self._cardinality(predicate, claim) is Cardinality.MANY
        if ends_all and not _EVERYTHING & set(words(claim.quote)):
            raise UnverifiedError(
                f"it would end all values of {predicate}, and the quote does not say that all "
                "have ended; name the object or value that has"
            )
        return predicate

    def _cardinality(self, predicate: str, claim: ReplyAssertion) -> Cardinality:
        """What will stand for the predicate, as far as can be told before it is recorded."""
        return (
            self.recorded.get(predicate)
            or self.mapper.cardinalities.get(predicate)
            or PredicatePolicy.default().cardinality(predicate)
            or Cardinality(claim.cardinality)
        )

    def _instructs(self, claim: ReplyAssertion, main: Episode) -> bool:
        """Whether it would make a policy of what somebody wants an agent to do."""
        reads = self.mapper.reads_as_instruction
        said = [claim.quote, claim.text, claim.value if isinstance(claim.value, str) else ""]
        if any(map(reads, filter(None, said))):
            return True
        # A quote can be cut so that it reads as a statement; the sentences around it tell.
        subject = claim.subject.strip().lower().removeprefix("the ")
        if claim.kind not in _OF_CONDUCT and subject not in MACHINES | {"agent", "ai", "bot"}:
            return False
        quote = levelled(claim.quote)
        around = (part for part in _SENTENCE.split(main.text) if quote in levelled(part))
        return any(map(reads, around))

    def _quotation(
        self, claim: ReplyAssertion, main: Episode, evidence: tuple[str, ...], key: str
    ) -> AssertionDraft:
        """What somebody wants an agent to do: that it was said, and nothing more."""
        speaker, quote = speaker_of(main), claim.quote.strip()
        return AssertionDraft(
            subject=self.names.speaker(speaker),
            predicate=SAID,
            text=f'{speaker} said: "{quote}"',
            evidence=evidence,
            key=key,
            value=quote,
            importance=min(QUOTED_IMPORTANCE, max(1, claim.importance)),
            confidence=1.0,
            trust=QUOTED_TRUST,
            quote=quote,
            cardinality=Cardinality.MANY,
            extractor=self.mapper.extractor,
        )

    def _answer(
        self, claim: ReplyAssertion, main: Episode, remarks: list[str]
    ) -> tuple[EntityRef | None, Literal | None]:
        for said in (claim.object, claim.value):
            if isinstance(said, str) and _REDACTED.fullmatch(said):
                raise UnverifiedError("its value is a secret that was redacted")
        if claim.object is None:
            return None, claim.value
        if claim.value is not None:
            remarks.append(f"it has an object and a value; the value {claim.value!r} was dropped")
        return self.names.object(claim.object, speaker_of(main)), None

    def _targets(self, label: str, number: int, draft: AssertionDraft) -> tuple[str, ...]:
        """The assertions that a label means, the one that the fact was read from first.

        Raises:
            UnverifiedError: there are none, or they claim something of another slot.
        """
        claim = _CLAIM_LABEL.fullmatch(label)
        if claim is not None:
            earlier = self._drafts.get(self._numbers.get(int(claim.group(1)), -1))
            if earlier is None or int(claim.group(1)) >= number or earlier.key == draft.key:
                raise UnverifiedError(f"no earlier assertion of the reply is {label!r}")
            _same_slot(earlier.subject, earlier.predicate, earlier.modality, draft)
            return (assertion_id(earlier),)
        named = _FACT_LABEL.fullmatch(label)
        fact = self.prompt.facts.get(f"f{int(named.group(1))}") if named is not None else None
        if fact is None:
            raise UnverifiedError(f"no known fact is {label!r}")
        _same_slot(fact.subject, fact.predicate, fact.modality, draft, fact.subject.aliases)
        return fact.support[:_MOST_TARGETS]


_MOST_TARGETS = 20


def _same_slot(
    subject: Entity | EntityRef,
    predicate: str,
    modality: Modality,
    draft: AssertionDraft,
    aliases: tuple[str, ...] = (),
) -> None:
    """Refuse a correction of what is claimed of something else.

    `aliases` are on record; those that the model makes in this reply do not count.
    """
    named = {normalise_name(name) for name in (subject.name, *aliases)}
    types = {normalise_name(type) for type in (subject.type, draft.subject.type) if type}
    alike = normalise_name(draft.subject.name) in named and len(types) < 2
    if predicate != draft.predicate or modality is not draft.modality or not alike:
        raise UnverifiedError(
            f"it speaks of {_spelt(draft.subject)} {draft.predicate} ({draft.modality}), "
            f"and may not close {_spelt(subject)} {predicate} ({modality})"
        )


def _spelt(entity: Entity | EntityRef) -> str:
    return f"{entity.name} ({entity.type})" if entity.type else entity.name


def _claimed(draft: AssertionDraft) -> object:
    """What two drafts have in common that claim the same."""
    object = normalise_name(draft.object.name) if draft.object is not None else None
    value = (type(draft.value), draft.value)
    return (
        normalise_name(draft.subject.name), draft.predicate, object, value, draft.polarity,
        draft.modality, draft.valid_from, draft.valid_to,
        # Told at different times and not dated, they hold from different times.
        draft.evidence[0] if draft.valid_from is None else None,
    )  # fmt: skip


def _merged(one: AssertionDraft, other: AssertionDraft) -> AssertionDraft:
    return replace(
        one,
        evidence=tuple(dict.fromkeys([*one.evidence, *other.evidence])),
        importance=max(one.importance, other.importance),
        confidence=max(one.confidence, other.confidence),
        inferred=one.inferred and other.inferred,
        trust=max(one.trust, other.trust),
    )


def _clamped(name: str, given: float, low: float, high: float, remarks: list[str]) -> float:
    kept = min(max(given, low), high)
    if kept != given:
        remarks.append(f"{name} {given:g} lies outside of {low:g} to {high:g}")
    return kept
