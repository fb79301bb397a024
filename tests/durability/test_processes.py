"""Several processes on one file: readers beside a writer, writers in turn, all at the start."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from bitempo import Memory, StoreBusyError, StoreError, Tenant
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.engine.time import parse_instant
from tests.durability.processes import finish, go, start
from tests.durability.workload import (
    TENANT,
    check_file,
    lines,
    reopened,
    sessions,
    uninterrupted,
)


def commits(tenant: Tenant) -> list[int]:
    """The transaction times of the episodes, in the order in which these were stored."""
    records = map(json.loads, lines(tenant))
    return [
        parse_instant(record["believed"]["from"])
        for record in records
        if record.get("record") == "episode"
    ]


def test_three_readers_beside_a_writer_see_only_whole_commits(tmp_path: Path) -> None:
    path, stop = tmp_path / "memory.db", tmp_path / "stop"
    writer = start("load", path, "Ana", 0, 40)
    readers = [start("watch", path, stop) for _ in range(3)]
    go(writer, *readers)
    finish(writer)
    stop.touch()
    assert [finish(reader) for reader in readers] == ["40\n"] * 3


@pytest.mark.parametrize("count", [2, 4])
def test_writers_take_turns_and_every_commit_is_applied(tmp_path: Path, count: int) -> None:
    path, rounds = tmp_path / "memory.db", 15
    writers = [start("load", path, f"writer {n}", 0, rounds) for n in range(count)]
    go(*writers)
    for writer in writers:
        assert finish(writer).split() == [str(n) for n in range(rounds)]
    check_file(path)
    with reopened(path) as memory:
        tenant = memory.tenant(TENANT)
        times = commits(tenant)
        assert len(times) == tenant.stats().transactions == 2 * rounds * count
        assert times == sorted(set(times))
        assert len(tenant.entities("everybody")) == 1
        known = {fact.answer for fact in tenant.as_of("everybody", "KNOWS")}
        assert known == {f"writer {n}" for n in range(count)}
        for n in range(count):
            saw = {fact.answer for fact in tenant.as_of(f"writer {n}", "SAW")}
            assert saw == {f"round {number}" for number in range(rounds)}


def test_processes_that_ingest_the_same_sessions_apply_each_window_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    processes = [start("telling", path) for _ in range(3)]
    go(*processes)
    for process in processes:
        finish(process)
    with reopened(path) as memory:
        assert lines(memory.tenant(TENANT)) == uninterrupted().end
    check_file(path)


@pytest.mark.parametrize("count", [2, 8])
def test_a_new_file_can_be_opened_by_all_at_once(tmp_path: Path, count: int) -> None:
    path = tmp_path / "memory.db"
    processes = [start("telling", path, f"process {n}") for n in range(count)]
    go(*processes)
    for process in processes:
        finish(process)
    check_file(path)
    with reopened(path) as memory:
        known = {fact.answer for fact in memory.tenant(TENANT).as_of("everybody", "KNOWS")}
        assert known == {f"process {n}" for n in range(count)}


def test_a_lock_that_is_held_too_long_says_so_and_the_same_call_works_later(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    with (
        Memory.open(path, busy_timeout=0.05) as memory,
        closing(apsw.Connection(str(path))) as other,
    ):
        tenant = memory.tenant(TENANT)
        tenant.assert_fact("Ana", "LIVES_IN", "Lima", episode="E1")
        other.execute("BEGIN IMMEDIATE")
        for write in (
            lambda: tenant.assert_fact("Ana", "LIVES_IN", "Oslo", episode="E2"),
            lambda: tenant.retract(episode="E1"),
            lambda: tenant.ingest(sessions()),
            lambda: memory.tenant("new").import_(tenant.export()),
        ):
            with pytest.raises(StoreBusyError, match=r"memory\.db is held.*busy_timeout"):
                write()
        assert [fact.answer for fact in tenant.as_of("Ana")] == ["Lima"]
        other.execute("ROLLBACK")
        tenant.assert_fact("Ana", "LIVES_IN", "Oslo", episode="E2")
        assert [fact.answer for fact in tenant.as_of("Ana")] == ["Oslo"]


def test_a_forked_process_uses_the_memory_that_its_parent_had_opened(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        tenant = memory.tenant(TENANT)
        tenant.assert_fact("everybody", "KNOWS", "parent")
        for number in range(3):
            assert in_fork(lambda number=number: told_by(tenant, f"child {number}")) == 0
        assert told_by(tenant, "parent again")
        known = {fact.answer for fact in tenant.as_of("everybody", "KNOWS")}
        assert known == {"parent", "child 0", "child 1", "child 2", "parent again"}
    check_file(path)


def test_a_fork_in_the_middle_of_a_read_cannot_use_the_store_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(SqliteStore(path)) as memory:
        tenant = memory.tenant(TENANT)
        tenant.assert_fact("everybody", "KNOWS", "parent")
        exported = tenant.export()
        next(exported)
        next(exported)

        def child() -> bool:
            with pytest.raises(StoreError, match="fork first and open afterwards"):
                tenant.as_of()
            return True

        assert in_fork(child) == 0
        assert len(list(exported)) > 3
        assert told_by(tenant, "parent again")


def told_by(tenant: Tenant, name: str) -> bool:
    return tenant.assert_fact("everybody", "KNOWS", name).tx is not None


def in_fork(work: object) -> int:
    """Run the work in a forked process; 0 when it returned true."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if callable(work) and work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
