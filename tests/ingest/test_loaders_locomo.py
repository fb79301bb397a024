"""LoCoMo conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bitempo.engine.time import parse_instant
from bitempo.ingest.loaders import LoadOptions
from bitempo.ingest.loaders.locomo import LOCOMO
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.sessions import SourceSession
from tests.ingest.loading import load, told, write_json
from tests.shared import shared

WHEN = "1:56 pm on 8 May, 2023"


def turn(number: int, text: object = "hi", **extra: object) -> dict[str, object]:
    return {"speaker": "Ana", "dia_id": f"D1:{number}", "text": text, **extra}


def conversation(**sessions: object) -> dict[str, object]:
    return {"sample_id": "conv-1", "conversation": {"speaker_a": "Ana", **sessions}}


class Forbidding(dict[str, Any]):
    """An object whose evaluation fields cannot be looked at."""

    FORBIDDEN = frozenset({"qa", "observation", "event_summary", "session_summary"})

    def __getitem__(self, key: str) -> Any:
        assert key not in self.FORBIDDEN, key
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        assert key not in self.FORBIDDEN, key
        return super().get(key, default)

    def items(self) -> Any:
        raise AssertionError("every field would be looked at")

    values = items


def test_sessions_come_in_the_order_of_their_numbers_with_their_dates(tmp_path: Path) -> None:
    document = conversation(
        session_10=[turn(3)],
        session_10_date_time="12:09 am on 13 September, 2023",
        session_2=[turn(1), turn(2)],
        session_2_date_time=WHEN,
        session_11_date_time="3:00 pm on 14 September, 2023",
    )
    sessions, malformed = load(write_json(tmp_path, [document]))
    assert malformed == []
    assert [(session.id, len(session.turns)) for session in sessions] == [
        ("conv-1/session_2", 2),
        ("conv-1/session_10", 1),
    ]
    assert [session.started_at for session in sessions] == [
        parse_instant("2023-05-08T13:56:00Z"),
        parse_instant("2023-09-13T00:09:00Z"),
    ]
    assert sessions[0].turns[1].occurred_at == sessions[0].started_at + 1


def test_dates_are_taken_in_the_zone_of_the_load(tmp_path: Path) -> None:
    path = write_json(tmp_path, conversation(session_1=[turn(1)], session_1_date_time=WHEN))
    sessions, _ = load(path, timezone=ZoneInfo("America/New_York"))
    assert sessions[0].started_at == parse_instant("2023-05-08T17:56:00Z")


@pytest.mark.parametrize(
    ("text", "caption", "expected"),
    [
        ("Look!", "a fox in snow", "Look! [image: a fox in snow]"),
        ("Look!", None, "Look!"),
        ("Look!", "  ", "Look!"),
        ("", "a fox", "[image: a fox]"),
    ],
)
def test_the_caption_of_an_image_follows_the_text(
    tmp_path: Path, text: str, caption: str | None, expected: str
) -> None:
    turns = [turn(1, text, blip_caption=caption, query="never", img_url=["never"])]
    path = write_json(tmp_path, conversation(session_1=turns, session_1_date_time=WHEN))
    sessions, _ = load(path)
    assert [(one.id, one.text, one.metadata) for one in sessions[0].turns] == [
        ("conv-1/D1:1", expected, {})
    ]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (3, "must be an object"),
        ({"dia_id": "D1:9", "text": "x"}, "actor of a turn must be text, not null"),
        ({"speaker": " ", "dia_id": "D1:9", "text": "x"}, "actor of a turn is empty"),
        ({"speaker": "Ana", "text": "x"}, "dia_id must be text"),
        (turn(9, 4), "text must be text, not a number"),
        (turn(9, None), "text must be text, not null"),
        (turn(9, blip_caption=[1]), "blip_caption"),
        (turn(1), "used twice"),
    ],
)
def test_a_malformed_turn_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object, reason: str
) -> None:
    turns = [turn(1, "a"), bad, turn(3, "c")]
    path = write_json(tmp_path, [conversation(session_3=turns, session_3_date_time=WHEN)])
    sessions, malformed = load(path)
    assert told(sessions[0]) == [("Ana", "a"), ("Ana", "c")]
    assert [one.place for one in malformed] == ["file.json, conv-1, session_3, turn 2"]
    assert reason in malformed[0].reason


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        ({"session_1": "x", "session_1_date_time": WHEN}, "file.json, conv-1, session_1"),
        ({"session_1": [turn(1)]}, "file.json, conv-1, session_1"),
        (
            {"session_1": [turn(1)], "session_1_date_time": "31 June, 2023"},
            "file.json, conv-1, session_1_date_time",
        ),
        (
            {"session_1": [turn(1)], "session_1_date_time": 5},
            "file.json, conv-1, session_1_date_time",
        ),
    ],
)
def test_a_malformed_session_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: dict[str, object], place: str
) -> None:
    path = write_json(tmp_path, conversation(**bad, session_2=[turn(2)], session_2_date_time=WHEN))
    sessions, malformed = load(path)
    assert [session.id for session in sessions] == ["conv-1/session_2"]
    assert [one.place for one in malformed] == [place]


@pytest.mark.parametrize(
    "bad",
    [3, {}, {"sample_id": 3, "conversation": {}}, {"sample_id": "x", "conversation": []}],
)
def test_a_malformed_conversation_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object
) -> None:
    good = conversation(session_1=[turn(1)], session_1_date_time=WHEN)
    sessions, malformed = load(write_json(tmp_path, [bad, good, good]))
    assert [session.id for session in sessions] == ["conv-1/session_1"]
    assert [one.place for one in malformed] == [
        "file.json, conversation 1",
        "file.json, conversation 3",
    ]
    assert "used twice" in malformed[1].reason


def test_a_session_without_a_date_starts_when_the_caller_says(tmp_path: Path) -> None:
    path = write_json(tmp_path, conversation(session_1=[turn(1)], session_2=[turn(2)]))
    sessions, _ = load(path, started_at="2024-05-01T12:00:00Z")
    start = parse_instant("2024-05-01T12:00:00Z")
    assert [session.started_at - start for session in sessions] == [0, 1]


def test_what_is_known_about_a_conversation_is_never_looked_at(tmp_path: Path) -> None:
    path = write_json(tmp_path, conversation(session_1=[turn(1)], session_1_date_time=WHEN))
    document = json.loads(path.read_text())
    document.update(dict.fromkeys(Forbidding.FORBIDDEN, "secret"))
    source = Source(path)
    source.__dict__["document"] = [Forbidding(document)]
    assert LOCOMO.recognises(source)
    assert [type(item) for item in LOCOMO.load(source, LoadOptions())] == [SourceSession]


def test_the_shared_conversations_load_whole() -> None:
    path = shared("data", "locomo_dev.json")
    expected = {
        f"{sample['sample_id']}/{turn['dia_id']}": turn["speaker"]
        for sample in json.loads(path.read_text(encoding="utf-8"))
        for key, turns in sample["conversation"].items()
        if key.startswith("session_") and not key.endswith("_date_time")
        for turn in turns
    }
    sessions, malformed = load(path, strict=True)
    assert malformed == []
    assert {one.id: one.actor for session in sessions for one in session.turns} == expected
    assert sum(len(session.turns) for session in sessions) == len(expected)
    assert len({session.id.split("/")[0] for session in sessions}) == 4
