"""What assertions are found by."""

from __future__ import annotations

import pytest

from bitempo.engine.lexical import assertion_text, is_sentence, query_terms, terms
from bitempo.engine.model import Assertion, Literal
from bitempo.engine.time import Interval

NAMES = {"e1": "Anna", "e2": "Porto"}


def claim(
    predicate: str, text: str, object: str | None = None, value: Literal | None = None
) -> Assertion:
    return Assertion(
        id="a",
        subject="e1",
        predicate=predicate,
        text=text,
        evidence=("t",),
        valid=Interval(),
        believed=Interval(),
        object=object,
        value=value,
    )


@pytest.mark.parametrize(
    ("assertion", "found_by"),
    [
        (claim("LIVES_IN", "I moved.", "e2"), "Anna lives in Porto I moved."),
        (claim("LIVES_IN", "I moved to Porto.", "e2"), "Anna lives in I moved to Porto."),
        (claim("LIVES_IN", "Anna lives in Porto", "e2"), "Anna lives in Porto"),
        (claim("FAVOURITE_TEA", "Oolong!", value="oolong"), "Anna favourite tea Oolong!"),
        (claim("DIET", "No meat for me.", value="vegan"), "Anna diet vegan No meat for me."),
        (claim("AGE", "I am 40.", value=40), "Anna age I am 40."),
        (claim("STATES", "I like it.", value="I like it."), "Anna I like it."),
    ],
)
def test_an_assertion_is_found_by_all_that_it_says(assertion: Assertion, found_by: str) -> None:
    assert assertion_text(assertion, NAMES) == found_by


def test_a_sentence_is_a_claim_whose_value_is_its_text() -> None:
    assert is_sentence(claim("STATES", "I like it.", value="I like it."))
    assert not is_sentence(claim("LIKES", "I like it.", value="it"))
    assert not is_sentence(claim("LIVES_IN", "Porto", "e2"))


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("favourite", "favorite"),
        ("colours", "colors"),
        ("neighbours", "neighbor"),
        ("theatre", "theaters"),
        ("behaviour", "behavior"),
    ],
)
def test_two_spellings_of_a_word_are_one_term(british: str, american: str) -> None:
    assert terms(british) == terms(american) == query_terms(american)
