"""Where the words that an item rests on stand in the turns."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.model import Assertion, Episode
from bitempo.engine.time import Interval
from bitempo.query.recall import RecallSettings
from bitempo.query.spans import cited_spans, find_quote
from tests.query.memory import SmallMemory

unhurried = settings(deadline=None)


@unhurried
@given(before=st.text(), quote=st.text(min_size=1), after=st.text())
def test_what_stands_in_a_text_is_found_where_it_stands_first(
    before: str, quote: str, after: str
) -> None:
    text = before + quote + after
    place = find_quote(quote, text)
    assert place is not None
    assert text[slice(*place)] == quote
    assert place[0] == text.index(quote)


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("i moved to porto", "Well, I  moved\nto Porto. Yes.", "I  moved\nto Porto"),
        ('it\'s "fine"', "It\u2019s \u201cfine\u201d, really", "It\u2019s \u201cfine\u201d"),
        ("I moved ... Porto", "So I moved last May, to Porto!", "I moved last May, to Porto"),
        ("I moved [...] Porto", "So I moved last May, to Porto!", "I moved last May, to Porto"),
        ("a big dog", "a *big* dog", "a *big* dog"),
        ("stra\u00dfe", "Die STRASSE hier", "STRASSE"),
        ("caf\u00e9 au lait", "un Cafe\u0301 au lait", "Cafe\u0301 au lait"),
    ],
)
def test_differences_of_form_do_not_hide_a_quote(quote: str, text: str, found: str) -> None:
    place = find_quote(quote, text)
    assert place is not None
    assert text[slice(*place)] == found


@pytest.mark.parametrize(
    ("quote", "text"),
    [("cats", "dogs"), ("", "text"), (" ", ""), ("...", "a"), ("b ... a", "a b"), ("x", "")],
)
def test_what_does_not_stand_there_has_no_place(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


@unhurried
@given(quote=st.text(max_size=8), text=st.text(max_size=30))
def test_a_place_is_always_inside_the_text(quote: str, text: str) -> None:
    place = find_quote(quote, text)
    if place is not None:
        assert 0 <= place[0] < place[1] <= len(text)
        assert not unicodedata.combining(text[place[0]]) or place[0] == 0 or quote in text


def claim(id: str, text: str, evidence: tuple[str, ...], quote: str | None = None) -> Assertion:
    return Assertion(id, "ent_a", "LIVES_IN", text, evidence, Interval(), Interval(), quote=quote)


def test_the_same_words_of_one_episode_are_cited_once() -> None:
    episodes = {id: Episode(id, f"{id}: I live in Porto.", 0) for id in ("e1", "e2")}
    claims = [
        claim("c1", "Anna lives in Porto.", ("e1", "e2"), "I live in Porto."),
        claim("c2", "Anna lives there.", ("e1",), "I live in Porto."),
        claim("c3", "Anna resides in Porto.", ("e2", "gone")),
    ]
    found = cited_spans(claims, episodes)
    assert [(s.episode.id, s.text, s.start, s.end, s.assertion) for s in found] == [
        ("e1", "I live in Porto.", 4, 20, "c1"),
        ("e2", "I live in Porto.", 4, 20, "c1"),
        ("e2", "Anna resides in Porto.", None, None, "c3"),
    ]


def test_an_item_quotes_its_turns_and_says_where() -> None:
    memory = SmallMemory()
    said = "Hello! Anna lives in Porto. Who knew?"
    memory.session("s", [("Ben", said)], "2024-05-01")
    memory.claim("Anna", "home", "Porto", "Anna lives in Porto.", "s:0", "2024-05-02", single=True)
    by_kind = {item.kind: item for item in memory.recall("Where does Anna live?").items}
    [span] = by_kind["fact"].spans
    assert (span.episode.text[span.start : span.end], span.assertion) == (
        "Anna lives in Porto.",
        "s:0#0",
    )
    assert by_kind["fact"].sources == ("s:0",)
    [whole] = by_kind["turn"].spans
    assert (whole.episode.id, whole.text, whole.start, whole.end) == ("s:0", said, 0, len(said))
    assert 's:0, Ben, 2024-05-01, characters 7 to 27: "Anna lives in Porto."' in (
        by_kind["fact"].explain()
    )


def test_an_explanation_says_when_a_fact_holds_how_it_is_known_and_what_was_before() -> None:
    memory = SmallMemory()
    memory.session("s", [("Ben", "Old news."), ("Ben", "New news.")], "2020-01-01")
    for turn, place, since in ((0, "Lisbon", "2020-01-01"), (1, "Porto", "2023-01-01")):
        memory.claim(
            "Anna", "home", place, f"Anna lives in {place}.", f"s:{turn}", "2023-01-02",
            since=since, single=True,
        )  # fmt: skip
    [item] = memory.recall(
        "Where does Anna live?", settings=RecallSettings(include=("facts",))
    ).items
    lines = item.explain().splitlines()
    assert "  holds since 2023-01-01 (start as stated)" in lines
    assert "  stated as such" in lines
    assert any("superseded Lisbon, which held 2020-01-01 to 2023-01-01" in line for line in lines)
    for name, added in item.contributions.items():
        assert added == pytest.approx(item.weights[name] * item.signals[name])
        assert not added or any(line.startswith(f"  {name}: {added:+.3f} = ") for line in lines)
