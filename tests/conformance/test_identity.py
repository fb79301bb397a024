"""Entities that are said to be one are one, from then on and until that is taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import (
    EntityRef,
    InvalidInputError,
    Memory,
    NotFoundError,
    PolicyError,
    Statement,
    Tenant,
)
from bitempo.engine.identity import SAME_AS
from bitempo.engine.time import BEGINNING, FOREVER, Instant
from bitempo.testing import FixedClock
from tests import oracle
from tests.conformance.conftest import Opener
from tests.conformance.model import Model, Told
from tests.conformance.telling import (
    CARDINALITIES,
    DAYS,
    SLOTS,
    day,
    fresh,
    instant,
    moment,
    new_model,
    runs,
    tell,
    tellings,
    values,
)

brisk = settings(max_examples=20, deadline=None)


def held(tenant: Tenant, subject: str, known_at: object = None) -> list[tuple[str, str, str]]:
    """Subject, predicate and answer of what is believed, merges left out."""
    found = tenant.history(subject, known_at=known_at)  # type: ignore[arg-type]
    return sorted(
        (fact.subject.name, fact.predicate, str(fact.answer))
        for fact in found
        if fact.predicate != SAME_AS
    )


@pytest.fixture
def mel(tenant: Tenant, clock: FixedClock) -> Tenant:
    """A tenant that knows Melanie, and Mel a day later."""
    tenant.assert_fact("Melanie", "LIVES_IN", "Lima", valid_from=moment(day(1)))
    clock.advance(timedelta(days=1))
    tenant.assert_fact("Mel", "LIVES_IN", "Oslo", valid_from=moment(day(3)))
    tenant.assert_fact("Mel", "PLAYS", "go", valid_from=moment(day(2)))
    clock.advance(timedelta(days=1))
    return tenant


MELANIE = [("Melanie", "LIVES_IN", "Lima")]
MEL = [("Mel", "LIVES_IN", "Oslo"), ("Mel", "PLAYS", "go")]
ONE = [
    ("Melanie", "LIVES_IN", "Lima"),
    ("Melanie", "LIVES_IN", "Oslo"),
    ("Melanie", "PLAYS", "go"),
]


@pytest.mark.parametrize("into", ["Melanie", "Mel"])
def test_merged_entities_have_one_timeline_in_the_name_of_the_first_met(
    mel: Tenant, into: str
) -> None:
    entity = "Mel" if into == "Melanie" else "Melanie"
    before = mel.stats().last_tx
    assert before is not None
    mel.merge(entity, into)
    assert held(mel, "Mel") == held(mel, "Melanie") == ONE
    lima, oslo = mel.history("Mel", "LIVES_IN")
    assert (lima.answer, lima.valid.end) == ("Lima", day(3))
    assert (oslo.answer, oslo.valid.end) == ("Oslo", FOREVER)
    assert held(mel, "Mel", moment(before)) == MEL
    assert held(mel, "Melanie", moment(before)) == MELANIE


def test_unmerging_gives_each_its_own_again_and_keeps_what_was_believed(mel: Tenant) -> None:
    merged = mel.merge("Mel", "Melanie").tx
    unmerged = mel.unmerge("Melanie", "Mel").tx
    assert (held(mel, "Mel"), held(mel, "Melanie")) == (MEL, MELANIE)
    assert held(mel, "Mel", merged) == ONE
    versions = mel.history("Mel", "LIVES_IN", versions=True)
    assert [(f.subject.name, f.answer) for f in versions if f.tx_to is not None] == [
        ("Melanie", "Lima"),
        ("Mel", "Oslo"),
        ("Melanie", "Oslo"),
    ]
    assert instant(unmerged) > instant(merged)
    assert mel.merges() == []
    assert len(mel.merges(known_at=merged)) == 1


def test_a_merge_can_be_taken_back_and_made_again_while_the_clock_stands_still(
    mel: Tenant,
) -> None:
    for _ in range(3):
        assert mel.merge("Mel", "Melanie").tx is not None
        assert held(mel, "Mel") == ONE
        assert mel.unmerge("Mel", "Melanie").tx is not None
        assert held(mel, "Mel") == MEL


def test_merging_what_is_merged_already_changes_nothing(mel: Tenant) -> None:
    first = mel.merge("Mel", "Melanie")
    before = mel.stats()
    again = mel.merge("Melanie", "Mel", reason="again")
    assert (again.tx, again.assertion_ids) == (None, first.assertion_ids)
    assert mel.stats() == before


def test_facts_that_come_after_a_merge_fall_into_the_one_timeline(mel: Tenant) -> None:
    mel.merge("Mel", "Melanie")
    written = mel.assert_fact("Mel", "LIVES_IN", "Quito", valid_from=moment(day(5)))
    assert [fact.answer for fact in mel.history("Melanie", "LIVES_IN")] == ["Lima", "Oslo", "Quito"]
    mel.assert_fact("Melanie", "PLAYS", polarity="-", valid_from=moment(day(6)))
    [go] = mel.history("Mel", "PLAYS")
    assert (go.answer, go.valid.end) == ("go", day(6))
    mel.retract(written.assertion_id)
    assert [fact.answer for fact in mel.history("Melanie", "LIVES_IN")] == ["Lima", "Oslo"]
    mel.unmerge("Mel", "Melanie")
    [go] = mel.history("Mel", "PLAYS")
    assert (go.answer, go.valid.end) == ("go", FOREVER)


def test_objects_are_merged_as_subjects_are(tenant: Tenant) -> None:
    tenant.assert_fact("Ana", "PLAYS", "chess", valid_from=moment(day(1)), valid_to=moment(day(3)))
    tenant.assert_fact("Ana", "PLAYS", "chess game", valid_from=moment(day(2)))
    tenant.merge("chess game", "chess")
    assert values(tenant.history("Ana", "PLAYS")) == [("chess", day(1), FOREVER)]
    tenant.unmerge("chess game", "chess")
    assert values(tenant.history("Ana", "PLAYS")) == [
        ("chess", day(1), day(3)),
        ("chess game", day(2), FOREVER),
    ]


def test_of_three_merged_in_a_row_the_end_of_one_merge_leaves_the_other(tenant: Tenant) -> None:
    for name in ("A", "B", "C"):
        tenant.assert_fact(name, "PLAYS", f"{name} game")
    tenant.merge("A", "B")
    tenant.merge("B", "C")
    assert {fact.answer for fact in tenant.as_of("C", "PLAYS")} == {"A game", "B game", "C game"}
    with pytest.raises(NotFoundError, match="not merged with each other"):
        tenant.unmerge("A", "C")
    tenant.unmerge("A", "B")
    assert {fact.answer for fact in tenant.as_of("A", "PLAYS")} == {"A game"}
    assert {fact.answer for fact in tenant.as_of("C", "PLAYS")} == {"B game", "C game"}
    assert {fact.subject.name for fact in tenant.as_of("C", "PLAYS")} == {"B"}


def test_a_denial_of_equal_trust_unmerges_and_one_of_lower_trust_does_not(mel: Tenant) -> None:
    mel.merge("Mel", "Melanie")
    weak = mel.assert_fact("Mel", SAME_AS, "Melanie", polarity="-", trust=3)
    assert held(mel, "Mel") == ONE
    strong = mel.assert_fact("Melanie", SAME_AS, "Mel", polarity="-", occurred_at="2031-01-01")
    assert held(mel, "Mel") == MEL
    assert mel.merges() == []
    mel.retract(strong.assertion_id, weak.assertion_id)
    assert held(mel, "Mel") == ONE


def test_a_correction_takes_a_merge_back_and_its_retraction_restores_it(mel: Tenant) -> None:
    merged = mel.merge("Mel", "Melanie").assertion_id
    other = mel.assert_fact("Mel", "KNOWS", "Melanie", corrects=merged)
    assert {fact.subject.name for fact in mel.as_of("Mel")} == {"Mel"}
    mel.retract(other.assertion_id)
    assert held(mel, "Mel") == ONE


@pytest.mark.parametrize("modality", ["planned", "hypothetical"])
def test_what_is_planned_or_supposed_merges_nothing(mel: Tenant, modality: str) -> None:
    mel.assert_fact("Mel", SAME_AS, "Melanie", modality=modality)
    assert held(mel, "Mel") == MEL
    assert mel.merges() == []


def test_a_merge_is_with_an_entity_and_of_many_values(mel: Tenant) -> None:
    with pytest.raises(InvalidInputError, match="SAME_AS"):
        mel.assert_fact("Mel", SAME_AS, value="Melanie")
    with pytest.raises(InvalidInputError, match="SAME_AS"):
        mel.assert_fact("Mel", SAME_AS, polarity="-")
    mel.assert_fact("Mel", "same as", "Melanie", cardinality="one")
    with pytest.raises(PolicyError, match="reserved"):
        mel.set_cardinality(SAME_AS, "one")
    assert held(mel, "Mel") == ONE


def test_a_change_of_cardinality_keeps_what_is_merged(mel: Tenant) -> None:
    mel.assert_fact("Melanie", "KARMA", "a", valid_from=moment(day(1)))
    mel.assert_fact("Mel", "KARMA", "b", valid_from=moment(day(2)))
    mel.merge("Mel", "Melanie")
    mel.set_cardinality("KARMA", "one")
    expected = [("a", day(1), day(2)), ("b", day(2), FOREVER)]
    assert values(mel.history("Mel", "KARMA")) == expected
    mel.unmerge("Mel", "Melanie")
    assert values(mel.history("Mel", "KARMA")) == [("b", day(2), FOREVER)]


def test_entities_are_listed_as_one_with_the_names_of_all(mel: Tenant) -> None:
    before = mel.stats().last_tx
    assert before is not None
    mel.merge("Mel", "Melanie")
    people = [e for e in mel.entities() if e.name in ("Mel", "Melanie")]
    assert [(e.name, e.aliases) for e in people] == [("Melanie", ("Mel",))]
    assert mel.entities("Mel") == mel.entities("Melanie") == people
    names = {e.name for e in mel.entities(known_at=moment(before))}
    assert {"Mel", "Melanie"} <= names
    assert [e.aliases for e in mel.entities("Mel", known_at=moment(before))] == [()]


def test_why_and_merges_say_what_made_two_entities_one(mel: Tenant) -> None:
    merged = mel.merge("Mel", "Melanie", reason="she signs so")
    [merge] = mel.merges()
    assert (merge.entity.name, merge.into.name, merge.canonical.name) == (
        "Mel",
        "Melanie",
        "Melanie",
    )
    assert merge.reason == "Mel is the same as Melanie: she signs so"
    [oslo] = mel.as_of("Melanie", "LIVES_IN")
    assert [e.assertion.id for e in mel.why(oslo).merges] == list(merged.assertion_ids)
    lima = mel.history("Melanie", "LIVES_IN")[0]
    assert mel.why(lima).merges == ()


def test_recall_by_one_name_finds_what_was_said_of_the_other(mel: Tenant) -> None:
    mel.merge("Mel", "Melanie")
    found = mel.recall("Which city does Melanie live in?").items
    oslo = next(item for item in found if item.fact and item.fact.answer == "Oslo")
    assert oslo.signals["entity"] > 0


def test_a_name_of_several_is_refused_with_their_ids(tenant: Tenant) -> None:
    for id, place in (("ent_1", "Lima"), ("ent_2", "Oslo")):
        tenant.assert_fact(EntityRef("Sam", id=id), "LIVES_IN", place)
    tenant.assert_fact("Bo", "PLAYS", "go")
    with pytest.raises(InvalidInputError, match=r"ent_1.*ent_2"):
        tenant.merge("Sam", "Bo")
    with pytest.raises(NotFoundError, match="Nobody"):
        tenant.merge("Bo", "Nobody")
    with pytest.raises(InvalidInputError, match="itself"):
        tenant.merge("Bo", "Bo")
    tenant.merge("ent_1", "ent_2")
    assert len(tenant.as_of("Sam", "LIVES_IN")) == 1
    tenant.merge("Sam", "Bo")
    assert [fact.answer for fact in tenant.as_of("Sam", "PLAYS")] == ["go"]


def test_a_merge_stays_in_its_tenant(memory: Memory) -> None:
    ours, theirs = fresh(memory), fresh(memory)
    for tenant in (ours, theirs):
        tenant.assert_facts(
            [Statement("Melanie", "PLAYS", "go"), Statement("Mel", "PLAYS", "chess")]
        )
    ours.merge("Mel", "Melanie")
    assert len(ours.as_of("Mel", "PLAYS")) == 2
    assert len(theirs.as_of("Mel", "PLAYS")) == 1
    assert theirs.merges() == []


PEOPLE = ("Ana", "Bo", "Cy")
PLACES = ("Lima", "Oslo", "Quito")


@st.composite
def links(draw: st.DrawFn) -> Told:
    """One thing to say of who is who."""
    group = draw(st.sampled_from((PEOPLE, PEOPLE, PLACES)))
    first, second = draw(st.permutations(group))[:2]
    start = draw(st.one_of(st.integers(0, DAYS - 1), st.none()))
    return Told(
        first,
        SAME_AS,
        second,
        BEGINNING if start is None else day(start),
        FOREVER if draw(st.integers(0, 5)) else day(DAYS + 1),
        draw(st.sampled_from((True, True, True, False))),
        draw(st.sampled_from((3, 5, 8))),
    )


def said() -> st.SearchStrategy[list[Told]]:
    """What one episode tells: facts, merges, or both."""
    return st.lists(st.one_of(tellings(), links()), min_size=1, max_size=3)


def check(tenant: Tenant, model: Model, known: Instant, slots: list[tuple[str, str]]) -> None:
    """Every slot as known at a time is what the rules say of what was told by then."""
    first = model.firsts(known)
    for subject, predicate in slots:
        facts = tenant.history(subject, predicate, known_at=moment(known))
        found = [
            oracle.Run(
                first(run.value), run.start, run.end, run.support, run.contested, run.conflicts
            )
            for run in runs(facts)
        ]
        expected = oracle.runs(model.claims(subject, predicate, known), CARDINALITIES[predicate])
        assert sorted(found, key=lambda run: (run.start, run.value)) == expected


ALL_SLOTS = [*SLOTS, ("Cy", "LIVES_IN"), ("Cy", "PLAYS")]


@brisk
@given(told=st.lists(said(), min_size=2, max_size=6), data=st.data())
def test_whatever_is_told_merged_and_taken_back_belief_follows_the_rules_at_every_time(
    open_memory: Opener, told: list[list[Told]], data: st.DataObject
) -> None:
    with open_memory(clock=FixedClock("2030-01-01")) as memory:
        tenant, model = fresh(memory), new_model()
        times = []
        for number, batch in enumerate(told):
            episode = f"E{number}"
            ids = tell(tenant, episode, batch)
            times.append(last := tenant.stats().last_tx or 0)
            for id, item in zip(ids, batch, strict=True):
                model.record(id, episode, item, last)
            if data.draw(st.booleans()):
                gone = data.draw(st.sampled_from(sorted(model.recorded)))
                tenant.retract(gone)
                times.append(last := tenant.stats().last_tx or 0)
                model.retract([gone], last)
        for known in (times[-1], data.draw(st.sampled_from(times))):
            check(tenant, model, known, ALL_SLOTS)


@brisk
@given(
    facts=st.lists(tellings(), min_size=1, max_size=5, unique_by=lambda t: t.start),
    merges=st.lists(links(), min_size=1, max_size=4, unique_by=lambda t: t.start),
    data=st.data(),
)
def test_the_order_of_merges_and_facts_does_not_matter(
    open_memory: Opener, facts: list[Told], merges: list[Told], data: st.DataObject
) -> None:
    told = [*facts, *merges]
    shuffled = data.draw(st.permutations(told))
    with open_memory(clock=FixedClock("2030-01-01")) as memory:
        one, other = fresh(memory), fresh(memory)
        # All are met at once, so that whichever comes first, the same one stands for a group.
        for tenant in (one, other):
            tenant.assert_facts([Statement(name, "IS_NAMED", value=1) for name in PEOPLE + PLACES])
        for number, item in enumerate(told):
            tell(one, f"E{number}", [item])
        for number, item in enumerate(shuffled):
            tell(other, f"E{number}", [item])
        for slot in ALL_SLOTS:
            assert values(one.history(*slot)) == values(other.history(*slot))


@brisk
@given(told=st.lists(said(), min_size=1, max_size=5), data=st.data())
def test_taking_back_equals_never_having_said(
    open_memory: Opener, told: list[list[Told]], data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.integers(0, len(told) - 1)))
    with open_memory(clock=FixedClock("2030-01-01")) as memory:
        all_told, never = fresh(memory), fresh(memory)
        for tenant in (all_told, never):
            tenant.assert_facts([Statement(name, "IS_NAMED", value=1) for name in PEOPLE + PLACES])
        for number, batch in enumerate(told):
            tell(all_told, f"E{number}", batch)
            if number not in gone:
                tell(never, f"E{number}", batch)
        for number in data.draw(st.permutations(sorted(gone))):
            all_told.retract(episode=f"E{number}")
        for slot in ALL_SLOTS:
            assert runs(all_told.history(*slot)) == runs(never.history(*slot))
