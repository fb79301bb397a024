"""A rewriter on the command line: chosen by option or environment, told of by the receipt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bitempo.testing import ScriptedModel, Status
from tests.cli.runner import Run

ASKED = "And where does she work?"
MEANT = "Where does Mara work?"


def test_recall_and_replay_with_an_endpoint(
    acme: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    receipt = str(tmp_path / "receipt.json")
    with ScriptedModel(lambda _: {"question": MEANT}) as model:
        monkeypatch.setenv("BITEMPO_REWRITE_URL", model.url)
        monkeypatch.setenv("BITEMPO_REWRITER", "endpoint:scripted")
        told = ("--said", "I met Mara.", "--said", "Mara?")
        found = acme("recall", ASKED, *told, "--receipt", receipt, "--json").json
        assert json.loads(model.calls[0].prompt)["messages"] == ["I met Mara.", "Mara?"]
        assert (found["question"], found["rewritten"]) == (ASKED, MEANT)
        assert (found["rewriter"], found["rewrite_error"]) == ("endpoint/1/scripted", None)
        explained = acme("recall", ASKED, "--explain").lines
        assert explained[0] == f"rewritten by endpoint/1/scripted: {MEANT}"
        model.forget_calls()
        assert acme("replay", receipt).code == 0
        assert acme("replay", receipt, "--rewriter", "none").code == 0
        plain = acme("recall", ASKED, "--rewriter", "none", "--json").json
        assert (plain["rewritten"], plain["rewriter"]) == (None, None)
        assert model.calls == []


def test_a_rewriter_that_fails_is_told_beside_the_answer(
    acme: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel(lambda _: Status(401)) as model:
        monkeypatch.setenv("BITEMPO_REWRITE_URL", model.url)
        done = acme("recall", MEANT, "--rewriter", "endpoint:scripted", "--json")
    assert done.code == 0
    assert done.json["items"]
    assert "BITEMPO_REWRITE_KEY" in done.json["rewrite_error"]
    assert "the question was searched as it is" in done.err


def test_messages_without_a_rewriter_are_bad_input(acme: Run) -> None:
    acme("recall", ASKED, "--said", "I met Mara.").refused(2, "rewriter")


@pytest.mark.parametrize("name", ["nothing", "endpoint:", "onnx:folder"])
def test_an_unknown_rewriter_is_refused_and_leaves_no_store(empty: Run, name: str) -> None:
    empty("init", "--rewriter", name).refused(2)
    empty("stats").refused(1, "there is no memory")
