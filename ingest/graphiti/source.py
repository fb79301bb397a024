"""Reading a Graphiti graph on Neo4j, with the driver alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from bitempo.engine.errors import InvalidRecordError
from bitempo.ingest.graphiti.model import (
    MARK,
    GraphitiEntity,
    GraphitiEpisode,
    GraphitiFact,
    GraphitiSaga,
    Mention,
)
from bitempo.ingest.graphiti.redaction import secret_free_record
from bitempo.ingest.graphiti.scope import into_group, record_out_of_group
from bitempo.ingest.graphiti.server import GraphitiServer
from bitempo.ingest.graphiti.values import TimeReader, to_plain
from bitempo.ingest.secrets import NO_REDACTION, Counts, Redactor
from bitempo.ingest.sessions import Malformed

Item = TypeVar("Item")
Row = list[Any]

_GROUPS = (
    "MATCH (n:Entity|Episodic) WHERE n.group_id IS NOT NULL AND n.uuid IS NOT NULL "
    "RETURN DISTINCT n.group_id AS name ORDER BY name"
)
_EPISODES = (
    "RETURN elementId(n), properties(n), "
    "[(n)-[m:MENTIONS]->(e:Entity) | [m.uuid, e.uuid, m.created_at]]"
)
_ENTITIES = "RETURN elementId(n), n {.*, name_embedding: null}, labels(n)"
_FACTS = (
    "RETURN elementId(e), e {.*, fact_embedding: null}, "
    "CASE WHEN a:Entity AND a.name IS NOT NULL THEN a.uuid END, "
    "CASE WHEN b:Entity AND b.name IS NOT NULL THEN b.uuid END"
)
_SAGAS = (
    "MATCH (s:Saga) WHERE s.group_id = $group RETURN elementId(s), properties(s), "
    "COLLECT { MATCH (s)-[:HAS_EPISODE]->(e:Episodic) "
    "RETURN e.uuid ORDER BY e.created_at, e.valid_at, e.uuid }"
)
_COMMUNITIES = "MATCH (n:Community) WHERE n.group_id = $group RETURN count(n)"

_ENTITY_FIELDS = {
    "uuid", "name", "group_id", "labels", "summary", "created_at", "name_embedding",
}  # fmt: skip
# The writers of Graphiti name the endpoints in two ways.
_FACT_FIELDS = {
    "uuid", "name", "group_id", "fact", "fact_embedding", "episodes", "created_at", "expired_at",
    "valid_at", "invalid_at", "reference_time", "source_node_uuid", "target_node_uuid",
    "source_uuid", "target_uuid",
}  # fmt: skip


class GraphitiSource:
    """One group of a Graphiti graph, read record by record.

    Each read gives pairs of a reference, by which the record can be read again quickly, and the
    record; what is malformed is given as such, with its uuid, and not as a record. Records come
    without their secrets, and with uuids that are in no group (`scope`).
    """

    def __init__(
        self, server: GraphitiServer, group: str, redactor: Redactor = NO_REDACTION
    ) -> None:
        self.group = group
        self._redactor = redactor
        self._redacted: dict[tuple[str, str], Counts] = {}
        self.times = TimeReader()
        self._server = server

    def episodes(self) -> Iterator[tuple[str, GraphitiEpisode | Malformed]]:
        """Every `Episodic` of the group."""
        return self._read(
            f"MATCH (n:Episodic) WHERE n.group_id = $group {_EPISODES}", self._episode
        )

    def episodes_at(self, places: Collection[str]) -> dict[str, GraphitiEpisode]:
        """The episodes at these references, by reference."""
        statement = f"MATCH (n:Episodic) WHERE elementId(n) IN $places {_EPISODES}"
        return _sound(self._read(statement, self._episode, places=list(places)))

    def entities(self) -> Iterator[tuple[str, GraphitiEntity | Malformed]]:
        """Every `Entity` of the group."""
        return self._read(f"MATCH (n:Entity) WHERE n.group_id = $group {_ENTITIES}", self._entity)

    def entities_with(self, uuids: Collection[str]) -> dict[str, GraphitiEntity]:
        """The entities of these uuids, whatever group they are in."""
        statement = f"MATCH (n:Entity) WHERE n.uuid IN $uuids {_ENTITIES}"
        there = [into_group(uuid, self.group) for uuid in uuids]
        found = _sound(self._read(statement, self._entity, uuids=there))
        return {entity.uuid: entity for entity in found.values()}

    def facts(self) -> Iterator[tuple[str, GraphitiFact | Malformed]]:
        """Every `RELATES_TO` of the group."""
        statement = f"MATCH (a)-[e:RELATES_TO]->(b) WHERE e.group_id = $group {_FACTS}"
        return self._read(statement, self._fact)

    def facts_at(self, places: Collection[str]) -> dict[str, GraphitiFact]:
        """The facts at these references, by reference."""
        statement = f"MATCH (a)-[e:RELATES_TO]->(b) WHERE elementId(e) IN $places {_FACTS}"
        return _sound(self._read(statement, self._fact, places=list(places)))

    def sagas(self) -> Iterator[tuple[str, GraphitiSaga | Malformed]]:
        """Every `Saga` of the group, with its episodes."""
        return self._read(_SAGAS, self._saga)

    @property
    def redacted(self) -> Counts:
        """How many secrets were taken out of the records read so far, each counted once."""
        return sum(self._redacted.values(), Counts())

    def communities(self) -> int:
        """How many `Community` nodes the group has."""
        return int(self._server.rows(_COMMUNITIES, group=self.group)[0][0])

    def _read(
        self, statement: str, parse: Callable[[Row], Item], **parameters: Any
    ) -> Iterator[tuple[str, Item | Malformed]]:
        for row in self._server.stream(statement, group=self.group, **parameters):
            try:
                yield row[0], self._secret_free(parse.__name__, row[0], parse(row))
            except InvalidRecordError as error:
                uuid = row[1].get("uuid") or f"element {row[0]}"
                yield row[0], Malformed(f"{_KINDS[parse.__name__]} {uuid}", str(error))

    def _secret_free(self, kind: str, place: str, record: Item) -> Item:
        counts = Counts()
        free = secret_free_record(record, self._redactor, counts)
        if counts:
            self._redacted[kind, place] = counts
        return free

    def _episode(self, row: Row) -> GraphitiEpisode:
        _, found, mentions = row
        uuid = _text(found, "uuid")
        created_at = self.times.required(found.get("created_at"), "created_at")
        episode = GraphitiEpisode(
            uuid=uuid,
            name=found.get("name") or "",
            source=found.get("source") or "text",
            source_description=found.get("source_description") or "",
            content=found.get("content") or "",
            created_at=created_at,
            valid_at=self.times.required(found.get("valid_at"), "valid_at"),
            entity_edges=tuple(found.get("entity_edges") or ()),
            mentions=tuple(
                sorted(
                    (
                        Mention(id, entity, self.times.optional(at, "created_at") or created_at)
                        for id, entity, at in mentions
                        if id and entity
                    ),
                    key=lambda mention: mention.uuid,
                )
            ),
        )
        return record_out_of_group(episode, self.group)

    def _entity(self, row: Row) -> GraphitiEntity:
        _, found, labels = row
        group_label = "Entity_" + str(found.get("group_id", "")).replace("-", "")
        entity = GraphitiEntity(
            uuid=_text(found, "uuid"),
            name=_text(found, "name"),
            created_at=self.times.required(found.get("created_at"), "created_at"),
            labels=tuple(sorted(set(labels) - {"Entity", group_label})),
            summary=found.get("summary") or "",
            attributes=_attributes(found, _ENTITY_FIELDS),
            literal=found.get(MARK + "literal"),
        )
        return record_out_of_group(entity, self.group)

    def _fact(self, row: Row) -> GraphitiFact:
        _, found, source, target = row
        uuid = _text(found, "uuid")
        for end, which in ((source, "source"), (target, "target")):
            if not end:
                raise InvalidRecordError(f"its {which} is no Entity with a uuid and a name")
        optional = self.times.optional
        fact = GraphitiFact(
            uuid=uuid,
            source=source,
            target=target,
            name=_text(found, "name"),
            fact=_text(found, "fact"),
            created_at=self.times.required(found.get("created_at"), "created_at"),
            episodes=tuple(found.get("episodes") or ()),
            valid_at=optional(found.get("valid_at"), "valid_at"),
            invalid_at=optional(found.get("invalid_at"), "invalid_at"),
            expired_at=optional(found.get("expired_at"), "expired_at"),
            reference_time=optional(found.get("reference_time"), "reference_time"),
            attributes=_attributes(found, _FACT_FIELDS),
        )
        return record_out_of_group(fact, self.group)

    def _saga(self, row: Row) -> GraphitiSaga:
        _, found, episodes = row
        saga = GraphitiSaga(
            uuid=_text(found, "uuid"),
            name=found.get("name") or "",
            created_at=self.times.required(found.get("created_at"), "created_at"),
            summary=found.get("summary") or "",
            episodes=tuple(uuid for uuid in episodes if uuid),
        )
        return record_out_of_group(saga, self.group)


def group_ids(server: GraphitiServer) -> list[str]:
    """The groups that the graph has, in alphabetical order."""
    return [row[0] for row in server.stream(_GROUPS)]


_KINDS = {
    "_episode": "Episodic",
    "_entity": "Entity",
    "_fact": "RELATES_TO",
    "_saga": "Saga",
}


def _sound(found: Iterable[tuple[str, Item | Malformed]]) -> dict[str, Item]:
    return {place: item for place, item in found if not isinstance(item, Malformed)}


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidRecordError(f"it has no {name}")
    return value


def _attributes(found: Mapping[str, Any], fields: Collection[str]) -> dict[str, Any]:
    return {
        name: to_plain(value)
        for name, value in sorted(found.items())
        if name not in fields and not name.startswith(MARK) and value is not None
    }
