"""The commands that move whole memories: export, import, backup, restore."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.cli.runner import Run


def test_export_and_import_round_trip(acme: Run, empty: Run, tmp_path: Path) -> None:
    target = tmp_path / "acme.jsonl"
    done = acme("export", str(target), "--json")
    lines = target.read_text(encoding="utf-8").splitlines()
    assert done.json == {"file": str(target), "records": len(lines) - 2}
    restored = empty("import", str(target), "--json")
    assert restored.json == {"records": len(lines) - 2}
    assert empty("export").out == acme("export").out
    assert empty("history", "Mara", "--versions").out == acme("history", "Mara", "--versions").out


def test_export_goes_to_standard_output(acme: Run) -> None:
    found = acme("export")
    header, *records = [json.loads(line) for line in found.out.splitlines()]
    assert header["format"] == "bitempo-export"
    assert {"episode", "assertion", "fact"} <= {record["record"] for record in records}
    assert found.err == ""


def test_import_reads_standard_input(
    acme: Run, empty: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = acme("export").out
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert empty("import", "-").code == 0
    assert empty("stats", "--json").json["episodes"] == 43


def test_import_needs_an_empty_tenant(acme: Run, tmp_path: Path) -> None:
    target = tmp_path / "acme.jsonl"
    acme("export", str(target))
    acme("import", str(target)).refused(1, "acme")


def test_a_malformed_import_is_refused_whole(acme: Run, empty: Run, tmp_path: Path) -> None:
    target = tmp_path / "cut.jsonl"
    text = acme("export").out
    target.write_text(text[: len(text) // 2], encoding="utf-8")
    empty("import", str(target)).refused(2, "cut.jsonl, line ")
    assert empty("stats", "--json").json["episodes"] == 0
    empty("import", str(tmp_path / "absent.jsonl")).refused(2, "absent.jsonl")


def test_backup_and_restore(acme: Run, bitempo: Run, tmp_path: Path) -> None:
    copy, back = str(tmp_path / "copy.db"), str(tmp_path / "back.db")
    assert acme("backup", copy, "--json").json == {"file": copy}
    assert bitempo("restore", copy, "--store", back, "--json").json == {"store": back, "from": copy}
    assert bitempo("stats", "--store", back, "--tenant", "acme").out == acme("stats").out
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_nothing_is_overwritten(acme: Run, bitempo: Run, store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    acme("backup", str(copy))
    acme("backup", str(copy)).refused(1, "exists")
    bitempo("restore", str(copy), "--store", str(store)).refused(1, "exists")


def test_only_a_backup_is_restored(bitempo: Run, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to be taken for one" * 40, encoding="utf-8")
    new = tmp_path / "new.db"
    bitempo("restore", str(text), "--store", str(new)).refused(1)
    bitempo("restore", str(tmp_path / "absent.db"), "--store", str(new)).refused(2, "absent.db")
    bitempo("restore", str(text), "--store", ":memory:").refused(2, "no file")
    assert not new.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_database_in_use_is_not_taken_for_a_backup(
    bitempo: Run, store: Path, tmp_path: Path
) -> None:
    Path(f"{store}-wal").write_bytes(b"")
    bitempo("restore", str(store), "--store", str(tmp_path / "new.db")).refused(2, "in use")
