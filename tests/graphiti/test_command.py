"""The `graphiti` forms of import and export on the command line, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitempo import InvalidInputError, Memory, NotFoundError, StoreError
from bitempo.graphiti import chosen_groups, import_graphiti
from tests.cli.runner import Run, runner
from tests.graphiti.graph import ROME, Graph


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ("BITEMPO_STORE", "BITEMPO_TENANT", "BITEMPO_NEO4J_USER", "BITEMPO_NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return runner(capsys, "--store", str(tmp_path / "memory.db"))


def test_groups_are_imported_and_what_was_left_out_is_said(told: Graph, run: Run) -> None:
    arguments = ("import", "graphiti", told.server.location)
    done = run(*arguments, "--group-id", told.group, "--group-id", told.other, "--json")
    assert done.code == 0
    assert [(one["group_id"], one["episodes"], one["facts"]) for one in done.json["groups"]] == [
        (told.group, 4, 4),
        (told.other, 2, 2),
    ]
    assert done.json["groups"][0]["malformed"] == []
    again = run(*arguments, "--group-id", told.group)
    assert again.out == (
        f"group '{told.group}' into tenant '{told.group}': 0 episodes, 0 facts, 0 entities; "
        "0 facts changed, 4 there already\n"
    )
    assert ROME in run("as-of", "Ana", "--tenant", told.group, "--json").out


def test_a_group_goes_into_the_tenant_that_is_named(told: Graph, run: Run) -> None:
    source = ("import", "graphiti", told.server.location)
    assert run(*source, "--group-id", told.group, "--tenant", "ana").code == 0
    assert ROME in run("as-of", "Ana", "--tenant", "ana", "--json").out
    both = run(*source, "--group-id", told.group, "--group-id", told.other, "--tenant", "ana")
    both.refused(2, "2 groups and one tenant")


def test_a_tenant_is_exported(told: Graph, run: Run) -> None:
    before = told.state()
    assert run("import", "graphiti", told.server.location, "--group-id", told.group).code == 0
    done = run("export", "graphiti", told.server.location, "--tenant", told.group, "--json")
    assert (done.code, done.json["facts"], done.json["closed"]) == (0, 4, 2)
    assert "no embeddings" in done.err
    assert told.state() == before


def test_what_cannot_be_meant_is_refused(told: Graph, run: Run) -> None:
    run("import", "memory.jsonl", told.server.location).refused(2, "go with graphiti")
    run("import", "graphiti", "--group-id", "x").refused(2, "name the server")
    run("import", "graphiti", "localhost").refused(2, "bolt://")
    run("export", "graphiti", told.server.location).refused(2, "--tenant")


def test_a_wrong_password_is_said(told: Graph, run: Run) -> None:
    host = told.server.uri.partition("://")[2]
    failed = run("import", "graphiti", f"bolt://neo4j:not-the-password@{host}")
    failed.refused(1, "does not accept the user and password", "BITEMPO_NEO4J_PASSWORD")
    assert "not-the-password" not in failed.err


def test_a_group_that_is_not_there_is_said_with_those_that_are(told: Graph) -> None:
    with Memory.open(":memory:") as memory, pytest.raises(NotFoundError) as raised:
        import_graphiti(memory, told.server.location, group_ids=["not there"])
    assert "has no group 'not there'; it has '" in str(raised.value)


def test_a_database_without_graphiti_is_said() -> None:
    # Other tests share the server, so that no database of it is sure to be empty.
    with pytest.raises(NotFoundError, match="no Graphiti data"):
        chosen_groups([], None, "bolt://localhost:7687")


def test_a_server_that_is_not_there_is_said() -> None:
    with Memory.open(":memory:") as memory, pytest.raises(StoreError, match="cannot be reached"):
        import_graphiti(memory, "bolt://127.0.0.1:1")


def test_the_group_without_an_id_needs_a_tenant(graph: Graph) -> None:
    entity = graph.entity("Ana")
    entity.group_id = ""
    graph.save(entity)
    try:
        with Memory.open(":memory:") as memory:
            with pytest.raises(InvalidInputError, match="--group-id ''"):
                import_graphiti(memory, graph.server.location, group_ids=[""])
            (done,) = import_graphiti(
                memory, graph.server.location, group_ids=[""], tenant="default"
            )
            assert done.entities >= 1
    finally:
        graph.query("MATCH (n:Entity {uuid: $uuid}) DETACH DELETE n", uuid=entity.uuid)
