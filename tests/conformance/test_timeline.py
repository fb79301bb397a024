"""What a memory believes is what the rules say, now and at every time before."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import combinations
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bitempo import Statement, Tenant
from bitempo.engine.model import Cardinality
from bitempo.engine.time import Instant
from bitempo.testing import FixedClock
from tests import oracle
from tests.conformance.conftest import Opener
from tests.conformance.model import Told
from tests.conformance.telling import (
    CARDINALITIES,
    SLOTS,
    answers,
    batches,
    day,
    fresh,
    grid,
    instant,
    looked_at,
    moment,
    new_model,
    runs,
    statement_of,
    tell,
    tellings,
    values,
)

brisk = settings(max_examples=25, deadline=None)


class Telling(RuleBasedStateMachine):
    """A tenant beside a model that keeps all that was told: whatever happens, they agree."""

    def __init__(self, open_memory: Opener) -> None:
        super().__init__()
        self.clock = FixedClock("2030-01-01")
        self.memory = open_memory(clock=self.clock)
        self.tenant = fresh(self.memory)
        self.model = new_model()
        self.episodes: dict[str, list[Told]] = {}
        self.transactions: list[Instant] = []
        self.texts: dict[str, str] = {}
        self.seen: dict[Any, list[str]] = {}

    @rule(hours=st.integers(-2, 24))
    def time_passes(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))

    @rule(told=batches())
    def tell(self, told: list[Told]) -> None:
        self._tell(told)

    @precondition(lambda self: self.model.recorded)
    @rule(told=tellings(), data=st.data())
    def correct(self, told: Told, data: st.DataObject) -> None:
        corrected = data.draw(st.sampled_from(sorted(self.model.recorded)))
        self._tell([replace(told, corrects=corrected)])

    @precondition(lambda self: self.model.recorded)
    @rule(data=st.data())
    def retract_an_assertion(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.model.recorded)))
        self._retracted(self.tenant.retract(id), [id])

    @precondition(lambda self: self.episodes)
    @rule(data=st.data())
    def retract_an_episode(self, data: st.DataObject) -> None:
        episode = data.draw(st.sampled_from(sorted(self.episodes)))
        self._retracted(self.tenant.retract(episode=episode), self.model.episode(episode))

    @precondition(lambda self: self.episodes)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        episode = data.draw(st.sampled_from(sorted(self.episodes)))
        written = self.tenant.assert_facts(
            self._statements(episode, self.episodes[episode]),
            episode=episode,
            occurred_at="2024-01-01",
        )
        assert list(written.assertion_ids) == self.model.episode(episode)
        assert (written.tx, written.facts_opened, written.facts_closed) == (None, (), ())

    @precondition(lambda self: self.transactions)
    @rule(slot=st.sampled_from(SLOTS), valid=st.sampled_from(looked_at()), data=st.data())
    def look_back(self, slot: tuple[str, str], valid: Instant, data: st.DataObject) -> None:
        known = data.draw(st.sampled_from(self.transactions)) - data.draw(st.integers(0, 1))
        self.seen[*slot, valid, known] = answers(self.tenant, *slot, valid, known)

    @invariant()
    def belief_is_what_the_rules_say(self) -> None:
        if self.transactions:
            self._check(self.transactions[-1], None)

    @invariant()
    def what_was_seen_of_the_past_stays(self) -> None:
        for (subject, predicate, valid, known), expected in self.seen.items():
            assert answers(self.tenant, subject, predicate, valid, known) == expected

    def teardown(self) -> None:
        try:
            for known in self.transactions:
                self._check(known, known)
                self._check(known - 1, known - 1)
            for slot in SLOTS:
                _check_plane(self.tenant, slot)
        finally:
            self.memory.close()

    def _tell(self, told: list[Told]) -> None:
        episode = f"E{len(self.episodes)}"
        written = self.tenant.assert_facts(
            self._statements(episode, told), episode=episode, occurred_at="2024-01-01"
        )
        self.episodes[episode] = told
        tx = self._transaction(written.tx)
        for number, (id, item) in enumerate(zip(written.assertion_ids, told, strict=True)):
            self.model.record(id, episode, item, tx)
            self.texts[id] = f"{episode}, {number}"

    def _statements(self, episode: str, told: list[Told]) -> list[Statement]:
        """Each with a text of its own, to see which one a fact takes its text from."""
        return [
            replace(statement_of(item), text=f"{episode}, {number}")
            for number, item in enumerate(told)
        ]

    def _retracted(self, written: Any, ids: list[str]) -> None:
        standing = [id for id in ids if self.model.recorded[id].unretracted(2**61)]
        assert sorted(written.retracted) == sorted(standing)
        if written.tx is not None:
            self.model.retract(ids, self._transaction(written.tx))

    def _transaction(self, tx: Any) -> Instant:
        at = instant(tx)
        assert not self.transactions or at > self.transactions[-1]
        assert at >= self.clock.now()
        self.transactions.append(at)
        return at

    def _check(self, known: Instant, asked: Instant | None) -> None:
        for subject, predicate in SLOTS:
            facts = self.tenant.history(
                subject, predicate, known_at=None if asked is None else moment(asked)
            )
            claims = self.model.claims(subject, predicate, known)
            expected = oracle.runs(claims, CARDINALITIES[predicate])
            assert runs(facts) == expected
            leads = [oracle.lead_of(claims, run) for run in expected]
            assert sorted(f.text for f in facts) == sorted(self.texts[id] for id in leads)


def test_belief_follows_the_rules_and_past_belief_never_changes(open_memory: Opener) -> None:
    run_state_machine_as_test(
        cast("type[Telling]", partial(Telling, open_memory)),
        settings=settings(
            max_examples=open_memory.places.examples(25), stateful_step_count=16, deadline=None
        ),
    )


@brisk
@given(told=batches(8))
def test_the_values_at_every_instant_are_those_of_the_oracle(
    open_memory: Opener, told: list[Told]
) -> None:
    with open_memory(clock=FixedClock("2030-01-01")) as memory:
        tenant, model = fresh(memory), new_model()
        for id, item in zip(tell(tenant, "E1", told), told, strict=True):
            model.record(id, "E1", item, 0)
        for (subject, predicate, valid, _), found in grid(tenant).items():
            assert found == sorted(model.answer(subject, predicate, valid, 0))


@brisk
@given(
    told=st.lists(tellings(), min_size=1, max_size=7, unique_by=lambda t: t.start), data=st.data()
)
def test_order_and_batches_do_not_matter_when_starts_are_distinct(
    open_memory: Opener, told: list[Told], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(told))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(told)), max_size=3)))
    with open_memory(clock=FixedClock("2030-01-01")) as memory:
        one_by_one, in_parts = fresh(memory), fresh(memory)
        for i, item in enumerate(told):
            tell(one_by_one, f"E{i}", [item])
        for start, end in zip([0, *cuts], [*cuts, len(told)], strict=True):
            if start < end:
                tell(in_parts, f"P{start}", shuffled[start:end])
        for slot in SLOTS:
            assert values(in_parts.history(*slot)) == values(one_by_one.history(*slot))


@brisk
@given(told=st.lists(batches(2), min_size=1, max_size=5), data=st.data())
def test_retracting_equals_never_having_told_for_valid_time_now(
    open_memory: Opener, told: list[list[Told]], data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.integers(0, len(told) - 1)))
    with open_memory(clock=FixedClock("2030-01-01")) as memory:
        all_told, never = fresh(memory), fresh(memory)
        for i, batch in enumerate(told):
            tell(all_told, f"E{i}", batch)
            if i not in gone:
                tell(never, f"E{i}", batch)
        for i in data.draw(st.permutations(sorted(gone))):
            all_told.retract(episode=f"E{i}")
        for slot in SLOTS:
            assert runs(all_told.history(*slot)) == runs(never.history(*slot))


def test_no_stated_time_means_the_episodes_own_and_is_flagged(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", occurred_at=moment(day(2)))
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from=moment(day(5)))
    lima, oslo = tenant.history("Ana", "LIVES_IN")
    assert (lima.valid.start, lima.from_inferred) == (day(2), True)
    assert (oslo.valid.start, oslo.from_inferred) == (day(5), False)


def test_equal_starts_are_decided_and_recorded_as_a_conflict(tenant: Tenant) -> None:
    first = tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from=moment(day(1)))
    second = tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from=moment(day(1)))
    [fact] = tenant.history("Ana", "LIVES_IN")
    assert (fact.answer, fact.support) == ("Oslo", (second.assertion_id,))
    assert fact.conflicts == (first.assertion_id,)


def test_a_lower_trust_claim_is_kept_and_reported_as_contested(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from=moment(day(1)), trust=8)
    weak = tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from=moment(day(3)), trust=3)
    [fact] = tenant.history("Ana", "LIVES_IN")
    assert (fact.answer, fact.contested) == ("Lima", (weak.assertion_id,))


def test_a_fact_takes_its_text_from_the_first_to_say_so_while_that_stands(tenant: Tenant) -> None:
    for episode in ("E1", "E2"):
        tenant.assert_fact(
            "Ana", "LIVES_IN", "Lima", valid_from=moment(day(1)), text=episode, episode=episode
        )
    before = tenant.stats().last_tx
    assert before is not None
    assert [fact.text for fact in tenant.history("Ana", "LIVES_IN")] == ["E1"]
    tenant.retract(episode="E1")
    assert [fact.text for fact in tenant.history("Ana", "LIVES_IN")] == ["E2"]
    past = tenant.history("Ana", "LIVES_IN", known_at=moment(before))
    assert [fact.text for fact in past] == ["E1"]


@pytest.mark.parametrize("modality", ["planned", "hypothetical"])
def test_plans_and_hypotheses_live_in_slots_of_their_own(tenant: Tenant, modality: str) -> None:
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from=moment(day(1)))
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from=moment(day(3)), modality=modality)
    valid = moment(day(4))
    assert [f.answer for f in tenant.as_of("Ana", "LIVES_IN", valid_at=valid)] == ["Lima"]
    [other] = tenant.as_of("Ana", "LIVES_IN", valid_at=valid, modality=modality)
    assert (other.answer, other.modality) == ("Oslo", modality)
    everything = tenant.as_of("Ana", "LIVES_IN", valid_at=valid, modality=None)
    assert sorted(str(fact.answer) for fact in everything) == ["Lima", "Oslo"]


def test_a_deadline_ends_nothing(tenant: Tenant) -> None:
    tenant.assert_fact(
        "Ana",
        "PLANS",
        "the move",
        valid_from=moment(day(1)),
        due=moment(day(2)),
        modality="planned",
    )
    [fact] = tenant.history("Ana", "PLANS", modality="planned")
    assert fact.valid_to is None
    assert fact.due is not None
    assert fact.due.start == day(2)


def _check_plane(tenant: Tenant, slot: tuple[str, str]) -> None:
    """No two versions of one slot share a point of the (valid, transaction) plane."""
    versions = tenant.history(*slot, versions=True)
    for one, other in combinations(versions, 2):
        if CARDINALITIES[slot[1]] is Cardinality.ONE or one.answer == other.answer:
            assert not (one.valid.overlaps(other.valid) and one.believed.overlaps(other.believed))
