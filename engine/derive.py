"""From assertions to fact versions: derive the touched slots again and write what differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bitempo.engine.identity import SAME_AS, Identity
from bitempo.engine.model import Assertion, Cardinality, Polarity
from bitempo.engine.names import digest
from bitempo.engine.store.port import (
    FactVersion,
    PlacedAssertion,
    Role,
    Slot,
    WriteTransaction,
)
from bitempo.engine.time import Instant, Interval
from bitempo.engine.timeline import Claim, Span, timeline


@dataclass(frozen=True, slots=True)
class Derived:
    """Ids of the fact versions that a derivation opened and closed."""

    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


def derive(transaction: WriteTransaction, touched: Iterable[Slot], identity: Identity) -> Derived:
    """Compute the facts of the touched slots from their live assertions, and store the difference.

    A version that is still right is left as it is; only its links to assertions may change.
    """
    slots = _with_whole_families(transaction, touched)
    if not slots:
        return Derived()
    families = {slot.family for slot in slots.values()}
    live: dict[str, list[PlacedAssertion]] = defaultdict(list)
    found = transaction.live_assertions(slots.keys() | families)
    for placed in found:
        live[placed.slot.key].append(placed)
    identity.look_up(placed.assertion for placed in found)
    current: dict[str, list[FactVersion]] = defaultdict(list)
    for fact in transaction.current_facts(slots.keys()):
        current[fact.slot].append(fact)
    change = _Change()
    for key, slot in slots.items():
        claimed = live[key]
        if slot.key != slot.family:
            claimed = claimed + [item for item in live[slot.family] if item.value_key is None]
        change.compare(current[key], _facts_of(slot, claimed, transaction.tx, identity))
    transaction.close_facts(change.closed)
    transaction.open_facts(change.opened)
    transaction.change_links(change.linked, change.unlinked)
    return Derived(tuple(fact.id for fact in change.opened), tuple(change.closed))


class _Change:
    """What has to be written so that the stored facts become the derived ones."""

    def __init__(self) -> None:
        self.closed: list[str] = []
        self.opened: list[FactVersion] = []
        self.linked: list[tuple[str, str, str]] = []
        self.unlinked: list[tuple[str, str, str]] = []

    def compare(self, current: Sequence[FactVersion], derived: Sequence[FactVersion]) -> None:
        kept = {_content(fact): fact for fact in current}
        for fact in derived:
            same = kept.pop(_content(fact), None)
            if same is None:
                self.opened.append(fact)
                continue
            self.linked.extend((same.id, *link) for link in sorted(fact.links - same.links))
            self.unlinked.extend((same.id, *link) for link in sorted(same.links - fact.links))
        self.closed.extend(fact.id for fact in kept.values())


def _with_whole_families(transaction: WriteTransaction, touched: Iterable[Slot]) -> dict[str, Slot]:
    """The touched slots; where a whole multi-valued family is touched, each slot of it."""
    slots = {slot.key: slot for slot in touched}
    whole = {
        slot.family
        for slot in slots.values()
        if slot.cardinality is Cardinality.MANY and slot.key == slot.family
    }
    for family in whole:
        del slots[family]
    if whole:
        for slot in transaction.slots_of_families(whole):
            if slot.key != slot.family:
                slots[slot.key] = slot
    return slots


def _facts_of(
    slot: Slot, placed: Sequence[PlacedAssertion], tx: Instant, identity: Identity
) -> list[FactVersion]:
    by_id = {item.assertion.id: item.assertion for item in placed}
    claims = [
        Claim(
            id=item.assertion.id,
            value=item.value_key,
            start=item.assertion.valid.start,
            end=item.assertion.valid.end,
            recorded_at=item.assertion.recorded_at,
            trust=item.assertion.trust,
            positive=item.assertion.polarity is Polarity.POSITIVE,
        )
        for item in placed
    ]
    return [_fact(slot, span, by_id, tx, identity) for span in timeline(claims, slot.cardinality)]


def _fact(
    slot: Slot, span: Span, by_id: Mapping[str, Assertion], tx: Instant, identity: Identity
) -> FactVersion:
    lead = by_id[span.lead]
    subject, object = lead.subject, lead.object
    if lead.predicate != SAME_AS:
        subject = identity.of(subject)
        object = None if object is None else identity.of(object)
    support = [by_id[id] for id in span.support]
    links = [
        (role, id)
        for role, ids in (
            (Role.SUPPORTS, span.support),
            (Role.CONTESTS, span.contested),
            (Role.CONFLICTS, span.conflicts),
        )
        for id in ids
    ]
    return FactVersion(
        id="fact_" + digest(slot.key, span.value, str(tx), str(span.start)),
        slot=slot.key,
        value_key=span.value,
        subject=subject,
        predicate=lead.predicate,
        object=object,
        value=lead.value,
        modality=lead.modality,
        text=lead.text,
        lead=lead.id,
        valid=Interval(span.start, span.end),
        granularity=lead.granularity,
        from_inferred=lead.from_inferred,
        due=lead.due,
        importance=max(assertion.importance for assertion in support),
        confidence=max(assertion.confidence for assertion in support),
        trust=max(assertion.trust for assertion in support),
        inferred=all(assertion.inferred for assertion in support),
        links=frozenset((str(role), id) for role, id in links),
    )


def _content(fact: FactVersion) -> tuple[object, ...]:
    """What makes two versions the same belief; links are compared apart."""
    return (
        fact.value_key,
        fact.valid,
        fact.lead,
        fact.importance,
        fact.confidence,
        fact.trust,
        fact.inferred,
    )
