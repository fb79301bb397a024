"""How large windows are: by turns and by size, in characters or tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo import InvalidInputError, LLMExtractor, RulesExtractor
from bitempo.ingest.extraction import Window
from bitempo.ingest.windows import (
    DEFAULT_WINDOWS,
    WindowSettings,
    episodes_of,
    estimated_tokens,
    session_of,
    windows_for,
    windows_of,
)
from tests.ingest.model_double import PaidModel, told


def windows(texts: list[str], settings: WindowSettings) -> list[Window]:
    source = told("s", *texts)
    episodes = episodes_of("acme", source.id, source.turns)
    new = {episode.id for episode in episodes}
    return list(windows_of(session_of(source), episodes, new, settings=settings))


@given(st.lists(st.text("ab ", min_size=1, max_size=30), max_size=40), st.integers(1, 6))
def test_windows_hold_every_turn_once_and_no_more_than_they_may(
    texts: list[str], turns: int
) -> None:
    settings = WindowSettings(turns=turns, size=40, context_turns=2)
    made = windows(texts, settings)
    assert [e.text for window in made for e in window.episodes] == texts
    for window in made:
        assert len(window.episodes) <= turns
        size = sum(len(episode.text) for episode in window.episodes)
        assert size <= 40 or len(window.episodes) == 1
        assert len(window.context) <= 2


def test_a_window_is_bounded_by_tokens_where_those_are_counted() -> None:
    settings = WindowSettings.of_tokens(5, count=lambda text: len(text.split()))
    made = windows(["one two three", "four five", "six", "a b c d e f g", "h"], settings)
    assert [len(window.episodes) for window in made] == [2, 1, 1, 1]


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_tokens_are_estimated_from_characters(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_an_extractor_says_how_large_its_windows_are() -> None:
    assert windows_for(RulesExtractor()) is DEFAULT_WINDOWS
    assert windows_for(PaidModel()).size == 1_500
    model = LLMExtractor("m", api_key="none", window_tokens=300, count_tokens=len)
    assert windows_for(model).size == 300
    assert windows_for(model).measure("abc") == 3


@pytest.mark.parametrize("wrong", [{"turns": 0}, {"size": 0}, {"context_turns": -1}])
def test_a_window_that_could_hold_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError, match="at least one turn"):
        WindowSettings(**wrong)
