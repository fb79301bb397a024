"""Files that cannot be opened, are not ours, or are damaged: a clear error, and nothing changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from bitempo import (
    Memory,
    SchemaVersionError,
    StoreCorruptError,
    StoreError,
    StoreReadOnlyError,
)
from bitempo.engine.store.sqlite.schema import MIGRATIONS
from tests.store.outside import check_in_fork, public_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with public_folder() as made:
        yield made


def written(path: Path) -> Path:
    """A memory of a hundred facts."""
    with Memory.open(path) as memory:
        for number in range(100):
            memory.tenant("acme").assert_fact("Ana", "KNOWS", f"friend {number}")
    return path


def test_a_read_only_file_can_be_read_and_a_write_says_why_not(folder: Path) -> None:
    path = folder / "memory.db"

    def work() -> None:
        written(path)
        path.chmod(0o444)
        with Memory.open(path) as memory:
            tenant = memory.tenant("acme")
            assert len(tenant.as_of("Ana")) == 100
            with pytest.raises(StoreReadOnlyError, match=r"memory\.db.*permissions"):
                tenant.assert_fact("Ana", "KNOWS", "Bo")
            tenant.append("s", [])  # nothing to write
            assert len(tenant.as_of("Ana")) == 100

    check_in_fork(work, unprivileged=True)


def test_a_read_only_folder_is_told_for_a_new_file_and_for_an_old_one(folder: Path) -> None:
    def work() -> None:
        written(folder / "old.db")
        folder.chmod(0o555)
        for name in ("new.db", "old.db"):
            with pytest.raises(StoreReadOnlyError, match=rf"{name} or its folder"):
                Memory.open(folder / name)
        folder.chmod(0o755)
        with Memory.open(folder / "old.db") as memory:
            assert len(memory.tenant("acme").as_of("Ana")) == 100

    check_in_fork(work, unprivileged=True)


def test_a_file_that_may_not_be_read_is_told(folder: Path) -> None:
    def work() -> None:
        written(folder / "memory.db").chmod(0o000)
        with pytest.raises(StoreReadOnlyError, match=r"memory\.db"):
            Memory.open(folder / "memory.db")

    check_in_fork(work, unprivileged=True)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"the folder .*missing does not exist; make it first"):
        Memory.open(tmp_path / "missing" / "memory.db")
    assert not (tmp_path / "missing").exists()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder; name a file in it"):
        Memory.open(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="does not exist"):
        Memory.open(tmp_path / "file" / "memory.db")


@pytest.mark.parametrize(
    "location", ["", "a\0b", "sqlite:///a\0b", "redis://host", "file://x", None, 7, b"x"]
)
def test_a_location_that_names_no_file_is_refused(
    location: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError):
        Memory.open(location)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["a b?mode=ro&x#1.db", "メモリ.db", "-memory.db", "%41.db", "'.db"]
)
def test_odd_names_are_names_of_files_and_nothing_else(tmp_path: Path, name: str) -> None:
    written(tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    with Memory.open(f"sqlite:///{tmp_path / name}") as memory:
        assert len(memory.tenant("acme").as_of()) == 100


@pytest.mark.parametrize(
    "content", [b"not a database\n" * 1000, b"SQLite format 3\0" + b"\xff" * 5000, b"x"]
)
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError, match=r"notes\.txt"):
        Memory.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("version", [0, 1, 2])
def test_the_database_of_another_application_is_refused_and_left_as_it_is(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "other.db"
    with closing(apsw.Connection(str(path))) as other:
        other.execute(f"CREATE TABLE song (title); PRAGMA user_version = {version}")
    content = path.read_bytes()
    with pytest.raises(StoreCorruptError, match="not one of bitempo's; name another file"):
        Memory.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_newer_schema_is_refused_naming_both_versions_and_left_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path / "memory.db")
    with closing(apsw.Connection(str(path))) as newer:
        newer.execute("PRAGMA user_version = 99")
    content = path.read_bytes()
    with pytest.raises(
        SchemaVersionError, match=f"version 99, .* up to {len(MIGRATIONS)}; upgrade bitempo"
    ):
        Memory.open(path)
    assert path.read_bytes() == content


def test_a_memory_stays_with_its_file_when_the_process_changes_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    with Memory.open("memory.db") as memory:
        tenant = memory.tenant("acme")
        tenant.assert_fact("Ana", "LIVES_IN", "Lima")
        monkeypatch.chdir(tmp_path / "other")
        exported = tenant.export()
        assert any("Lima" in line for line in exported)
        memory.backup("copy.db")
    assert [file.name for file in (tmp_path / "other").iterdir()] == ["copy.db"]


def test_an_empty_file_becomes_a_memory(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    with Memory.open(written(path)) as memory:
        assert len(memory.tenant("acme").as_of()) == 100


@pytest.mark.parametrize("kept", [0.05, 0.3, 0.7])
def test_a_truncated_file_is_told_when_it_is_opened_or_read(tmp_path: Path, kept: float) -> None:
    path = written(tmp_path / "memory.db")
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(StoreCorruptError, match=r"memory\.db.*restore it from a backup"):
        use(path)


def test_damaged_pages_are_told_when_they_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "memory.db")
    content = bytearray(path.read_bytes())
    for start in range(8192, len(content), 4096):
        content[start : start + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError, match=r"memory\.db.*restore it from a backup"):
        use(path)


def use(path: Path) -> None:
    with Memory.open(path) as memory:
        memory.tenant("acme").as_of("Ana")
        memory.tenant("acme").assert_fact("Ana", "KNOWS", "Bo")
        memory.tenant("acme").export(path.parent / "export.jsonl")
