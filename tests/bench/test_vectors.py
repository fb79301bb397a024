"""The benchmark of vectors runs, and its scan finds the true neighbours."""

from __future__ import annotations

import json

import pytest

from benchmarks.vectors import main


def test_it_measures_encoding_and_searching(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--sizes", "100", "--embedders", "static", "--json"])
    encoding, searching = json.loads(capsys.readouterr().out)
    assert encoding["embedder"].startswith("wordllama-256/")
    assert encoding["texts_per_s"] > 0
    assert (searching["store"], searching["vectors"], searching["ratio"]) == ("file", 100, 1.0)
    assert searching["recall_at_10"] >= 0.98
