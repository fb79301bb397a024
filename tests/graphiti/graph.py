"""Graphiti graphs to import from: told to Graphiti in words, or saved record by record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from graphiti_core import Graphiti
from graphiti_core.driver.neo4j_driver import Neo4jDriver
from graphiti_core.edges import EntityEdge, EpisodicEdge
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode

from benchmarks.script import Script, Told
from benchmarks.scripted import HashEmbedder, ScriptedModel, graphiti
from bitempo import Memory, Tenant
from bitempo.graphiti import import_graphiti
from bitempo.ingest.graphiti import GraphitiImport
from tests.servers.running import Neo4jServer

Result = TypeVar("Result")

PARIS = "Ana lives in Paris"
LONDON = "Ana lives in London"
ROME = "Ana lives in Rome"
TEA = "Ana likes tea"
ACME = "Bo works at Acme"
BETA = "Bo works at Beta"

SCRIPT = Script(
    {
        "Ana: I have lived in Paris since January.": [
            Told("Ana", "LIVES_IN", "Paris", PARIS, "2024-01-01T00:00:00Z")
        ],
        "Ana: I moved to London in March.": [
            Told("Ana", "LIVES_IN", "London", LONDON, "2024-03-01T00:00:00Z", contradicts=(PARIS,))
        ],
        "Ana: In June I went on to Rome. I like tea.": [
            Told("Ana", "LIVES_IN", "Rome", ROME, "2024-06-01T00:00:00Z", contradicts=(LONDON,)),
            Told("Ana", "LIKES", "Tea", TEA),
        ],
        "Ana: Tea again, as ever.": [
            Told("Ana", "LIKES", "Tea", "Ana likes tea as ever", repeats=TEA)
        ],
        "Bo: I have been at Acme since 2020.": [
            Told("Bo", "WORKS_AT", "Acme", ACME, "2020-01-01T00:00:00Z")
        ],
        "Bo: I left Acme for Beta in May.": [
            Told("Bo", "WORKS_AT", "Beta", BETA, "2024-05-01T00:00:00Z", contradicts=(ACME,))
        ],
    }
)
_DATES = {
    "Ana": ["2024-01-10", "2024-03-10", "2024-06-10", "2024-06-20"],
    "Bo": ["2024-02-01", "2024-05-20"],
}


def at(text: str) -> datetime:
    """The time, in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@dataclass
class Graph:
    """Two groups of a Graphiti graph on a server, which no other test writes to."""

    server: Neo4jServer
    group: str
    other: str

    def run(self, work: Callable[[Graphiti], Awaitable[Result]], script: Script = SCRIPT) -> Result:
        """Do something with Graphiti's own class."""

        async def whole() -> Result:
            driver = Neo4jDriver(self.server.uri, self.server.user, self.server.password)
            one = graphiti(driver, ScriptedModel(script), HashEmbedder())
            try:
                await one.build_indices_and_constraints()
                return await work(one)
            finally:
                await one.close()

        return asyncio.run(whole())

    def query(self, statement: str, **parameters: Any) -> list[list[Any]]:
        """The rows that a statement gives; `$group` is the first group."""
        with self.server.driver() as driver:
            found = driver.execute_query(statement, {"group": self.group, **parameters})
        return [record.values() for record in found.records]

    def remove(self, *groups: str) -> None:
        """Delete what the groups (both by default) hold, and nothing else."""
        self.query(
            "MATCH (n:Entity|Episodic|Community|Saga) WHERE n.group_id IN $groups DETACH DELETE n",
            groups=list(groups or (self.group, self.other)),
        )

    def state(self) -> list[str]:
        """Everything that the first group holds but for embeddings, to compare."""
        nodes = self.query(
            "MATCH (n) WHERE n.group_id = $group RETURN labels(n), n {.*, name_embedding: null}"
        )
        edges = self.query(
            "MATCH (a)-[e]->(b) WHERE e.group_id = $group "
            "RETURN type(e), a.uuid, b.uuid, e {.*, fact_embedding: null}"
        )
        return sorted(str([_ordered(value) for value in row]) for row in [*nodes, *edges])

    def edges(self) -> dict[str, EntityEdge]:
        """The first group's facts as graphiti-core reads them, by text."""
        found = self.run(lambda one: EntityEdge.get_by_group_ids(one.driver, [self.group]))
        return {edge.fact: edge for edge in found}

    def take(self, memory: Memory, **options: Any) -> GraphitiImport:
        """Import the first group."""
        (done,) = import_graphiti(memory, self.server.location, group_ids=[self.group], **options)
        return done

    def tenant(self, memory: Memory) -> Tenant:
        """The tenant that the first group becomes."""
        return memory.tenant(self.group)

    def save(self, *records: EntityNode | EpisodicNode | EntityEdge | EpisodicEdge) -> None:
        """Save records with graphiti-core's own methods."""

        async def work(one: Graphiti) -> None:
            for record in records:
                if isinstance(record, EntityNode):
                    await record.generate_name_embedding(HashEmbedder())
                if isinstance(record, EntityEdge):
                    await record.generate_embedding(HashEmbedder())
                await record.save(one.driver)

        self.run(work)

    def entity(self, name: str, **fields: Any) -> EntityNode:
        """An entity of the first group, not saved yet."""
        fields = {"created_at": at("2024-01-02"), "summary": "", **fields}
        return EntityNode(name=name, group_id=self.group, **fields)

    def episode(self, content: str, created_at: str, **fields: Any) -> EpisodicNode:
        """An episode of the first group, not saved yet."""
        fields = {
            "name": "told",
            "source": EpisodeType.message,
            "source_description": "chat",
            "valid_at": at(created_at),
            **fields,
        }
        return EpisodicNode(
            group_id=self.group, content=content, created_at=at(created_at), **fields
        )

    def edge(
        self, source: EntityNode, name: str, target: EntityNode, created_at: str, **fields: Any
    ) -> EntityEdge:
        """A fact of the first group, not saved yet; times can be given as text."""
        times = {
            key: at(value) if key.endswith("_at") and isinstance(value, str) else value
            for key, value in fields.items()
        }
        return EntityEdge(
            group_id=self.group,
            source_node_uuid=source.uuid,
            target_node_uuid=target.uuid,
            name=name,
            created_at=at(created_at),
            **{"fact": f"{source.name} {name} {target.name}", **times},
        )


def tell(graph: Graph) -> None:
    """Have Graphiti take in what Ana said, in the first group, and Bo, in the second."""

    async def work(one: Graphiti) -> None:
        for speaker, group in (("Ana", graph.group), ("Bo", graph.other)):
            said = [content for content in SCRIPT.episodes if content.startswith(speaker)]
            for content, date in zip(said, _DATES[speaker], strict=True):
                await add(one, group, content, date)

    graph.run(work)


async def add(one: Graphiti, group: str, content: str, date: str, **options: Any) -> None:
    """Have Graphiti take in one message."""
    await one.add_episode(
        name=f"message of {date}",
        episode_body=content,
        source_description="chat",
        reference_time=at(date),
        source=EpisodeType.message,
        group_id=group,
        **options,
    )


def _ordered(value: Any) -> Any:
    return sorted(value.items()) if isinstance(value, Mapping) else value
