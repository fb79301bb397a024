"""What goes wrong is said in a sentence that tells what to do, and never repeats a password."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import neo4j
import pytest

from bitempo import (
    BitempoError,
    InvalidInputError,
    Memory,
    SchemaVersionError,
    StoreBusyError,
    StoreClosedError,
    StoreError,
)
from bitempo.engine.store.neo4j import Neo4jStore, Options, schema
from bitempo.engine.store.neo4j.address import Address, read_location
from tests.conformance.telling import fresh
from tests.servers.running import Neo4jServer

SECRET = "not-the-pass/word@#?"
ENCODED = "not-the-pass%2Fword%40%23%3F"


def host(server: Neo4jServer) -> str:
    return urlsplit(server.uri).netloc


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that is taken, and where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_a_wrong_password_says_where_to_put_the_right_one(server: Neo4jServer) -> None:
    with pytest.raises(StoreError, match=r"does not accept.*BITEMPO_NEO4J_PASSWORD") as caught:
        Memory.open(f"bolt://neo4j:{ENCODED}@{host(server)}")
    keeps_secret(caught.value)


def test_no_password_at_all_says_the_same(
    server: Neo4jServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BITEMPO_NEO4J_PASSWORD", raising=False)
    with pytest.raises(StoreError, match="BITEMPO_NEO4J_PASSWORD"):
        Memory.open(server.uri)


def test_user_and_password_may_come_from_the_environment(
    server: Neo4jServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BITEMPO_NEO4J_USER", server.user)
    monkeypatch.setenv("BITEMPO_NEO4J_PASSWORD", server.password)
    with Memory.open(server.uri) as memory:
        assert fresh(memory).stats().episodes == 0


def test_a_wrong_database_is_named(server: Neo4jServer) -> None:
    with pytest.raises(StoreError, match=r"no such database.*the path of the location"):
        Memory.open(server.location + "/nowhere")


def test_the_database_can_be_named(server: Neo4jServer) -> None:
    with Memory.open(server.location + "/neo4j") as memory:
        assert fresh(memory).assert_fact("Ana", "KNOWS", "Bo").tx is not None


def test_where_nobody_listens_the_server_and_the_address_are_to_be_checked(
    closed_port: int,
) -> None:
    with pytest.raises(StoreError, match=f"{closed_port} cannot be reached; check that") as caught:
        Memory.open(f"bolt://neo4j:{ENCODED}@127.0.0.1:{closed_port}")
    keeps_secret(caught.value)


def test_what_does_not_speak_bolt_is_an_error_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        location = f"bolt://neo4j:x@127.0.0.1:{deaf.getsockname()[1]}?connect_timeout=0.2"
        with pytest.raises(StoreError, match="cannot be reached"):
            Memory.open(location)


def test_a_closed_memory_says_so_also_in_the_middle_of_a_read(server: Neo4jServer) -> None:
    memory = Memory.open(server.location)
    tenant = fresh(memory)
    with memory._store.read(tenant.name):
        memory.close()
    for use in (
        tenant.as_of,
        tenant.resume,
        lambda: tenant.assert_fact("Ana", "KNOWS", "Bo"),
        lambda: list(tenant.export()),  # type: ignore[call-overload]
    ):
        with pytest.raises(StoreClosedError, match="open it again"):
            use()
    memory.close()


def test_a_server_is_backed_up_by_its_own_tools(memory: Memory, tmp_path: Any) -> None:
    with pytest.raises(StoreError, match="neo4j-admin, or export"):
        memory.backup(tmp_path / "copy")


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("bitempo.engine.store.neo4j")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "neo4j", None)
    with pytest.raises(InvalidInputError, match=r"pip install 'bitempo\[neo4j\]'"):
        Memory.open("bolt://localhost:1")


class Answers:
    """What a server would answer while a store is opened."""

    def __init__(
        self, version: str = "5.26.0", schema_version: int | None = schema.SCHEMA_VERSION
    ) -> None:
        self.version = version
        self.schema_version = schema_version
        self.states = dict.fromkeys(schema.statements(), "ONLINE")
        self.asked: list[str] = []

    def __call__(self, statement: str, **_: object) -> list[dict[str, Any]]:
        self.asked.append(statement)
        if "dbms.components" in statement:
            return [{"version": self.version}]
        if "max(n.version)" in statement:
            return [{"version": self.schema_version}]
        if "SHOW INDEXES" in statement:
            return [{"name": name, "state": state} for name, state in self.states.items()]
        if "awaitIndexes" in statement and set(self.states.values()) != {"ONLINE"}:
            raise neo4j.exceptions.ClientError("Index was not online in time")
        return []


@pytest.mark.parametrize("version", ["4.4.41", "5.25.1", "5.9.0"])
def test_a_server_that_is_too_old_is_refused_before_anything_is_made(version: str) -> None:
    answers = Answers(version)
    with pytest.raises(StoreError, match=f"Neo4j {version}, and bitempo needs 5.26 or newer"):
        schema.prepare(answers, 1)
    assert len(answers.asked) == 1


@pytest.mark.parametrize("version", ["5.26.0", "5.26.28", "5.27.0-aura", "2025.01.0", "2026.09.0"])
def test_what_is_there_already_is_not_made_again(version: str) -> None:
    answers = Answers(version)
    schema.prepare(answers, 1)
    assert not [statement for statement in answers.asked if "CREATE" in statement]
    assert len(answers.asked) == 3


def test_what_is_missing_is_made_and_waited_for() -> None:
    answers = Answers(schema_version=None)
    del answers.states["bitempo_fact_slot"], answers.states["bitempo_episode_terms"]
    schema.prepare(answers, 1)
    made = [statement for statement in answers.asked if " CREATE " in statement]
    wanted = schema.statements()
    assert made == [wanted["bitempo_fact_slot"], wanted["bitempo_episode_terms"]]
    assert any("awaitIndexes" in statement for statement in answers.asked)
    assert "MERGE (n:BitempoSchema" in answers.asked[-1]


@pytest.mark.parametrize("state", ["POPULATING", "FAILED"])
def test_an_index_that_is_not_ready_is_named(state: str) -> None:
    answers = Answers()
    answers.states["bitempo_fact_slot"] = state
    with pytest.raises(StoreError, match=rf"bitempo_fact_slot \({state}\).*index_timeout"):
        schema.prepare(answers, 1)


def test_a_graph_of_a_newer_bitempo_is_left_alone() -> None:
    answers = Answers(schema_version=schema.SCHEMA_VERSION + 1)
    with pytest.raises(SchemaVersionError, match="upgrade bitempo"):
        schema.prepare(answers, 1)
    assert not [statement for statement in answers.asked if "CREATE" in statement]


def test_options_stand_in_the_location() -> None:
    address, options = read_location(
        "bolt://ana:p%40ss@db:7688/facts?pool_size=3&connect_timeout=0.5&transaction_timeout=60",
        Options(retry_time=7),
    )
    assert address == Address("bolt://db:7688", "ana", "p@ss", "facts")
    assert options == Options(
        pool_size=3, connect_timeout=0.5, transaction_timeout=60, retry_time=7
    )


def test_a_routing_context_stays_with_the_driver() -> None:
    address, options = read_location("neo4j+s://db?policy=eu&pool_size=2", Options())
    assert (address.uri, options.pool_size) == ("neo4j+s://db?policy=eu", 2)


@pytest.mark.parametrize(
    "location",
    [
        f"bolt://neo4j:{SECRET}@localhost",
        "bolt://neo4j:not-the-pass/word@localhost:7687",
        "bolt://neo4j:not-the-pass@localhost:port",
        "bolt://neo4j:not-the-pass@[::1",
        "bolt://neo4j:not-the-pass@",
        "bolt://neo4j:not-the-pass@localhost?pool_size=many",
        "bolt://neo4j:not-the-pass@localhost?pool_size=0",
        "bolt://neo4j:not-the-pass@localhost?pool=2",
        "bolt://neo4j:not-the-pass@localhost?retry_time=-1",
        "bolt://neo4j:not-the-pass@localhost?retry_time=nan",
    ],
)
def test_a_malformed_location_is_refused_without_repeating_it(location: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Memory.open(location)
    keeps_secret(caught.value)


def test_what_can_be_printed_holds_no_password() -> None:
    address, _ = read_location(f"bolt://neo4j:{ENCODED}@localhost", Options())
    assert address.password == SECRET
    assert SECRET not in repr(address)
    assert SECRET not in str(address)


def test_a_pool_that_is_used_up_says_which_option_to_raise(server: Neo4jServer) -> None:
    options = Options(pool_size=1, connect_timeout=0.2, retry_time=0)
    with Memory(Neo4jStore(server.location, options=options)) as memory:
        tenant = fresh(memory)
        tenant.assert_fact("Ana", "KNOWS", "Bo")
        with memory._store._driver.session() as other:  # type: ignore[attr-defined]
            held = other.begin_transaction()
            with pytest.raises(StoreBusyError, match="pool_size"):
                tenant.as_of()
            held.close()
        assert len(tenant.as_of()) == 1


def test_a_write_that_takes_too_long_is_ended_and_leaves_no_trace(server: Neo4jServer) -> None:
    hasty = Options(transaction_timeout=0.5, retry_time=0)
    with Memory(Neo4jStore(server.location)) as memory:
        tenant = fresh(memory)
        tenant.assert_fact("Ana", "KNOWS", "Bo")
        with server.driver() as driver, driver.session() as other:
            held = other.begin_transaction()
            held.run("MATCH (t:BitempoTenant {name: $name}) SET t.held = true", name=tenant.name)
            with (
                Memory(Neo4jStore(server.location, options=hasty)) as impatient,
                pytest.raises(StoreBusyError, match=r"transaction_timeout|try again"),
            ):
                impatient.tenant(tenant.name).assert_fact("Ana", "KNOWS", "Cy")
            held.rollback()
        assert tenant.stats().assertions == 1
        assert tenant.assert_fact("Ana", "KNOWS", "Cy").tx is not None


def keeps_secret(error: BitempoError) -> None:
    """Neither the error nor what caused it repeats the password."""
    cause: BaseException | None = error
    while cause is not None:
        assert "not-the-pass" not in f"{cause} {cause!r}"
        cause = cause.__cause__
