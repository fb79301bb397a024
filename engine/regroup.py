"""Put assertions in the slots of the entities that stand for theirs, after a merge or an unmerge.

Assertions keep the entities that they named. What changes is the slot that they belong to, and
with it the facts; so taking a merge back gives the facts that there would have been without it.
"""

from __future__ import annotations

from collections.abc import Collection

from bitempo.engine.identity import SAME_AS, Identity, canonical_entities
from bitempo.engine.place import place
from bitempo.engine.store.port import Slot, WriteTransaction


def regroup(transaction: WriteTransaction, ends: Collection[str], identity: Identity) -> list[Slot]:
    """Decide anew what is one with these entities, whose `SAME_AS` facts have been derived.

    Returns:
        The slots that assertions have left or come into, whose facts are to be derived.
    """
    before = transaction.identities(ends)
    entities = transaction.entities({*ends, *before})
    after = canonical_entities(entities, transaction.facts_about(entities.keys(), SAME_AS))
    changed = {id: one for id, one in after.items() if one != before.get(id, id)}
    if not changed:
        return []
    transaction.set_identities(changed)
    identity.change(after)
    leaving = [
        item
        for item in transaction.assertions_about(changed)
        if item.assertion.predicate != SAME_AS
    ]
    identity.look_up(item.assertion for item in leaving)
    coming = [place(item.assertion, item.slot.cardinality, identity) for item in leaving]
    transaction.move_assertions(coming)
    return [item.slot for item in (*leaving, *coming)]
