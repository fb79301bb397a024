"""What holds for the time expressions of any text."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.time import BEGINNING, FOREVER, parse_instant
from bitempo.ingest.dates import find_times
from bitempo.ingest.dates.english_calendar import HOLIDAY_NAMES
from bitempo.ingest.dates.english_words import TRIGGER

THURSDAY = parse_instant("2023-06-15T14:30:00Z")
WEEK = 7 * 86_400_000_000
FIRST, LAST = parse_instant("0001-01-01T00:00:00Z"), parse_instant("9999-12-31T23:59:59Z")

TIME_FREE = Path(__file__).with_name("time_free_sentences.txt").read_text(encoding="utf-8")
KNOWN_FALSE = {"In a minute detail she painted the scene."}

WORDS = st.sampled_from(
    "last next this the a two 3 5 2019 2019-05-06 12/25 may May march sun Sat friday Friday week "
    "month year days ago from to between and until by since in on at before after of end early "
    "mid late half hour 5:30 pm noon tonight yesterday christmas q3 90s 's - , . / : $ every first "
    "3rd twenty hundred thousand couple few 99999999999 0 31 february for past 9999 0001 10000 "
    "weekend quarter decade century morning w/c 😀 שלום \0 \ud800 one been has will going".split()
)
WORDED = st.lists(WORDS, max_size=25).map(" ".join)
GLUED = st.lists(WORDS, max_size=8).map("".join)
TEXTS = st.one_of(st.text(max_size=200), WORDED, GLUED)
REFERENCES = st.integers(FIRST, LAST)


@settings(max_examples=400, deadline=None)
@given(TEXTS, REFERENCES)
def test_any_text_is_read_and_gives_ordered_times_inside_it(text: str, reference: int) -> None:
    found = find_times(text, reference)
    for each in found:
        assert 0 <= each.start < each.end <= len(text)
        assert each.text == text[each.start : each.end]
        assert each.valid.start < each.valid.end
        assert each.valid.start == BEGINNING or each.valid.start >= FIRST
        assert each.valid.end == FOREVER or each.valid.end <= LAST + 1_000_000
        assert (each.kind == "since") == (each.valid.end == FOREVER)
        assert (each.kind in ("until", "deadline")) == (each.valid.start == BEGINNING)
    assert all(one.end <= other.start for one, other in pairwise(found))


@settings(max_examples=200, deadline=None)
@given(WORDED, REFERENCES)
def test_the_quick_test_never_hides_a_time(text: str, reference: int) -> None:
    if not TRIGGER.search(text):
        assert find_times(text + " 7", reference) == []


def test_the_quick_test_knows_every_holiday() -> None:
    assert [name for name in HOLIDAY_NAMES if not TRIGGER.search(name)] == []


@given(
    st.sampled_from(
        ["last Tuesday", "this Friday", "next Friday", "on Monday", "last week", "two weeks ago",
         "yesterday", "tomorrow at 9", "last weekend", "since Monday", "in three days",
         "the day before yesterday", "by Friday", "earlier this week", "tonight"]
    ),
    st.integers(-1500, 1500),
)  # fmt: skip
def test_whole_weeks_move_what_is_told_in_days_and_weeks(expression: str, weeks: int) -> None:
    (near,) = find_times(f"We do it {expression}.", THURSDAY)
    (far,) = find_times(f"We do it {expression}.", THURSDAY + weeks * WEEK)
    moved = {
        "start": near.valid.start + weeks * WEEK if near.valid.start != BEGINNING else BEGINNING,
        "end": near.valid.end + weeks * WEEK if near.valid.end != FOREVER else FOREVER,
    }
    assert {"start": far.valid.start, "end": far.valid.end} == moved


@given(st.integers(1, 9999), st.integers(1, 12), st.integers(1, 28))
def test_an_iso_date_is_its_day_whenever_it_is_told(year: int, month: int, day: int) -> None:
    text = f"{year:04}-{month:02}-{day:02}"
    found = find_times(f"It was on {text}.", THURSDAY)
    if year >= 1000:
        assert [each.valid.start for each in found] == [parse_instant(text)]


@pytest.mark.parametrize("sentence", TIME_FREE.splitlines())
def test_a_sentence_without_a_time_has_none(sentence: str) -> None:
    found = [each.text for each in find_times(sentence, THURSDAY)]
    assert bool(found) == (sentence in KNOWN_FALSE)


@pytest.mark.parametrize(
    "unit",
    ["the day after ", "3 days after ", "week of the ", "1/", "2-", "from ", "twenty-", "a ", "\0"],
)
def test_a_long_text_of_one_pattern_is_read(unit: str) -> None:
    text = unit * (20_000 // len(unit)) + " We met last Tuesday."
    assert find_times(text, THURSDAY)[-1].text.endswith("last Tuesday")
