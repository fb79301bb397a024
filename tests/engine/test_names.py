"""Names: what counts as one, what stays apart, and ids that any store can hold."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.names import check_id, clean_text, digest, entity_id, normalise_name, value_key

# Any text, lone surrogates and NUL included.
anything = st.text(st.characters(exclude_categories=()), max_size=30)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("東京タワー", "東京 タワー"),
        ("東京タワー", "東京　タワー"),
        ("東京タワー", "東京ﾀﾜｰ"),
        ("北京 大学", "北京大学"),
        ("ประเทศ ไทย", "ประเทศไทย"),
        ("Ana", "ana"),
        ("Ana", "  Ana  "),
        ("Ana López", "ANA\u00a0\u00a0LÓPEZ"),
        ("Ana\tLópez", "Ana\nLo\u0301pez"),
        ("Straße", "STRASSE"),
        ("İzmir", "i\u0307zmir"),
        ("Ｆｕｌｌ", "full"),
        ("ﬁsh", "fish"),
        ("O’Brien", "O'Brien"),
        ("“Boreal”", '"Boreal"'),
        ("“Boreal”", "Boreal"),
        ("Acme, Inc.", "acme, inc"),
        ("ᾳ", "αι"),
    ],
)
def test_spellings_that_are_one_name(one: str, other: str) -> None:
    assert normalise_name(one) == normalise_name(other)
    assert entity_id(one, "person") == entity_id(other, "person")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("room 12", "room 13"),
        ("A320", "A321"),
        ("ticket 1-2", "ticket 12"),
        ("v1.2", "v12"),
        ("Ana Lima", "AnaLima"),
        ("C", "C++"),
        ("C#", "C"),
        ("Ana", "Anna"),
        ("Muller", "Müller"),
        ("東京タワー", "東京タワ"),
        ("김 철수", "김철 수"),
        ("東京 Tower", "東京Tower"),
        ("!", "?"),
        ("👍", "👎"),
        ("user@a.example", "usera.example"),
    ],
)
def test_names_that_stay_apart(one: str, other: str) -> None:
    assert normalise_name(one) != normalise_name(other)
    assert entity_id(one, "") != entity_id(other, "")


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_names_that_differ_only_in_digits_stay_apart(one: int, other: int) -> None:
    same = entity_id(f"order {one}", "") == entity_id(f"order {other}", "")
    assert same == (one == other)


@given(anything)
@example("İ")
@example("\u1e9e")
@example("\u0345")
@example("ͅ. ")
@example("'‘.’ x")
@example("ᾼ")
@example("a\u3000\u0e00")
def test_normalising_a_name_twice_changes_nothing(name: str) -> None:
    try:
        once = normalise_name(name)
    except InvalidInputError:
        return
    assert normalise_name(once) == once


@given(anything)
def test_the_unicode_form_of_a_name_does_not_matter(name: str) -> None:
    try:
        once = normalise_name(name)
    except InvalidInputError:
        return
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert normalise_name(unicodedata.normalize(form, clean_text(name))) == once


@given(anything)
def test_case_and_outer_space_do_not_matter(name: str) -> None:
    try:
        once = normalise_name(name)
    except InvalidInputError:
        return
    assert normalise_name(f" {name}\t") == once
    assert normalise_name(clean_text(name).casefold()) == once


@pytest.mark.parametrize("name", ["", " ", "\t\r\n", "\u00a0\u3000"])
def test_an_empty_name_is_refused_and_quoted(name: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        normalise_name(name)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize("name", ["!!!", "...", "?", "()"])
def test_a_name_of_punctuation_alone_keeps_a_form_of_its_own(name: str) -> None:
    assert normalise_name(name) == name


@given(anything)
def test_clean_text_can_be_stored_and_keeps_everything_storable(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode("utf-8")
    assert "\0" not in cleaned
    assert len(cleaned) == len(text)
    storable = [(a, b) for a, b in zip(text, cleaned, strict=True) if b != "\ufffd"]
    assert all(a == b for a, b in storable)
    assert clean_text(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\0b", "a\ufffdb"),
        ("é\0", "é\ufffd"),
        ("\ud83d\udc4d", "\ufffd\ufffd"),
        ("x\udfff", "x\ufffd"),
        ("👍 مرحبا \u202e", "👍 مرحبا \u202e"),
        ("", ""),
    ],
)
def test_nul_and_lone_surrogates_become_the_replacement_character(text: str, expected: str) -> None:
    assert clean_text(text) == expected


@pytest.mark.parametrize("id", ["E1", "session/3#12", "東京", " padded ", "👍", "x" * 10_000])
def test_an_id_is_kept_as_it_is(id: str) -> None:
    assert check_id(id, "an episode") == id


@pytest.mark.parametrize("id", ["", "  ", "\n", "a\nb", "a\0", "\ud83d", "é\udc4d"])
def test_an_id_that_stores_cannot_hold_is_refused_and_quoted(id: str) -> None:
    with pytest.raises(InvalidInputError, match="cannot be the id of an episode") as caught:
        check_id(id, "an episode")
    assert repr(id) in str(caught.value)


@given(anything, anything)
def test_the_type_keeps_entities_of_one_name_apart(name: str, type: str) -> None:
    try:
        typed = entity_id(name, type)
        untyped = entity_id(name, "")
    except InvalidInputError:
        return
    assert typed.startswith("ent_")
    assert (typed == untyped) == (type == "")


def test_one_name_with_two_types_is_two_entities() -> None:
    assert entity_id("Jordan", "person") != entity_id("Jordan", "place")
    assert entity_id("Jordan", "Person ") == entity_id("jordan", "person")


def test_a_name_and_a_type_cannot_trade_characters() -> None:
    assert entity_id("b c", "a") != entity_id("c", "a b")


@pytest.mark.parametrize("value", [1, 1.0, "1", True, 0, False, "", "true", -1, 1.5])
def test_literals_of_different_kinds_differ(value: str | float) -> None:
    others = [v for v in (1, 1.0, "1", True, 0, False, "", "true", -1, 1.5) if v is not value]
    assert value_key(None, value) not in {value_key(None, other) for other in others}


def test_literal_text_is_compared_in_nfc_with_spaces_levelled_and_case_kept() -> None:
    assert value_key(None, "a  cafe\u0301 ") == value_key(None, "a café")
    assert value_key(None, "Café") != value_key(None, "café")


def test_an_object_is_its_own_key_and_nothing_has_none() -> None:
    assert value_key("ent_1", None) == "ent_1"
    assert value_key("ent_1", "text") == "ent_1"
    assert value_key(None, None) is None


@given(st.one_of(anything, st.integers(), st.floats(allow_nan=False), st.booleans()))
def test_every_literal_has_a_stable_key_in_plain_characters(value: str | float) -> None:
    key = value_key(None, value)
    assert key is not None
    assert key.startswith("val_")
    assert key.isascii()
    assert value_key(None, value) == key


@given(st.lists(anything, max_size=4))
def test_a_digest_is_24_hex_digits(parts: list[str]) -> None:
    assert len(digest(*parts)) == 24
    assert set(digest(*parts)) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "spelling", ["Ana\u200bMaria", "Ana\u00adMaria", "\ufeffAnaMaria", "\u202aAnaMaria\u202c"]
)
def test_what_is_not_seen_makes_no_other_name(spelling: str) -> None:
    assert normalise_name(spelling) == normalise_name("AnaMaria")


def test_a_name_of_unseen_characters_only_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no visible characters"):
        normalise_name("\u200b\u00ad")


def test_every_hyphen_is_one_and_a_leading_dot_belongs_to_the_name() -> None:
    assert normalise_name("Jean\u2011Luc") == normalise_name("Jean-Luc")
    assert normalise_name(".NET") != normalise_name("NET")
    assert normalise_name("(Ana).") == normalise_name("Ana")
