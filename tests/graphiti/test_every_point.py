"""At every point in both times, what is believed is what Graphiti's rows say was believed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from bitempo import Memory
from tests.graphiti.graph import Graph, at

DAY = timedelta(days=1)
START = at("2020-01-01")
KNOWN = at("2024-01-01")


@dataclass
class Fact:
    """A fact as Graphiti's row has it, and which two entities it is about."""

    uuid: str
    source: str
    target: str
    created_at: datetime
    valid_at: datetime
    invalid_at: datetime | None = None
    expired_at: datetime | None = None

    def held(self, valid_at: datetime, known_at: datetime) -> bool:
        """Whether it was believed at `known_at` that it held at `valid_at`."""
        if known_at < self.created_at or valid_at < self.valid_at:
            return False
        expired = self.expired_at is not None and self.expired_at <= known_at
        if expired and self.invalid_at is None:
            return False
        ended = expired or self.expired_at is None
        return not (ended and self.invalid_at is not None and valid_at >= self.invalid_at)

    @property
    def row(self) -> dict[str, Any]:
        properties = {
            "uuid": self.uuid,
            "name": "KNOWS",
            "fact": self.uuid,
            "episodes": [],
            "created_at": self.created_at,
            "valid_at": self.valid_at,
            "invalid_at": self.invalid_at,
            "expired_at": self.expired_at,
        }
        return {"source": self.source, "target": self.target, "properties": properties}


@pytest.mark.parametrize("seed", range(4))
def test_belief_is_graphitis_at_every_point(graph: Graph, seed: int) -> None:
    chance = random.Random(seed)
    names = ["Ana", "Bo", "Cy"]
    graph.query(
        "UNWIND $names AS name CREATE (n:Entity {uuid: name + $group, name: name, "
        "group_id: $group, summary: '', created_at: $at})",
        names=names,
        at=KNOWN,
    )
    facts = [invented(chance, graph, n, names) for n in range(30)]
    with Memory.open(":memory:") as memory:
        put(graph, facts)
        assert graph.take(memory).malformed == []
        compare(graph, memory, facts, [KNOWN + DAY * n for n in range(60)])
        for fact in facts:
            # Ends that Graphiti learns of after the import, and ends that it overwrites.
            if chance.random() < 0.4:
                fact.invalid_at = fact.valid_at + DAY * chance.randint(1, 40)
                fact.expired_at = fact.expired_at or KNOWN + DAY * chance.randint(61, 80)
        later = [invented(chance, graph, n, names, first=81) for n in range(30, 40)]
        put(graph, [*facts, *later])
        graph.take(memory)
        compare(graph, memory, [*facts, *later], [KNOWN + DAY * 500])
        assert graph.take(memory).unchanged == len(facts) + len(later)


def invented(
    chance: random.Random, graph: Graph, number: int, names: list[str], first: int = 0
) -> Fact:
    """A fact of some shape: open, bounded from the first, ended later, or withdrawn."""
    source, target = chance.sample(names, 2)
    created_at = KNOWN + DAY * chance.randint(first, first + 20)
    fact = Fact(
        f"{graph.group}-{number}",
        source + graph.group,
        target + graph.group,
        created_at,
        START + DAY * chance.randint(0, 40),
    )
    shape = chance.random()
    if shape < 0.6:
        fact.invalid_at = fact.valid_at + DAY * chance.randint(1, 40)
    if 0.2 < shape < 0.75:
        fact.expired_at = created_at + DAY * chance.randint(1, 20)
    return fact


def put(graph: Graph, facts: list[Fact]) -> None:
    """Write the facts' rows as they are now."""
    graph.query(
        "UNWIND $rows AS row MATCH (a:Entity {uuid: row.source}) "
        "MATCH (b:Entity {uuid: row.target}) "
        "MERGE (a)-[e:RELATES_TO {uuid: row.properties.uuid}]->(b) "
        "SET e = row.properties, e.group_id = $group",
        rows=[fact.row for fact in facts],
    )


def compare(graph: Graph, memory: Memory, facts: list[Fact], known: list[datetime]) -> None:
    """What bitempo believes, and what the rows say was believed, at points of both times."""
    tenant = graph.tenant(memory)
    for known_at in known:
        believed = tenant.history("Ana", known_at=known_at)
        believed += tenant.history("Bo", known_at=known_at) + tenant.history(
            "Cy", known_at=known_at
        )
        for days in range(0, 85, 3):
            valid_at = START + DAY * days
            expected = {(f.source, f.target) for f in facts if f.held(valid_at, known_at)}
            found = {
                (
                    fact.subject.id.removeprefix("ent_"),
                    (fact.object.id if fact.object else "").removeprefix("ent_"),
                )
                for fact in believed
                if (fact.valid_from is None or fact.valid_from <= valid_at)
                and (fact.valid_to is None or valid_at < fact.valid_to)
            }
            assert found == expected, (known_at, valid_at)
