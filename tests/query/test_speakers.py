"""Whose words a question asks for."""

from __future__ import annotations

import pytest

from bitempo.query.question import read_question
from bitempo.query.speakers import speaker_named

SPEAKERS = ("Anna", "Ben Ray", "user")


@pytest.mark.parametrize(
    ("question", "speaker"),
    [
        ("What does Anna think about Ben's plan?", "Anna"),
        ("What does Ben Ray think about Anna's plan?", "Ben Ray"),
        ("According to Ben, what makes Anna a good cook?", "Ben Ray"),
        ("How does ANNA describe the studio that Ben has opened?", "Anna"),
        ("Did Anna go to Rome with Ben and Carl?", "Anna"),
    ],
)
def test_of_several_who_are_named_the_first_does_or_says_what_is_asked_for(
    question: str, speaker: str
) -> None:
    assert speaker_named(read_question(question), SPEAKERS) == speaker


@pytest.mark.parametrize(
    "question",
    [
        "What did Anna and Ben both paint?",
        "Was it Anna or Ben who called?",
        "Anna, Ben: who of them called?",
        "Anna & Ben Ray in May",
        "Does Anna's dog like Ben?",
        "Is Ben Ray's flat larger than Anna's?",
        "Who called?",
    ],
)
def test_nobody_is_preferred_of_those_who_are_joined_or_own_what_is_asked_about(
    question: str,
) -> None:
    assert speaker_named(read_question(question), SPEAKERS) is None


def test_a_name_that_begins_another_is_not_told_from_it() -> None:
    speakers = ("Anna", "Anna Lind")
    assert speaker_named(read_question("What did Anna Lind say?"), speakers) is None
    assert speaker_named(read_question("What did Anna say?"), speakers) == "Anna"


def test_who_asks_is_meant_only_where_nobody_is_named() -> None:
    assert speaker_named(read_question("Where did I park?"), SPEAKERS) == "user"
    assert speaker_named(read_question("Where did I meet Anna?"), SPEAKERS) == "Anna"
