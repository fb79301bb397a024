"""ingest and resume: formats, malformed records, replay, and what waits in the inbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bitempo import IngestError, Memory, RulesExtractor
from bitempo.ingest.extraction import Extraction, Window
from tests.cli.runner import CONVERSATION, Run


def messages(*said: str, id: str = "s1", at: str = "2024-03-01T10:00:00Z") -> str:
    turns = [{"role": "user", "name": "Ana", "content": text, "timestamp": at} for text in said]
    return json.dumps({"id": id, "messages": turns})


def test_ingest_says_what_it_did(empty: Run) -> None:
    done = empty("ingest", str(CONVERSATION))
    assert done.code == 0
    assert done.lines[0].startswith("6 sessions, 43 turns (43 new), ")


def test_ingest_json_counts(empty: Run) -> None:
    report = empty("ingest", str(CONVERSATION), "--json").json
    assert (report["sessions"], report["turns"], report["new_turns"]) == (6, 43, 43)
    assert (report["malformed"], report["rejections"], report["failed"]) == ([], [], {})
    assert report["last_tx"].endswith("Z")


def test_ingesting_again_adds_nothing(empty: Run) -> None:
    empty("ingest", str(CONVERSATION))
    before = empty("stats").out
    again = empty("ingest", str(CONVERSATION), "--json").json
    assert (again["new_turns"], again["last_tx"]) == (0, None)
    assert empty("stats").out == before


def test_a_named_format_and_its_options(empty: Run, tmp_path: Path) -> None:
    text = tmp_path / "notes.md"
    text.write_text("Ana: I live in Porto.\nBo: I live in Faro.\n", encoding="utf-8")
    done = empty(
        *("ingest", str(text), "--format", "transcript", "--started-at", "2024-03-01"),
        *("--actor", "Ana", "--timezone", "Europe/Lisbon", "--json"),
    )
    assert done.json["turns"] == 2
    (fact,) = empty("as-of", "Bo", "LIVES_IN", "--json").json["facts"]
    assert fact["valid_from"][:10] == "2024-03-01"


def test_malformed_records_are_listed_with_their_place(empty: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(f"{messages('I live in Porto.')}\n{{broken\n", encoding="utf-8")
    done = empty("ingest", str(path))
    assert done.code == 0
    (line,) = done.err.splitlines()
    assert line.startswith("malformed: some.jsonl")
    assert "2" in line
    report = empty("ingest", str(path), "--json").json
    assert [list(one) for one in report["malformed"]] == [["place", "reason"]]


def test_strict_refuses_the_whole_file(empty: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(f"{messages('I live in Porto.')}\n{{broken\n", encoding="utf-8")
    empty("ingest", str(path), "--strict").refused(2, "some.jsonl")
    assert empty("stats", "--json").json["episodes"] == 0


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("absent.jsonl",), "absent.jsonl"),
        ((str(CONVERSATION), "--format", "csv"), "'csv'"),
        ((str(CONVERSATION), "--timezone", "Mars/Olympus"), "Mars/Olympus"),
        ((str(CONVERSATION), "--started-at", "soon"), "'soon'"),
    ],
)
def test_bad_input(empty: Run, arguments: tuple[str, ...], word: str) -> None:
    empty("ingest", *arguments).refused(2, word)


def test_a_turn_whose_content_changed_is_a_conflict(empty: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    for text in ("I live in Porto.", "I live in Faro."):
        turn = {"id": "t1", "role": "user", "content": text, "timestamp": "2024-03-01T10:00:00Z"}
        path.write_text(json.dumps([turn]), encoding="utf-8")
        done = empty("ingest", str(path))
    done.refused(1, "t1", "immutable")


def test_replay_records_each_session_when_it_ended(acme: Run) -> None:
    episodes = [
        record
        for line in acme("export").out.splitlines()
        if (record := json.loads(line)).get("record") == "episode"
    ]
    ends: dict[str, str] = {}
    for episode in episodes:
        ends[episode["session"]] = max(ends.get(episode["session"], ""), episode["occurred_at"])
    assert len(ends) == 6
    assert all(one["believed"]["from"] == ends[one["session"]] for one in episodes)


def test_replay_takes_sessions_in_the_order_of_time(empty: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    late = messages("I live in Porto.", id="late", at="2024-06-01T10:00:00Z")
    early = messages("I live in Leeds.", id="early", at="2024-01-01T10:00:00Z")
    path.write_text(f"{late}\n{early}\n", encoding="utf-8")
    assert empty("ingest", str(path), "--replay").code == 0
    before = empty("as-of", "Ana", "LIVES_IN", "--known-at", "2024-03-01", "--json").json["facts"]
    assert [fact["object"]["name"] for fact in before] == ["Leeds"]
    assert empty("stats", "--json").json["first_tx"] == "2024-01-01T10:00:00Z"


def test_replaying_again_is_free_and_a_new_session_goes_on(empty: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    lines = [messages("I live in Leeds.", id="a", at="2024-01-01T10:00:00Z")]
    for added in ("b", None):
        path.write_text("\n".join(lines), encoding="utf-8")
        assert empty("ingest", str(path), "--replay").code == 0
        lines.append(messages("I live in Porto.", id=f"{added}", at="2024-06-01T10:00:00Z"))
    stats = empty("stats", "--json").json
    assert (stats["transactions"], stats["last_tx"]) == (2, "2024-06-01T10:00:00Z")


def test_a_replay_cannot_record_before_what_is_there(empty: Run) -> None:
    empty("assert", "Ana", "LIVES_IN", "Porto")
    empty("ingest", str(CONVERSATION), "--replay").refused(1, "tea-shop", "--as-recorded")
    assert empty("stats", "--json").json["sessions"] == 0
    assert empty("ingest", str(CONVERSATION), "--as-recorded").code == 0


class Failing:
    """Fails on what it is told to, and reads the rest by the rules."""

    name = "failing"

    def extract(self, window: Window) -> Extraction:
        if any("Porto" in episode.text for episode in window.episodes):
            raise IngestError("the model is away")
        return RulesExtractor().extract(window)


def test_failed_windows_exit_with_1_and_can_be_resumed(
    empty: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Memory, "extractor", Failing())
        failed = empty("ingest", str(CONVERSATION), "--replay")
    assert failed.code == 1
    assert "failed: window win_" in failed.err
    assert "bitempo resume" in failed.err
    assert empty("stats", "--json").json["inbox"] == {"applied": 5, "failed": 1}
    refused = empty("resume", "--replay", "--json")
    assert refused.code == 1
    assert "waits for failing" in refused.err
    done = empty("resume", "--replay", "--extractor", "rules", "--json")
    assert (done.code, done.json["windows"], done.json["failed"]) == (0, 1, {})
    facts = empty("as-of", "Mara", "LIVES_IN", "--json").json["facts"]
    assert [fact["object"]["name"] for fact in facts] == ["Porto"]


def test_resume_with_an_empty_inbox(acme: Run) -> None:
    done = acme("resume", "--json")
    assert (done.code, done.json["windows"]) == (0, 0)


def test_a_file_of_which_nothing_can_be_read_is_no_success(
    bitempo: Run, store: Path, tmp_path: Path
) -> None:
    file = tmp_path / "timeless.jsonl"
    file.write_text('{"role": "user", "content": "I live in Turin."}\n', encoding="utf-8")
    command = ("--store", str(store), "--tenant", "leo", "ingest", str(file))
    done = bitempo(*command)
    assert done.code == 2
    assert "nothing says when the session was" in done.err
    assert bitempo(*command, "--started-at", "2024-05-01").code == 0
