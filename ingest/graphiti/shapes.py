"""Records of Graphiti as rows to write: its nodes, its relationships and their properties."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from bitempo.engine.model import Entity, Episode, EpisodeKind, Session
from bitempo.engine.time import Instant, format_instant
from bitempo.ingest.graphiti import kept
from bitempo.ingest.graphiti.model import (
    MARK,
    GraphitiEntity,
    GraphitiEpisode,
    GraphitiFact,
    GraphitiSaga,
    Mention,
)
from bitempo.ingest.graphiti.scope import id_of, into_group, own, record_into_group
from bitempo.ingest.graphiti.values import from_plain, property_of

_LABEL = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SOURCES = {
    EpisodeKind.TURN: "message",
    EpisodeKind.TEXT: "text",
    EpisodeKind.JSON: "json",
    EpisodeKind.STATEMENT: "fact_triple",
}

Row = dict[str, Any]
"""`uuid`, `properties`, and `ours`: where it is not, the row is written only if it is missing."""


def entity_row(entity: GraphitiEntity, group: str, *, ours: bool) -> Row:
    """An `Entity` with its labels."""
    entity = record_into_group(entity, group)
    properties = {
        **_attributes(entity.attributes),
        "uuid": entity.uuid,
        "name": entity.name,
        "group_id": group,
        "summary": entity.summary,
        "created_at": property_of(entity.created_at),
        "labels": ["Entity", *entity.labels],
    }
    if entity.literal is not None:
        properties[MARK + "literal"] = entity.literal
    return {
        "uuid": entity.uuid,
        "properties": properties,
        "ours": ours,
        "labels": list(entity.labels),
    }


def fact_row(fact: GraphitiFact, group: str, *, ours: bool, basis: Instant | None) -> Row:
    """A `RELATES_TO`. One that is our own is marked with the transaction time it stands for."""
    fact = record_into_group(fact, group)
    properties = {
        **_attributes(fact.attributes),
        "uuid": fact.uuid,
        "source_node_uuid": fact.source,
        "target_node_uuid": fact.target,
        "name": fact.name,
        "fact": fact.fact,
        "group_id": group,
        "episodes": list(fact.episodes),
        "created_at": property_of(fact.created_at),
        "expired_at": property_of(fact.expired_at),
        "valid_at": property_of(fact.valid_at),
        "invalid_at": property_of(fact.invalid_at),
        "reference_time": property_of(fact.reference_time),
    }
    if basis is not None:
        properties[MARK + "basis"] = format_instant(basis)
    return {"uuid": fact.uuid, "properties": properties, "ours": ours} | {
        "source": fact.source,
        "target": fact.target,
    }


def episode_row(episode: GraphitiEpisode, group: str, *, ours: bool) -> Row:
    """An `Episodic`."""
    episode = record_into_group(episode, group)
    return {
        "uuid": episode.uuid,
        "ours": ours,
        "properties": {
            "uuid": episode.uuid,
            "name": episode.name,
            "group_id": group,
            "source": episode.source,
            "source_description": episode.source_description,
            "content": episode.content,
            "created_at": property_of(episode.created_at),
            "valid_at": property_of(episode.valid_at),
            "entity_edges": list(episode.entity_edges),
        },
    }


def mention_row(episode: str, mention: Mention, group: str, *, ours: bool) -> Row:
    """A `MENTIONS` of the episode with this uuid."""
    uuid = into_group(mention.uuid, group)
    properties = {
        "uuid": uuid,
        "group_id": group,
        "created_at": property_of(mention.created_at),
    }
    return {"uuid": uuid, "properties": properties, "ours": ours} | {
        "source": into_group(episode, group),
        "target": into_group(mention.entity, group),
    }


def saga_row(saga: GraphitiSaga, group: str, *, ours: bool) -> Row:
    """A `Saga` with its episodes in order."""
    saga = record_into_group(saga, group)
    return {
        "uuid": saga.uuid,
        "ours": ours,
        "episodes": list(saga.episodes),
        "properties": {
            "uuid": saga.uuid,
            "name": saga.name,
            "group_id": group,
            "summary": saga.summary,
            "created_at": property_of(saga.created_at),
            "first_episode_uuid": saga.episodes[0] if saga.episodes else None,
            "last_episode_uuid": saga.episodes[-1] if saga.episodes else None,
        },
    }


def entity_of(entity: Entity, uuid: str) -> GraphitiEntity:
    """An entity of our own under this uuid; its type as a label, if it can be one."""
    label = "".join(word[:1].upper() + word[1:] for word in re.split(r"[\W_]+", entity.type))
    labels = (label,) if _LABEL.fullmatch(label) and label != "Entity" else ()
    return GraphitiEntity(uuid, entity.name, entity.created_at, labels)


def episode_of(
    episode: Episode, recorded_at: Instant, facts: Collection[str], entities: Collection[str]
) -> GraphitiEpisode:
    """An episode of our own, the uuids of the facts taken from it, and of their entities."""
    place = "" if episode.session is None else f", session {episode.session}"
    title = episode.id if episode.position is None else f"{episode.session} {episode.position}"
    return GraphitiEpisode(
        uuid=own(episode.id),
        name=title,
        source=_SOURCES[episode.kind],
        source_description=f"bitempo{place}",
        # Graphiti's form of a message.
        content=f"{episode.actor}: {episode.text}" if episode.actor else episode.text,
        created_at=recorded_at,
        valid_at=episode.occurred_at,
        entity_edges=tuple(facts),
        mentions=tuple(
            Mention(own(f"{episode.id}/{id_of(uuid)}"), uuid, recorded_at)
            for uuid in sorted(entities)
        ),
    )


def saga_of(session: Session, episodes: Collection[str]) -> GraphitiSaga:
    """A session, with the uuids of its episodes, as a saga: the one it was, or a new one."""
    old = kept.of_graphiti(session.metadata) or {}
    uuid = kept.uuid_of(session.id, session.metadata)
    name, summary = old.get("name", session.id), old.get("summary", "")
    return GraphitiSaga(uuid, name, session.started_at, summary, tuple(episodes))


def _attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: from_plain(value) for name, value in attributes.items()}
