"""The test server is a real one: it refuses wrong passwords, and keeps its data when killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from tests.servers.neo4j import ROOT, neo4j_server, own_neo4j_server, version_under_test
from tests.servers.running import Neo4jServer

pytestmark = [pytest.mark.servers, pytest.mark.timeout(600)]

SCRIPT = ROOT / "tools" / "neo4j" / "server.py"


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Neo4jServer]:
    with neo4j_server() as server:
        yield server


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Neo4jServer]:
    with own_neo4j_server(tmp_path) as server:
        yield server


def test_it_answers_and_is_the_version_asked_for(shared_server: Neo4jServer) -> None:
    with shared_server.driver() as driver:
        kernel = driver.execute_query(
            "CALL dbms.components() YIELD name, versions, edition "
            "WHERE name = 'Neo4j Kernel' RETURN versions, edition"
        ).records[0]
    versions, edition = kernel.values()
    if "BITEMPO_TEST_NEO4J_URI" not in os.environ:
        assert (versions, edition) == ([version_under_test()], "community")
    assert versions


def test_routing_addresses_reach_it_too(shared_server: Neo4jServer) -> None:
    uri = shared_server.uri.replace("bolt://", "neo4j://")
    auth = (shared_server.user, shared_server.password)
    with neo4j.GraphDatabase.driver(uri, auth=auth) as driver:
        assert driver.execute_query("RETURN 6 * 7 AS answer").records[0]["answer"] == 42


def test_a_wrong_password_is_refused(shared_server: Neo4jServer) -> None:
    auth = (shared_server.user, "not the password")
    with (
        neo4j.GraphDatabase.driver(shared_server.uri, auth=auth) as driver,
        pytest.raises(neo4j.exceptions.AuthError),
    ):
        driver.verify_connectivity()


def test_a_second_user_shares_it_and_leaves_it_running(shared_server: Neo4jServer) -> None:
    with neo4j_server() as other:
        assert other.uri == shared_server.uri
    with shared_server.driver() as driver:
        driver.verify_connectivity()


def test_killed_and_stopped_it_keeps_what_was_committed(own_server: Neo4jServer) -> None:
    with own_server.driver() as driver:
        driver.execute_query("CREATE (:Kept {by: 'kill'})")
    address = own_server.uri
    own_server.kill()
    with own_server.driver() as driver, pytest.raises(neo4j.exceptions.ServiceUnavailable):
        driver.verify_connectivity()
    own_server.start()
    assert own_server.uri == address
    with own_server.driver() as driver:
        driver.execute_query("CREATE (:Kept {by: 'stop'})")
        own_server.restart()
        found = driver.execute_query("MATCH (n:Kept) RETURN n.by AS by ORDER BY by").records
    assert [record["by"] for record in found] == ["kill", "stop"]


def test_its_state_file_may_name_a_process_that_is_someone_elses(tmp_path: Path) -> None:
    state = {"version": version_under_test(), "port": 7687, "pid": os.getpid(), "ready": True}
    (tmp_path / "server.json").write_text(json.dumps(state))
    status = script("status", "--home", str(tmp_path))
    assert (status.returncode, status.stdout) == (1, f"no server runs on {tmp_path}\n")
    assert script("stop", "--home", str(tmp_path)).returncode == 0  # and we are still here


def test_data_of_another_version_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text(json.dumps({"version": "4.4.0", "port": 7687}))
    done = script("start", "--home", str(tmp_path))
    assert done.returncode == 1
    assert "holds data of Neo4j 4.4.0" in done.stderr


def test_a_password_that_is_too_short_is_refused_before_anything_starts(tmp_path: Path) -> None:
    done = script("start", "--home", str(tmp_path), "--password-env", "PASSWORD", PASSWORD="short")
    assert done.returncode == 1
    assert "PASSWORD must hold the password, of 8 characters or more" in done.stderr


def test_without_maven_it_says_what_to_install(tmp_path: Path) -> None:
    done = script(
        *("start", "--home", str(tmp_path / "home")),
        PATH=str(tmp_path),
        BITEMPO_NEO4J_CACHE=str(tmp_path / "cache"),
    )
    assert done.returncode == 3
    assert "install" in done.stderr


def script(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
