"""Sessions as sources hand them over, and message lists."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.errors import InvalidRecordError, InvalidTimeError
from bitempo.engine.time import parse_instant
from bitempo.ingest.sessions import (
    LATEST,
    Malformed,
    SessionBuilder,
    clean_json,
    clean_text,
    moment,
    parse_messages,
)

START = "2024-05-01T12:00:00Z"
START_INSTANT = parse_instant(START)


def said(text: str, **extra: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **extra}


def test_turns_without_times_follow_each_other_by_a_microsecond() -> None:
    session = parse_messages([said("a"), said("b"), said("c")], session="s", started_at=START)
    assert [turn.occurred_at - START_INSTANT for turn in session.turns] == [0, 1, 2]


def test_a_turn_without_time_follows_one_that_states_its_own() -> None:
    messages = [said("a"), said("b", timestamp="2024-05-01T15:00:00+02:00"), said("c")]
    session = parse_messages(messages, session="s", started_at=START)
    hour = 3_600_000_000
    assert [turn.occurred_at - START_INSTANT for turn in session.turns] == [0, hour, hour + 1]


def test_times_do_not_run_past_the_last_instant() -> None:
    builder = SessionBuilder("s", started_at=LATEST)
    builder.add("a", "Ana", place="1")
    builder.add("b", "Ana", place="2")
    assert [turn.occurred_at for turn in builder.build().turns] == [LATEST, LATEST]


def test_the_session_starts_with_the_first_message_that_has_a_time() -> None:
    messages = [said("a"), said("b", created_at=1_714_564_800)]
    session = parse_messages(messages, session="s")
    assert session.started_at == START_INSTANT


@pytest.mark.parametrize(
    ("value", "zone", "expected"),
    [
        ("2024-05-01T12:00:00Z", None, START),
        ("2024-05-01T14:00:00+02:00", None, START),
        (1_714_564_800, None, START),
        (1_714_564_800.25, None, "2024-05-01T12:00:00.250000Z"),
        (datetime(2024, 5, 1, 14, tzinfo=timezone(timedelta(hours=2))), None, START),
        (date(2024, 5, 1), None, "2024-05-01"),
        ("2024-05-01", None, "2024-05-01"),
        ("2024-05", ZoneInfo("Europe/Lisbon"), "2024-05"),
        ("2024-05-01T14:00:00", ZoneInfo("Europe/Berlin"), START),
        ("2024-05-01", ZoneInfo("Europe/Berlin"), "2024-04-30T22:00:00Z"),
        ("2024-05-01T12:00:00Z", ZoneInfo("Europe/Berlin"), START),
    ],
)
def test_moments_are_read(value: object, zone: ZoneInfo | None, expected: str) -> None:
    assert moment(value, zone) == parse_instant(expected)


@pytest.mark.parametrize(
    "value",
    [
        "2024-05-01T12:00:00",
        datetime(2024, 5, 1),
        "soon",
        True,
        [],
        1_714_564_800_000,
        10**400,
        1e300,
        float("nan"),
        float("inf"),
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_bad_moments_are_refused(value: object) -> None:
    with pytest.raises(InvalidTimeError):
        moment(value)


def test_milliseconds_get_a_hint() -> None:
    with pytest.raises(InvalidTimeError, match="milliseconds"):
        moment(1_714_564_800_000)


@pytest.mark.parametrize(
    ("message", "actor"),
    [
        (said("x"), "user"),
        (said("x", name="Mara"), "Mara"),
        ({"role": "assistant", "content": "x"}, "assistant"),
        ({"name": "Tom", "content": "x"}, "Tom"),
    ],
)
def test_the_actor_is_the_name_or_else_the_role(message: dict[str, object], actor: str) -> None:
    assert parse_messages([message], session="s", started_at=START).turns[0].actor == actor


def test_the_actor_of_the_session_speaks_as_its_user() -> None:
    messages: list[dict[str, Any]] = [
        said("x"),
        said("y", name="Tom"),
        {"role": "assistant", "content": "z"},
    ]
    session = parse_messages(messages, session="s", started_at=START, actor="Mara")
    assert session.actor == "Mara"
    assert [turn.actor for turn in session.turns] == ["Mara", "Tom", "assistant"]


def test_the_texts_of_parts_are_joined_and_the_others_noted() -> None:
    parts = [
        {"type": "text", "text": "Look at this."},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        "Is it a fox?",
    ]
    turn = parse_messages([{"role": "user", "content": parts}], session="s", started_at=START)
    assert turn.turns[0].text == "Look at this.\nIs it a fox?"
    assert turn.turns[0].metadata == {"role": "user", "attachments": ["image_url"]}


def test_id_and_metadata_of_a_message_are_kept() -> None:
    message = said("x", id=7, metadata={"channel": "web"})
    turn = parse_messages([message], session="s", started_at=START).turns[0]
    assert (turn.id, turn.metadata) == ("7", {"channel": "web", "role": "user"})


@pytest.mark.parametrize("text", ["", "  \n\t", None, [], [{"type": "image_url"}]])
def test_empty_turns_are_skipped_and_reported(text: object) -> None:
    messages = [said("a"), {"role": "user", "content": text}, said("b")]
    session = parse_messages(messages, session="s", started_at=START)
    assert [turn.text for turn in session.turns] == ["a", "b"]
    assert session.skipped == (Malformed("message 2", "the turn has no text"),)


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function"])
def test_messages_that_nobody_spoke_are_reported_and_are_no_turns(role: str) -> None:
    messages: list[dict[str, Any]] = [{"role": role, "content": "Be brief."}, said("a")]
    session = parse_messages(messages, session="s", started_at=START)
    assert [turn.text for turn in session.turns] == ["a"]
    assert [(one.place, role in one.reason) for one in session.skipped] == [("message 1", True)]


@pytest.mark.parametrize(
    ("text", "clean"),
    [("a\x00b", "a�b"), ("a\ud800b", "a�b"), ("\udfff", "�"), ("\x00", "�")],
)
def test_what_cannot_be_stored_is_replaced_and_noted(text: str, clean: str) -> None:
    turn = parse_messages([said(text)], session="s", started_at=START).turns[0]
    assert turn.text == clean
    assert turn.metadata == {"role": "user", "repaired": True}
    assert clean.encode()


def test_names_and_metadata_are_repaired_too() -> None:
    message = said("x", name="M\x00ra", id="\ud800", metadata={"k\x00": ["\udc00", float("nan")]})
    turn = parse_messages([message], session="s\x00", started_at=START).turns[0]
    assert (turn.actor, turn.id) == ("M�ra", "�")
    assert turn.metadata == {"k�": ["�", None], "role": "user", "repaired": True}


@pytest.mark.parametrize("text", ["🦊 emoji", "שלום", "مرحبا", "東京タワー", "e\u0301", "\u200fa"])
def test_other_text_is_left_as_it_is(text: str) -> None:
    turn = parse_messages([said(text)], session="s", started_at=START).turns[0]
    assert turn.text == text
    assert "repaired" not in turn.metadata


def test_a_turn_of_a_megabyte_and_ten_thousand_turns_are_fine() -> None:
    messages = [said("x" * 1_000_000), *(said(f"turn {number}") for number in range(9_999))]
    session = parse_messages(messages, session="s", started_at=START)
    assert len(session.turns) == 10_000
    assert len(session.turns[0].text) == 1_000_000
    times = [turn.occurred_at for turn in session.turns]
    assert times == sorted(set(times))


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("hello", "must be an object"),
        ({"content": "x"}, "role or a name"),
        ({"role": "user"}, "needs content"),
        ({"role": 3, "content": "x"}, "role must be text, not a number"),
        ({"role": "user", "content": 3}, "content must be text"),
        ({"role": "user", "content": [3]}, "part 1"),
        (said("x", timestamp="2024-05-01T12:00:00"), "timestamp: .* no UTC offset"),
        (said("x", created_at="later"), "created_at: 'later' is not a time"),
        (said("x", id=["a"]), "id must be text"),
        (said("x", id=" "), "id of a message is empty"),
        (said("x", metadata=[1]), "metadata must be an object"),
        (said("x", id="a"), "used twice"),
    ],
)
def test_a_malformed_message_is_refused_with_its_place(message: object, reason: str) -> None:
    messages = [said("first", id="a"), message]
    with pytest.raises(InvalidRecordError, match=reason) as caught:
        parse_messages(messages, session="s", started_at=START)  # type: ignore[arg-type]
    assert caught.value.place == "message 2"


def test_deeply_nested_metadata_is_refused() -> None:
    nested: object = "x"
    for _ in range(100):
        nested = [nested]
    with pytest.raises(InvalidRecordError, match="nested"):
        parse_messages([said("x", metadata={"a": nested})], session="s", started_at=START)


@pytest.mark.parametrize("messages", ["text", {"role": "user"}, 3, None])
def test_what_is_no_list_of_messages_is_refused(messages: object) -> None:
    with pytest.raises(InvalidRecordError):
        parse_messages(messages, session="s", started_at=START)  # type: ignore[arg-type]


def test_a_session_that_states_no_time_is_refused() -> None:
    with pytest.raises(InvalidRecordError, match="started_at"):
        parse_messages([said("x")], session="s")


def test_a_naive_start_is_refused_unless_a_zone_is_given() -> None:
    with pytest.raises(InvalidTimeError):
        parse_messages([said("x")], session="s", started_at="2024-05-01T12:00")
    session = parse_messages([said("x")], session="s", started_at="2024-05-01T12:00", timezone=UTC)
    assert session.started_at == START_INSTANT


@pytest.mark.parametrize("session", ["", "  "])
def test_a_session_needs_an_id(session: str) -> None:
    with pytest.raises(InvalidRecordError, match="id of a session"):
        parse_messages([said("x")], session=session, started_at=START)


@given(st.text(st.characters(codec=None)))
def test_clean_text_can_be_encoded_and_keeps_its_length(text: str) -> None:
    clean, repaired = clean_text(text)
    assert "\x00" not in clean
    assert len(clean.encode()) >= len(clean) == len(text)
    assert repaired == (clean != text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_cleaning_json_again_changes_nothing(value: object) -> None:
    clean, _ = clean_json(value)
    assert clean_json(clean) == (clean, False)
