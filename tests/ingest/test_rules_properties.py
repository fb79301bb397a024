"""What holds of the rules extractor for any text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.model import Episode
from bitempo.engine.names import clean_text
from bitempo.engine.time import FOREVER
from bitempo.ingest.extraction import Extraction, Window
from bitempo.ingest.rules import English, RulesExtractor, Sentence
from bitempo.ingest.rules.sentences import split_sentences
from tests.ingest.rules_support import EXTRACTOR, SAID_AT, SPEAKER, turn, typed

_PIECES = st.sampled_from(
    [
        *(
            "I live in Lima",
            "I work at Acme",
            "my sister Ana",
            "I moved to Porto in June",
            "not June",
        ),
        *(
            "it was March",
            "I meant Rome, not Lima",
            "I love",
            "if",
            "?",
            ". ",
            ", ",
            "\n",
            "- ",
            "...",
            " and ",
        ),
        *(
            "by Friday",
            "I have to",
            "until",
            "since 2019",
            "used to live in",
            "'s",
            '"',
            "“",
            "```",
            "> ",
        ),
        *(
            "😀",
            "שלום",
            "東京",
            "\0",
            "\ud800",
            "1.5",
            "Dr. ",
            "I'm ",
            "no longer",
            "9999",
            "30 February",
        ),
        *(
            "My name is",
            "call me",
            "favourite tea is",
            "the",
            "ANA",
            "99999999999999999999 years ago",
        ),
    ]
)
_TEXTS = st.one_of(
    st.lists(_PIECES, max_size=14).map(" ".join),
    st.lists(_PIECES, max_size=14).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=200),
)


def extract(*texts: str, at: int = SAID_AT) -> Extraction:
    """The extraction of turns said one after the other."""
    turns = tuple(turn(text, number, at=at) for number, text in enumerate(texts))
    return EXTRACTOR.extract(Window("window", "session", turns))


@settings(max_examples=300, deadline=None)
@given(texts=st.lists(_TEXTS, min_size=1, max_size=3))
def test_every_draft_quotes_its_turn_and_has_a_key_of_its_own(texts: list[str]) -> None:
    by_turn = {f"turn{number}": clean_text(text) for number, text in enumerate(texts)}
    found = extract(*texts)
    keys = [(draft.evidence, draft.key) for draft in found.drafts]
    assert len(set(keys)) == len(keys)
    for draft in found.drafts:
        (evidence,) = draft.evidence
        assert draft.quote is not None
        assert draft.quote in by_turn[evidence]
        assert draft.confidence < 1
        assert draft.extractor == found.extractor
        start = SAID_AT if draft.valid_from is None else draft.valid_from
        assert start < (FOREVER if draft.valid_to is None else draft.valid_to)


@settings(max_examples=100, deadline=None)
@given(text=_TEXTS)
def test_extraction_is_deterministic_and_survives_json(text: str) -> None:
    found = extract(text)
    assert extract(text) == found
    assert Extraction.from_json(found.to_json()) == found


@settings(max_examples=100, deadline=None)
@given(text=_TEXTS)
def test_sentences_are_verbatim_and_in_order(text: str) -> None:
    found = English().sentences(text)
    assert all(text[sentence.start : sentence.end] == sentence.text for sentence in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@pytest.mark.parametrize(
    "at", [-(10**17), -62_135_596_800_000_000, 0, 253_402_300_799_999_999, 10**17]
)
def test_turns_of_any_time_are_read(at: int) -> None:
    assert any(
        draft.predicate == "LIVES_IN"
        for draft in extract(
            "I live in Lima. I moved yesterday, and must pay by Friday.", at=at
        ).drafts
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\n" * 50_000, "." * 50_000, "😀" * 50_000, "I " * 50_000, "A" * 50_000),
        *('"' * 50_000, "\0" * 1_000, "\ud800 I", "Ana Bea " * 20_000, "my dog Rex, " * 20_000),
        *(
            "I'm " * 300,
            "and I " * 300,
            "not " * 300,
            "[(" * 20_000,
            ".x" * 50_000,
            "a.b. " * 10_000,
        ),
    ],
)
def test_monstrous_text_is_read_without_a_word(text: str) -> None:
    assert extract(text).rejections == ()


def test_later_sentences_have_later_keys() -> None:
    keys = [draft.key for draft in extract("I live in Lima. " * 120).drafts]
    assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith called. I left.", ["Dr. Smith called.", "I left."]),
        ("It cost 3.50 euros. Wow!", ["It cost 3.50 euros.", "Wow!"]),
        ("Well... maybe. OK", ["Well... maybe.", "OK"]),
        ("J. Smith came at 5 p.m. today.", ["J. Smith came at 5 p.m. today."]),
        ("So do I. We left.", ["So do I.", "We left."]),
        ("I said so! 😀 We left.", ["I said so!", "We left."]),
        ("I won 🎉 We left", ["I won 🎉", "We left"]),
        ("- one thing\n- another\n\n1. third", ["one thing", "another", "third"]),
        ("this line is\nwrapped. Next", ["this line is\nwrapped.", "Next"]),
        ('He said "Stop." We left.', ['He said "Stop."', "We left."]),
        ("```\ncode here\n```\nI left.", ["I left."]),
        ("> quoted line\nI left.", ["I left."]),
        ("e.g. this one.", ["e.g. this one."]),
        ("東京に住んでいます。いいです。", ["東京に住んでいます。", "いいです。"]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, sentences: list[str]) -> None:
    found = split_sentences(text, frozenset({"dr", "e.g"}))
    assert [
        sentence.text for sentence in found if any(map(str.isalnum, sentence.text))
    ] == sentences


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match=r"'xx'.*en"):
        RulesExtractor("xx")


def test_another_language_can_be_handed_in() -> None:
    class Shouting(English):
        code = "en"

        def sentences(self, text: str) -> list[Sentence]:
            return [s for s in super().sentences(text) if s.text.endswith("!")]

    episode = Episode("e", "I live in Lima. I work at Acme!", SAID_AT, actor=SPEAKER)
    found = RulesExtractor(Shouting()).extract(Window("w", "s", (episode,)))
    assert {draft.predicate for draft in found.drafts} == {"STATES", "WORKS_AT"}


def test_the_same_sentence_in_curly_and_straight_quotes_is_the_same_claim() -> None:
    assert typed("I’m vegan.") == typed("I'm vegan.") == ["DIET +vegan"]
