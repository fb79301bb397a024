"""Predicate policy: one spelling per predicate, what is shipped, and what a file may say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bitempo.engine.errors import InvalidInputError, PolicyError
from bitempo.engine.model import Cardinality
from bitempo.engine.policy import PredicatePolicy, normalise_predicate

ONE, MANY = Cardinality.ONE, Cardinality.MANY


def file_with(folder: Path, text: str) -> Path:
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "spelling",
    [
        "LIVES_IN",
        "lives_in",
        "lives in",
        "livesIn",
        "LivesIn",
        " lives-in ",
        "lives  in",
        "lives.in",
    ],
)
def test_spellings_of_one_predicate(spelling: str) -> None:
    assert normalise_predicate(spelling) == "LIVES_IN"


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [("wohnt in", "WOHNT_IN"), ("größe", "GRÖSSE"), ("住所", "住所"), ("cafe\u0301", "CAFÉ")],
)
def test_predicates_of_other_languages_and_with_digits(spelling: str, expected: str) -> None:
    assert normalise_predicate(spelling) == expected


@pytest.mark.parametrize(
    "spelling", ["", "  ", "_", "-", "1st", "a'b", 'x"; DROP', "a\0b", "\ud800"]
)
def test_what_is_no_predicate_is_refused_and_quoted(spelling: str) -> None:
    with pytest.raises(PolicyError) as caught:
        normalise_predicate(spelling)
    assert repr(spelling) in str(caught.value)


@pytest.mark.parametrize("spelling", ["B2B", "b2b", "B2b", "A0a"])
def test_digits_do_not_break_a_word(spelling: str) -> None:
    assert normalise_predicate(spelling) == spelling.upper()


@given(st.text(max_size=20))
@example("A0a")
@example("ŉ")
@example("ß")
@example("ǰ")
def test_normalising_a_predicate_twice_changes_nothing(text: str) -> None:
    try:
        once = normalise_predicate(text)
    except PolicyError:
        return
    assert normalise_predicate(once) == once


def test_a_policy_error_is_invalid_input() -> None:
    assert issubclass(PolicyError, InvalidInputError)


@pytest.mark.parametrize(
    ("predicate", "cardinality"),
    [
        ("LIVES_IN", ONE),
        ("works at", ONE),
        ("marriedTo", ONE),
        ("STATUS", ONE),
        ("PLAYS", MANY),
        ("speaks", MANY),
        ("INVENTED_HERE", None),
    ],
)
def test_the_shipped_vocabulary(predicate: str, cardinality: Cardinality | None) -> None:
    assert PredicatePolicy.default().cardinality(predicate) is cardinality


def test_an_empty_policy_says_nothing() -> None:
    assert PredicatePolicy().cardinality("LIVES_IN") is None


def test_extending_a_policy_leaves_the_original_as_it_was() -> None:
    base = PredicatePolicy.default()
    extended = base.with_single("favourite tea", "PLAYS").with_many("lives in")
    assert [extended.cardinality(p) for p in ("FAVOURITE_TEA", "plays", "LIVES_IN")] == [
        ONE,
        ONE,
        MANY,
    ]
    assert [base.cardinality(p) for p in ("FAVOURITE_TEA", "plays", "LIVES_IN")] == [
        None,
        MANY,
        ONE,
    ]
    assert PredicatePolicy.default() == base


def test_the_last_word_on_a_predicate_stands() -> None:
    assert PredicatePolicy().with_many("x").with_single("X").cardinality("x") is ONE


def test_a_bad_predicate_is_refused_when_the_policy_is_made() -> None:
    with pytest.raises(PolicyError):
        PredicatePolicy.default().with_single("fine", "1 not fine")


def test_a_policy_over_another_speaks_first() -> None:
    top, base = PredicatePolicy().with_single("a"), PredicatePolicy().with_many("a", "b")
    both = top.over(base)
    assert (both.cardinality("a"), both.cardinality("b")) == (ONE, MANY)


def test_a_file_extends_and_overrides_the_shipped_vocabulary(tmp_path: Path) -> None:
    path = file_with(tmp_path, '[predicates]\n"favourite tea" = "one"\nLIVES_IN = "many"\n')
    for policy in (PredicatePolicy.from_toml(path), PredicatePolicy.from_toml(str(path))):
        assert policy.cardinality("FAVOURITE_TEA") is ONE
        assert policy.cardinality("LIVES_IN") is MANY
        assert policy.cardinality("WORKS_AT") is ONE


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[predicates", "is not TOML"),
        ("", "must hold one table"),
        ("predicates = 1", "must hold one table"),
        ('[predicates]\nA = "one"\n[other]\n', "must hold one table"),
        ('[predicates]\nA = "two"', 'A must be "one" or "many", not \'two\''),
        ("[predicates]\nA = 1", 'A must be "one" or "many", not 1'),
        ('[predicates]\nA = ["one"]', 'A must be "one" or "many"'),
        ('[predicates]\nA.B = "one"', 'A must be "one" or "many"'),
        ('[predicates]\n"1st" = "one"', "is not a predicate"),
        ('[predicates]\nLIVES_IN = "one"\n"lives in" = "many"', "LIVES_IN"),
    ],
)
def test_a_malformed_file_is_refused_and_named(tmp_path: Path, text: str, complaint: str) -> None:
    path = file_with(tmp_path, text)
    with pytest.raises(PolicyError) as caught:
        PredicatePolicy.from_toml(path)
    assert complaint in str(caught.value)
    assert str(path) in str(caught.value)


def test_two_spellings_that_agree_are_one_entry(tmp_path: Path) -> None:
    path = file_with(tmp_path, '[predicates]\nTEA_OF = "one"\n"tea of" = "one"')
    assert PredicatePolicy.from_toml(path).cardinality("tea of") is ONE


def test_a_file_that_cannot_be_read_is_refused_and_named(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"[predicates]\nGR\xd6SSE = 'one'")
    for path in (tmp_path / "absent.toml", tmp_path, tmp_path / "latin.toml"):
        with pytest.raises(PolicyError, match="cannot be read") as caught:
            PredicatePolicy.from_toml(path)
        assert str(path) in str(caught.value)
