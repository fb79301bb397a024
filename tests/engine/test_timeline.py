"""The rules of the timeline, one example each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.model import Cardinality
from bitempo.engine.time import BEGINNING, FOREVER
from bitempo.engine.timeline import Claim, timeline
from tests.engine.claims import CARDINALITIES, claim

in_both = pytest.mark.parametrize("cardinality", CARDINALITIES, ids=lambda c: c.value)


def single(*claims: Claim) -> list[tuple[str, int, int]]:
    return [(s.value, s.start, s.end) for s in timeline(claims, Cardinality.ONE)]


def many(*claims: Claim) -> list[tuple[str, int, int]]:
    return [(s.value, s.start, s.end) for s in timeline(claims, Cardinality.MANY)]


def negative(
    id: str, value: str | None, start: int, end: int = FOREVER, *, trust: int = 5
) -> Claim:
    return claim(id, value, start, end, trust=trust, positive=False)


@in_both
def test_nothing_is_held_without_claims(cardinality: Cardinality) -> None:
    assert timeline([], cardinality) == []


@in_both
def test_negatives_alone_hold_nothing(cardinality: Cardinality) -> None:
    assert timeline([negative("a", "x", 1), negative("b", None, 2, 3)], cardinality) == []


@in_both
def test_a_positive_claim_without_a_value_is_refused(cardinality: Cardinality) -> None:
    with pytest.raises(ValueError, match="a1 has no value"):
        timeline([claim("a1", None, 1)], cardinality)


def test_an_open_value_ends_where_the_next_starts() -> None:
    assert single(claim("a", "Lima", 1), claim("b", "Cusco", 3)) == [
        ("Lima", 1, 3),
        ("Cusco", 3, FOREVER),
    ]


def test_a_value_comes_back_after_another() -> None:
    claims = claim("a", "Lima", 1), claim("b", "Cusco", 3), claim("c", "Lima", 6)
    assert single(*claims) == [("Lima", 1, 3), ("Cusco", 3, 6), ("Lima", 6, FOREVER)]


def test_a_late_arrival_falls_into_its_place() -> None:
    claims = (
        claim("a", "Berlin", 6, recorded_at=1),
        claim("b", "Paris", 1, recorded_at=2),
        claim("c", "London", 3, recorded_at=3),
    )
    assert single(*claims) == [("Paris", 1, 3), ("London", 3, 6), ("Berlin", 6, FOREVER)]


@given(
    open_start=st.one_of(st.just(BEGINNING), st.integers(0, 5)),
    start=st.integers(6, 10),
    length=st.integers(1, 5),
)
def test_a_bounded_value_overlays_an_open_one_which_resumes(
    open_start: int, start: int, length: int
) -> None:
    end = start + length
    assert single(claim("a", "Lima", open_start), claim("b", "Quito", start, end)) == [
        ("Lima", open_start, start),
        ("Quito", start, end),
        ("Lima", end, FOREVER),
    ]


def test_overlays_nest_and_each_resumes() -> None:
    claims = claim("a", "x", 0), claim("b", "y", 2, 8), claim("c", "z", 4, 6)
    assert single(*claims) == [
        ("x", 0, 2),
        ("y", 2, 4),
        ("z", 4, 6),
        ("y", 6, 8),
        ("x", 8, FOREVER),
    ]


def test_a_bounded_value_that_starts_before_an_open_one_yields_to_it() -> None:
    assert single(claim("a", "x", 0, 9), claim("b", "y", 5)) == [("x", 0, 5), ("y", 5, FOREVER)]


def test_of_equal_starts_the_later_recorded_wins_and_the_loser_is_a_conflict() -> None:
    claims = claim("b", "open", 1, recorded_at=1), claim("a", "closed", 1, recorded_at=2)
    [span] = timeline(claims, Cardinality.ONE)
    assert (span.value, span.support, span.conflicts) == ("closed", ("a",), ("b",))
    assert span.contested == ()


def test_of_equal_starts_and_recording_the_largest_id_wins() -> None:
    [span] = timeline([claim("a", "x", 1), claim("b", "y", 1)], Cardinality.ONE)
    assert (span.value, span.conflicts) == ("y", ("a",))


def test_lower_trust_never_supersedes_and_is_reported_as_contested() -> None:
    claims = claim("a", "mate", 1, trust=8), claim("b", "oolong", 3, trust=3)
    [span] = timeline(claims, Cardinality.ONE)
    assert (span.value, span.start, span.end) == ("mate", 1, FOREVER)
    assert (span.contested, span.conflicts) == (("b",), ())


def test_lower_trust_is_held_where_the_higher_says_nothing() -> None:
    claims = claim("a", "mate", 3, 5, trust=8), claim("b", "oolong", 1, trust=3)
    assert single(*claims) == [("oolong", 1, 3), ("mate", 3, 5), ("oolong", 5, FOREVER)]


def test_an_earlier_claim_of_lower_trust_contests_nothing() -> None:
    claims = claim("a", "mate", 3, trust=8), claim("b", "oolong", 1, trust=3)
    assert [span.contested for span in timeline(claims, Cardinality.ONE)] == [(), ()]


def test_an_open_negative_ends_its_value() -> None:
    assert single(claim("a", "Atlas", 1), negative("b", "Atlas", 2)) == [("Atlas", 1, 2)]


def test_a_negative_does_not_end_another_value() -> None:
    assert single(claim("a", "Atlas", 1), negative("b", "Boreal", 2)) == [("Atlas", 1, FOREVER)]


def test_an_open_negative_leaves_what_starts_with_it_or_after_it() -> None:
    claims = claim("a", "x", 1), negative("b", "x", 2), claim("c", "x", 2), claim("d", "y", 5)
    assert single(*claims) == [("x", 1, 5), ("y", 5, FOREVER)]
    assert timeline(claims, Cardinality.ONE)[0].support == ("a", "c")


def test_ended_then_taken_up_again() -> None:
    claims = claim("a", "x", 1), negative("b", "x", 2), claim("c", "x", 5)
    assert single(*claims) == [("x", 1, 2), ("x", 5, FOREVER)]


def test_ending_the_later_value_resumes_the_earlier_open_one() -> None:
    claims = claim("a", "x", 1), claim("b", "y", 3), negative("c", "y", 6)
    assert single(*claims) == [("x", 1, 3), ("y", 3, 6), ("x", 6, FOREVER)]


def test_a_bounded_negative_cuts_only_inside() -> None:
    assert single(claim("a", "x", 1), negative("b", "x", 3, 5)) == [
        ("x", 1, 3),
        ("x", 5, FOREVER),
    ]


def test_a_bounded_negative_also_cuts_what_starts_inside_it() -> None:
    assert single(claim("a", "x", 4), negative("b", "x", 3, 5)) == [("x", 5, FOREVER)]


def test_a_bounded_negative_at_the_start_moves_the_start() -> None:
    assert single(claim("a", "x", 4, 9), negative("b", "x", 4, 5)) == [("x", 5, 9)]


def test_a_negative_without_a_start_bounded_above_cuts_up_to_its_end() -> None:
    assert single(claim("a", "x"), negative("b", "x", BEGINNING, 5)) == [("x", 5, FOREVER)]


def test_a_whole_slot_negative_ends_every_value() -> None:
    claims = claim("a", "x", 1), claim("b", "y", 2), negative("c", None, 4)
    assert single(*claims) == [("x", 1, 2), ("y", 2, 4)]
    assert many(*claims) == [("x", 1, 4), ("y", 2, 4)]


def test_a_negative_of_lower_trust_cuts_nothing_and_is_contested() -> None:
    claims = claim("a", "x", 1, trust=8), negative("b", "x", 3, trust=5)
    for cardinality in CARDINALITIES:
        [span] = timeline(claims, cardinality)
        assert (span.end, span.contested) == (FOREVER, ("b",))


def test_a_negative_of_equal_trust_cuts() -> None:
    assert single(claim("a", "x", 1, trust=8), negative("b", "x", 3, trust=8)) == [("x", 1, 3)]


def test_a_weak_negative_contests_only_where_the_claim_it_denies_wins() -> None:
    claims = claim("a", "x", 1), claim("b", "x", 4), negative("c", "x", 4, trust=3)
    [span] = timeline(claims, Cardinality.ONE)
    assert (span.start, span.end, span.contested) == (1, FOREVER, ())


def test_a_negative_cuts_the_weak_supporter_and_leaves_the_strong_one() -> None:
    claims = (
        claim("a", "x", 1, trust=3),
        claim("b", "x", 2, 4, trust=8),
        negative("c", "x", 3, trust=5),
    )
    [span] = timeline(claims, Cardinality.ONE)
    assert (span.start, span.end, span.support) == (1, 4, ("a", "b"))


def test_values_of_a_multi_valued_slot_stand_side_by_side() -> None:
    claims = claim("a", "chess", 1), claim("b", "go", 3, 8), negative("c", "chess", 5)
    assert many(*claims) == [("chess", 1, 5), ("go", 3, 8)]


def test_overlapping_and_touching_claims_of_one_value_join_and_gaps_stay() -> None:
    claims = claim("a", "x", 1, 3), claim("b", "x", 2, 5), claim("c", "x", 5, 7)
    for held in (single, many):
        assert held(*claims, claim("d", "x", 8, 9)) == [("x", 1, 7), ("x", 8, 9)]


@in_both
def test_support_is_every_claim_whose_coverage_meets_the_run(cardinality: Cardinality) -> None:
    claims = [claim("a", "x", 1), claim("b", "x", 2, 3), negative("c", "x", 5), claim("d", "x", 7)]
    first, second = timeline(claims, cardinality)
    assert (first.support, second.support) == (("a", "b"), ("d",))


def test_a_restatement_leaves_the_lead_with_the_first_on_record() -> None:
    first, again = claim("b", "x", 1, recorded_at=1), claim("a", "x", 1, recorded_at=2)
    for claims in ([first], [first, again], [again, first]):
        assert timeline(claims, Cardinality.ONE)[0].lead == "b"


def test_a_later_start_of_the_same_value_continues_the_run() -> None:
    [span] = timeline([claim("a", "x", 1), claim("b", "x", 4)], Cardinality.ONE)
    assert (span.start, span.lead, span.support) == (1, "a", ("a", "b"))


@in_both
def test_unbounded_on_both_sides(cardinality: Cardinality) -> None:
    [span] = timeline([claim("a", "x")], cardinality)
    assert (span.start, span.end) == (BEGINNING, FOREVER)


def test_an_unbounded_start_precedes_every_dated_one() -> None:
    claims = claim("a", "x", recorded_at=9), claim("b", "y", 4, recorded_at=1)
    assert single(*claims) == [("x", BEGINNING, 4), ("y", 4, FOREVER)]
