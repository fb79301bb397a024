"""OpenAI-style messages from JSON and JSON lines."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bitempo.engine.time import format_instant, parse_instant
from tests.ingest.loading import load, told, write_json, write_lines

START = "2024-05-01T12:00:00Z"
HI = {"role": "user", "content": "hi"}
YO = {"role": "assistant", "content": "yo"}
BOTH = [("user", "hi"), ("assistant", "yo")]


@pytest.mark.parametrize(
    ("document", "ids"),
    [
        ([HI, YO], ["talk"]),
        ({"messages": [HI, YO]}, ["talk"]),
        ({"id": "own", "messages": [HI, YO]}, ["own"]),
        ([{"messages": [HI, YO]}, {"messages": [HI, YO]}], ["talk/1", "talk/2"]),
        ([{"messages": [HI, YO]}, {"id": 9, "messages": [HI, YO]}], ["talk/1", "9"]),
        ([[HI, YO], [HI, YO]], ["talk/1", "talk/2"]),
    ],
)
def test_the_shapes_of_json(tmp_path: Path, document: object, ids: list[str]) -> None:
    sessions, malformed = load(write_json(tmp_path, document, "talk.json"), started_at=START)
    assert malformed == []
    assert [session.id for session in sessions] == ids
    assert [told(session) for session in sessions] == [BOTH] * len(ids)


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        ([HI, YO], ["talk"]),
        ([{"messages": [HI, YO]}], ["talk/1"]),
        ([{"messages": [HI, YO]}, "", {"messages": [HI, YO]}], ["talk/1", "talk/3"]),
        ([{"id": "own", "messages": [HI, YO]}], ["own"]),
    ],
)
def test_the_shapes_of_json_lines(tmp_path: Path, lines: list[object], ids: list[str]) -> None:
    sessions, malformed = load(write_lines(tmp_path, *lines, name="talk.jsonl"), started_at=START)
    assert malformed == []
    assert [session.id for session in sessions] == ids
    assert [told(session) for session in sessions] == [BOTH] * len(ids)


def test_a_line_longer_than_what_is_read_to_recognise_it(tmp_path: Path) -> None:
    long = {**HI, "content": "x" * 1_000_000}
    sessions, malformed = load(write_lines(tmp_path, {"messages": [long]}), started_at=START)
    assert (len(sessions[0].turns[0].text), malformed) == (1_000_000, [])


@pytest.mark.parametrize("key", ["started_at", "created_at", "timestamp"])
@pytest.mark.parametrize("value", [START, 1_714_564_800, "2024-05-01T14:00:00"])
def test_a_conversation_states_its_start(tmp_path: Path, key: str, value: object) -> None:
    zone = ZoneInfo("Europe/Berlin")
    sessions, _ = load(write_json(tmp_path, {key: value, "messages": [HI]}), timezone=zone)
    assert sessions[0].started_at == parse_instant(START)


def test_what_a_conversation_states_is_kept(tmp_path: Path) -> None:
    messages = [{**HI, "id": 1, "timestamp": START}, {**HI, "name": "Tom", "id": "m2"}]
    record = {"id": "s", "actor": "Mara", "metadata": {"a": 1}, "messages": messages}
    sessions, _ = load(write_json(tmp_path, record))
    assert (sessions[0].actor, sessions[0].metadata) == ("Mara", {"a": 1})
    assert [(turn.id, turn.actor) for turn in sessions[0].turns] == [
        ("s/1", "Mara"),
        ("s/m2", "Tom"),
    ]


def test_sessions_that_state_no_time_follow_each_other(tmp_path: Path) -> None:
    document = [[HI, YO], [HI], {"started_at": "2020-01-01", "messages": [HI]}, [HI]]
    sessions, _ = load(write_json(tmp_path, document), started_at=START)
    start = parse_instant(START)
    assert [session.started_at - start for session in sessions if session.started_at >= start] == [
        0,
        2,
        3,
    ]
    assert format_instant(sessions[2].started_at) == "2020-01-01T00:00:00Z"


def test_a_session_that_states_no_time_is_reported_when_there_is_no_start(tmp_path: Path) -> None:
    document = [[HI], {"started_at": START, "messages": [HI]}]
    sessions, malformed = load(write_json(tmp_path, document))
    assert [session.id for session in sessions] == ["file/2"]
    assert [one.place for one in malformed] == ["file.json, conversation 1"]
    assert "started_at" in malformed[0].reason


CONVERSATION = "file.json, conversation 1"


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        (3, CONVERSATION),
        ({"messages": 3}, CONVERSATION),
        ({"id": [], "messages": [HI]}, CONVERSATION),
        ({"id": "", "messages": [HI]}, CONVERSATION),
        ({"actor": 3, "messages": [HI]}, CONVERSATION),
        ({"metadata": 3, "messages": [HI]}, CONVERSATION),
        ({"started_at": "soon", "messages": [HI]}, CONVERSATION),
        (HI, CONVERSATION),
    ],
)
def test_a_malformed_conversation_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object, place: str
) -> None:
    path = write_json(tmp_path, [bad, {"messages": [HI]}])
    sessions, malformed = load(path, started_at=START)
    assert [session.id for session in sessions] == ["file/2"]
    assert [one.place for one in malformed] == [place]


def test_a_session_id_used_twice_is_reported(tmp_path: Path) -> None:
    record = {"id": "s", "messages": [HI]}
    sessions, malformed = load(write_lines(tmp_path, record, record), started_at=START)
    assert len(sessions) == 1
    assert [one.place for one in malformed] == ["file.jsonl, line 2"]


@pytest.mark.parametrize("bad", [3, {"role": "user"}, {"content": "x"}, {**HI, "timestamp": "x"}])
def test_a_malformed_message_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object
) -> None:
    in_list = load(write_json(tmp_path, [HI, bad, YO]), started_at=START)
    in_conversation = load(write_json(tmp_path, [{"messages": [HI, bad, YO]}]), started_at=START)
    by_line = load(write_lines(tmp_path, HI, bad, YO), started_at=START)
    whole_by_line = load(write_lines(tmp_path, {"messages": [HI, bad, YO]}), started_at=START)
    places = []
    for sessions, malformed in (in_list, in_conversation, by_line, whole_by_line):
        assert told(sessions[0]) == BOTH
        places += [one.place for one in malformed]
    assert places == [
        "file.json, message 2",
        "file.json, conversation 1, message 2",
        "file.jsonl, line 2",
        "file.jsonl, line 1, message 2",
    ]


@pytest.mark.parametrize("bad", ["[1]", "3", '{"a": 1}', '{"role": "user"', "words"])
def test_a_malformed_first_line_does_not_decide_the_shape(tmp_path: Path, bad: str) -> None:
    path = write_lines(tmp_path, bad, {"messages": [HI, YO]})
    sessions, malformed = load(path, started_at=START)
    assert [told(session) for session in sessions] == [BOTH]
    assert [one.place.split(", column")[0] for one in malformed] == ["file.jsonl, line 1"]


_SAID = st.tuples(
    st.sampled_from(["user", "assistant"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1).filter(str.strip),
)


@given(st.lists(st.lists(_SAID, min_size=1, max_size=5), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_was_written_is_what_is_read(
    tmp_path: Path, talks: list[list[tuple[str, str]]]
) -> None:
    records = [
        {"messages": [{"role": role, "content": text} for role, text in talk]} for talk in talks
    ]
    for path in (write_lines(tmp_path, *records), write_json(tmp_path, records)):
        sessions, malformed = load(path, started_at=START, strict=True)
        assert malformed == []
        assert [told(session) for session in sessions] == talks
