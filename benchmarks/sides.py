"""Graphiti and bitempo on one server, given the same to do, one after the other."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, quantiles
from typing import Any

from graphiti_core.nodes import EpisodeType

from benchmarks.counting import CountingDriver
from benchmarks.endpoint import Endpoint
from benchmarks.scripted import graphiti_at
from benchmarks.told import Said, script
from bitempo import LLMExtractor, Memory, Turn
from bitempo.engine.store.neo4j import Neo4jStore
from bitempo.engine.store.neo4j.address import Address
from bitempo.engine.store.neo4j.schema import LABELS
from bitempo.engine.time import from_datetime

RESULTS = 10
TURNS_OF_A_SESSION = 10
_DELETE = "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS"


@dataclass(frozen=True)
class Counts:
    """What has been asked for: of the model, of the embedder, of the server."""

    model: int
    embedder: int
    statements: int


@dataclass
class Measured:
    """One side of one case; a value for each episode or question."""

    milliseconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)

    def summary(self) -> dict[str, float]:
        """Means of what is counted, percentiles of the times."""
        cut = quantiles(self.milliseconds, n=20, method="inclusive")
        return {
            "model calls": fmean(one.model for one in self.counts),
            "embedding calls": fmean(one.embedder for one in self.counts),
            "statements": fmean(one.statements for one in self.counts),
            "p50 ms": cut[9],
            "p95 ms": cut[18],
            "client ms": fmean(self.processor),
        }


class Sides:
    """Graphiti and bitempo, each with a place of its own on the server."""

    def __init__(self, address: Address, said: Sequence[Said]) -> None:
        self.name = f"bench-{uuid.uuid4().hex[:12]}"
        self.endpoint = Endpoint(script(said))
        self.driver = CountingDriver(address.uri, address.user, address.password)
        self.graphiti = graphiti_at(self.endpoint.url, self.driver)
        self.statements = 0
        store = Neo4jStore(
            address.uri, user=address.user, password=address.password, observer=self._observe
        )
        extractor = LLMExtractor("scripted", base_url=self.endpoint.url, api_key="none")
        self.memory = Memory(store, extractor=extractor)
        self.tenant = self.memory.tenant(self.name)

    async def open(self) -> None:
        """Make the indexes that Graphiti wants; bitempo's were made when it was opened."""
        await self.graphiti.build_indices_and_constraints()

    async def add(self, measured: tuple[Measured, Measured], said: Said, number: int) -> None:
        """Both take in one episode."""
        session = f"session {number // TURNS_OF_A_SESSION}"
        turn = Turn(said.text, said.speaker, from_datetime(said.at))

        async def graphiti() -> None:
            await self.graphiti.add_episode(
                name=f"episode {number}",
                episode_body=said.text,
                source_description=session,
                reference_time=said.at,
                source=EpisodeType.message,
                group_id=self.name,
            )

        async def bitempo() -> None:
            report = self.tenant.append(session, turn)
            if report.failed or report.rejections or report.new_turns != 1:
                raise RuntimeError(f"bitempo did not take in episode {number}: {report}")

        await self._measure(measured[0], graphiti)
        await self._measure(measured[1], bitempo)

    async def ask(self, measured: tuple[Measured, Measured], question: str) -> tuple[int, int]:
        """Both answer one question; gives how many results each has."""
        found = [0, 0]

        async def graphiti() -> None:
            edges = await self.graphiti.search(question, group_ids=[self.name], num_results=RESULTS)
            found[0] = len(edges)

        async def bitempo() -> None:
            found[1] = len(self.tenant.recall(question, limit=RESULTS).items)

        await self._measure(measured[0], graphiti)
        await self._measure(measured[1], bitempo)
        return found[0], found[1]

    async def kept(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """How many facts each has, and how many of them have ended."""
        rows = await self.driver.client.execute_query(
            "MATCH ()-[e:RELATES_TO {group_id: $group}]->() "
            "RETURN count(e) AS facts, count(e.invalid_at) AS ended",
            group=self.name,
        )
        people = {fact.subject.name for fact in self.tenant.as_of()}
        kept = [fact for person in people for fact in self.tenant.history(person)]
        ended = sum(fact.valid_to is not None for fact in kept)
        return rows.records[0].data(), {"facts": len(kept), "ended": ended}

    async def close(self) -> None:
        """Delete what was written, and let go of the server."""
        for labels, owner in (("Entity|Episodic", "group_id"), ("|".join(LABELS), "tenant")):
            where = f"MATCH (n:{labels}) WHERE n.{owner} = $name"
            await self._delete(where)
        await self._delete("MATCH (n:BitempoTenant {name: $name})")
        self.memory.close()
        await self.driver.close()
        self.endpoint.close()

    async def _delete(self, found: str) -> None:
        async with self.driver.client.session() as session:
            await (await session.run(f"{found} {_DELETE}", name=self.name)).consume()

    async def _measure(self, measured: Measured, work: Callable[[], Awaitable[None]]) -> None:
        before = self._statements()
        self.endpoint.taken()
        started, worked = time.perf_counter(), time.process_time()
        await work()
        worked, elapsed = time.process_time() - worked, time.perf_counter() - started
        asked = self.endpoint.taken()
        measured.milliseconds.append(1e3 * elapsed)
        measured.processor.append(1e3 * worked)
        done = self._statements() - before
        measured.counts.append(Counts(asked.calls, asked.embedding_calls, done))

    def _statements(self) -> int:
        # One side works at a time, so that all of the difference is its own.
        return self.driver.statements + self.statements

    def _observe(self, statement: str, parameters: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.statements += 1
