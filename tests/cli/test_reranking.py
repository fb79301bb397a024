"""A reranker on the command line: chosen by option or environment, told of by the receipt."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitempo.testing import ScriptedModel, Status
from tests.cli.runner import Run
from tests.onnx_files import write_cross_encoder

QUESTION = "Where does Mara work?"


def test_recall_and_replay_with_an_endpoint(
    acme: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    receipt = str(tmp_path / "receipt.json")
    with ScriptedModel(rerankings=lambda call: [-float(len(t)) for t in call.documents]) as model:
        monkeypatch.setenv("BITEMPO_RERANK_URL", model.url)
        monkeypatch.setenv("BITEMPO_RERANKER", "endpoint:scripted")
        found = acme("recall", QUESTION, "--receipt", receipt, "--json").json
        assert found["reranker"] == "endpoint:scripted"
        assert all("rerank" in item["signals"] for item in found["items"])
        assert "rerank: +1.000" in acme("recall", QUESTION, "--explain", "--limit", "50").out
        assert acme("replay", receipt).code == 0
        acme("replay", receipt, "--reranker", "none").refused(1, "endpoint:scripted")
        assert acme("recall", QUESTION, "--reranker", "none", "--json").json["reranker"] is None


def test_a_cross_encoder_in_a_folder(acme: Run, tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "model")
    found = acme("recall", QUESTION, "--reranker", f"onnx:{folder}", "--json").json
    assert found["reranker"].startswith("cross-encoder:")


def test_a_reranker_that_fails_is_told_in_one_line(
    acme: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel(rerankings=lambda _: Status(401)) as model:
        monkeypatch.setenv("BITEMPO_RERANK_URL", model.url)
        done = acme("recall", QUESTION, "--reranker", "endpoint:scripted")
        done.refused(1, "BITEMPO_RERANK_KEY")


@pytest.mark.parametrize("name", ["nothing", "endpoint:", "onnx:", "onnx:/nowhere"])
def test_an_unknown_reranker_is_refused_and_leaves_no_store(empty: Run, name: str) -> None:
    empty("init", "--reranker", name).refused(2)
    empty("stats").refused(1, "there is no memory")
