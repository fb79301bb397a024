"""The benchmark of long chats: what ranking may see, and how the figures come about."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from bitempo.bench.asking import Asking, without_names
from bitempo.bench.chats import Judged, report_of
from bitempo.bench.longmemeval import chosen, read_evidence, read_questions, run
from bitempo.engine.errors import InvalidInputError, InvalidRecordError
from bitempo.engine.time import parse_instant
from bitempo.testing import HashingEmbedder
from tests.bench import chats

Rankings = list[tuple[tuple[str, ...], tuple[str, ...]]]


def rankings(path: Path, names: dict[str, str] | None = None) -> Rankings:
    """What is found for each question, by recall and by the floor, with sessions renamed."""
    ranked = Asking(100, embedder=HashingEmbedder()).rank(read_questions(path))
    return [
        (_renamed(ranking.turns, names or {}), _renamed(ranking.floor, names or {}))
        for result in ranked
        for ranking in result.rankings
    ]


def _renamed(turns: tuple[str, ...], names: dict[str, str]) -> tuple[str, ...]:
    return tuple("/".join(names.get(part, part) for part in turn.split("/")) for turn in turns)


def stripped(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without anything that a live system would not have, but for ids."""
    kept = ("question_id", "question", "question_date")
    found = []
    for record in copy.deepcopy(records):
        sessions = record["haystack_sessions"]
        bare = {key: value for key, value in record.items() if key in kept or "haystack" in key}
        bare["haystack_sessions"] = [
            [{"role": turn["role"], "content": turn["content"]} for turn in turns]
            for turns in sessions
        ]
        found.append(bare)
    return found


def poisoned(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With every mark on the wrong turns, and answers and types that mislead."""
    found = copy.deepcopy(records)
    for record in found:
        record |= {"answer": "rye bread with soup", "question_type": "rye bread"}
        record["answer_session_ids"] = ["noise_2"]
        for turns in record["haystack_sessions"]:
            for turn in turns:
                turn["has_answer"] = not turn.get("has_answer")
    return found


def test_ranking_sees_neither_marks_nor_answers_nor_types(tmp_path: Path) -> None:
    records = chats.questions()
    before = rankings(chats.write(tmp_path, records))
    assert all(turns for turns, _ in before[:2])
    for other in (stripped(records), poisoned(records)):
        assert rankings(chats.write(tmp_path, other)) == before
    assert read_evidence(chats.write(tmp_path, stripped(records)))["q1"].turns == frozenset()


def test_ranking_sees_no_ids(tmp_path: Path) -> None:
    records = chats.questions()
    before = rankings(chats.write(tmp_path, records))
    names = {"aaa": "answer_1", "zzz": "noise_2", "mmm": "answer_2"}
    ids = {"x9": "q1", "x8": "q2", "x7": "q3_abs"}
    renamed = json.loads(
        json.dumps(records)
        .replace('"answer_1"', '"aaa"')
        .replace('"noise_2"', '"zzz"')
        .replace('"answer_2"', '"mmm"')
    )
    for record, id in zip(renamed, ids, strict=True):
        record["question_id"] = id
    assert rankings(chats.write(tmp_path, renamed), {**names, **ids}) == before


def test_the_order_of_sessions_in_the_file_is_not_seen(tmp_path: Path) -> None:
    records = chats.questions()
    for record in records:
        record["haystack_dates"] = ["2023/05/02 (Tue) 09:00"] * 3
    before = rankings(chats.write(tmp_path, records))
    for record in records:
        for key in ("haystack_session_ids", "haystack_sessions"):
            record[key].reverse()
    assert rankings(chats.write(tmp_path, records)) == before


def test_the_names_that_the_memory_is_told_say_nothing_but_the_order(tmp_path: Path) -> None:
    asked = read_questions(chats.write(tmp_path, chats.questions()))[0]
    numbered, names = without_names(asked.sessions)
    assert [session.id for session in numbered] == ["s00000", "s00001", "s00002"]
    assert [turn.id for turn in numbered[1].turns] == [f"s00001/0000{n}" for n in range(3)]
    assert names["s00000/00000"] == "q1/answer_1/0"
    assert [session.started_at for session in numbered] == sorted(
        session.started_at for session in asked.sessions
    )


def test_both_forms_of_the_data_give_the_same_figures(tmp_path: Path) -> None:
    records = chats.questions()
    one = run(chats.write(tmp_path, records))
    other = run(chats.write(tmp_path, chats.shared_form(records)))
    assert (other.overall, other.types) == (one.overall, one.types)
    assert (other.floor_overall, other.floor_types) == (one.floor_overall, one.floor_types)


def test_a_question_is_asked_at_its_date_or_where_that_is_later_after_the_last_turn(
    tmp_path: Path,
) -> None:
    records = chats.questions()
    records[1]["question_date"] = "2023/06/03 (Sat) 08:00"
    first, second, _ = read_questions(chats.write(tmp_path, records))
    assert first.asked_at == parse_instant("2023-06-20T10:00Z")
    last = max(turn.occurred_at for session in second.sessions for turn in session.turns)
    assert parse_instant("2023-06-03T09:00Z") < last < second.asked_at < last + 2_000_000


def test_the_report_counts_what_it_was_about(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    report = run(chats.write(tmp_path, chats.questions()), progress=lambda *told: seen.append(told))
    assert (report.questions, report.judged, report.turns) == (3, 2, 27)
    assert {name: quality.questions for name, quality in report.types.items()} == {
        "knowledge-update": 1,
        "single-session-assistant": 1,
    }
    assert report.types["single-session-assistant"].turn_recall["5"] == 100
    assert seen[-1] == ("q3_abs", 3, 3)
    assert json.loads(report.to_json())["overall"]["questions"] == 2
    assert "knowledge-update" in report.to_text()
    assert "plain BM25" in report.to_text()


def test_the_figures_are_means_over_questions_by_turn_and_by_session() -> None:
    found = [f"q/s{n // 2}/{n}" for n in range(30)]
    report = report_of(
        [
            # In the sessions at places 1, 4 and 9.
            Judged("a", frozenset({"q/s0/1", "q/s3/6", "q/s8/17"}), found, found[:2]),
            # Its session is found, by another turn, and the turn is not.
            Judged("b", frozenset({"q/s4/99"}), found, []),
        ],
        [],
        None,
    )
    quality = report.overall
    assert quality.turn_recall == {"5": 16.67, "10": 33.33}
    assert quality.turn_any == {"5": 50.0, "10": 50.0}
    assert quality.turn_all == {"5": 0.0, "10": 0.0}
    assert quality.session_any == {"5": 100.0, "10": 100.0}
    assert quality.session_all == {"5": 50.0, "10": 100.0}
    assert quality.mrr == 25.0
    assert report.types["b"].session_all["5"] == 100.0
    assert report.floor_types["a"].turn_recall["5"] == 33.33
    assert report.floor_overall.mrr == 25.0


def test_questions_that_are_taken_are_spread_over_the_file(tmp_path: Path) -> None:
    asked = read_questions(chats.write(tmp_path, chats.questions()))
    assert [one.sample for one in chosen(asked, None, 2)] == ["q1", "q2"]
    assert [one.sample for one in chosen(asked * 3, None, 3)] == ["q1"] * 3
    assert chosen(asked, None, 9) == asked


def test_what_cannot_be_asked_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecordError, match="no question"):
        run(chats.write(tmp_path, {"sessions": {}, "questions": []}))
    for broken in ({"question": ""}, {"question_date": "soon"}, {"haystack_sessions": []}):
        records = chats.questions()
        records[1] |= broken
        with pytest.raises(InvalidRecordError, match=r"chats\.json, question (q2|2)"):
            run(chats.write(tmp_path, records))
    with pytest.raises(InvalidInputError, match="--embedder"):
        run(chats.write(tmp_path, chats.questions()), cache=tmp_path)
