"""bench locomo and bench longmemeval, on a small file of our own."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bench import chats
from tests.cli.runner import Run


def write_sample(folder: Path) -> Path:
    turns = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a parrot called Kiko."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "My bakery opens at six."},
        {"speaker": "Ana", "dia_id": "D1:3", "text": "Six is early for me."},
    ]
    qa = [{"question": "What is the parrot called?", "evidence": ["D1:1"], "category": 4}]
    conversation = {
        "speaker_a": "Ana",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
    }
    path = folder / "sample.json"
    sample = {"sample_id": "s", "conversation": conversation, "qa": qa}
    path.write_text(json.dumps([sample]), encoding="utf-8")
    return path


def test_the_report_for_people_and_for_machines(bitempo: Run, tmp_path: Path) -> None:
    path = str(write_sample(tmp_path))
    shown = bitempo("bench", "locomo", path)
    assert shown.code == 0
    assert "categories 1-4" in shown.out
    found = bitempo("bench", "locomo", path, "--json").json
    assert (found["conversations"], found["turns"], found["questions"]) == (1, 3, 1)
    assert found["overall"]["recall"]["5"] == 100.0
    assert found["floor_overall"]["recall"]["5"] == 100.0


def test_long_chats_are_reported_for_people_and_for_machines(bitempo: Run, tmp_path: Path) -> None:
    path = str(chats.write(tmp_path, chats.questions()))
    shown = bitempo("bench", "longmemeval", path)
    assert shown.code == 0
    assert "knowledge-update" in shown.out
    found = bitempo("bench", "longmemeval", path, "--questions", "2", "--json").json
    assert (found["questions"], found["judged"]) == (2, 2)
    assert found["overall"]["turn_recall"]["10"] == 100.0
    ordered = bitempo("bench", "longmemeval", path, "--order", "--json").json
    assert (ordered["questions"], ordered["older_above"]) == (1, 100.0)
    assert "1 updates" in bitempo("bench", "longmemeval", path, "--order").out


def test_a_cache_without_an_embedder_is_bad_input(bitempo: Run, tmp_path: Path) -> None:
    path = str(write_sample(tmp_path))
    bitempo("bench", "locomo", path, "--cache", str(tmp_path)).refused(2, "--embedder")


def test_a_file_of_another_format_is_bad_input(bitempo: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"not": "locomo"}', encoding="utf-8")
    bitempo("bench", "locomo", str(other)).refused(2, "other.json")
    bitempo("bench", "locomo", "absent.json").refused(2, "absent.json")


def test_the_facts_can_come_from_recorded_extractions(bitempo: Run, tmp_path: Path) -> None:
    path = str(write_sample(tmp_path))
    told = {
        "session": 1,
        "entities": [{"name": "Ana", "type": "person"}],
        "assertions": [
            {
                "id": "a1",
                "subject": "Ana",
                "predicate": "ADOPTED",
                "value": "a parrot called Kiko",
                "text": "Ana adopted a parrot called Kiko.",
                "evidence": ["D1:1"],
                "quote": "adopted a parrot called Kiko",
            }
        ],
    }
    (tmp_path / "s.jsonl").write_text(json.dumps(told), encoding="utf-8")
    found = bitempo("bench", "locomo", path, "--extractions", str(tmp_path), "--json").json
    assert found["facts"] == 1
    assert found["extractor"].endswith("/recorded")
    bitempo("bench", "locomo", path, "--extractions", "absent").refused(2, "absent")
