"""The demo: short, true to the commands that it names, and leaving nothing behind."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.runner import Run


def test_the_demo_is_short_and_leaves_nothing_behind(bitempo: Run, tmp_path: Path) -> None:
    found = bitempo("demo")
    assert (found.code, found.err) == (0, "")
    assert len(found.lines) < 60
    assert max(len(line) for line in found.lines) <= 160
    assert list(tmp_path.iterdir()) == []


def test_the_demo_fits_an_ordinary_terminal(bitempo: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    found = bitempo("demo")
    assert len(found.lines) < 60
    assert max(len(line) for line in found.lines) <= 100


def test_the_demo_tells_then_from_known_then(bitempo: Run) -> None:
    steps = bitempo("demo", "--json").json["steps"]
    told = [
        {fact["predicate"]: fact["object"]["name"] for fact in step["answer"]["facts"]}
        for step in steps[:3]
    ]
    assert told == [
        {"LIVES_IN": "Porto", "WORKS_AT": "Lagar Press"},
        {"LIVES_IN": "Porto", "WORKS_AT": "Lagar Press"},
        {"LIVES_IN": "Leeds", "WORKS_AT": "Harbour Books"},
    ]
    assert len(steps) == 6
    assert all(step["remark"] for step in steps)


def test_what_the_demo_recalls_is_the_corrected_answer_and_the_turn_that_corrected(
    bitempo: Run,
) -> None:
    answer, turn = bitempo("demo", "--json").json["steps"][-1]["answer"]["items"]
    assert answer["fact"]["object"]["name"] == "Lagar Press"
    assert answer["fact"]["valid_from"] == "2024-04-01T00:00:00Z"
    assert turn["id"] in answer["sources"]


def test_its_commands_give_what_it_shows_on_a_kept_store(bitempo: Run, tmp_path: Path) -> None:
    where = ("--store", str(tmp_path / "demo.db"), "--tenant", "mine", "--json")
    steps = bitempo(*where, "demo").json["steps"]
    for step in steps[:5]:
        found = bitempo(*where, *shlex.split(step["command"])).json
        if "facts" in found:
            assert [fact for fact in step["answer"]["facts"] if fact not in found["facts"]] == []
        else:
            assert found == step["answer"]
    assert bitempo(*where, "demo").json["steps"][:5] == steps[:5]
