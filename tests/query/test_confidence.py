"""Confidence tells a recall that has the answer from one that has not, in memories of any size."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.abstention import auc
from bitempo.query.confidence import features
from tests.query.memory import SmallMemory

TOLD = [
    ("Anna", "I adopted a whippet from the shelter."),
    ("Ben", "My bakery in Lyon opens in September."),
]


def small() -> SmallMemory:
    memory = SmallMemory()
    memory.session("s", TOLD, "2024-05-01")
    return memory


def test_a_question_of_what_was_told_has_more_than_one_of_what_was_not() -> None:
    memory = small()
    told = memory.recall("Who adopted a whippet from the shelter?").confidence
    not_told = memory.recall("Which opera did the whippet compose in Vienna?").confidence
    assert told > 0.7 > 0.3 > not_told


def test_what_nothing_is_found_for_has_none() -> None:
    assert small().recall("zeppelin quorum").confidence == 0.0


def test_what_the_other_speaker_said_has_less() -> None:
    memory = small()
    right = memory.recall("When did Anna adopt a whippet?").confidence
    wrong = memory.recall("When did Ben adopt a whippet?").confidence
    assert right > wrong


def test_it_does_not_depend_on_how_much_else_there_is() -> None:
    memory = small()
    question = "Who adopted a whippet from the shelter?"
    before = features(question, memory.recall(question).items)
    for number in range(30):
        memory.session(f"n{number}", [("Cleo", f"Nothing about it, item {number}.")], "2024-05-02")
    assert features(question, memory.recall(question).items) == before


@settings(deadline=None, max_examples=50)
@given(question=st.text(max_size=40) | st.sampled_from([text for _, text in TOLD]))
def test_it_lies_between_none_and_certain(question: str) -> None:
    assert 0.0 <= small().recall(question).confidence <= 1.0


@pytest.mark.parametrize(
    ("higher", "lower", "expected"),
    [([2, 3], [0, 1], 1.0), ([0], [1], 0.0), ([1], [1], 0.5), ([1, 3], [2], 0.5), ([], [1], 0.5)],
)
def test_the_area_under_the_curve_is_the_share_of_pairs_in_order(
    higher: list[float], lower: list[float], expected: float
) -> None:
    assert auc(higher, lower) == expected
