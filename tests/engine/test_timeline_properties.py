"""The timeline against the per-instant oracle, and the algebra that follows from its rules."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.model import Cardinality
from bitempo.engine.time import BEGINNING, FOREVER
from bitempo.engine.timeline import Claim, Span, timeline
from tests import oracle
from tests.engine.claims import CARDINALITIES, VALUES, claim, claim_lists, held, without

in_both = pytest.mark.parametrize("cardinality", CARDINALITIES, ids=lambda c: c.value)
thorough = settings(max_examples=400, deadline=None)
brisk = settings(max_examples=150, deadline=None)


@in_both
@thorough
@given(claims=claim_lists())
def test_holds_what_the_oracle_holds_at_every_boundary_and_beside_it(
    cardinality: Cardinality, claims: list[Claim]
) -> None:
    at = held(claims, cardinality)
    for instant in oracle.around(claims):
        assert at(instant) == oracle.value_at(claims, cardinality, instant), instant


@in_both
@thorough
@given(claims=claim_lists())
def test_spans_are_the_runs_of_the_oracle_with_support_contested_and_conflicts(
    cardinality: Cardinality, claims: list[Claim]
) -> None:
    spans = [
        oracle.Run(
            span.value,
            span.start,
            span.end,
            frozenset(span.support),
            frozenset(span.contested),
            frozenset(span.conflicts),
        )
        for span in timeline(claims, cardinality)
    ]
    assert spans == oracle.runs(claims, cardinality)


@in_both
@brisk
@given(claims=claim_lists(), data=st.data())
def test_the_order_of_claims_does_not_matter(
    cardinality: Cardinality, claims: list[Claim], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(claims))
    assert timeline(iter(shuffled), cardinality) == timeline(claims, cardinality)


@in_both
@brisk
@given(claims=claim_lists())
def test_spans_are_ordered_maximal_and_never_overlap_within_a_slot(
    cardinality: Cardinality, claims: list[Claim]
) -> None:
    spans = timeline(claims, cardinality)
    assert spans == sorted(spans, key=lambda span: (span.start, span.value))
    assert all(span.start < span.end for span in spans)
    for slot in _slots(spans, cardinality):
        for earlier, later in pairwise(slot):
            assert earlier.end <= later.start
            assert earlier.end < later.start or earlier.value != later.value


@in_both
@brisk
@given(claims=claim_lists())
def test_the_lead_supports_its_span_and_is_that_of_the_oracle(
    cardinality: Cardinality, claims: list[Claim]
) -> None:
    expected = oracle.runs(claims, cardinality)
    for span, run in zip(timeline(claims, cardinality), expected, strict=True):
        assert span.lead in span.support
        assert span.lead == oracle.lead_of(claims, run)


@in_both
@brisk
@given(claims=claim_lists())
def test_support_is_positive_of_the_value_and_the_lists_are_sorted_and_disjoint(
    cardinality: Cardinality, claims: list[Claim]
) -> None:
    by_id = {c.id: c for c in claims}
    for span in timeline(claims, cardinality):
        assert span.support
        assert all(by_id[id].positive and by_id[id].value == span.value for id in span.support)
        for ids in (span.support, span.contested, span.conflicts):
            assert list(ids) == sorted(set(ids))
        assert not set(span.support) & {*span.contested, *span.conflicts}


@in_both
@brisk
@given(claims=claim_lists(min_size=1), data=st.data())
def test_dropping_a_claim_equals_never_having_had_it(
    cardinality: Cardinality, claims: list[Claim], data: st.DataObject
) -> None:
    dropped = data.draw(st.sampled_from(claims))
    rest = without(claims, dropped)
    before, after = held(claims, cardinality), held(rest, cardinality)
    for instant in oracle.around(claims):
        expected = oracle.value_at(rest, cardinality, instant)
        assert after(instant) == expected
        if not dropped.start <= instant < dropped.end:
            assert before(instant) == expected, "it reached outside itself"


@in_both
@brisk
@given(claims=claim_lists(min_size=1), data=st.data())
def test_a_claim_of_lower_trust_never_changes_what_is_held_with_higher(
    cardinality: Cardinality, claims: list[Claim], data: st.DataObject
) -> None:
    added = data.draw(st.sampled_from(claims))
    rest = without(claims, added)
    by_id = {c.id: c for c in rest}
    at = held(claims, cardinality)
    for span in timeline(rest, cardinality):
        for instant in oracle.around(claims):
            supporters = oracle.support_at(rest, span.value, instant)
            trust = max((by_id[id].trust for id in supporters), default=0)
            if span.start <= instant < span.end and added.trust < trust:
                assert span.value in at(instant)


@in_both
@brisk
@given(claims=claim_lists(), start=st.integers(0, 10))
def test_an_open_negative_about_the_whole_slot_empties_it_until_something_starts(
    cardinality: Cardinality, claims: list[Claim], start: int
) -> None:
    earlier = [c for c in claims if c.start < start]
    silenced = [*earlier, claim("zz", None, start, trust=8, positive=False)]
    before, after = held(earlier, cardinality), held(silenced, cardinality)
    for instant in oracle.around(silenced):
        assert after(instant) == (frozenset() if instant >= start else before(instant))


@in_both
@brisk
@given(claims=claim_lists(), start=st.integers(0, 9), length=st.integers(1, 5))
def test_a_bounded_negative_about_the_whole_slot_cuts_only_inside(
    cardinality: Cardinality, claims: list[Claim], start: int, length: int
) -> None:
    gap = claim("zz", None, start, start + length, trust=8, positive=False)
    before, after = held(claims, cardinality), held([*claims, gap], cardinality)
    for instant in oracle.around([*claims, gap]):
        inside = gap.start <= instant < gap.end
        assert after(instant) == (frozenset() if inside else before(instant))


@in_both
@brisk
@given(claims=claim_lists(min_size=1), data=st.data())
def test_a_duplicate_under_another_id_changes_no_value(
    cardinality: Cardinality, claims: list[Claim], data: st.DataObject
) -> None:
    original = data.draw(st.sampled_from(claims))
    # Next to the original in the order of ids, so that it decides no tie the original did not.
    twin = replace(original, id=original.id + "a")
    plain = [(s.value, s.start, s.end) for s in timeline(claims, cardinality)]
    doubled = [(s.value, s.start, s.end) for s in timeline([*claims, twin], cardinality)]
    assert doubled == plain


@in_both
@brisk
@given(claims=claim_lists(min_size=1), shift=st.integers(-1000, 1000))
def test_shifting_all_times_shifts_the_spans(
    cardinality: Cardinality, claims: list[Claim], shift: int
) -> None:
    def moved(instant: int) -> int:
        return instant if instant in (BEGINNING, FOREVER) else instant + shift

    later = [replace(c, start=moved(c.start), end=moved(c.end)) for c in claims]
    expected = [
        replace(span, start=moved(span.start), end=moved(span.end))
        for span in timeline(claims, cardinality)
    ]
    assert timeline(later, cardinality) == expected


@brisk
@given(claims=claim_lists())
def test_values_of_a_multi_valued_slot_do_not_know_of_each_other(
    claims: list[Claim],
) -> None:
    together = timeline(claims, Cardinality.MANY)
    for value in VALUES:
        alone = timeline([c for c in claims if c.value in (value, None)], Cardinality.MANY)
        assert alone == [span for span in together if span.value == value]
        assert alone == timeline([c for c in claims if c.value in (value, None)], Cardinality.ONE)


@in_both
@pytest.mark.parametrize("seed", [1, 2])
def test_two_thousand_claims_hold_what_the_oracle_holds_at_sampled_instants(
    cardinality: Cardinality, seed: int
) -> None:
    random_ = random.Random(seed)
    claims = [_random_claim(random_, number) for number in range(2_000)]
    spans = timeline(claims, cardinality)
    edges = random_.sample(oracle.boundaries(claims)[1:-1], 8)
    for instant in [BEGINNING, *edges, FOREVER - 1]:
        now = [span for span in spans if span.start <= instant < span.end]
        assert {span.value for span in now} == oracle.value_at(claims, cardinality, instant)
        for span in now:
            assert oracle.support_at(claims, span.value, instant) <= set(span.support)


def _slots(spans: list[Span], cardinality: Cardinality) -> list[list[Span]]:
    if cardinality is Cardinality.ONE:
        return [spans]
    return [[span for span in spans if span.value == value] for value in VALUES]


def _random_claim(random_: random.Random, number: int) -> Claim:
    positive = random_.random() < 0.9
    start = BEGINNING if random_.random() < 0.02 else random_.randrange(100_000)
    bounded = random_.random() < 0.6
    length = random_.randrange(1, 20_000)
    return Claim(
        id=f"c{number:05}",
        value=f"v{random_.randrange(50)}" if positive or random_.random() < 0.8 else None,
        start=start,
        end=max(start, 0) + length if bounded else FOREVER,
        recorded_at=random_.randrange(500),
        trust=random_.choice((3, 5, 5, 8)),
        positive=positive,
    )
