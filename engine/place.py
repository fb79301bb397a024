"""From a draft to an assertion in its slot: identity, cardinality, interval, correction target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bitempo.engine.errors import InvalidInputError, PolicyError
from bitempo.engine.identity import SAME_AS, Identity
from bitempo.engine.model import (
    Assertion,
    AssertionDraft,
    Cardinality,
    Correction,
    Polarity,
)
from bitempo.engine.names import check_literal, clean_text, digest, normalise_name, value_key
from bitempo.engine.policy import PredicatePolicy, normalise_predicate
from bitempo.engine.resolve import EntityResolver
from bitempo.engine.store.port import PlacedAssertion, Predicate, Slot, WriteTransaction
from bitempo.engine.time import FOREVER, Instant, Interval


def assertion_id(draft: AssertionDraft) -> str:
    """The id of the assertion a draft becomes: its first evidence and its key in it.

    Raises:
        InvalidInputError: there is no evidence, or the key could not be told from it.
    """
    if not draft.evidence:
        raise InvalidInputError(f"an assertion needs evidence, and {draft.text!r} cites none")
    # An episode's id may hold a "#"; since no key does, the last one always parts the two.
    if not draft.key or "#" in draft.key:
        raise InvalidInputError(f"a key is not empty and has no '#'; {draft.key!r} is none")
    return f"{draft.evidence[0]}#{draft.key}"


def validate(draft: AssertionDraft) -> None:
    """Check what the types cannot say.

    Raises:
        InvalidInputError: a name or predicate that is none, both or neither of object and
            value, an interval that ends before it starts, or a number out of its range.
    """
    assertion_id(draft)
    if normalise_predicate(draft.predicate) == SAME_AS and draft.object is None:
        raise InvalidInputError(
            f"{draft.text!r} says {SAME_AS} of no entity; what is one with a subject is an object"
        )
    for ref in (draft.subject, draft.object, *draft.mentions):
        if ref is not None:
            normalise_name(ref.name)
    if draft.valid_from is not None and draft.valid_to is not None:
        Interval(draft.valid_from, draft.valid_to)
    if draft.object is not None and draft.value is not None:
        raise InvalidInputError(f"{draft.text!r} has both an object and a value; give one")
    if draft.object is None and draft.value is None and draft.polarity is Polarity.POSITIVE:
        raise InvalidInputError(
            f"{draft.text!r} has neither an object nor a value; only a negative may deny a slot"
        )
    if draft.value is not None:
        check_literal(draft.value)
    for name, number, kind, low, high in (
        ("importance", draft.importance, int, 1, 10),
        ("trust", draft.trust, int, 1, 10),
        ("confidence", draft.confidence, int | float, 0, 1),
    ):
        if not isinstance(number, kind) or isinstance(number, bool):
            raise InvalidInputError(f"{name} must be a number, not {number!r}")
        if not low <= number <= high:
            raise InvalidInputError(f"{name} must lie between {low} and {high}, not {number}")


def slot_of(
    subject: str, predicate: str, modality: str, value: str | None, cardinality: Cardinality
) -> Slot:
    """The slot that a claim belongs to; `value` is the key of its object or literal."""
    family = digest(subject, predicate, modality)
    if cardinality is Cardinality.ONE or value is None:
        return Slot(family, family, cardinality)
    return Slot(digest(subject, predicate, modality, value), family, cardinality)


def place(assertion: Assertion, cardinality: Cardinality, identity: Identity) -> PlacedAssertion:
    """The assertion in the slot of what its subject and object are one with.

    A merge itself is of the very entities that it names. Who is said to be one with whom makes no
    difference, so both ways of saying it have one slot.
    """
    if assertion.predicate == SAME_AS and assertion.object is not None:
        first, second = sorted((assertion.subject, assertion.object))
        slot = slot_of(first, SAME_AS, assertion.modality, second, Cardinality.MANY)
        return PlacedAssertion(assertion, slot, second)
    object = None if assertion.object is None else identity.of(assertion.object)
    key = value_key(object, assertion.value)
    subject = identity.of(assertion.subject)
    slot = slot_of(subject, assertion.predicate, assertion.modality, key, cardinality)
    return PlacedAssertion(assertion, slot, key)


class Placer:
    """Places the drafts of one commit, and records first decisions on predicates."""

    def __init__(
        self,
        transaction: WriteTransaction,
        drafts: Iterable[AssertionDraft],
        policy: PredicatePolicy,
        identity: Identity,
    ) -> None:
        self._transaction = transaction
        self._policy = policy
        self._identity = identity
        names = {normalise_predicate(draft.predicate) for draft in drafts}
        self._predicates: dict[str, Predicate] = transaction.predicates(names)
        self._new: dict[str, Predicate] = {}

    def place(
        self,
        drafts: Mapping[str, AssertionDraft],
        resolver: EntityResolver,
        occurred: Mapping[str, Instant],
    ) -> list[PlacedAssertion]:
        """The assertions, each with entities resolved, its interval settled and its slot known."""
        assertions = [
            self._assertion(id, draft, resolver, occurred) for id, draft in drafts.items()
        ]
        cardinalities = [
            self._cardinality(assertion.predicate, draft)
            for assertion, draft in zip(assertions, drafts.values(), strict=True)
        ]
        self._identity.look_up(assertions)
        return [
            place(assertion, cardinality, self._identity)
            for assertion, cardinality in zip(assertions, cardinalities, strict=True)
        ]

    def write(self) -> None:
        """Record the predicates met for the first time."""
        self._transaction.add_predicates(list(self._new.values()))

    def _assertion(
        self,
        id: str,
        draft: AssertionDraft,
        resolver: EntityResolver,
        occurred: Mapping[str, Instant],
    ) -> Assertion:
        subject = resolver.resolve(draft.subject)
        object = resolver.resolve(draft.object) if draft.object is not None else None
        value = clean_text(draft.value) if isinstance(draft.value, str) else draft.value
        return Assertion(
            id=id,
            subject=subject.id,
            predicate=normalise_predicate(draft.predicate),
            object=object.id if object else None,
            value=value,
            text=clean_text(draft.text),
            evidence=draft.evidence,
            valid=_valid(draft, occurred),
            believed=Interval(self._transaction.tx, FOREVER),
            from_inferred=draft.valid_from is None,
            polarity=draft.polarity,
            modality=draft.modality,
            granularity=draft.granularity,
            time_text=draft.time_text,
            due=draft.due,
            importance=draft.importance,
            confidence=float(draft.confidence),
            trust=draft.trust,
            inferred=draft.inferred,
            quote=clean_text(draft.quote) if draft.quote is not None else None,
            mentions=tuple(dict.fromkeys(resolver.resolve(ref).id for ref in draft.mentions)),
            extractor=draft.extractor,
        )

    def _cardinality(self, name: str, draft: AssertionDraft) -> Cardinality:
        if name not in self._predicates:
            decided = self._policy.cardinality(name)
            if name == SAME_AS:
                predicate = Predicate(name, Cardinality.MANY, "reserved")
            elif decided is not None:
                predicate = Predicate(name, decided, "policy")
            elif draft.cardinality is not None:
                predicate = Predicate(name, draft.cardinality, draft.extractor or "caller")
            else:
                predicate = Predicate(name, Cardinality.MANY, "default")
            self._predicates[name] = self._new[name] = predicate
        recorded = self._predicates[name]
        wanted = self._policy.cardinality(name)
        if name in self._policy.chosen and wanted is not recorded.cardinality:
            raise PolicyError(
                f"{name} is on record as holding {recorded.cardinality} (decided by "
                f"{recorded.source}), and the policy says {wanted}; call "
                f"set_cardinality({name!r}, {str(wanted)!r}) once to change it for this tenant"
            )
        return recorded.cardinality


def choose_correction(
    item: PlacedAssertion, draft: AssertionDraft, candidates: Sequence[PlacedAssertion]
) -> str | None:
    """The id of the assertion that the draft corrects, of those on record before it."""
    if not isinstance(draft.corrects, Correction):
        if draft.corrects == item.assertion.id:
            raise InvalidInputError(f"assertion {draft.corrects!r} cannot correct itself")
        return draft.corrects
    said = normalise_name(draft.corrects.value) if draft.corrects.value else None
    earlier = [
        other.assertion
        for other in candidates
        if other.slot.family == item.slot.family
        and other.assertion.polarity is Polarity.POSITIVE
        and (said is None or said in _says(other.assertion))
    ]
    if not earlier:
        return None
    return max(earlier, key=lambda assertion: (assertion.recorded_at, assertion.id)).id


def _says(assertion: Assertion) -> str:
    parts = [assertion.text, assertion.time_text or "", str(assertion.value or "")]
    return normalise_name(" ".join(parts))


def _valid(draft: AssertionDraft, occurred: Mapping[str, Instant]) -> Interval:
    """The stated interval; without a stated start, from when the evidence happened."""
    end = FOREVER if draft.valid_to is None else draft.valid_to
    if draft.valid_from is not None:
        return Interval(draft.valid_from, end)
    start = min(occurred[id] for id in draft.evidence)
    # "Until 2019", said in 2024, states an end before the telling: the start is simply unknown.
    return Interval(start, end) if start < end else Interval(end=end)
