"""A client killed at any point leaves whole commits only, and the next one finishes its work."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest

from bitempo import Tenant
from tests.conformance.telling import unused
from tests.durability.processes import finish
from tests.durability.workload import Homes, Uninterrupted, graph, lines, tell, uninterrupted
from tests.neo4j.conftest import Opening
from tests.neo4j.wire import Loss, Wire
from tests.neo4j.workload import start
from tests.servers.running import Neo4jServer

PARTS = (0.02, 0.12, 0.31, 0.47, 0.74, 0.93)


@pytest.fixture(scope="module")
def expected() -> Uninterrupted:
    run = uninterrupted()
    return Uninterrupted([sorted(state) for state in run.graphs], sorted(run.end))


@pytest.fixture(scope="module")
def statements(server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many statements the whole workload takes."""
    calls = tmp_path_factory.mktemp("whole") / "calls"
    return int(finish(start(server.location, "killing", unused(), calls, 0)))


@pytest.mark.parametrize("part", PARTS)
def test_a_kill_before_any_statement_leaves_whole_commits(
    opened: Opening,
    server: Neo4jServer,
    tmp_path: Path,
    expected: Uninterrupted,
    statements: int,
    part: float,
) -> None:
    name, calls = unused(), tmp_path / "calls"
    process = start(server.location, "killing", name, calls, max(1, round(part * statements)))
    complaint = process.communicate()[1]
    assert process.returncode == -signal.SIGKILL, complaint
    check_goes_on(opened, name, calls, expected)


@pytest.mark.parametrize("delivered", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("commit", [1, 3, 4, 10])
def test_a_kill_at_a_commit_leaves_whole_commits(
    opened: Opening,
    server: Neo4jServer,
    tmp_path: Path,
    expected: Uninterrupted,
    commit: int,
    delivered: bool,
) -> None:
    name, calls = unused(), tmp_path / "calls"
    with Wire(server.location) as wire:
        process = start(wire.location, "killing", name, calls, 0)
        # Opening the store commits nothing by the driver's COMMIT, so this counts the workload's.
        wire.lose(Loss(commit=commit, delivered=delivered, then=process.kill))
        complaint = process.communicate()[1]
        assert (process.returncode, wire.lost) == (-signal.SIGKILL, 1), complaint
    check_goes_on(opened, name, calls, expected)


def check_goes_on(opened: Opening, name: str, calls: Path, expected: Uninterrupted) -> None:
    tenant = opened().tenant(name)
    assert sorted(graph(lines(tenant))) in expected.graphs
    finish_work(opened(extractor=Homes(calls)).tenant(name))
    assert sorted(lines(tenant)) == expected.end
    assert set(tenant.stats().inbox) == {"applied"}
    counted = Counter(calls.read_text().split())
    assert len(counted) == 4
    # One call is paid twice at most: the one whose result was not durable yet.
    assert sum(counted.values()) in (4, 5)


def finish_work(tenant: Tenant) -> None:
    tenant.resume()
    tell(tenant)
