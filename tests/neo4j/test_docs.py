"""Every query of docs/neo4j.md runs, and answers what its heading says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from bitempo import Statement, Tenant
from bitempo.engine.store.neo4j import schema, statements
from bitempo.engine.time import parse_instant, to_datetime
from tests.conformance.telling import fresh, instant
from tests.neo4j.conftest import Opening
from tests.neo4j.workload import ROOT, open_memory
from tests.servers.running import Neo4jServer

PAGE = (ROOT / "docs" / "neo4j.md").read_text(encoding="utf-8")
QUERIES = dict(re.findall(r"^### (.+?)\n\n```cypher\n(.+?)```$", PAGE, re.M | re.S))


NOW = parse_instant("2025-01-01")


@dataclass(frozen=True)
class Told:
    tenant: Tenant
    times: tuple[Any, ...]


@pytest.fixture(scope="module")
def moved(server: Neo4jServer) -> Iterator[Told]:
    """Ana moved from Lima to Oslo, where Bo lives, and it was June and not May."""
    with open_memory(server.location) as memory:
        tenant = fresh(memory)
        lima = tenant.assert_fact(
            "Ana", "LIVES_IN", "Lima", valid_from="2024-01-05", text="Ana lives in Lima"
        )
        may = tenant.assert_fact(
            "Ana", "LIVES_IN", "Oslo", valid_from="2024-05-01", text="Ana lives in Oslo"
        )
        june = tenant.assert_fact(
            "Ana",
            "LIVES_IN",
            "Oslo",
            valid_from="2024-06-01",
            text="Ana lives in Oslo since June",
            corrects=may.assertion_id,
        )
        tenant.assert_facts(
            [
                Statement("Bo", "LIVES_IN", "Oslo", valid_from="2020", text="Bo lives in Oslo"),
                Statement("Ana", "AGE", value=30, valid_from="2024", text="Ana is 30"),
            ]
        )
        yield Told(tenant, (lima.tx, may.tx, june.tx))


def ask(server: Neo4jServer, told: Told, heading: str, **changed: Any) -> list[dict[str, Any]]:
    parameters = {
        "tenant": told.tenant.name,
        "subject": "Ana",
        "predicate": "LIVES_IN",
        "valid_at": to_datetime(instant(told.times[0])),
        "known_at": to_datetime(instant(told.times[2]) + 1_000),
        "fan_out": 50,
        **changed,
    }
    with server.driver() as driver:
        found = driver.execute_query(QUERIES[heading], parameters_=parameters)
        return [record.data() for record in found.records]


def column(rows: list[dict[str, Any]], *names: str) -> list[Any]:
    """Values of each row; of times the first ten characters."""

    def shown(value: Any) -> Any:
        return value.iso_format()[:10] if hasattr(value, "iso_format") else value

    found = [tuple(shown(row[name]) for name in names) for row in rows]
    return [row[0] for row in found] if len(names) == 1 else found


def test_every_query_of_the_page_is_tried_here() -> None:
    assert set(QUERIES) == {
        "What is true at a point in both times",
        "The history of a slot, as known at one time",
        "Every version that was ever believed",
        "Why a fact is believed",
        "Neighbours of an entity at a point in time, two steps away",
        "The facts around an entity, two steps away, at most so many of each entity",
        "What changed between two transaction times",
        "What a tenant holds",
    }
    assert PAGE.count("```cypher") == len(QUERIES)


def test_what_is_true(server: Neo4jServer, moved: Told) -> None:
    heading = "What is true at a point in both times"
    may = to_datetime(instant(moved.times[0]) - 5 * 365 * 86_400_000_000)
    assert column(ask(server, moved, heading), "answer", "since") == [("Oslo", "2024-06-01")]
    assert ask(server, moved, heading, valid_at=may.replace(year=2023)) == []  # type: ignore[union-attr]
    in_may = {"valid_at": may.replace(year=2024, month=5, day=15)}  # type: ignore[union-attr]
    assert column(ask(server, moved, heading, **in_may), "answer") == ["Lima"]
    then = ask(server, moved, heading, **in_may, known_at=moved.times[1])
    assert column(then, "answer") == ["Oslo"]
    assert column(ask(server, moved, heading, predicate="AGE"), "answer") == ["30"]


def test_history(server: Neo4jServer, moved: Told) -> None:
    heading = "The history of a slot, as known at one time"
    assert column(ask(server, moved, heading), "answer", "from", "to") == [
        ("Lima", "2024-01-05", "2024-06-01"),
        ("Oslo", "2024-06-01", None),
    ]
    before = ask(server, moved, heading, known_at=moved.times[0])
    assert column(before, "answer", "to") == [("Lima", None)]


def test_versions(server: Neo4jServer, moved: Told) -> None:
    found = ask(server, moved, "Every version that was ever believed")
    assert column(found, "answer") == ["Lima", "Lima", "Oslo", "Lima", "Oslo"]
    assert [row["believed_to"] is None for row in found] == [False, False, False, True, True]
    assert [row["supersedes"] for row in found] == [0, 1, 1, 2, 2]
    versions = moved.tenant.history("Ana", "LIVES_IN", versions=True)
    assert len(found) == len(versions)


def test_why(server: Neo4jServer, moved: Told) -> None:
    [why] = ask(server, moved, "Why a fact is believed")
    assert (why["role"], why["assertion"]) == ("SUPPORTED_BY", "Ana lives in Oslo since June")
    assert why["corrects"] == "Ana lives in Oslo"
    assert why["episode"]


def test_neighbours(server: Neo4jServer, moved: Told) -> None:
    heading = "Neighbours of an entity at a point in time, two steps away"
    assert column(ask(server, moved, heading), "neighbour", "steps") == [("Oslo", 1), ("Bo", 2)]
    early = to_datetime(instant(moved.times[0]))
    assert early is not None
    then = ask(server, moved, heading, valid_at=early.replace(year=2024, month=2))
    assert column(then, "neighbour", "steps") == [("Lima", 1)]


def test_facts_around(server: Neo4jServer, moved: Told) -> None:
    heading = "The facts around an entity, two steps away, at most so many of each entity"
    for fan_out in (50, 1):
        found = ask(server, moved, heading, fan_out=fan_out, valid_at=to_datetime(NOW))
        near = moved.tenant.neighbours(
            "Ana", hops=2, fan_out=fan_out, valid_at=to_datetime(NOW), modality=None
        )
        expected = sorted((one.distance, one.fact.text) for one in near)
        assert column(found, "distance", "fact") == expected
        assert len(expected) == (3 if fan_out == 50 else 1)


def test_changes(server: Neo4jServer, moved: Told) -> None:
    heading = "What changed between two transaction times"
    found = ask(server, moved, heading, known_before=moved.times[0], known_at=moved.times[2])
    assert column(found, "change", "fact", "from") == [
        ("believed", "Ana lives in Lima", "2024-01-05"),
        ("believed", "Ana lives in Oslo since June", "2024-06-01"),
        ("no longer", "Ana lives in Lima", "2024-01-05"),
    ]
    diff = moved.tenant.diff(moved.times[0], moved.times[2])
    assert (len(diff.believed), len(diff.no_longer)) == (2, 1)


def test_what_a_tenant_holds(server: Neo4jServer, moved: Told) -> None:
    [row] = ask(server, moved, "What a tenant holds")
    stats = moved.tenant.stats()
    assert (row["episodes"], row["assertions"], row["facts"]) == (
        stats.episodes,
        stats.assertions,
        stats.facts,
    )


def test_labels_and_relationships_of_the_page_and_the_style_are_those_of_the_store() -> None:
    style = (ROOT / "docs" / "neo4j.grass").read_text(encoding="utf-8")
    styled = set(re.findall(r"node\.(\w+)", style))
    assert styled == set(schema.LABELS) - {"BitempoSchema"}
    assert set(re.findall(r"\bBitempo[A-Z]\w+", PAGE)) == styled
    for relationship in statements.ROLES:
        assert relationship in PAGE


def test_the_options_of_the_page_are_those_of_a_location(
    opened: Opening, server: Neo4jServer
) -> None:
    options = re.findall(r"^\| `(\w+_\w+)` \|", PAGE, re.M)
    assert len(options) == 6
    opened(server.location + "?" + "&".join(f"{name}=40" for name in options))
