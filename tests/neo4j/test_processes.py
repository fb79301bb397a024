"""Several client processes on one tenant: they take turns, whatever their clocks say."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bitempo import Memory
from bitempo.engine.store.neo4j.schema import SCHEMA_VERSION
from bitempo.engine.time import parse_instant
from tests.conformance.telling import fresh
from tests.durability.processes import finish, go
from tests.durability.workload import lines
from tests.neo4j.workload import start
from tests.servers.neo4j import own_neo4j_server
from tests.servers.running import Neo4jServer

CLOCKS = ("2030-01-01T12:00:00Z", "2030-01-01T07:00:00Z", "2030-01-02T00:00:00Z")
ROUNDS = 12


@pytest.mark.parametrize("clocks", [CLOCKS, (CLOCKS[0],) * 4], ids=["disagreeing", "equal"])
def test_writers_take_turns_and_their_times_are_unique_and_rise(
    server: Neo4jServer, memory: Memory, clocks: tuple[str, ...]
) -> None:
    tenant = fresh(memory)
    names = [f"writer {number}" for number in range(len(clocks))]
    writers = [
        start(server.location, "writing", tenant.name, name, now, ROUNDS)
        for name, now in zip(names, clocks, strict=True)
    ]
    go(*writers)
    told = [list(map(int, finish(writer).split())) for writer in writers]
    for times, now in zip(told, clocks, strict=True):
        assert times == sorted(set(times))
        assert times[0] >= parse_instant(now)
    every = sorted(itertools.chain.from_iterable(told))
    assert every == sorted(set(every))
    # In the order in which they were stored, which the export keeps.
    assert stored(lines(tenant)) == every
    assert tenant.stats().transactions == len(clocks) * ROUNDS
    assert [entity.name for entity in tenant.entities("everybody")] == ["everybody"]
    assert {fact.answer for fact in tenant.as_of("everybody", "KNOWS")} == set(names)
    for name in names:
        saw = {fact.answer for fact in tenant.as_of(name, "SAW")}
        assert saw == {f"round {number}" for number in range(ROUNDS)}


def stored(exported: list[str]) -> list[int]:
    records = map(json.loads, exported)
    return [
        parse_instant(record["believed"]["from"])
        for record in records
        if record.get("record") == "episode"
    ]


@pytest.fixture
def empty_server(tmp_path: Path) -> Iterator[Neo4jServer]:
    with own_neo4j_server(tmp_path) as running:
        yield running


@pytest.mark.timeout(600)
def test_an_empty_database_can_be_opened_by_all_at_once(empty_server: Neo4jServer) -> None:
    writers = [
        start(empty_server.location, "writing", "acme", f"writer {n}", CLOCKS[0], 1)
        for n in range(5)
    ]
    go(*writers)
    for writer in writers:
        finish(writer)
    with empty_server.driver() as driver:
        versions = driver.execute_query("MATCH (n:BitempoSchema) RETURN n.version").records
        assert [record[0] for record in versions] == [SCHEMA_VERSION]
        waiting = driver.execute_query(
            "SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE' RETURN name"
        ).records
        assert waiting == []
        entities = driver.execute_query(
            "MATCH (n:BitempoEntity {name: 'everybody'}) RETURN count(n)"
        ).records
        assert [record[0] for record in entities] == [1]
