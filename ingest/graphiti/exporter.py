"""Export: write a tenant's belief into a group of a Graphiti graph."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bitempo.engine.errors import ConflictError, InvalidInputError, NotFoundError
from bitempo.engine.model import Episode
from bitempo.engine.store.port import Store
from bitempo.engine.time import Instant, format_instant
from bitempo.ingest.graphiti import kept, shapes
from bitempo.ingest.graphiti.belief import Belief, Believed
from bitempo.ingest.graphiti.gather import Gathered, gather, standing
from bitempo.ingest.graphiti.plan import BATCH, chunks
from bitempo.ingest.graphiti.report import GraphitiExport
from bitempo.ingest.graphiti.scope import id_of, out_of_group, own
from bitempo.ingest.graphiti.server import GraphitiServer
from bitempo.ingest.graphiti.shapes import Row

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Vectors of texts, as long as those of the embedder that Graphiti will search with."""

Progress = Callable[[int, int], None]
"""Called with the number of records written, and of all."""

_GROUP = re.compile(r"[a-zA-Z0-9_-]*")

# Graphiti makes the same under the same names; without them each MERGE would scan.
_INDEXES = (
    "CREATE INDEX entity_uuid IF NOT EXISTS FOR (n:Entity) ON (n.uuid)",
    "CREATE INDEX episode_uuid IF NOT EXISTS FOR (n:Episodic) ON (n.uuid)",
    "CREATE INDEX saga_uuid IF NOT EXISTS FOR (n:Saga) ON (n.uuid)",
    "CREATE INDEX relation_uuid IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.uuid)",
)
_ELSEWHERE = (
    "UNWIND $rows AS row MATCH (n:{label} {{uuid: row.uuid}}) "
    "WHERE n.group_id <> $group RETURN n.uuid, n.group_id LIMIT 1"
)
_ENTITIES = (
    "UNWIND $rows AS row MERGE (n:Entity {uuid: row.uuid}) "
    "WITH n, row WHERE row.ours OR n.group_id IS NULL SET n += row.properties, n:$(row.labels)"
)
_EPISODES = (
    "UNWIND $rows AS row MERGE (n:Episodic {uuid: row.uuid}) "
    "WITH n, row WHERE row.ours OR n.group_id IS NULL SET n += row.properties"
)
_FACTS = (
    "UNWIND $rows AS row MATCH (a:Entity {uuid: row.source}) MATCH (b:Entity {uuid: row.target}) "
    "MERGE (a)-[e:RELATES_TO {uuid: row.uuid}]->(b) "
    "WITH e, row WHERE row.ours OR e.group_id IS NULL SET e += row.properties"
)
_MENTIONS = (
    "UNWIND $rows AS row MATCH (a:Episodic {uuid: row.source}) MATCH (b:Entity {uuid: row.target}) "
    "MERGE (a)-[e:MENTIONS {uuid: row.uuid}]->(b) "
    "WITH e, row WHERE e.group_id IS NULL SET e += row.properties"
)
_SAGAS = (
    "UNWIND $rows AS row MERGE (s:Saga {uuid: row.uuid}) WITH s, row "
    "CALL (s, row) { WITH s, row WHERE row.ours OR s.group_id IS NULL SET s += row.properties } "
    "CALL (s, row) { UNWIND row.episodes AS uuid MATCH (e:Episodic {uuid: uuid}) "
    "MERGE (s)-[h:HAS_EPISODE]->(e) ON CREATE SET h.uuid = row.uuid + '/' + uuid, "
    "h.group_id = $group, h.created_at = e.created_at } "
    "CALL (row) { UNWIND range(1, size(row.episodes) - 1) AS i "
    "MATCH (a:Episodic {uuid: row.episodes[i - 1]}) MATCH (b:Episodic {uuid: row.episodes[i]}) "
    "MERGE (a)-[n:NEXT_EPISODE]->(b) ON CREATE SET n.uuid = a.uuid + '/' + b.uuid, "
    "n.group_id = $group, n.created_at = b.created_at }"
)
# An earlier version wrote our ids as they are; they are found, and not written twice.
_EARLIER_NODE = (
    "UNWIND $rows AS row MATCH (n:{label} {{uuid: row.earlier}}) "
    "WHERE n.group_id = $group SET n.uuid = row.uuid"
)
_EARLIER = {
    _ENTITIES: _EARLIER_NODE.format(label="Entity"),
    _EPISODES: _EARLIER_NODE.format(label="Episodic"),
    _SAGAS: _EARLIER_NODE.format(label="Saga"),
    _FACTS: "UNWIND $rows AS row MATCH (:Entity)-[e:RELATES_TO {uuid: row.earlier}]->(:Entity) "
    "WHERE e.group_id = $group SET e.uuid = row.uuid",
    _MENTIONS: "UNWIND $rows AS row MATCH (:Episodic {uuid: row.source})"
    "-[e:MENTIONS {uuid: row.earlier}]->(:Entity) "
    "WHERE e.group_id = $group SET e.uuid = row.uuid",
}
_STALE = (
    "MATCH (:Entity)-[e:RELATES_TO]->(:Entity) WHERE e.group_id = $group "
    "AND e.bitempo_basis <> $basis AND e.expired_at IS NULL "
    "SET e.expired_at = datetime($basis) RETURN count(e)"
)
_NODE_VECTORS = (
    "UNWIND $rows AS row MATCH (n:Entity {uuid: row.uuid}) "
    "CALL db.create.setNodeVectorProperty(n, 'name_embedding', row.vector)"
)
_FACT_VECTORS = (
    "UNWIND $rows AS row MATCH ()-[e:RELATES_TO {uuid: row.uuid}]->() "
    "CALL db.create.setRelationshipVectorProperty(e, 'fact_embedding', row.vector)"
)


def export_group(
    store: Store,
    tenant: str,
    server: GraphitiServer,
    *,
    now: Instant,
    group: str | None = None,
    embed: Embed | None = None,
    progress: Progress | None = None,
) -> GraphitiExport:
    """Write what the tenant believes; doing it again changes nothing but what has changed here.

    What came from Graphiti and has not changed here is written only where it is missing. What is
    ours has uuids of the group, so that several tenants go into one database. Facts of an earlier
    export that are no longer believed expire.

    Args:
        now: which ends are past.
        group: the group id; the tenant's name by default.
        embed: fills `name_embedding` and `fact_embedding`; without it none are written, and
            Graphiti finds what is new by its words alone.

    Raises:
        InvalidInputError: the tenant's name cannot be a group id, and none is given.
        NotFoundError: the tenant holds nothing.
        ConflictError: the server holds some of what came from Graphiti in another group.
        StoreError: the server failed; what was written until then stays.
    """
    name = tenant if group is None else group
    if not _GROUP.fullmatch(name):
        raise InvalidInputError(
            f"{name!r} cannot be a group id: Graphiti allows letters, digits, - and _; "
            "give another one"
        )
    found = gather(store.dump(tenant))
    if found.basis is None:
        raise NotFoundError(f"tenant {tenant!r} holds nothing to export")
    report = GraphitiExport(name, tenant, plans=found.plans, embedded=embed is not None)
    _Export(found, server, report, now, embed, progress).run(lambda: standing(store.dump(tenant)))
    return report


class _Export:
    def __init__(
        self,
        found: Gathered,
        server: GraphitiServer,
        report: GraphitiExport,
        now: Instant,
        embed: Embed | None,
        progress: Progress | None,
    ) -> None:
        self._found = found
        self._server = server
        self._report = report
        self._group = report.group_id
        self._belief = Belief(found, now)
        self._embed = embed
        self._progress = progress
        self._done = 0
        self._cited: dict[str, list[str]] = defaultdict(list)
        self._about: dict[str, set[str]] = defaultdict(set)

    def run(self, episodes: Callable[[], Iterable[Episode]]) -> None:
        for index in _INDEXES:
            self._server.execute(index)
        facts = list(self._belief.facts())
        for believed in facts:
            self._cite(believed)
        self._entities()
        self._facts(facts)
        self._episodes(episodes())
        stale = self._server.write([(_STALE, {"group": self._group, "basis": self._basis()})])
        self._report.expired_since = stale[0][0]

    def _cite(self, believed: Believed) -> None:
        fact = believed.fact
        for episode in fact.episodes:
            self._cited[episode].append(fact.uuid)
            self._about[episode] |= {fact.source, fact.target} - self._belief.literals.keys()

    def _entities(self) -> None:
        found = self._found
        theirs = [entity for _, entity in found.kept.values()]
        uuids = {entity.uuid for entity in theirs}
        ours = [
            shapes.entity_of(entity, uuid)
            for entity in found.entities.values()
            if (uuid := self._belief.uuid_of(entity.id)) not in uuids
        ]
        rows = [shapes.entity_row(one, self._group, ours=False) for one in theirs]
        rows += [
            shapes.entity_row(one, self._group, ours=True)
            for one in [*ours, *self._belief.literals.values()]
        ]
        self._write(_ENTITIES, rows, "Entity", (_NODE_VECTORS, "name"))
        self._report.entities = len(rows)

    def _facts(self, facts: Sequence[Believed]) -> None:
        rows = []
        for believed in facts:
            native = id_of(believed.fact.uuid) not in self._found.taken
            basis = self._found.basis if native else None
            rows.append(
                shapes.fact_row(believed.fact, self._group, ours=believed.ours, basis=basis)
            )
            self._report.closed += believed.fact.invalid_at is not None
        self._write(_FACTS, rows, None, (_FACT_VECTORS, "fact"))
        self._report.facts = len(rows)

    def _episodes(self, episodes: Iterable[Episode]) -> None:
        threads: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for chunk in chunks(episodes, BATCH):
            rows, mentions = [], []
            for episode in chunk:
                old = kept.graphiti_episode(episode)
                shape = old or shapes.episode_of(
                    episode,
                    self._found.told[episode.id].recorded_at,
                    self._cited.get(own(episode.id), ()),
                    self._about.get(own(episode.id), ()),
                )
                rows.append(shapes.episode_row(shape, self._group, ours=old is None))
                mentions += [
                    shapes.mention_row(shape.uuid, one, self._group, ours=old is None)
                    for one in shape.mentions
                ]
                if episode.session is not None:
                    threads[episode.session].append((episode.position or 0, shape.uuid))
            self._write(_EPISODES, rows, "Episodic")
            self._write(_MENTIONS, mentions, None)
            self._report.episodes += len(rows)
        self._sagas(threads)

    def _sagas(self, threads: dict[str, list[tuple[int, str]]]) -> None:
        rows = []
        for id, places in threads.items():
            session = self._found.sessions[id]
            saga = shapes.saga_of(session, [episode for _, episode in sorted(places)])
            ours = kept.of_graphiti(session.metadata) is None
            rows.append(shapes.saga_row(saga, self._group, ours=ours))
        self._write(_SAGAS, rows, "Saga")
        self._report.sagas = len(rows)

    def _write(
        self,
        statement: str,
        rows: Sequence[Row],
        label: str | None,
        vectors: tuple[str, str] | None = None,
    ) -> None:
        for chunk in chunks(rows, BATCH):
            if label is not None:
                self._require_free(label, chunk)
            earlier = {"rows": self._earlier(chunk), "group": self._group}
            work: list[tuple[str, dict[str, Any]]] = [(_EARLIER[statement], earlier)]
            work.append((statement, {"rows": chunk, "group": self._group}))
            if self._embed is not None and vectors is not None:
                texts = [row["properties"][vectors[1]].replace("\n", " ") for row in chunk]
                pairs = zip(chunk, self._embed(texts), strict=True)
                found = [{"uuid": row["uuid"], "vector": list(v)} for row, v in pairs]
                work.append((vectors[0], {"rows": found}))
            self._server.write(work)
            self._done += len(chunk)
            if self._progress is not None:
                self._progress(self._done, self._total())

    def _earlier(self, chunk: Sequence[Row]) -> list[Row]:
        """What an earlier version may have written of it, by the uuid that it had then."""
        found = []
        for row in chunk:
            earlier = id_of(out_of_group(row["uuid"], self._group))
            if earlier != row["uuid"]:
                source = row.get("source")
                found.append({"uuid": row["uuid"], "earlier": earlier, "source": source})
        return found

    def _require_free(self, label: str, chunk: Sequence[Row]) -> None:
        """A node belongs to one group, and a uuid to one node."""
        uuids = [{"uuid": row["uuid"]} for row in chunk]
        statement = _ELSEWHERE.format(label=label)
        for uuid, group in self._server.rows(statement, rows=uuids, group=self._group):
            raise ConflictError(
                f"{self._server.uri} holds {label} {uuid!r} in the group {group!r} already; "
                "export to that group, or to another database"
            )

    def _total(self) -> int:
        found = self._found
        total = len(found.entities) + len(found.told) + len(found.taken) + len(found.current)
        return max(total, self._done)

    def _basis(self) -> str:
        return "" if self._found.basis is None else format_instant(self._found.basis)
