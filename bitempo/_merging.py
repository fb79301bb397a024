"""The verbs of a tenant that say which entities are one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from bitempo._statement import Statement
from bitempo._written import Written
from bitempo.engine.errors import InvalidInputError, NotFoundError
from bitempo.engine.identity import SAME_AS
from bitempo.engine.model import Entity, EntityRef
from bitempo.engine.names import digest
from bitempo.engine.store.port import Reader, Store
from bitempo.engine.time import Instant, TimeLike
from bitempo.query.merges import Merge, merges
from bitempo.query.subjects import Subject, named

_MOST_LISTED = 10


class _Bound(Protocol):
    """What the verbs need of a tenant."""

    name: str
    _store: Store

    def assert_facts(
        self,
        statements: Sequence[Statement],
        *,
        episode: str | None = None,
        occurred_at: TimeLike | None = None,
    ) -> Written: ...
    def retract(self, *assertions: str, episode: str | None = None) -> Written: ...
    def _known(self, reader: Reader, known_at: TimeLike | None) -> Instant: ...


class Merging:
    """Part of `Tenant`."""

    def merge(
        self: _Bound,
        entity: Subject,
        into: Subject,
        *,
        reason: str = "",
        trust: int = 5,
        occurred_at: TimeLike | None = None,
    ) -> Written:
        """Say that two entities are one: the facts of both are then given in one name.

        That is the name of the one that was met first, whichever is merged into which. A merge is
        an assertion like any other: it can be retracted (`unmerge`), a denial of equal or higher
        trust ends it, and what was known before it stays.

        Args:
            entity, into: by name, alias or id, or as `Entity`.
            reason: why, for whoever looks at `merges` or asks `why`.
            trust: 1 to 10.
            occurred_at: when it became clear; now by default.

        Returns:
            What was written; nothing if the two are merged with each other already.

        Raises:
            NotFoundError: there is no such entity.
            InvalidInputError: a name means several entities, which the message lists, or both
                mean the same one.
        """
        with self._store.read(self.name) as reader:
            known = self._known(reader, None)
            one, other = (_only(reader, subject, known) for subject in (entity, into))
            if one.id == other.id:
                raise InvalidInputError(f"{_shown(one)} cannot be merged with itself")
            pair = {one.id, other.id}
            standing = [m for m in merges(reader, known, [one.id]) if _pair(m) == pair]
            # Merged, unmerged and merged again are two merges, also while the clock stands still.
            id = "merge_" + digest(self.name, one.id, other.id, str(reader.last_tx()))
        if standing:
            return Written(tx=None, assertion_ids=standing[0].fact.support)
        said = f"{one.name} is the same as {other.name}"
        statement = Statement(
            EntityRef(one.name, id=one.id),
            SAME_AS,
            EntityRef(other.name, id=other.id),
            trust=trust,
            text=f"{said}: {reason}" if reason else said,
        )
        return self.assert_facts([statement], episode=id, occurred_at=occurred_at)

    def unmerge(self: _Bound, entity: Subject, into: Subject) -> Written:
        """Take back that two entities are one; each has the facts it would have had without.

        What joins them to others stays: of A, B and C that were merged in a row, unmerging A and
        B leaves B and C as one. The order of the two does not matter.

        Raises:
            NotFoundError: there are no such entities, or they are not merged with each other.
            InvalidInputError: the names mean several merges, which the message lists.
        """
        with self._store.read(self.name) as reader:
            known = self._known(reader, None)
            ones, others = (_meant(reader, subject) for subject in (entity, into))
            around = merges(reader, known, ones.keys())
            found = [
                merge
                for merge in around
                if (merge.entity.id in ones and merge.into.id in others)
                or (merge.entity.id in others and merge.into.id in ones)
            ]
        if not found:
            raise NotFoundError(_not_merged(ones.values(), others.values(), around))
        if len({frozenset(_pair(merge)) for merge in found}) > 1:
            raise InvalidInputError(
                f"that means several merges; name the entities of one by their ids: {_row(found)}"
            )
        return self.retract(*sorted({id for merge in found for id in merge.fact.support}))

    def merges(self: _Bound, known_at: TimeLike | None = None) -> list[Merge]:
        """Which entities are one, and why, as known at one time."""
        with self._store.read(self.name) as reader:
            return merges(reader, self._known(reader, known_at))


def _meant(reader: Reader, subject: Subject) -> dict[str, Entity]:
    found = reader.entities(named(reader, subject, None))
    if not found:
        said = subject if isinstance(subject, str) else subject.name
        raise NotFoundError(f"no entity {said!r} in this tenant")
    return found


def _only(reader: Reader, subject: Subject, known_at: Instant) -> Entity:
    """The entity that is meant; of several that are one already, the canonical one."""
    found = _meant(reader, subject)
    if len(found) == 1:
        return next(iter(found.values()))
    canonical = reader.identities(found.keys(), known_at)
    ids = {canonical.get(id, id) for id in found}
    if len(ids) == 1:
        return reader.entities(ids).popitem()[1]
    listed = ", ".join(_shown(one) for one in list(found.values())[:_MOST_LISTED])
    said = subject if isinstance(subject, str) else subject.name
    raise InvalidInputError(f"{said!r} means several entities; name one by its id: {listed}")


def _pair(merge: Merge) -> set[str]:
    return {merge.entity.id, merge.into.id}


def _shown(entity: Entity) -> str:
    details = [entity.id, *([entity.type] if entity.type else [])]
    return f"{entity.name} ({', '.join(details)})"


def _row(found: Iterable[Merge]) -> str:
    shown = [f"{_shown(merge.entity)} and {_shown(merge.into)}" for merge in found]
    return "; ".join(shown[:_MOST_LISTED])


def _not_merged(ones: Iterable[Entity], others: Iterable[Entity], around: Sequence[Merge]) -> str:
    one, other = (", ".join(map(_shown, found)) for found in (ones, others))
    said = f"{one} and {other} are not merged with each other"
    if not around:
        return said
    return f"{said}. What is merged with the first: {_row(around)}"
