"""bitempo, Graphiti and Mem0, driven alike: each with its own client, prompts and checks."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from benchmarks.endpoint import DIMENSIONS
from benchmarks.episodes import SPEAKER, Said
from bitempo import LLMExtractor, Memory
from bitempo.engine.store.port import Store
from bitempo.engine.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from bitempo.engine.store.neo4j.address import Address

MODEL = "scripted"
KEY = "none"


@dataclass(frozen=True)
class Kept:
    """How many facts there are, and how many of them have an end; None: it knows of no ends."""

    facts: int
    ended: int | None


class System(Protocol):
    """A memory under measurement. What it holds belongs to one owner at a time."""

    name: str

    async def open(self) -> None:
        """Make it ready, indexes included."""
        ...

    async def begin(self) -> None:
        """Begin with an owner who has nothing yet."""
        ...

    async def add(self, session: str, turns: Sequence[Said]) -> None:
        """Take in a session's turns, all at once."""
        ...

    async def kept(self) -> Kept:
        """What the owner has."""
        ...

    async def close(self) -> None:
        """Delete what was written, and let go."""
        ...


class Bitempo:
    """bitempo with a model as its extractor, on a store that it closes."""

    def __init__(self, name: str, store: Store, url: str) -> None:
        self.name = name
        extractor = LLMExtractor(MODEL, base_url=url, api_key=KEY)
        self._memory = Memory(store, extractor=extractor)

    async def open(self) -> None:
        """It is."""

    async def begin(self) -> None:
        self._tenant = self._memory.tenant(_fresh())

    async def add(self, session: str, turns: Sequence[Said]) -> None:
        messages = [
            {"role": "user", "content": said.text, "timestamp": said.at.isoformat()}
            for said in turns
        ]
        report = self._tenant.ingest(messages, session=session, actor=SPEAKER)
        if report.failed or report.rejections or report.malformed:
            raise RuntimeError(f"{self.name} did not take in all of {session}: {report}")

    async def kept(self) -> Kept:
        facts = self._tenant.history(SPEAKER)
        return Kept(len(facts), sum(fact.valid_to is not None for fact in facts))

    async def close(self) -> None:
        self._memory.close()


class BitempoOnSqlite(Bitempo):
    """On a file, written through to the disk at every commit."""

    def __init__(self, url: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bitempo-cost-")
        super().__init__("bitempo, SQLite", SqliteStore(f"{self._folder.name}/memory.db"), url)

    async def close(self) -> None:
        await super().close()
        self._folder.cleanup()


class BitempoOnNeo4j(Bitempo):
    """On a server."""

    def __init__(self, url: str, address: Address) -> None:
        from bitempo.engine.store.neo4j import Neo4jStore

        self._address = address
        self._owners: list[str] = []
        store = Neo4jStore(address.uri, user=address.user, password=address.password)
        super().__init__("bitempo, Neo4j", store, url)

    async def begin(self) -> None:
        await super().begin()
        self._owners.append(self._tenant.name)

    async def close(self) -> None:
        from bitempo.engine.store.neo4j.schema import LABELS

        await super().close()
        _delete(self._address, "|".join(LABELS), "tenant", self._owners)
        _delete(self._address, "BitempoTenant", "name", self._owners)


class GraphitiOnNeo4j:
    """graphiti-core as its documentation sets it up for OpenAI-compatible endpoints."""

    name = "Graphiti, Neo4j"

    def __init__(self, url: str, address: Address) -> None:
        from graphiti_core.driver.neo4j_driver import Neo4jDriver

        from benchmarks.scripted import graphiti_at

        self._address = address
        self._owners: list[str] = []
        self._driver = Neo4jDriver(address.uri, address.user, address.password)
        self._graphiti = graphiti_at(url, self._driver)

    async def open(self) -> None:
        await self._graphiti.build_indices_and_constraints()

    async def begin(self) -> None:
        self._owners.append(_fresh())

    async def add(self, session: str, turns: Sequence[Said]) -> None:
        from graphiti_core.nodes import EpisodeType

        await self._graphiti.add_episode(
            name=session,
            episode_body="\n".join(f"{SPEAKER}: {said.text}" for said in turns),
            source_description=session,
            reference_time=turns[-1].at,
            source=EpisodeType.message,
            group_id=self._owners[-1],
        )

    async def kept(self) -> Kept:
        found = await self._driver.client.execute_query(
            "MATCH ()-[e:RELATES_TO {group_id: $group}]->() "
            "RETURN count(e) AS facts, count(e.invalid_at) AS ended",
            group=self._owners[-1],
        )
        return Kept(**found.records[0].data())

    async def close(self) -> None:
        await self._graphiti.close()
        _delete(self._address, "Entity|Episodic", "group_id", self._owners)


class Mem0:
    """Mem0 with its default vector store, in a folder; its optional NLP packages are not used."""

    name = "Mem0, Qdrant"

    def __init__(self, url: str) -> None:
        self._closing = ExitStack()
        folder = self._closing.enter_context(tempfile.TemporaryDirectory(prefix="mem0-cost-"))
        # Read when it is imported: else it writes to the home folder and sends home what it does.
        os.environ["MEM0_DIR"] = folder
        os.environ["MEM0_TELEMETRY"] = "False"
        from mem0 import Memory as Mem0Memory

        common = {"model": MODEL, "api_key": KEY, "openai_base_url": url}
        vectors = {
            "collection_name": "cost",
            "embedding_model_dims": DIMENSIONS,
            "path": str(Path(folder) / "qdrant"),
            "on_disk": True,
        }
        self._memory: Any = Mem0Memory.from_config(
            {
                "llm": {"provider": "openai", "config": common},
                "embedder": {
                    "provider": "openai",
                    "config": common | {"embedding_dims": DIMENSIONS},
                },
                "vector_store": {"provider": "qdrant", "config": vectors},
                "history_db_path": str(Path(folder) / "history.db"),
            }
        )

    async def open(self) -> None:
        """It is."""

    async def begin(self) -> None:
        self._owner = _fresh()

    async def add(self, session: str, turns: Sequence[Said]) -> None:
        messages = [{"role": "user", "content": said.text, "name": SPEAKER} for said in turns]
        self._memory.add(messages, user_id=self._owner, metadata={"session": session})

    async def kept(self) -> Kept:
        found = self._memory.get_all(filters={"user_id": self._owner}, top_k=1_000)
        return Kept(len(found["results"]), None)

    async def close(self) -> None:
        self._memory.close()
        self._closing.close()


def versions(names: Sequence[str]) -> dict[str, str]:
    """The installed versions of these packages."""
    return {name: version(name) for name in names}


def _fresh() -> str:
    return f"cost-{uuid.uuid4().hex[:12]}"


def _delete(address: Address, labels: str, key: str, owners: Sequence[str]) -> None:
    from bitempo.engine.store.neo4j.address import Options
    from bitempo.engine.store.neo4j.connection import connect

    with connect(address, Options()) as driver, driver.session() as session:
        session.run(
            f"MATCH (n:{labels}) WHERE n.{key} IN $owners "
            "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS",
            owners=list(owners),
        ).consume()
