"""History, diff and why tell one story: what was believed, what changed, and on what grounds."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import Fact, NotFoundError, Tenant
from bitempo.engine.time import Instant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.model import Told
from tests.conformance.telling import (
    SLOTS,
    SUBJECTS,
    batches,
    fresh,
    instant,
    looked_at,
    moment,
    statement_of,
    values,
)

Belief = tuple[str, str, str, Instant, Instant]
MICROSECOND = timedelta(microseconds=1)


def belief(fact: Fact) -> Belief:
    return (
        fact.subject.name,
        fact.predicate,
        str(fact.answer),
        fact.valid.start,
        fact.valid.end,
    )


def believed(tenant: Tenant, known: Instant) -> set[Belief]:
    """All beliefs about every valid time, as known then."""
    return {
        belief(fact)
        for subject in SUBJECTS
        for fact in tenant.history(subject, known_at=moment(known))
    }


def told_over_time(tenant: Tenant, clock: FixedClock, told: list[list[Told]]) -> list[Instant]:
    """Tell each batch an hour later, retract the first at last; all transaction times."""
    times = []
    for number, batch in enumerate(told):
        clock.advance(timedelta(hours=1))
        statements = [statement_of(item) for item in batch]
        times.append(instant(tenant.assert_facts(statements, episode=f"E{number}").tx))
    clock.advance(timedelta(hours=1))
    return [*times, instant(tenant.retract(episode="E0").tx)]


histories = given(told=st.lists(batches(3), min_size=2, max_size=4))
brisk = settings(max_examples=20, deadline=None)


@brisk
@histories
def test_a_diff_is_the_difference_of_the_beliefs_at_its_two_ends(
    open_memory: Opener, told: list[list[Told]]
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        tenant = fresh(memory)
        times = told_over_time(tenant, clock, told)
        points = [times[0] - 1, *times]
        beliefs = [believed(tenant, known) for known in points]
        for a, known_a in enumerate(points):
            for b, known_b in enumerate(points):
                diff = tenant.diff(moment(known_a), moment(known_b))
                assert {belief(fact) for fact in diff.believed} == beliefs[b] - beliefs[a]
                assert {belief(fact) for fact in diff.no_longer} == beliefs[a] - beliefs[b]
                assert len(diff.believed) == len(beliefs[b] - beliefs[a])


@brisk
@histories
def test_history_and_as_of_agree_at_every_instant(
    open_memory: Opener, told: list[list[Told]]
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        tenant = fresh(memory)
        times = told_over_time(tenant, clock, told)
        for known in times:
            for subject, predicate in SLOTS:
                history = tenant.history(subject, predicate, known_at=moment(known))
                assert history == sorted(history, key=lambda fact: fact.valid.start)
                for valid in open_memory.places.some(looked_at(), at_least=6):
                    point = {"valid_at": moment(valid), "known_at": moment(known)}
                    holding = [fact for fact in history if valid in fact.valid]
                    found = tenant.as_of(subject, predicate, **point)  # type: ignore[arg-type]
                    assert {fact.id for fact in found} == {fact.id for fact in holding}


@brisk
@histories
def test_versions_are_all_that_was_ever_believed(
    open_memory: Opener, told: list[list[Told]]
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        tenant = fresh(memory)
        times = told_over_time(tenant, clock, told)
        for slot in SLOTS:
            versions = tenant.history(*slot, versions=True)
            assert len({fact.id for fact in versions}) == len(versions)
            for known in times:
                now = [fact for fact in versions if known in fact.believed]
                assert values(now) == values(tenant.history(*slot, known_at=moment(known)))
            assert {fact.believed.start for fact in versions} <= set(times)


@brisk
@histories
def test_an_entity_and_the_whole_tenant_are_the_union_of_their_slots(
    open_memory: Opener, told: list[list[Told]]
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        tenant = fresh(memory)
        told_over_time(tenant, clock, told)
        for valid in looked_at()[::4]:
            at = moment(valid)
            by_slot = {f.id for slot in SLOTS for f in tenant.as_of(*slot, valid_at=at)}
            by_entity = {f.id for name in SUBJECTS for f in tenant.as_of(name, valid_at=at)}
            assert by_slot == by_entity == {fact.id for fact in tenant.as_of(valid_at=at)}


@brisk
@histories
def test_why_leads_from_every_version_back_to_its_episodes(
    open_memory: Opener, told: list[list[Told]]
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        tenant = fresh(memory)
        told_over_time(tenant, clock, told)
        for slot in SLOTS:
            for fact in tenant.history(*slot, versions=True):
                why = tenant.why(fact)
                assert why.fact.id == fact.id
                assert why.support
                for evidence in why.support:
                    assert evidence.assertion.id in why.fact.support
                    assert evidence.assertion.subject == fact.subject.id
                    assert [e.id for e in evidence.episodes] == list(evidence.assertion.evidence)
                if why.superseded is not None:
                    assert why.superseded.valid.end <= fact.valid.start
                if why.superseded_by is not None:
                    assert why.superseded_by.valid.start >= fact.valid.end


def test_why_tells_what_came_before_and_after_and_what_was_corrected(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01")
    wrong = tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-06-01")
    right = tenant.assert_fact(
        "Ana", "LIVES_IN", "Oslo", valid_from="2024-03-01", corrects=wrong.assertion_id
    )
    tenant.assert_fact("Ana", "LIVES_IN", "Quito", valid_from="2024-09-01")
    [oslo] = tenant.as_of("Ana", "LIVES_IN", valid_at="2024-04-01")
    why = tenant.why(oslo)
    assert [evidence.assertion.id for evidence in why.support] == [right.assertion_id]
    assert [evidence.assertion.id for evidence in why.corrected] == [wrong.assertion_id]
    assert why.superseded is not None
    assert why.superseded_by is not None
    assert (why.superseded.answer, why.superseded_by.answer) == ("Lima", "Quito")


def test_why_names_the_contested_and_the_conflicting(tenant: Tenant) -> None:
    conflict = tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01", trust=8)
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-01-01", trust=8)
    weak = tenant.assert_fact("Ana", "LIVES_IN", "Quito", valid_from="2024-02-01", trust=2)
    [fact] = tenant.as_of("Ana", "LIVES_IN")
    why = tenant.why(fact)
    assert [evidence.assertion.id for evidence in why.conflicts] == [conflict.assertion_id]
    assert [evidence.assertion.id for evidence in why.contested] == [weak.assertion_id]


def test_why_of_a_version_given_up_is_asked_while_it_was_believed(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01", episode="E1")
    [lima] = tenant.as_of("Ana")
    gone = tenant.retract(episode="E1").tx
    assert gone is not None
    assert tenant.why(lima).fact.id == lima.id
    assert tenant.why(lima.id, known_at=gone - MICROSECOND).support
    with pytest.raises(NotFoundError):
        tenant.why(lima, known_at=gone)
    with pytest.raises(NotFoundError):
        tenant.why("fact_of_nothing")


def test_support_that_changes_alone_is_no_change_of_belief(tenant: Tenant) -> None:
    first = tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01", episode="E1")
    second = tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01", episode="E2")
    assert first.tx is not None
    assert second.tx is not None
    diff = tenant.diff(first.tx, second.tx)
    assert (diff.believed, diff.no_longer) == ((), ())
    [now] = tenant.history("Ana", "LIVES_IN")
    [then] = tenant.history("Ana", "LIVES_IN", known_at=first.tx)
    assert len(now.support) == 2
    assert then.support == (first.assertion_id,)


def test_reading_of_what_is_unknown_gives_nothing(tenant: Tenant) -> None:
    assert tenant.as_of("Nobody", "LIVES_IN") == []
    assert tenant.history("Nobody") == []
    assert tenant.entities("Nobody") == []
    assert tenant.diff("2020-01-01", "2040-01-01").believed == ()


def test_a_limit_keeps_the_first(tenant: Tenant) -> None:
    for game in ("chess", "go", "poker"):
        tenant.assert_fact("Ana", "PLAYS", game, valid_from="2024-01-01")
    everything = tenant.as_of("Ana", "PLAYS")
    assert tenant.as_of("Ana", "PLAYS", limit=2) == everything[:2]
    assert tenant.as_of("Ana", "PLAYS", limit=0) == []
