"""What a question is read to say of time, seen from Friday 20 October 2023, noon."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.time import BEGINNING, FOREVER, Granularity, Instant, Interval, parse_instant
from bitempo.ingest.dates import find_times
from bitempo.query.times import (
    DAY,
    NO_TIME,
    AskedTime,
    TimeOrder,
    TimeRelation,
    TimeWindow,
    beside,
    granule,
    read_times,
)

NOW = parse_instant("2023-10-20T12:00:00Z")

WINDOWS = [
    ("What did Anna do in May?", "May -> 2023-05-01..2023-06-01", "in"),
    ("What did Anna do in November?", "November -> 2022-11-01..2022-12-01", "in"),
    ("What did Anna do in May 2021?", "May 2021 -> 2021-05-01..2021-06-01", "in"),
    ("What did Anna do last year?", "last year -> 2022-01-01..2023-01-01", "in"),
    ("In 2022, where did I work?", "2022 -> 2022-01-01..2023-01-01", "in"),
    ("What did Anna say on 3 June 2023?", "3 June 2023 -> 2023-06-03..2023-06-04", "in"),
    ("What did Tom say yesterday?", "yesterday -> 2023-10-19..2023-10-20", "in"),
    ("What is Anna doing today?", "today -> 2023-10-20..2023-10-21", "in"),
    ("Two weeks ago, what did we say?", "Two weeks ago -> 2023-10-06..2023-10-07", "in"),
    ("What did we say last Tuesday?", "last Tuesday -> 2023-10-17..2023-10-18", "in"),
    ("What will Anna do next week?", "next week -> 2023-10-23..2023-10-30", "in"),
    ("Who wrote in summer 2022?", "summer 2022 -> 2022-06-01..2022-09-01", "in"),
    ("As of May 2023, where did Anna live?", "As of May 2023 -> 2023-05-01..2023-06-01", "in"),
    ("What did she buy in the 90s?", "the 90s -> 1990-01-01..2000-01-01", "in"),
    ("Where did Anna live before 2020?", "before 2020 -> ..2020-01-01", "before"),
    ("Where did Anna live until 2019?", "until 2019 -> ..2019-01-01", "until"),
    ("By May 2023, how many had she?", "By May 2023 -> ..2023-06-01", "until"),
    ("What has she done since March?", "since March -> 2023-03-01..", "since"),
    ("What did she do after 3 June 2023?", "after 3 June 2023 -> 2023-06-04..", "after"),
    (
        "What broke between March and May 2021?",
        "between March and May 2021 -> 2021-03-01..2021-06-01",
        "between",
    ),
    (
        "What did I read in the last three months?",
        "the last three months -> 2023-07-20..2023-10-20",
        "between",
    ),
    (
        "What did she do after the move in May 2022?",
        "after the move in May 2022 -> 2022-05-01..",
        "after",
    ),
    ("What was Anna's previous job?", "previous -> ..2023-10-20T12:00:00Z", "before"),
    ("Where did Anna live before?", "before -> ..2023-10-20T12:00:00Z", "before"),
    ("Where did she formerly work?", "formerly -> ..2023-10-20T12:00:00Z", "before"),
]
ANCHORS = [
    ("Where did Anna live before the move?", "the move", "before"),
    ("Before the move, where did Anna live?", "the move", "before"),
    ("What did Anna read prior to her exam?", "her exam", "before"),
    ("What did she do after she started at Acme?", "she started at Acme", "after"),
    ("What has changed since the wedding?", "the wedding", "since"),
    ("What did they say until the vote?", "the vote", "until"),
    ("What did Anna find during her walk?", "her walk", "in"),
    ("How did Tom feel while painting the fence?", "painting the fence", "in"),
    ("How old was Anna when she moved to Porto?", "she moved to Porto", "in"),
]
ORDERS = [
    ("What was the first book she read?", "first"),
    ("What did Anna initially study?", "first"),
    ("Which was the earliest trip?", "first"),
    ("What was the most recent trip?", "last"),
    ("What is Anna's latest plan?", "last"),
    ("What did Anna tell me last time?", "last"),
    ("When did Anna last go hiking?", "last"),
    ("What did Anna paint recently?", "last"),
    ("What is Anna's current job?", "last"),
    ("Where is Tom now?", "last"),
]
TIMELESS = [
    "When did Anna move?",
    "When Jon has lost his job as a banker?",
    "Where does Anna live?",
    "Did the march help?",
    "May I ask what Anna likes?",
    "What did April say to Rose?",
    "How long did the trip last?",
    "What is Anna's last name?",
    "Which piece won first place?",
    "What does Anna do every Friday?",
    "What does Anna do after work?",
    "What does Tom do when he is sad?",
    "What happened after that?",
    "Do I walk more than before?",
    "Which did she read first, Emma or Persuasion?",
    "How long did it take, two hours?",
    "Who is older, Sam or Ed?",
    "",
]


def read(question: str, clock: Instant = NOW) -> AskedTime:
    return read_times(question, clock, find_times)


@pytest.mark.parametrize(("question", "shown", "relation"), WINDOWS)
def test_a_time_named_is_a_window_as_seen_from_the_clock(
    question: str, shown: str, relation: str
) -> None:
    asked = read(question)
    assert [str(window) for window in asked.windows] == [shown]
    assert [window.relation for window in asked.windows] == [relation]
    assert asked.anchors == ()
    assert asked.order is None


@pytest.mark.parametrize(("question", "text", "relation"), ANCHORS)
def test_an_event_named_in_place_of_a_time_is_an_anchor(
    question: str, text: str, relation: str
) -> None:
    asked = read(question)
    assert asked.windows == ()
    assert [(anchor.text, anchor.relation) for anchor in asked.anchors] == [(text, relation)]


@pytest.mark.parametrize(("question", "order"), ORDERS)
def test_which_of_several_is_asked_for_is_an_order(question: str, order: str) -> None:
    asked = read(question)
    assert asked.order == order
    assert asked.windows == asked.anchors == ()


@pytest.mark.parametrize("question", TIMELESS)
def test_a_question_that_names_no_time_has_none(question: str) -> None:
    assert read(question) == NO_TIME


def test_what_says_which_event_is_meant_is_no_order() -> None:
    asked = read_times("How much more did she pay after the first offer?", NOW)
    assert asked.order is None
    assert [anchor.text for anchor in asked.anchors] == ["the first offer"]


def test_a_window_and_an_order_are_read_side_by_side() -> None:
    asked = read("What was the latest book she read in July 2023?")
    assert [str(window) for window in asked.windows] == ["July 2023 -> 2023-07-01..2023-08-01"]
    assert asked.order is TimeOrder.LAST
    assert asked.to_text() == "July 2023 -> 2023-07-01..2023-08-01\nthe last of several"


PLAIN_WORDS = "who what where anna tom house painting likes dog the of is was her play".split()


@given(st.lists(st.sampled_from(PLAIN_WORDS), max_size=12))
def test_a_question_without_a_word_of_time_has_no_time(words: list[str]) -> None:
    assert not read(" ".join(words) + "?")


@given(st.integers(0, 4_000))
def test_yesterday_moves_with_the_clock(days: int) -> None:
    (here,) = read("What did Tom say yesterday?").windows
    (moved,) = read("What did Tom say yesterday?", NOW + days * DAY).windows
    assert moved.valid.start - here.valid.start == days * DAY
    assert moved.valid.end <= NOW + days * DAY


def test_without_a_finder_of_dates_events_and_order_are_still_read() -> None:
    assert read_times("What did Anna do in May?", NOW) == NO_TIME
    assert read_times("What was the first trip after the move?", NOW).order is TimeOrder.FIRST


intervals = st.builds(
    lambda start, length: Interval(start, start + length),
    st.integers(0, 10**16),
    st.integers(1, 10**15),
)
windows = st.builds(
    TimeWindow,
    st.text(max_size=20),
    st.sampled_from(TimeRelation),
    intervals
    | intervals.map(lambda one: Interval(end=one.end))
    | intervals.map(lambda one: Interval(one.start)),
    st.sampled_from(Granularity),
)


@given(windows, intervals)
def test_what_overlaps_a_window_is_fully_near_and_nothing_else_is(
    window: TimeWindow, held: Interval
) -> None:
    near = window.nearness(held)
    assert 0 <= near <= 1
    assert (near == 1) == window.valid.overlaps(held)


@given(windows, st.integers(1, 10**15), st.integers(1, 10**15))
def test_nearness_falls_to_nothing_within_a_granule(
    window: TimeWindow, first: int, second: int
) -> None:
    after = [
        window.nearness(Interval(window.valid.end + gap, window.valid.end + gap + 1))
        for gap in sorted((first, second))
        if window.valid.end != FOREVER
    ]
    assert after == sorted(after, reverse=True)
    if window.valid.end != FOREVER:
        edge = window.valid.end + granule(window.granularity)
        assert window.nearness(Interval(edge, edge + 1)) == 0


@given(intervals, st.sampled_from(TimeRelation))
def test_a_window_beside_an_event_lies_as_the_relation_says(
    event: Interval, relation: TimeRelation
) -> None:
    valid = beside("so", relation, event, Granularity.DAY).valid
    if relation in (TimeRelation.AFTER, TimeRelation.SINCE):
        assert valid == Interval(event.start)
    elif relation is TimeRelation.BEFORE:
        assert valid.start == BEGINNING
        assert not valid.overlaps(event)
    elif relation is TimeRelation.UNTIL:
        assert valid == Interval(end=event.end)
    else:
        assert valid == event


@pytest.mark.parametrize("question", [row[0] for row in (*WINDOWS, *ANCHORS, *ORDERS)])
def test_what_was_read_goes_through_json_unchanged(question: str) -> None:
    asked = read(question)
    assert asked
    assert AskedTime.from_record(json.loads(json.dumps(asked.to_record()))) == asked
