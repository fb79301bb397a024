"""Change how many values a predicate holds, and derive its facts anew."""

from __future__ import annotations

from bitempo.engine.commit import Commit
from bitempo.engine.derive import derive
from bitempo.engine.errors import PolicyError
from bitempo.engine.identity import SAME_AS, Identity
from bitempo.engine.model import Cardinality
from bitempo.engine.place import place
from bitempo.engine.policy import normalise_predicate
from bitempo.engine.store.port import (
    Predicate,
    Slot,
    Store,
    WriteTransaction,
)
from bitempo.engine.time import Instant


def set_cardinality(
    store: Store, tenant: str, predicate: str, cardinality: Cardinality, now: Instant
) -> Commit:
    """Record the decision and derive every slot of the predicate again, in one transaction.

    What was believed before the change can still be asked for at its time.

    Raises:
        PolicyError: the predicate is no predicate, or is that of merges.
        StoreError: the store failed; nothing was written.
    """
    name = normalise_predicate(predicate)
    if name == SAME_AS:
        raise PolicyError(f"{SAME_AS} is reserved for merges, and always holds many values")
    return store.write(tenant, now, lambda transaction: _recast(transaction, name, cardinality))


def _recast(transaction: WriteTransaction, name: str, cardinality: Cardinality) -> Commit:
    recorded = transaction.predicates([name]).get(name)
    if recorded is not None and recorded.cardinality is cardinality:
        transaction.discard()
        return Commit(tx=None)
    before = transaction.assertions_of_predicate(name)
    identity = Identity(transaction)
    identity.look_up(item.assertion for item in before)
    after = [place(item.assertion, cardinality, identity) for item in before]
    transaction.set_cardinality(Predicate(name, cardinality, "set_cardinality"))
    transaction.move_assertions(after)
    # Every slot is named, so a slot that stands for a whole multi-valued family must not take
    # the place of the single-valued one with the same key, whose facts have to change.
    left = [i.slot for i in before if i.slot.key != i.slot.family or _single(i.slot)]
    derived = derive(transaction, [*(item.slot for item in after), *left], identity)
    return Commit(tx=transaction.tx, opened=derived.opened, closed=derived.closed)


def _single(slot: Slot) -> bool:
    return slot.cardinality is Cardinality.ONE
