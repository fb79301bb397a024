"""No room: the write is refused whole, and the same call works once there is room again.

Two kinds of no room: a limit on the size of files, which any user can set for a process, and a
disk that is full: a small file system in memory where it may be mounted, else SQLite is told so.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from bitempo import InvalidInputError, Memory, SourceSession, StoreFullError, Tenant, Turn
from tests.store.disks import SIZE, SmallDisk, small_disk
from tests.store.outside import check_in_fork

LONG = "I live in Lima. " + "word " * 2_000


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))


@pytest.fixture(params=["mounted if possible", "pretended"])
def disk(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SmallDisk]:
    """A disk of two megabytes."""
    if request.param == "pretended":
        monkeypatch.setattr(os, "getuid", lambda: 1000)
    folder = tmp_path / "disk"
    folder.mkdir()
    with small_disk(folder) as made:
        yield made


def session(number: int) -> SourceSession:
    turn = Turn(LONG + str(number), "Ana", number * 86_400_000_000, id=f"turn {number}")
    return SourceSession(f"s{number}", turn.occurred_at, (turn,))


def fill(write: Callable[[int], object]) -> int:
    """Write until there is no room; how many writes were done."""
    for number in range(10_000):
        if not has_room(write, number):
            return number
    raise AssertionError("there was always room")


def has_room(write: Callable[[int], object], number: int) -> bool:
    try:
        write(number)
    except StoreFullError as error:
        message = str(error)
    else:
        return True
    assert "is full; nothing was written. Free some space" in message
    return False


def check_whole(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.pragma("integrity_check") == "ok"


def check_no_room(path: Path, room: Callable[[], None]) -> None:
    """Fill the disk with sessions, then with statements; after `room` the same calls work."""
    with Memory.open(path) as memory:
        tenant = memory.tenant("acme")

        def tell(number: int) -> object:
            return tenant.assert_fact("Ana", "SAID", value=f"{number} {LONG}", episode=f"E{number}")

        taken = fill(lambda number: tenant.ingest(session(number)))
        told = fill(tell)
        assert taken > 3
        assert len(tenant.as_of("Ana", "SAID")) == told
        assert tenant.stats().sessions == taken
        room()
        assert tell(told)
        assert len(tenant.as_of("Ana", "SAID")) == told + 1
        tenant.ingest(session(taken))
        tenant.resume()
        assert tenant.stats().inbox == {"applied": taken + 1}
        assert tenant.stats().episodes == told + 1 + taken + 1
    check_whole(path)


def test_a_limit_on_file_sizes_loses_nothing(tmp_path: Path) -> None:
    def work() -> None:
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        with files_limited_to(2_000_000):
            check_no_room(
                tmp_path / "memory.db",
                lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard)),
            )

    check_in_fork(work)


def test_a_full_disk_loses_nothing(disk: SmallDisk) -> None:
    disk.use(500_000)
    check_no_room(disk.folder / "memory.db", disk.free)


def test_a_file_that_cannot_be_made_for_want_of_room_says_so(disk: SmallDisk) -> None:
    disk.use(2 * SIZE)
    with pytest.raises(StoreFullError):
        Memory.open(disk.folder / "memory.db")
    disk.free()
    with Memory.open(disk.folder / "memory.db") as memory:
        assert memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima").tx is not None


def test_a_new_file_within_a_limit_on_file_sizes_says_so(tmp_path: Path) -> None:
    def work() -> None:
        with files_limited_to(20_000), pytest.raises(StoreFullError):
            Memory.open(tmp_path / "memory.db")
        with Memory.open(tmp_path / "memory.db") as memory:
            assert memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima").tx is not None

    check_in_fork(work)


def test_a_backup_or_an_export_without_room_leaves_no_half_file(tmp_path: Path) -> None:
    def work() -> None:
        with Memory.open(tmp_path / "memory.db") as memory:
            tenant = memory.tenant("acme")
            grow(tenant)
            names = {file.name for file in tmp_path.iterdir()}
            with files_limited_to(100_000):
                with pytest.raises(StoreFullError, match=r"copy\.db"):
                    memory.backup(tmp_path / "copy.db")
                with pytest.raises(InvalidInputError, match=r"export\.jsonl cannot be written"):
                    tenant.export(tmp_path / "export.jsonl")
            assert {file.name for file in tmp_path.iterdir()} == names
            memory.backup(tmp_path / "copy.db")
            tenant.export(tmp_path / "export.jsonl")

    check_in_fork(work)


def grow(tenant: Tenant) -> None:
    for number in range(20):
        tenant.assert_fact("Ana", "SAID", value=f"{number} {LONG}")
