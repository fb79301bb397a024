"""Which way a sentence leans, and expressions whose words mean more, or less, than their parts."""

from __future__ import annotations

import pytest

from bitempo.engine.time import format_instant, parse_instant
from bitempo.ingest.dates import find_times


def told(text: str, reference: str = "2023-06-15T14:30:00Z") -> list[tuple[str, str]]:
    """Each expression with its interval; midnights without their time."""
    return [
        (
            found.text,
            " ".join(
                format_instant(end).replace("T00:00:00Z", "")
                for end in (found.valid.start, found.valid.end)
            ),
        )
        for found in find_times(text, parse_instant(reference))
    ]


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("I am moving in December.", "2023-12-01 2024-01-01"),
        ("We're moving in December.", "2023-12-01 2024-01-01"),
        ("She’s probably moving in December.", "2023-12-01 2024-01-01"),
        ("I'm moving to Oslo in June.", "2023-06-01 2023-07-01"),
        ("she's flying on Friday", "2023-06-16 2023-06-17"),
        ("My exam is on Friday.", "2023-06-16 2023-06-17"),
        ("The party is on Saturday.", "2023-06-17 2023-06-18"),
        ("The wedding is in August.", "2023-08-01 2023-09-01"),
        ("It's on 3 July.", "2023-07-03 2023-07-04"),
        ("I leave on Friday.", "2023-06-16 2023-06-17"),
        ("I have an interview on Friday.", "2023-06-16 2023-06-17"),
        ("See you on Friday!", "2023-06-16 2023-06-17"),
    ],
)
def test_what_is_arranged_lies_ahead(text: str, interval: str) -> None:
    assert [each for _, each in told(text)] == [interval]


def test_in_may_a_move_in_june_is_this_year() -> None:
    found = told("I'm moving to Oslo in June.", "2023-05-02T09:00:00Z")
    assert found == [("June", "2023-06-01 2023-07-01")]


@pytest.mark.parametrize(
    "text",
    [
        "My exam was on Friday.",
        "Where did you go on Friday?",
        "Did we leave on Friday?",
        "It was good to see you on Friday.",
    ],
)
def test_what_was_lies_behind(text: str) -> None:
    assert told(text) == [("Friday", "2023-06-09 2023-06-10")]


def test_since_lies_behind_in_a_sentence_that_looks_ahead() -> None:
    assert told("I'm getting fit since March.") == [("since March", "2023-03-01 inf")]


@pytest.mark.parametrize(
    ("text", "expression", "interval"),
    [
        ("It was the Friday before last.", "the Friday before last", "2023-06-02 2023-06-03"),
        ("We ran the weekend before last.", "the weekend before last", "2023-06-03 2023-06-05"),
        ("We ran the week before last.", "the week before last", "2023-05-29 2023-06-05"),
        ("I quit the month before last.", "the month before last", "2023-04-01 2023-05-01"),
        ("I quit the year before last.", "the year before last", "2021-01-01 2022-01-01"),
        ("I quit the summer before last.", "the summer before last", "2021-06-01 2021-09-01"),
        (
            "I sang the night before last.",
            "the night before last",
            "2023-06-13T20:00:00Z 2023-06-14",
        ),
        ("It was the week before last week.", "the week before last week", "2023-05-29 2023-06-05"),
        ("I go the week after next.", "the week after next", "2023-06-26 2023-07-03"),
        ("I go the Friday after next.", "the Friday after next", "2023-06-30 2023-07-01"),
        ("I go Tuesday week.", "Tuesday week", "2023-06-27 2023-06-28"),
        ("I will go on Friday week.", "Friday week", "2023-06-23 2023-06-24"),
        ("I go tomorrow week.", "tomorrow week", "2023-06-23 2023-06-24"),
        ("I went yesterday week.", "yesterday week", "2023-06-07 2023-06-08"),
    ],
)
def test_one_further_than_last_or_next(text: str, expression: str, interval: str) -> None:
    assert told(text) == [(expression, interval)]


def test_a_modal_before_last_is_no_month() -> None:
    assert told("I may before last orders today.") == [("today", "2023-06-15 2023-06-16")]


@pytest.mark.parametrize(
    "text",
    [
        "I swim every Friday.",
        "I swim every other Friday.",
        "I swim every second Tuesday.",
        "I swim every 2nd Tuesday of the month.",
        "I swim every Monday, Wednesday and Friday.",
        "I swim on Fridays.",
        "I swim on Friday nights.",
    ],
)
def test_what_recurs_has_no_time(text: str) -> None:
    assert told(text) == []


def test_a_single_day_after_recurring_ones_is_kept() -> None:
    text = "I swim every Monday and Friday, but last Friday I slept."
    assert told(text) == [("last Friday", "2023-06-09 2023-06-10")]


@pytest.mark.parametrize(
    ("text", "reference", "start"),
    [
        ("As of 1 June I live in Oslo.", "2023-06-15", "2023-06-01"),
        ("As of 1 June I live in Oslo.", "2023-06-01", "2023-06-01"),
        ("As of 1 June I'm moving into sales.", "2023-06-15", "2023-06-01"),
        ("As of 1 June I live in Oslo.", "2023-05-20", "2023-06-01"),
        ("As of 1 June I live in Oslo.", "2023-12-20", "2023-06-01"),
        ("As of 1 December I live in Oslo.", "2023-01-10", "2022-12-01"),
        ("As of 1 January I will live in Oslo.", "2023-12-10", "2024-01-01"),
        ("As of 2019 I live in Oslo.", "2023-06-15", "2019-01-01"),
        ("As of today I live in Oslo.", "2023-06-15", "2023-06-15"),
    ],
)
def test_as_of_holds_from_then_on(text: str, reference: str, start: str) -> None:
    ((expression, interval),) = told(text, f"{reference}T09:00:00Z")
    assert expression.startswith("As of ")
    assert interval == f"{start} inf"


def test_as_of_a_time_in_a_sentence_about_the_past_is_that_time() -> None:
    found = told("We had ten people as of 1 June 2022.")
    assert found == [("as of 1 June 2022", "2022-06-01 2022-06-02")]


@pytest.mark.parametrize(
    ("text", "expression", "interval"),
    [
        ("I read 1984 last year", "last year", "2022-01-01 2023-01-01"),
        ("I watched 2012 last week", "last week", "2023-06-05 2023-06-12"),
        ("I turned 30 last week", "last week", "2023-06-05 2023-06-12"),
        ("I turned 30 last month", "last month", "2023-05-01 2023-06-01"),
        ("It took the 2 past months", "the 2 past months", "2023-04-15 2023-06-15"),
    ],
)
def test_a_number_before_a_time_counts_only_a_plural(
    text: str, expression: str, interval: str
) -> None:
    assert told(text) == [(expression, interval)]


def test_a_title_is_no_start_of_a_range() -> None:
    assert told("I read 1984 to 2012 people.") == []


def test_no_window_reaches_out_of_the_years_people_tell() -> None:
    assert told("It took the last 2000 years.") == []


@pytest.mark.parametrize(
    ("text", "expression", "day"),
    [
        ("Send it EOD tomorrow.", "EOD tomorrow", "2023-06-16T23:59:59Z 2023-06-17"),
        ("Send it EOD Friday.", "EOD Friday", "2023-06-16T23:59:59Z 2023-06-17"),
        ("Send it by EOD tomorrow.", "by EOD tomorrow", "-inf 2023-06-17"),
        ("Send it by end of day tomorrow.", "by end of day tomorrow", "-inf 2023-06-17"),
        ("Send it EOD.", "EOD", "2023-06-15T23:59:59Z 2023-06-16"),
    ],
)
def test_the_end_of_a_day_is_that_of_the_day_told(text: str, expression: str, day: str) -> None:
    assert told(text) == [(expression, day)]
