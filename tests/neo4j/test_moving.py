"""From SQLite to Neo4j and back: the same records, and the same answers at every point."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from bitempo import Memory, Tenant
from bitempo.bench.locomo import read_conversations
from bitempo.engine.time import Instant, parse_instant, to_datetime
from bitempo.ingest.loaders import load_sessions
from bitempo.testing import FixedClock
from tests.conformance.telling import fresh, moment
from tests.conformance.test_tenants import everything
from tests.neo4j.workload import open_memory
from tests.servers.running import Neo4jServer
from tests.shared import shared

CONVERSATION = "conv-26"
POINTS = 6


@pytest.fixture(scope="module")
def path() -> Path:
    return shared("data", "locomo_dev.json")


@pytest.fixture(scope="module")
def clock() -> FixedClock:
    return FixedClock("2020-01-01")


@pytest.fixture(scope="module")
def original(path: Path, clock: FixedClock) -> Iterator[Tenant]:
    """A real conversation in the embedded store, each session known when it began."""
    with Memory.open(":memory:", clock=clock) as memory:
        tenant = memory.tenant("original")
        for session in load_sessions(path):
            if session.id.startswith(CONVERSATION):
                clock.set(to_datetime(session.started_at))
                tenant.ingest(session)
        [turn, *_] = tenant.recall("hobby").items
        # Some of it is taken back and corrected, so that versions differ over transaction time.
        for fact in tenant.as_of()[:8:2]:
            tenant.retract(fact.support[0])
        assert turn.sources
        yield tenant


@pytest.fixture(scope="module")
def moved(original: Tenant, server: Neo4jServer, clock: FixedClock) -> Iterator[Tenant]:
    """The same, imported into Neo4j; the tests only read it."""
    with open_memory(server.location) as memory:
        memory.clock = clock
        tenant = fresh(memory)
        tenant.import_(everything(original))
        yield tenant


def test_there_and_back_again_every_record_is_the_same(original: Tenant, moved: Tenant) -> None:
    lines = everything(original)
    assert len(lines) > 1_000
    assert sorted(everything(moved)) == sorted(lines)
    with Memory.open(":memory:") as memory:
        back = memory.tenant("back")
        back.import_(everything(moved))
        assert sorted(everything(back)) == sorted(lines)
        assert back.stats() == moved.stats() == original.stats()


def test_every_answer_is_the_same_at_sampled_points(original: Tenant, moved: Tenant) -> None:
    for valid, known in points(original):
        at = {"valid_at": moment(valid), "known_at": moment(known)}
        here, there = original.as_of(**at), moved.as_of(**at)  # type: ignore[arg-type]
        assert here == there
        for fact in here[::25]:
            assert original.why(fact, known_at=at["known_at"]) == moved.why(
                fact, known_at=at["known_at"]
            )
            assert original.history(fact.subject, fact.predicate, known_at=at["known_at"]) == (
                moved.history(fact.subject, fact.predicate, known_at=at["known_at"])
            )


def test_every_version_and_every_difference_is_the_same(original: Tenant, moved: Tenant) -> None:
    assert original.entities() == moved.entities()
    for entity in original.entities()[:20]:
        assert original.history(entity, versions=True) == moved.history(entity, versions=True)
    known = sorted(known for _, known in points(original))
    for first, last in pairwise(known):
        ours, theirs = (tenant.diff(moment(first), moment(last)) for tenant in (original, moved))
        assert set(ours.believed) == set(theirs.believed)
        assert set(ours.no_longer) == set(theirs.no_longer)


def test_every_question_is_answered_alike_with_the_same_scores(
    original: Tenant, moved: Tenant, path: Path
) -> None:
    asked = next(one for one in read_conversations(path) if one.sample == CONVERSATION)
    questions = asked.questions[:40]
    for valid, known in points(original)[:3]:
        at = {"valid_at": moment(valid), "known_at": moment(known)}
        for question in questions:
            here = original.recall(question, **at)  # type: ignore[arg-type]
            there = moved.recall(question, **at)  # type: ignore[arg-type]
            assert replace(there.receipt, tenant=here.receipt.tenant) == here.receipt
            assert [item.contributions for item in here.items] == [
                item.contributions for item in there.items
            ]


def points(tenant: Tenant) -> list[tuple[Instant, Instant]]:
    """Points of both times inside the conversation, the same in every run."""
    stats = tenant.stats()
    assert stats.first_tx is not None
    assert stats.last_tx is not None
    chosen = random.Random(4)
    first = parse_instant("2022-06-01")
    return [
        (chosen.randrange(first, stats.last_tx), chosen.randrange(stats.first_tx, stats.last_tx))
        for _ in range(POINTS)
    ] + [(stats.last_tx, stats.last_tx)]
