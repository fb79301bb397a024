"""The verbs of a tenant that are about intervals of validity."""

from __future__ import annotations

from collections.abc import Iterable

from bitempo._bound import Bound
from bitempo._statement import choice
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import Fact, Literal, Modality
from bitempo.engine.time import TimeLike, parse_instant
from bitempo.query.bounds import Bounds
from bitempo.query.relations import Relation, relation
from bitempo.query.subjects import Subject
from bitempo.query.when import bounds_of, fact_version, is_fact_id, matching


class IntervalVerbs:
    """Part of `Tenant`."""

    def when(
        self: Bound,
        fact_or_subject: Fact | Subject,
        predicate: str | None = None,
        object: Subject | Literal | None = None,
        *,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
    ) -> list[Bounds]:
        """When a fact holds, or all facts of a subject that match, at any valid time.

        Args:
            fact_or_subject: a fact or its id, or an entity by name, alias or id.
            predicate: with an entity: of all predicates without, but for whole sentences.
            object: with an entity: only facts with this entity or literal.
            known_at: as known then; of a fact, by default when it was last believed.

        Returns:
            Each fact with the start and the end of its interval, in the order of the starts. A
            `Bound` has the instant, its granularity, what it comes from (stated, inferred,
            superseded and so on), and the earliest and latest instant at which it can lie.

        Raises:
            NotFoundError: there is no such fact, or it was not believed then.
            InvalidInputError: a predicate or object is given with a fact.
        """
        wanted = None if modality is None else choice(Modality, modality)
        with self._store.read(self.name) as reader:
            if isinstance(fact_or_subject, Fact) or is_fact_id(fact_or_subject):
                if predicate is not None or object is not None:
                    raise InvalidInputError("a fact is asked about alone, without a predicate")
                asked = None if known_at is None else parse_instant(known_at)
                fact, point = fact_version(reader, fact_or_subject, asked)
                return bounds_of(reader, [fact], point.known_at)
            known = self._known(reader, known_at)
            found = matching(reader, known, fact_or_subject, predicate, object, wanted)
            return bounds_of(reader, found, known)

    def relation(
        self: Bound,
        one: Fact | str,
        other: Fact | str,
        *,
        known_at: TimeLike | None = None,
    ) -> Relation:
        """How one fact's interval lies to another's: one of the thirteen relations of Allen.

        Args:
            one, other: facts or their ids.
            known_at: as known then; by default, each as it was last believed.

        Raises:
            NotFoundError: there is no such fact, or it was not believed then.
        """
        asked = None if known_at is None else parse_instant(known_at)
        with self._store.read(self.name) as reader:
            first, second = (fact_version(reader, fact, asked)[0] for fact in (one, other))
        return relation(first.valid, second.valid)

    def related(
        self: Bound,
        fact: Fact | str,
        relations: Relation | str | Iterable[Relation | str],
        *,
        subject: Subject | None = None,
        predicate: str | None = None,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
    ) -> list[Fact]:
        """The facts whose intervals lie so to that of a fact: those "during" it, "before" it.

        Args:
            fact: a fact or its id.
            relations: one relation of Allen or several, of the facts sought to this fact.
            subject: whose facts; those of the fact's own subject by default.
            predicate: of all predicates without, but for whole sentences.
            known_at: as known then; by default, when the fact was last believed.
            modality: None takes plans and hypotheses too.

        Returns:
            The facts, without the fact itself, in the order of their starts.

        Raises:
            NotFoundError: there is no such fact, or it was not believed then.
            InvalidInputError: there is no such relation.
        """
        given = [relations] if isinstance(relations, str) else relations
        sought = {choice(Relation, one) for one in given}
        wanted = None if modality is None else choice(Modality, modality)
        asked = None if known_at is None else parse_instant(known_at)
        with self._store.read(self.name) as reader:
            this, point = fact_version(reader, fact, asked)
            whose = this.subject if subject is None else subject
            found = matching(reader, point.known_at, whose, predicate, modality=wanted)
        return [
            one for one in found if one.id != this.id and relation(one.valid, this.valid) in sought
        ]
