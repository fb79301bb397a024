"""A receipt is written by recall and checked by replay."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.runner import Run

TEA = "Which tea does Mara like?"


def test_a_receipt_is_written_and_replays_to_the_same_after_later_writes(
    acme: Run, tmp_path: Path
) -> None:
    receipt = tmp_path / "receipt.json"
    found = acme("recall", TEA, "--receipt", str(receipt), "--json").json
    written = json.loads(receipt.read_text(encoding="utf-8"))
    assert [item["id"] for item in written["items"]] == [item["id"] for item in found["items"]]
    assert acme("assert", "Mara", "FAVOURITE_TEA", "tea of Mara").code == 0
    again = acme("replay", str(receipt))
    assert (again.code, again.lines) == (0, ["the same: 10 items, as in the receipt"])
    shape = acme("replay", str(receipt), "--json").json
    assert (shape["same"], shape["difference"]) == (True, None)
    assert shape["recall"]["items"][0]["fact"].pop("tx_to") is not None
    assert found["items"][0]["fact"].pop("tx_to") is None
    assert shape["recall"] == found


def test_a_difference_is_told_and_ends_with_one(acme: Run, tmp_path: Path) -> None:
    receipt = tmp_path / "receipt.json"
    acme("recall", TEA, "--limit", "1", "--receipt", str(receipt))
    record = json.loads(receipt.read_text(encoding="utf-8"))
    [item] = record["items"]
    score, item["score"] = item["score"], 0.25
    record["items"].append({"kind": "turn", "id": "ep_gone", "score": 0.1})
    receipt.write_text(json.dumps(record), encoding="utf-8")
    shown = acme("replay", str(receipt))
    assert shown.code == 1
    assert "turn ep_gone is gone from the memory" in shown.lines
    assert f"{item['kind']} {item['id']} scored 0.25 and scores {score}" in shown.out
    shape = acme("replay", str(receipt), "--json")
    assert shape.code == 1
    assert shape.json["difference"]["missing"] == [{"kind": "turn", "id": "ep_gone"}]
    assert shape.json["difference"]["changed"][0]["score_then"] == 0.25


def test_what_is_no_receipt_of_this_tenant_is_refused(acme: Run, tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    acme("replay", str(path)).refused(2, "receipt.json")
    path.write_bytes(b"\xff{}")
    acme("replay", str(path)).refused(2, "JSON")
    acme("recall", TEA, "--receipt", str(path))
    acme("replay", str(path), "--tenant", "other").refused(2, "acme", "other")
    acme("recall", TEA, "--receipt", str(tmp_path / "no" / "folder")).refused(2, "No such file")


def test_recall_prints_context_within_its_budget(acme: Run) -> None:
    asked = ("recall", TEA, "--valid-at", "2026-01-01", "--context")
    shown = acme(*asked, "--max-tokens", "500")
    assert (shown.lines[0], shown.lines[-1]) == ("<memory>", "</memory>")
    assert shown.lines[2] == "Known of Mara:"
    found = acme(*asked, "--max-tokens", "500", "--json").json
    packed = found["context"]
    assert packed["text"].splitlines() == shown.lines
    assert packed["tokens"] <= 500
    assert packed["items"] + packed["dropped"] == [item["id"] for item in found["items"]]
    assert acme(*asked, "--max-tokens", "3").lines in ([], [""])
