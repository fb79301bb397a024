"""The verbs of a tenant that are about intervals of validity."""

from __future__ import annotations

from collections.abc import Iterable

from bitempo._bound import Bound
from bitempo._statement import choice, modality_or_any
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import Fact, Literal, Modality
from bitempo.engine.time import BEGINNING, FOREVER, Interval, TimeLike, parse_instant
from bitempo.query.aggregates import Count, Duration, Pick, earliest, latest
from bitempo.query.bounds import Bounds
from bitempo.query.history import fact_version
from bitempo.query.relations import Relation, relation
from bitempo.query.subjects import Subject
from bitempo.query.summaries import Choose, count, duration, pick
from bitempo.query.when import bounds_of, is_fact_id, matching

Between = tuple[TimeLike | None, TimeLike | None]
"""A window of valid time, its end excluded; None for no bound."""


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
        wanted = modality_or_any(modality)
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
        wanted = modality_or_any(modality)
        asked = None if known_at is None else parse_instant(known_at)
        with self._store.read(self.name) as reader:
            this, point = fact_version(reader, fact, asked)
            whose = this.subject if subject is None else subject
            found = matching(reader, point.known_at, whose, predicate, modality=wanted)
        return [
            one for one in found if one.id != this.id and relation(one.valid, this.valid) in sought
        ]

    def count(
        self: Bound,
        subject: Subject,
        predicate: str,
        object: Subject | Literal | None = None,
        *,
        between: Between | None = None,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
    ) -> Count:
        """How many facts of a subject and predicate hold at some time of a window.

        Args:
            object: only facts with this entity or literal.
            between: the window of valid time, its end excluded, None for no bound; all by default.
            known_at: as known then.
            modality: None takes plans and hypotheses too.

        Returns:
            The number with the facts and their episodes, and between which numbers it lies where
            times are coarse.

        Raises:
            InvalidTimeError: the window does not end after it starts.
        """
        window = _window(between)
        with self._store.read(self.name) as reader:
            known = self._known(reader, known_at)
            found = matching(reader, known, subject, predicate, object, modality_or_any(modality))
            return count(reader, found, known, window)

    def first(
        self: Bound,
        subject: Subject,
        predicate: str,
        object: Subject | Literal | None = None,
        *,
        between: Between | None = None,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
    ) -> Pick:
        """The fact of a subject and predicate that begins first, of those that hold in a window.

        The arguments are those of `count`. `possible` of the result are its rivals: with times as
        coarse as they were stated, one of them may have begun first.
        """
        return _picked(self, earliest, subject, predicate, object, between, known_at, modality)

    def last(
        self: Bound,
        subject: Subject,
        predicate: str,
        object: Subject | Literal | None = None,
        *,
        between: Between | None = None,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
    ) -> Pick:
        """The fact of a subject and predicate that begins last, of those that hold in a window.

        As `first`.
        """
        return _picked(self, latest, subject, predicate, object, between, known_at, modality)

    def how_long(
        self: Bound,
        subject: Subject,
        predicate: str,
        object: Subject | Literal | None = None,
        *,
        between: Between | None = None,
        valid_at: TimeLike | None = None,
        known_at: TimeLike | None = None,
        modality: Modality | str | None = Modality.ACTUAL,
    ) -> Duration:
        """For how long facts of a subject and predicate have held, in all.

        Args:
            object: only facts with this entity or literal.
            between: count only what lies in this window of valid time, its end excluded.
            valid_at: until when it is measured, also what nothing has ended; now by default.
            known_at: as known then.
            modality: None takes plans and hypotheses too.

        Returns:
            The length as the timeline has it, and the shortest and the longest that it may be where
            times are coarse; with the facts and their episodes. Time that facts share is counted
            once.

        Raises:
            InvalidTimeError: the window does not end after it starts.
        """
        window = _window(between)
        until = self._clock.now() if valid_at is None else parse_instant(valid_at)
        past = Interval(window.start, min(window.end, until)) if window.start < until else None
        with self._store.read(self.name) as reader:
            known = self._known(reader, known_at)
            found = matching(reader, known, subject, predicate, object, modality_or_any(modality))
            return duration(reader, found, known, past, until)


def _picked(
    tenant: Bound,
    choose: Choose,
    subject: Subject,
    predicate: str,
    object: Subject | Literal | None,
    between: Between | None,
    known_at: TimeLike | None,
    modality: Modality | str | None,
) -> Pick:
    window = _window(between)
    with tenant._store.read(tenant.name) as reader:
        known = tenant._known(reader, known_at)
        found = matching(reader, known, subject, predicate, object, modality_or_any(modality))
        return pick(reader, found, known, window, choose)


def _window(between: Between | None) -> Interval:
    start, end = between or (None, None)
    return Interval(
        BEGINNING if start is None else parse_instant(start),
        FOREVER if end is None else parse_instant(end),
    )
