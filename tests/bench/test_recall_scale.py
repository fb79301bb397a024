"""The benchmark of growth builds what it says, asks it, and prints a table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import recall_scale
from benchmarks.recall_scale import Task, main, measure
from bitempo import Recall


def test_facts_are_spread_over_tenants_and_asked_with_and_without_vectors() -> None:
    lines = measure(Task(facts=400, most=200, embedder="static", location=None, questions=2))
    assert {line.tenants for line in lines} == {2}
    timed = {line.what: line for line in lines if line.p50_ms is not None}
    assert {what.split(",")[0] for what in timed} == {
        "words", "words and vectors", "a question encoded"
    }  # fmt: skip
    assert all(0 < (line.p50_ms or 0) <= (line.p95_ms or 0) for line in timed.values())
    built = [line for line in lines if line.per_second is not None]
    assert (built[1].disk_mb or 0) > (built[0].disk_mb or 0) > 0


def test_questions_find_facts_and_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, set[str]] = {"fact": set(), "turn": set()}
    ask = recall_scale.recall

    def asked(*given: Any, **named: Any) -> Recall:
        answer = ask(*given, **named)
        for item in answer.items:
            found[item.kind].add(item.id)
        return answer

    monkeypatch.setattr(recall_scale, "recall", asked)
    measure(Task(facts=200, most=200, embedder=None, location=None, questions=2))
    assert all(len(ids) > 1 for ids in found.values())


def test_sizes_are_columns_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--embedder", "none", "--questions", "1", "--facts", "50"]
    main([*given, "100"])
    head, rule, *rows = capsys.readouterr().out.splitlines()
    assert head == "| | sqlite, 50 facts, one tenant | sqlite, 100 facts, one tenant |"
    assert rule == "| --- | ---: | ---: |"
    assert len(rows) == 4
    main([*given, "--json"])
    assert {line["facts"] for line in json.loads(capsys.readouterr().out)} == {50}
