"""The benchmark of disk runs, and what it says adds up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.disk import main
from tests.bench.test_locomo import conversation


def test_vectors_take_more_with_those_of_tokens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "chats.json"
    file.write_text(json.dumps([conversation(sample) for sample in ("c1", "c2")]))
    main([str(file), "--embedders", "static", "minilm", "minilm:384", "--json"])
    none, static, minilm, plain = json.loads(capsys.readouterr().out)
    assert (none["embedder"], none["vectors"], none["tokens_mb"]) == ("none", 0, 0)
    assert static["turns"] == minilm["turns"] == 10
    # A static vector of a token is looked up by its number, so that is all that is kept.
    assert 0 < static["bytes_of_tokens_a_turn"] < 100
    ratio = minilm["bytes_of_tokens_a_turn"] / plain["bytes_of_tokens_a_turn"]
    assert ratio == pytest.approx((192 + 4) / (384 + 4), abs=0.01)
    assert minilm["file_without_tokens_mb"] <= minilm["file_mb"]
    assert minilm["tokens_mb"] < plain["tokens_mb"]
