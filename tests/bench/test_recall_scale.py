"""The benchmark of growth builds what it says, asks it, and prints a table."""

from __future__ import annotations

import json

import pytest

from benchmarks.recall_scale import Task, main, measure


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


def test_sizes_are_columns_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--embedder", "none", "--questions", "1", "--facts", "50"]
    main([*given, "100"])
    head, rule, *rows = capsys.readouterr().out.splitlines()
    assert head == "| | sqlite, 50 facts, one tenant | sqlite, 100 facts, one tenant |"
    assert rule == "| --- | ---: | ---: |"
    assert len(rows) == 4
    main([*given, "--json"])
    assert {line["facts"] for line in json.loads(capsys.readouterr().out)} == {50}
