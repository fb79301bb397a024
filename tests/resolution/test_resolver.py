"""One window through resolution: what is merged, asked, kept apart, and how it is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.model import AssertionDraft, EntityRef
from bitempo.ingest.extraction import Window
from bitempo.ingest.metering import Meter
from bitempo.ingest.resolution import ListedEntities
from bitempo.ingest.resolution.model import Question
from tests.resolution.windows import claim, entity, fact, merged, resolved, window

ANN_AND_MELANIE = window(("Ann", "Hey Mel, how are you?"), ("Melanie", "Fine, and you?"))


class Yes:
    """A decider that takes everything for one thing, and keeps what it was asked."""

    name = "yes/1"

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.calls = 0

    def same(self, questions: Sequence[Question], meter: Meter) -> Mapping[int, str]:
        del meter
        self.calls += 1
        self.asked += questions
        return dict.fromkeys(range(-3, len(questions) + 3), "so I say")


def test_the_name_somebody_is_called_by_is_theirs() -> None:
    assert merged(ANN_AND_MELANIE, claim("Mel")) == {("Mel", "Melanie")}
    third = window(("Ann", "I met Mel, a nurse."), ("Melanie", "Nice."))
    assert merged(third, claim("Mel")) == set()


def test_a_name_that_is_known_needs_no_resolution() -> None:
    known = ListedEntities([entity("Mel"), entity("Melanie")])
    assert merged(ANN_AND_MELANIE, claim("Mel"), known=known) == set()


def test_a_merge_is_a_claim_with_its_evidence() -> None:
    known = ListedEntities([entity("Melanie")])
    draft = resolved(ANN_AND_MELANIE, claim("Mel"), known=known).drafts[-1]
    assert draft.evidence == ("t0",)
    assert draft.quote == "Mel"
    assert draft.extractor == "resolution/1"
    assert draft.inferred
    assert draft.object == EntityRef("Melanie", "person", id=entity("Melanie").id)


@pytest.mark.parametrize(
    "text",
    ["This is Kit, short for Beatrix.", "Beatrix, also known as Kit.", "Beatrix goes by Kit"],
)
def test_what_is_said_outright_is_stated(text: str) -> None:
    draft = resolved(window(("Ann", text)), claim("Kit"), claim("Beatrix")).drafts[-1]
    assert (draft.predicate, draft.inferred) == ("SAME_AS", False)


def test_two_that_are_named_side_by_side_stay_two() -> None:
    text = "I met Matt and Matthew. Matt is nice. Matthew is tall."
    assert merged(window(("Ann", text)), claim("Matt"), claim("Matthew")) == set()
    alone = "I met Matt. Matthew is tall."
    assert merged(window(("Ann", alone)), claim("Matt"), claim("Matthew")) != set()


def test_a_claim_about_both_keeps_them_two() -> None:
    said = window(("Ann", "Matt is tall. Matthew is his father."))
    drafts = claim("Matt"), claim("Matt", "Matthew", "HAS_PARENT")
    assert merged(said, *drafts) == set()
    named = claim("Matt"), claim("Matt", "Matthew", "ALSO_KNOWN_AS")
    assert merged(said, *named) == {("Matt", "Matthew")}


def test_two_that_fit_are_a_question() -> None:
    said = window(("Ann", "Wei called. Wei Chen and Wei Li work here."))
    drafts = claim("Wei"), claim("Wei Chen"), claim("Wei Li")
    assert merged(said, *drafts) == set()


def test_a_role_means_the_one_who_has_it() -> None:
    ann, zoe, eve = entity("Ann"), entity("Zoe"), entity("Eve")
    told = fact(ann, "HAS_SIBLING", zoe, "My sister Zoe lives in Oslo.")
    said = window(("Ann", "My sister called."))
    known = ListedEntities([ann, zoe, eve], [told])
    assert merged(said, claim("Ann's sister"), known=known) == {("Ann's sister", "Zoe")}
    assert merged(said, claim("my sister"), known=known) == {("Ann's sister", "Zoe")}
    assert merged(said, claim("Ann's brother"), known=known) == set()
    second = fact(ann, "HAS_SIBLING", eve, "My sister Eve is a nurse.")
    two = ListedEntities([ann, zoe, eve], [told, second])
    assert merged(said, claim("Ann's sister"), known=two) == set()


def test_a_role_into_which_others_step_is_never_merged_by_rule() -> None:
    ann, bob = entity("Ann"), entity("Bob")
    known = ListedEntities([ann, bob], [fact(ann, "MANAGER", bob, "Ann's manager is Bob.")])
    said = window(("Ann", "My manager is away."))
    decider = Yes()
    assert merged(said, claim("Ann's manager"), known=known) == set()
    assert merged(said, claim("Ann's manager"), known=known, decider=decider) != set()
    assert [question.known.name for question in decider.asked] == ["Bob"]


def test_my_and_your_mean_those_who_take_part() -> None:
    said = window(("Ann", "My family is here."), ("Bob", "Mine too. How is your family?"))
    drafts = [claim("my family", turn="t0", type="group"), claim("your family", turn="t1")]
    subjects = [draft.subject.name for draft in resolved(said, *drafts).drafts]
    assert subjects[:2] == ["Ann's family", "Ann's family"]
    crowd = window(("Ann", "Hi."), ("Eve", "Hi."), ("Bob", "How is your family?"))
    asked = resolved(crowd, claim("your family", turn="t2")).drafts
    assert asked[0].subject.name == "your family"


@pytest.mark.parametrize(
    "text",
    [
        "Beatrix, whom everybody calls Kit, is here.",
        "Beatrix (we call her Kit) is here.",
        "Beatrix a.k.a. Kit is here.",
    ],
)
def test_an_alias_joins_what_was_two_where_the_turns_state_it(text: str) -> None:
    known = ListedEntities([entity("Beatrix"), entity("Kit")])
    given = claim(EntityRef("Beatrix", "person", ("Kit",)))
    assert merged(window(("Ann", text)), given, known=known) == {("Beatrix", "Kit")}
    assert merged(window(("assistant", text)), given, known=known) == set()


def test_an_alias_that_only_the_extraction_gives_is_a_question() -> None:
    known = ListedEntities([entity("Kit")])
    given = claim(EntityRef("Beatrix", "person", ("Kit",)))
    said = window(("Ann", "I talked to Kit. Beatrix is here."))
    assert merged(said, given, known=known) == set()
    decider = Yes()
    assert merged(said, given, known=known, decider=decider) == {("Beatrix", "Kit")}
    assert "Kit is said to be another name of Beatrix" in decider.asked[0].doubt
    aka = claim("Beatrix"), claim("Beatrix", "Kit", "ALSO_KNOWN_AS")
    assert merged(said, *aka, known=known) == set()
    vague = claim(EntityRef("Grief support group", "group", ("the group",)))
    groups = ListedEntities([entity("Grief support group", "group"), entity("the group", "group")])
    assert merged(said, vague, known=groups) == set()


def test_an_alias_does_not_join_those_who_take_part_or_have_facts_of_their_own() -> None:
    ana, bob, lima = entity("Ana"), entity("Bob"), entity("Lima", "place")
    told = [fact(ana, "LIVES_IN", lima, "Ana: Lima."), fact(bob, "LEFT", lima, "Bob: Lima.")]
    given = claim(EntityRef("Bob", "person", ("Ana",)))
    decider = Yes()
    known = ListedEntities([ana, bob, lima], told)
    said = window(("Carl", "I talked to Ana. Bob is here."))
    assert merged(said, given, known=known, decider=decider) == set()
    both = window(("Ana", "I am here."), ("Bob", "So am I."))
    assert merged(both, given, decider=decider) == set()
    assert decider.asked == []


def test_aliases_that_may_be_the_names_of_others_are_not_learnt() -> None:
    def learnt(said: Window, *drafts: AssertionDraft) -> list[tuple[str, ...]]:
        return [draft.subject.aliases for draft in resolved(said, *drafts).drafts]

    bob = claim(EntityRef("Bob", "person", ("Ana", "Bobby")))
    assert learnt(window(("Carl", "Bob, Bobby, Ana")), bob) == [("Ana", "Bobby")]
    assert learnt(window(("Ana", "Bob, Bobby, Ana")), bob) == [("Bobby",)]
    assert learnt(window(("assistant", "Bob, Bobby, Ana")), bob) == [()]
    ana = claim(EntityRef("Ana", "person", ("Bob",)))
    assert learnt(window(("Carl", "Bob, Bobby, Ana")), bob, ana) == [("Bobby",), ()]


def test_a_merge_that_was_taken_back_is_not_made_again() -> None:
    class Parted(ListedEntities):
        def once_merged(self, a: str, b: str) -> bool:
            del a, b
            return True

    known = Parted([entity("Beatrix"), entity("Kit")])
    given = claim(EntityRef("Beatrix", "person", ("Kit",)))
    assert merged(window(("Ann", "Beatrix, a.k.a. Kit.")), given, known=known) == set()


@pytest.mark.parametrize("actor", ["assistant", "tool"])
def test_what_is_not_trusted_makes_no_two_one(actor: str) -> None:
    text = "Kit, also known as Beatrix, is here."
    drafts = claim("Kit"), claim("Beatrix")
    assert merged(window(("Ann", text)), *drafts) != set()
    assert merged(window((actor, text)), *drafts) == set()
    page = window(("Ann", text))
    page = replace(page, episodes=(replace(page.episodes[0], metadata={"trust": 3}),))
    assert merged(page, *drafts) == set()
    hearsay = [replace(draft, trust=1) for draft in drafts]
    assert merged(window(("Ann", text)), *hearsay) == set()


def test_one_call_for_all_that_is_open_and_none_when_nothing_is() -> None:
    known = ListedEntities([entity("Samuel"), entity("Wei Chen")])
    said = window(("Ann", "Sam called."), ("Ann", "Wei came by."))
    decider = Yes()
    drafts = claim("Sam"), claim("Wei", turn="t1")
    assert merged(said, *drafts, known=known, decider=decider) == {
        ("Sam", "Samuel"),
        ("Wei", "Wei Chen"),
    }
    assert decider.calls == 1
    assert {question.turn for question in decider.asked} == {"Sam called.", "Wei came by."}
    resolved(window(("Ann", "Hi.")), claim("Ann"), known=known, decider=decider)
    assert decider.calls == 1


def test_a_model_cannot_join_what_rules_keep_apart() -> None:
    known = ListedEntities([entity("Ann's dog Rex", "pet"), entity("Bob's dog", "pet")])
    decider = Yes()
    said = window(("Eve", "Rex is a good dog."))
    assert len(merged(said, claim("Rex", type="pet"), known=known, decider=decider)) == 1


def test_without_a_model_what_is_open_stays_apart() -> None:
    known = ListedEntities([entity("Samuel")])
    assert merged(window(("Ann", "Sam called.")), claim("Sam"), known=known) == set()


WORDS = st.sampled_from(
    "Ann Anna Mel Melanie Rex Max my your the dog sister kids children group 12 13 's of".split()
)
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@settings(deadline=None)
@given(st.lists(st.tuples(NAMES, st.sampled_from(["", "person", "pet", "group"])), max_size=6))
def test_resolving_again_adds_nothing(names: list[tuple[str, str]]) -> None:
    said = window(("Ann", ". ".join(name for name, _ in names)), ("Melanie", "Thanks, Ann!"))
    drafts = [
        claim(EntityRef(name, type), predicate=f"P{i}") for i, (name, type) in enumerate(names)
    ]
    first = resolved(said, *drafts)
    pairs = [
        frozenset(((d.subject.name, d.subject.type), (d.object.name, d.object.type)))
        for d in first.drafts
        if d.predicate == "SAME_AS" and d.object is not None
    ]
    assert len(set(pairs)) == len(pairs)
    assert all(len(pair) == 2 for pair in pairs)
    assert resolved(said, *drafts) == first


@settings(deadline=None)
@given(st.text(), st.text(min_size=1).filter(lambda name: bool(name.strip())))
def test_no_text_and_no_name_breaks_it(text: str, name: str) -> None:
    resolved(window(("Ann", text), ("Melanie", text)), claim(EntityRef(name, "person")))
