"""LongMemEval histories, in both shapes."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from bitempo.engine.time import parse_instant
from bitempo.ingest.loaders import LoadOptions
from bitempo.ingest.loaders.longmemeval import LONGMEMEVAL
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.sessions import SourceSession
from tests.ingest.loading import load, told, write_json
from tests.shared import shared

WHEN = "2023/04/10 (Mon) 23:07"
LATER = "2023/05/01 (Mon) 09:00"
TALK = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


def question(name: object = "q", **changes: object) -> dict[str, object]:
    return {
        "question_id": name,
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": [WHEN, LATER],
        "haystack_sessions": [TALK, TALK],
        **changes,
    }


def shared_shape(*haystacks: list[object], **sessions: object) -> dict[str, object]:
    questions = [
        {"id": f"q{number}", "haystack": haystack}
        for number, haystack in enumerate(haystacks, start=1)
    ]
    return {"source": "ours", "sessions": sessions, "questions": questions}


def test_each_session_of_each_history_is_one_session(tmp_path: Path) -> None:
    sessions, malformed = load(write_json(tmp_path, [question("q1"), question("q2")]))
    assert malformed == []
    assert [session.id for session in sessions] == ["q1/s1", "q1/s2", "q2/s1", "q2/s2"]
    assert sessions[1].started_at == parse_instant("2023-05-01T09:00:00Z")
    assert told(sessions[0]) == [("user", "a"), ("assistant", "b")]
    assert [one.id for one in sessions[0].turns] == ["q1/s1/0", "q1/s1/1"]
    assert sessions[0].actor == "user"


def test_a_shared_session_has_the_date_of_each_history(tmp_path: Path) -> None:
    document = shared_shape([["s1", WHEN]], [["s1", LATER]], s1=TALK)
    sessions, malformed = load(write_json(tmp_path, document))
    assert malformed == []
    assert [(session.id, session.started_at) for session in sessions] == [
        ("q1/s1", parse_instant("2023-04-10T23:07:00Z")),
        ("q2/s1", parse_instant("2023-05-01T09:00:00Z")),
    ]


def test_a_session_twice_in_one_history_is_two_sessions(tmp_path: Path) -> None:
    document = shared_shape([["s1", WHEN], ["s1", LATER]], s1=TALK)
    sessions, _ = load(write_json(tmp_path, document))
    assert [session.id for session in sessions] == ["q1/s1", "q1/s1#2"]


def test_the_index_of_a_turn_counts_those_that_are_skipped(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": " "}, *TALK]
    sessions, malformed = load(write_json(tmp_path, shared_shape([["s1", WHEN]], s1=talk)))
    assert malformed == []
    assert [one.id for one in sessions[0].turns] == ["q1/s1/1", "q1/s1/2"]
    assert [one.place for one in sessions[0].skipped] == [
        "file.json, question q1, session s1, turn 1"
    ]


def test_the_actor_speaks_as_the_user(tmp_path: Path) -> None:
    sessions, _ = load(write_json(tmp_path, question()), actor="Mara")
    assert told(sessions[0]) == [("Mara", "a"), ("assistant", "b")]


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        (3, "file.json, question 1"),
        (question(None), "file.json, question 1"),
        (question("q2"), "file.json, question 3"),
        (question(haystack_dates=[WHEN]), "file.json, question 1"),
        (question(haystack_sessions=None), "file.json, question 1"),
    ],
)
def test_a_malformed_question_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object, place: str
) -> None:
    good = question("q2")
    document = [good, question("q3"), bad] if place.endswith("3") else [bad, good, question("q3")]
    sessions, malformed = load(write_json(tmp_path, document))
    assert [session.id for session in sessions] == ["q2/s1", "q2/s2", "q3/s1", "q3/s2"]
    assert [one.place for one in malformed] == [place]


@pytest.mark.parametrize(
    ("bad", "place", "reason"),
    [
        (3, "session 1", "id of a session must be text"),
        (["s1"], "session 1", "id of a session must be text"),
        ([7, WHEN], "session 1", "id of a session must be text"),
        (["s9", WHEN], "session s9", "no list of turns"),
        (["text", WHEN], "session text", "no list of turns"),
        (["s1", "soon"], "session s1", "is not a date"),
        (["s1", None], "session s1", "date must be text"),
    ],
)
def test_a_malformed_session_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object, place: str, reason: str
) -> None:
    document = shared_shape([bad, ["s2", WHEN]], s1=TALK, s2=TALK, text="x")
    sessions, malformed = load(write_json(tmp_path, document))
    assert [session.id for session in sessions] == ["q1/s2"]
    assert [one.place for one in malformed] == [f"file.json, question q1, {place}"]
    assert reason in malformed[0].reason


@pytest.mark.parametrize(
    "bad", [3, {"content": "x"}, {"role": "user"}, {"role": 1, "content": "x"}]
)
def test_a_malformed_turn_is_reported_and_the_others_are_loaded(
    tmp_path: Path, bad: object
) -> None:
    document = shared_shape([["s1", WHEN]], s1=[TALK[0], bad, TALK[1]])
    sessions, malformed = load(write_json(tmp_path, document))
    assert told(sessions[0]) == [("user", "a"), ("assistant", "b")]
    assert [one.place for one in malformed] == ["file.json, question q1, session s1, turn 2"]


class Forbidding(dict[str, Any]):
    """An object whose evaluation fields cannot be looked at."""

    FORBIDDEN = frozenset(
        "has_answer answer answer_session_ids evidence_sessions evidence_turns question".split()
    )

    def get(self, key: str, default: Any = None) -> Any:
        assert key not in self.FORBIDDEN, key
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        assert key not in self.FORBIDDEN, key
        return super().__getitem__(key)

    def items(self) -> Any:
        raise AssertionError("every field would be looked at")

    values = items


def test_the_marks_of_evidence_are_never_looked_at(tmp_path: Path) -> None:
    marks = dict.fromkeys(Forbidding.FORBIDDEN, True)
    talk = [Forbidding(turn, **marks) for turn in TALK]
    own = Forbidding(question(haystack_sessions=[talk, talk]), **marks)
    other = shared_shape(s1=talk)
    other["questions"] = [Forbidding(marks, id="q", haystack=[["s1", WHEN]])]
    for document, count in (([own], 2), (other, 1)):
        source = Source(write_json(tmp_path, [question()]))
        source.__dict__["document"] = document
        assert LONGMEMEVAL.recognises(source)
        items = list(LONGMEMEVAL.load(source, LoadOptions()))
        assert [type(item) for item in items] == [SourceSession] * count


def test_the_shared_oracle_file_loads_whole() -> None:
    path = shared("data", "longmemeval_oracle_dev.json.xz")
    questions = json.loads(lzma.decompress(path.read_bytes()))
    sessions, malformed = load(path, strict=True)
    assert malformed == []
    assert len(sessions) == sum(len(one["haystack_sessions"]) for one in questions)
    assert len({session.id for session in sessions}) == len(sessions)
    assert sum(len(session.turns) + len(session.skipped) for session in sessions) == sum(
        len(talk) for one in questions for talk in one["haystack_sessions"]
    )


def test_the_shared_s_file_loads_whole() -> None:
    path = shared("data", "longmemeval_s_dev.json.xz")
    document = json.loads(lzma.decompress(path.read_bytes()))
    expected = [
        len(document["sessions"][key])
        for one in document["questions"]
        for key, _ in one["haystack"]
    ]
    sessions, malformed = load(path, strict=True)
    assert malformed == []
    assert [len(session.turns) + len(session.skipped) for session in sessions] == expected
    assert len({session.id for session in sessions}) == len(sessions)
