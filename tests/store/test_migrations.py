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


def test_names_of_a_file_of_the_first_version_are_known_since_their_entity_was_made(
    tmp_path: Path,
) -> None:
    old = tmp_path / "old.db"
    with closing(connect(old)) as connection:
        migrate(connection, MIGRATIONS[:1])
        connection.execute(
            "INSERT INTO tenant (id, name, last_tx) VALUES (1, 'acme', 7);"
            "INSERT INTO tx VALUES (1, 7, 0, 0, 0, 0, 0, 0);"
            "INSERT INTO entity VALUES (1, 1, 'ent_1', 'Anna Maria', '', 5);"
            "INSERT INTO entity_name VALUES (1, 'anna maria', 'ent_1', 'Anna Maria'),"
            " (1, 'mimi', 'ent_1', 'Mimi')"
        )
    with Memory.open(old) as memory:
        tenant = memory.tenant("acme")
        [anna] = tenant.entities("mimi")
        assert anna.names_learnt() == [("Anna Maria", 5), ("Mimi", 5)]
        with tenant._store.read("acme") as reader:
            assert reader.entities_named(["mimi"], 4) == {}
            assert reader.entities_sharing({"maria", "mimi"}, 3) == [anna]
        tenant.assert_fact("Mia", "PLAYS", "go")
        tenant.merge("Mimi", "Mia")
        assert [e.name for e in tenant.entities("Mia")] == ["Anna Maria"]


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
