"""What the conformance tests tell a memory, and how they look at what it makes of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime

from hypothesis import strategies as st

from bitempo import Cardinality, Fact, Memory, PredicatePolicy, Statement, Tenant
from bitempo.engine.time import (
    BEGINNING,
    FOREVER,
    Instant,
    from_datetime,
    parse_instant,
    to_datetime,
)
from tests import oracle
from tests.conformance.model import Model, Told

CARDINALITIES = {"LIVES_IN": Cardinality.ONE, "PLAYS": Cardinality.MANY}
POLICY = PredicatePolicy().with_single("LIVES_IN").with_many("PLAYS")
SUBJECTS = ("Ana", "Bo")
SLOTS = tuple((subject, predicate) for subject in SUBJECTS for predicate in CARDINALITIES)

Asked = tuple[str, str, Instant, Instant | None]
"""Subject, predicate, valid time and transaction time; None for now."""

ORIGIN = parse_instant("2024-01-01")
DAY = 86_400_000_000
DAYS = 9


def fresh(memory: Memory) -> Tenant:
    """A tenant that nobody has used."""
    return memory.tenant(unused())


def unused() -> str:
    """The name of a tenant that nobody has used."""
    return f"t-{uuid.uuid4().hex}"


def day(number: int) -> Instant:
    """The start of a day, counted from the first that is told of."""
    return ORIGIN + number * DAY


@st.composite
def tellings(draw: st.DrawFn) -> Told:
    """One thing to tell, dense in days, values and trust, with both unbounded ends."""
    positive = draw(st.sampled_from((True, True, True, False)))
    start = draw(st.one_of(st.integers(0, DAYS - 1), st.none()))
    length = draw(st.one_of(st.none(), st.integers(1, 4)))
    end = None if length is None else (start or 0) + length
    return Told(
        subject=draw(st.sampled_from(SUBJECTS)),
        predicate=draw(st.sampled_from(tuple(CARDINALITIES))),
        object=draw(st.sampled_from(("Lima", "Oslo", "Quito") + (() if positive else (None,)))),
        start=BEGINNING if start is None else day(start),
        end=FOREVER if end is None else day(end),
        positive=positive,
        trust=draw(st.sampled_from((3, 5, 8))),
    )


def batches(max_size: int = 3) -> st.SearchStrategy[list[Told]]:
    """What one episode tells."""
    return st.lists(tellings(), min_size=1, max_size=max_size)


def statement_of(told: Told) -> Statement:
    """What was told, in the words of the public face."""
    return Statement(
        subject=told.subject,
        predicate=told.predicate,
        object=told.object,
        valid_from=to_datetime(told.start),
        valid_to=to_datetime(told.end),
        polarity="+" if told.positive else "-",
        trust=told.trust,
        corrects=told.corrects,
    )


def tell(tenant: Tenant, episode: str, told: Iterable[Told]) -> tuple[str, ...]:
    """Tell an episode; the ids of its assertions."""
    statements = [statement_of(item) for item in told]
    return tenant.assert_facts(statements, episode=episode, occurred_at="2024-01-01").assertion_ids


def instant(moment: datetime | None) -> Instant:
    """A moment that must be there, as an instant."""
    assert moment is not None
    return from_datetime(moment)


def moment(at: Instant) -> datetime:
    """An instant as a moment; the unbounded ends are none."""
    found = to_datetime(at)
    assert found is not None
    return found


def looked_at() -> list[Instant]:
    """Instants at which answers can differ: both sides of every midnight, and far away."""
    near = [day(number) + step for number in range(-1, DAYS + 6) for step in (-1, 0)]
    return [parse_instant("0001-01-01"), *near, parse_instant("9999-12-31")]


def answers(
    tenant: Tenant, subject: str, predicate: str, valid: Instant, known: Instant | None = None
) -> list[str]:
    """The values of a slot at one point, sorted."""
    facts = tenant.as_of(
        subject,
        predicate,
        valid_at=moment(valid),
        known_at=None if known is None else moment(known),
    )
    return sorted(str(fact.answer) for fact in facts)


def grid(tenant: Tenant, knowns: Sequence[Instant | None] = (None,)) -> dict[Asked, list[str]]:
    """Every answer of the tenant at the instants looked at, as known at each time given."""
    return {
        (subject, predicate, valid, known): answers(tenant, subject, predicate, valid, known)
        for subject, predicate in SLOTS
        for valid in looked_at()
        for known in knowns
    }


def runs(facts: Iterable[Fact]) -> list[oracle.Run]:
    """Facts as the oracle states them, ordered as it does."""
    found = [
        oracle.Run(
            str(fact.answer),
            fact.valid.start,
            fact.valid.end,
            frozenset(fact.support),
            frozenset(fact.contested),
            frozenset(fact.conflicts),
        )
        for fact in facts
    ]
    return sorted(found, key=lambda run: (run.start, run.value))


def values(facts: Iterable[Fact]) -> list[tuple[str, Instant, Instant]]:
    """Values and intervals alone, ordered."""
    return sorted((str(fact.answer), fact.valid.start, fact.valid.end) for fact in facts)


def new_model() -> Model:
    """A model that knows the predicates told of."""
    return Model(dict(CARDINALITIES))
