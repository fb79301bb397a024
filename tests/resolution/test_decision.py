"""Rules over two names: same, different, or a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.ingest.resolution.decision import Clues, Named, Outcome, decide
from bitempo.ingest.resolution.names import one_edit_apart, read_name

TOGETHER = Clues(together=True)
ONE_TURN = Clues(together=True, one_turn=True)
ADDRESSED = Clues(addressed=True)


def outcome(a: str, b: str, type: str = "person", clues: Clues | None = None) -> Outcome:
    return decide(Named(a, type), Named(b, type), clues or Clues()).outcome


SAME = [
    ("Ann's kids", "Ann's children", "group"),
    ("Ann's fam", "Ann's family", "group"),
    ("Ann's mom", "Ann's mother", "person"),
    ("Ann's auntie", "Ann's aunt", "person"),
    ("Ann's dog Rex", "Rex", "pet"),
    ("Ann's pup", "Ann's dog Rex", "pet"),
    ("my guinea pig Rex", "Rex", "pet"),
    ("Aunt May", "May", "person"),
    ("an old man named Sam", "Sam", "person"),
    ("DoorDash", "Door Dash", "organization"),
    ("T-Mobile", "T Mobile", "organization"),
    ("Rock & Roll Hall", "Rock and Roll Hall", "place"),
    ("dancing", "dance", "activity"),
    ("running", "run", "activity"),
    ("Amy Nutt", "Amy Ellis Nutt", "person"),
    ("Bob Stone", "Robert Stone", "person"),
    ("USA", "United States", "place"),
    ("the Grand Canyon", "Grand Canyon", "place"),
]
DIFFERENT = [
    ("room 12", "room 13", "place"),
    ("the 2022 trip", "the 2023 trip", "event"),
    ("art show (August 2023)", "art show (September 2023)", "event"),
    ("Ann's first novel", "Ann's second novel", "book"),
    ("Ann's older sister", "Ann's younger sister", "person"),
    ("Ann's dog", "Bob's dog", "pet"),
    ("Ann's dog Rex", "Bob's dog Rex", "pet"),
    ("Ann's dog Rex", "Ann's dog Max", "pet"),
    ("Ann's sister", "Ann's sisters", "person"),
    ("Ann's cat", "Ann's dog", "pet"),
    ("Wei Chen", "Lu Chen", "person"),
    ("Wei Chen", "Wei Li", "person"),
    ("Mr. Chen", "Mrs. Chen", "person"),
    ("Maria", "Mario's", "person"),
    ("Paul", "Saul", "person"),
    ("Luna", "Oliver", "pet"),
    ("East High", "West High", "organization"),
]
ASK = [
    ("Mel", "Melanie", "person"),
    ("Sam", "Samuel", "person"),
    ("Wei", "Wei Chen", "person"),
    ("Dr. Chen", "Wei Chen", "person"),
    ("J. Smith", "John Smith", "person"),
    ("Marina", "Marian", "person"),
    ("Ann's partner", "Ann's husband", "person"),
    ("Ann's friend", "Ann's friend Eve", "person"),
    ("the support group", "grief support group", "organization"),
    ("Ann's studio", "Ann's dance studio", "organization"),
    ("homeless shelter", "Ann's homeless shelter", "organization"),
    ("Ann's two younger children", "Ann's children", "group"),
    ("a local school", "local school", "organization"),
    ("NYU", "New York University", "organization"),
    ("her dog", "her dog", "pet"),
]


@pytest.mark.parametrize(("a", "b", "type"), SAME)
def test_two_names_of_one_thing(a: str, b: str, type: str) -> None:
    assert outcome(a, b, type) is Outcome.SAME


@pytest.mark.parametrize(("a", "b", "type"), DIFFERENT)
def test_names_of_two_things(a: str, b: str, type: str) -> None:
    assert outcome(a, b, type, ONE_TURN) is Outcome.DIFFERENT


@pytest.mark.parametrize(("a", "b", "type"), ASK)
def test_names_that_leave_it_open(a: str, b: str, type: str) -> None:
    if a != b:
        assert outcome(a, b, type) is Outcome.ASK
    else:
        assert outcome(a, f"{b}s", type) is Outcome.DIFFERENT


@pytest.mark.parametrize(
    ("a", "b", "type"),
    [
        ("Wei", "Wei Chen", "person"),
        ("Matt", "Matthew", "person"),
        ("the support group", "grief support group", "organization"),
        ("Earl Grey", "Earl Grey tea", "drink"),
    ],
)
def test_what_is_spoken_of_together_needs_no_question(a: str, b: str, type: str) -> None:
    assert outcome(a, b, type) is Outcome.ASK
    assert outcome(a, b, type, TOGETHER) is Outcome.SAME


def test_how_somebody_is_addressed_is_their_name() -> None:
    assert outcome("Mel", "Melanie") is Outcome.ASK
    assert outcome("Mel", "Melanie", clues=ADDRESSED) is Outcome.SAME
    assert outcome("Eve", "Melanie", clues=ADDRESSED) is Outcome.DIFFERENT


def test_one_turn_shows_whose_it_is() -> None:
    pair = ("guitar", "Ann's guitar", "instrument")
    assert outcome(*pair, TOGETHER) is Outcome.ASK
    assert outcome(*pair, ONE_TURN) is Outcome.SAME


def test_what_the_source_says_counts_before_the_names() -> None:
    verdict = decide(Named("Eve", "person"), Named("Melanie", "person"), Clues(stated="aka"))
    assert (verdict.outcome, verdict.stated) == (Outcome.SAME, True)
    apart = decide(Named("Mel", "person"), Named("Melanie", "person"), Clues(apart="side by side"))
    assert (apart.outcome, apart.firm) == (Outcome.DIFFERENT, True)


def test_types_that_exclude_each_other_keep_one_name_apart() -> None:
    assert decide(Named("Luna", "pet"), Named("Luna", "person")).outcome is Outcome.DIFFERENT
    assert decide(Named("Luna", "pet"), Named("Luna", "dog")).outcome is Outcome.SAME
    assert decide(Named("Zen", "place"), Named("Zen", "organization")).outcome is Outcome.ASK
    assert decide(Named("Luna"), Named("Luna", "person")).outcome is Outcome.SAME


def test_a_certain_difference_by_one_name_outweighs_likeness_by_another() -> None:
    known = Named("Rex", "pet", ("Ann's dog Rex",))
    assert decide(Named("Rex", "pet"), known).outcome is Outcome.SAME
    assert decide(Named("Bob's dog Rex", "pet"), known).outcome is Outcome.DIFFERENT


def test_likeness_by_an_embedder_alone_is_only_a_question() -> None:
    names = Named("sis", "person"), Named("the girl from home", "person")
    assert decide(*names).outcome is Outcome.DIFFERENT
    assert decide(*names, Clues(near=0.95)).outcome is Outcome.ASK


NAMES = st.sampled_from(
    [pair[i] for table in (SAME, DIFFERENT, ASK) for pair in table for i in (0, 1)]
) | st.text(min_size=1).filter(lambda text: bool(text.strip(" \t\r\n")) and text.isprintable())
TYPES = st.sampled_from(["", "person", "pet", "group", "place", "organization", "event", "gizmo"])
CLUES = st.builds(
    Clues,
    apart=st.none() | st.just("side by side"),
    addressed=st.booleans(),
    together=st.booleans(),
    one_turn=st.booleans(),
)


@given(NAMES, TYPES, NAMES, TYPES, CLUES)
def test_which_of_two_is_new_makes_no_difference(
    a: str, a_type: str, b: str, b_type: str, clues: Clues
) -> None:
    first, second = Named(a, a_type), Named(b, b_type)
    one, other = decide(first, second, clues), decide(second, first, clues)
    assert (one.outcome, one.firm) == (other.outcome, other.firm)


@given(NAMES, TYPES, NAMES, TYPES, CLUES)
def test_named_side_by_side_is_never_one(
    a: str, a_type: str, b: str, b_type: str, clues: Clues
) -> None:
    if clues.apart is not None:
        assert decide(Named(a, a_type), Named(b, b_type), clues).outcome is Outcome.DIFFERENT


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_one_edit_is_what_it_says(a: str, b: str) -> None:
    letters = "abc"
    near = {a[:i] + a[i + 1 :] for i in range(len(a))}
    near |= {a[:i] + c + a[i:] for i in range(len(a) + 1) for c in letters}
    near |= {a[:i] + c + a[i + 1 :] for i in range(len(a)) for c in letters}
    near |= {a[:i] + a[i + 1] + a[i] + a[i + 2 :] for i in range(len(a) - 1)}
    assert one_edit_apart(a, b) == (b in near - {a})


def test_a_name_is_taken_apart() -> None:
    reading = read_name("the Carters' second dog Rex")
    assert (reading.owner, reading.role, reading.proper) == ("carters", "dog", ("rex",))
    assert reading.marks == {("ordinal", "second")}
    assert read_name("Dr. Chen").title == "dr"
    assert read_name("my sister's dog").owner == "my sister"
    assert read_name("the group").article == "the"
    assert read_name("C++").words == ("c++",)
