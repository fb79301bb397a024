"""What is newer ranks above what it updates, and below it as of before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bitempo.bench.longmemeval import read_evidence, read_questions
from bitempo.bench.order import Placed, report_of, run_order, update_of
from bitempo.engine.errors import InvalidRecordError
from bitempo.engine.time import parse_instant
from tests.bench import chats


def recording(folder: Path) -> Path:
    """A folder with what a model found in the sessions about where the user lives."""

    def told(session: int, city: str, quote: str) -> dict[str, Any]:
        lives = {
            "id": f"a{session}",
            "subject": "user",
            "predicate": "LIVES_IN",
            "object": city,
            "cardinality": "one",
            "text": f"The user lives in {city}.",
            "evidence": [f"S{session}:1"],
            "quote": quote,
        }
        return {
            "question_id": "q1",
            "session": session,
            "entities": [{"name": city, "type": "place"}, {"name": "user", "type": "person"}],
            "assertions": [lives],
        }

    folder.mkdir()
    lines = [told(1, "Lisbon", "I live in Lisbon"), told(3, "Porto", "I live in Porto now")]
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / "updates.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_the_update_lies_between_the_newest_evidence_and_the_one_before(tmp_path: Path) -> None:
    path = chats.write(tmp_path, chats.questions())
    asked, evidence = read_questions(path), read_evidence(path)
    update = update_of(asked[0], evidence["q1"].turns)
    assert update is not None
    assert (update.newest, update.older) == ("q1/answer_2/0", ("q1/answer_1/0",))
    start, end = parse_instant("2023-04-01T09:00Z"), parse_instant("2023-06-03T09:00Z")
    assert update.between == (start + end) // 2
    assert update_of(asked[1], evidence["q2"].turns) is None
    assert update_of(asked[2], frozenset()) is None


def test_with_the_facts_recorded_the_newest_is_above_and_before_it_the_older(
    tmp_path: Path,
) -> None:
    path = chats.write(tmp_path, chats.questions())
    report = run_order(path, extractions=recording(tmp_path / "recorded"))
    assert (report.questions, report.facts, report.failed) == (1, 2, ())
    assert (report.newest_above, report.older_above, report.older_first) == (100, 100, 100)
    assert report.extractor.endswith("/recorded")
    assert json.loads(report.to_json())["older_first"] == 100


def test_shares_and_misses() -> None:
    placed = [
        Placed("both", newest=1, older=4, before_newest=None, before_older=1),
        Placed("older gone", newest=9, older=None, before_newest=None, before_older=3),
        Placed("wrong way", newest=2, older=1, before_newest=1, before_older=2),
        Placed("nothing", newest=None, older=None, before_newest=None, before_older=None),
    ]
    report = report_of(placed, 7, "rules", None)
    assert (report.newest_above, report.older_above, report.older_first) == (50, 50, 25)
    assert [one.question for one in report.failed] == ["wrong way", "nothing"]
    assert "missed nothing: now not found above not found" in report.to_text()


def test_a_file_without_updates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecordError, match="no question"):
        run_order(chats.write(tmp_path, chats.questions()[1:]))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidRecordError, match="empty"):
        run_order(chats.write(tmp_path, chats.questions()), extractions=tmp_path / "empty")
