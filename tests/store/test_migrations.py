"""An older file is brought forward, all the way or not at all, also when many try at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from bitempo import Memory, SchemaVersionError
from bitempo.engine.store.sqlite.schema import MIGRATIONS, migrate

SECOND = "CREATE TABLE note (text); INSERT INTO note VALUES ('second')"
THIRD = "ALTER TABLE note ADD COLUMN tenant; INSERT INTO note VALUES ('third', 1)"
FAILING = "CREATE TABLE other (x); INSERT INTO missing VALUES (1)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of the first version, with a fact in it."""
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima")
    return tmp_path / "memory.db"


def connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(60_000)
    return connection


def test_steps_that_are_missing_are_taken_in_order_and_data_stays(path: Path) -> None:
    newer = [*MIGRATIONS, SECOND, THIRD]
    with closing(connect(path)) as connection:
        migrate(connection, newer[:-1])
        migrate(connection, newer)
        migrate(connection, newer)
        assert connection.execute("SELECT text FROM note").fetchall() == [("second",), ("third",)]
        assert connection.pragma("user_version") == len(newer)
        assert connection.execute("SELECT count(*) FROM fact").get == 1
        assert connection.pragma("integrity_check") == "ok"
    with pytest.raises(SchemaVersionError, match=f"version {len(newer)}, .* to {len(MIGRATIONS)}"):
        Memory.open(path)


def test_a_step_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    before = path.read_bytes()
    with closing(connect(path)) as connection:
        with pytest.raises(apsw.SQLError, match="missing"):
            migrate(connection, [*MIGRATIONS, SECOND, FAILING])
        assert not connection.in_transaction
    assert path.read_bytes() == before
    with Memory.open(path) as memory:
        assert [fact.answer for fact in memory.tenant("acme").as_of("Ana")] == ["Lima"]


@pytest.mark.parametrize("new", [True, False])
def test_of_many_that_migrate_at_once_one_does_it(tmp_path: Path, path: Path, new: bool) -> None:
    file = tmp_path / "new.db" if new else path
    with closing(connect(file)) as connection:
        connection.pragma("journal_mode", "wal")
    start = threading.Barrier(8)

    def work(_: int) -> None:
        with closing(connect(file)) as connection:
            start.wait()
            migrate(connection, [*MIGRATIONS, SECOND, THIRD])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    with closing(connect(file)) as connection:
        assert connection.execute("SELECT text FROM note").fetchall() == [("second",), ("third",)]
