"""A backup is a memory of its own: whole, of one state, also while others write."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from bitempo import Memory, StoreError, StoreReadOnlyError
from bitempo.engine.store.sqlite import SqliteStore, backup
from tests.durability.processes import finish, go, start
from tests.durability.watch import whole
from tests.durability.workload import TENANT, check_file, lines
from tests.store.outside import check_in_fork, public_folder


def test_backups_while_another_process_writes_are_of_one_state_each(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    writer = start("load", path, "Ana", 0, 30)
    with Memory.open(path) as memory:
        go(writer)
        assert writer.stdout is not None
        seen = []
        for number in range(6):
            done = int(writer.stdout.readline())
            copy = tmp_path / f"copy {number}.db"
            memory.backup(copy)
            check_file(copy)
            store = SqliteStore(copy)
            with store.read(TENANT) as reader:
                seen.append(whole(reader))
            store.close()
            assert seen[-1] > done
        assert seen == sorted(seen)
    finish(writer)
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_a_backup_opens_as_a_memory_and_goes_on_by_itself(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        for tenant in ("acme", "other"):
            memory.tenant(tenant).assert_fact("Ana", "LIVES_IN", "Lima", episode="E1")
            memory.tenant(tenant).append("s", [])
        memory.backup(tmp_path / "copy.db")
        memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Oslo", episode="E2")
        with Memory.open(tmp_path / "copy.db") as copy:
            assert lines(copy.tenant("other")) == lines(memory.tenant("other"))
            assert [fact.answer for fact in copy.tenant("acme").as_of("Ana")] == ["Lima"]
            copy.tenant("acme").assert_fact("Ana", "LIVES_IN", "Rome", episode="E2")
        assert [fact.answer for fact in memory.tenant("acme").as_of("Ana")] == ["Oslo"]
    check_file(tmp_path / "copy.db")


def test_a_memory_that_has_no_file_can_be_backed_up_to_one(tmp_path: Path) -> None:
    with Memory.open(":memory:") as memory:
        memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima")
        memory.backup(tmp_path / "copy.db")
        with Memory.open(tmp_path / "copy.db") as copy:
            assert lines(copy.tenant("acme")) == lines(memory.tenant("acme"))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_text("precious")
    with Memory.open(tmp_path / "memory.db") as memory:
        for target in (other, tmp_path / "memory.db", tmp_path):
            with pytest.raises(StoreError, match="exists; name a new file"):
                memory.backup(target)
        with pytest.raises(StoreError, match="missing does not exist; make it first"):
            memory.backup(tmp_path / "missing" / "copy.db")
    assert other.read_text() == "precious"


def test_a_folder_that_cannot_be_written_is_told() -> None:
    with public_folder() as folder:

        def work() -> None:
            folder.chmod(0o555)
            with Memory.open(":memory:") as memory, pytest.raises(StoreReadOnlyError):
                memory.backup(folder / "copy.db")

        check_in_fork(work, unprivileged=True)


def test_a_backup_is_made_of_the_pages_in_the_log_too(tmp_path: Path) -> None:
    with (
        closing(apsw.Connection(str(tmp_path / "memory.db"))) as keeps_the_log,
        Memory.open(tmp_path / "memory.db") as memory,
    ):
        memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima")
        keeps_the_log.execute("BEGIN; SELECT * FROM tenant").fetchall()
        memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Oslo")
        memory.backup(tmp_path / "copy.db")
    assert {file.name for file in tmp_path.glob("copy*")} == {"copy.db"}
    with Memory.open(tmp_path / "copy.db") as copy:
        assert [fact.answer for fact in copy.tenant("acme").as_of("Ana")] == ["Oslo"]


def test_a_process_killed_in_a_backup_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with Memory.open(tmp_path / "memory.db") as memory:
        memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima")
        monkeypatch.setattr(backup, "_put", killed)
        child = os.fork()
        if child == 0:
            try:
                memory.backup(tmp_path / "copy.db")
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        assert not (tmp_path / "copy.db").exists()
        monkeypatch.undo()
        memory.backup(tmp_path / "copy.db")
    check_file(tmp_path / "copy.db")
