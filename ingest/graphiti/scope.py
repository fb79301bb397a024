"""Uuids of what is ours, which a graph that many groups share must not mix up.

A uuid of Graphiti is unique in its whole database, an id of ours only within its tenant: two
tenants that know Ana give her the same id. So what is ours stands in a group as `<id>@<group>`.
In a record that is in no group yet, or was read from one, it is `<id>@`, whatever the group. What
came from Graphiti has its own uuid everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bitempo.ingest.graphiti.model import (
    GraphitiEntity,
    GraphitiEpisode,
    GraphitiFact,
    GraphitiSaga,
)

_OURS = "@"

Record = TypeVar("Record", GraphitiEntity, GraphitiEpisode, GraphitiFact, GraphitiSaga)


def own(id: str) -> str:
    """The uuid, in no group, of what has this id here."""
    return id + _OURS


def id_of(uuid: str) -> str:
    """Our id of what has this uuid, in no group: of Graphiti's own, the uuid itself."""
    return uuid.removesuffix(_OURS)


def into_group(uuid: str, group: str) -> str:
    """The uuid of a record as it stands in a group; group ids hold no `@`."""
    return uuid + group if uuid.endswith(_OURS) else uuid


def out_of_group(uuid: str, group: str) -> str:
    """The uuid, in no group, of what stands in a group under this one."""
    return uuid.removesuffix(group) if uuid.endswith(_OURS + group) else uuid


def record_into_group(record: Record, group: str) -> Record:
    """The record with all its uuids as they stand in a group."""
    return _renamed(record, lambda uuid: into_group(uuid, group))


def record_out_of_group(record: Record, group: str) -> Record:
    """The record with all its uuids in no group."""
    return _renamed(record, lambda uuid: out_of_group(uuid, group))


def _renamed(record: Record, rename: Callable[[str], str]) -> Record:
    if isinstance(record, GraphitiEpisode):
        mentions = (
            replace(one, uuid=rename(one.uuid), entity=rename(one.entity))
            for one in record.mentions
        )
        edges = tuple(map(rename, record.entity_edges))
        uuid = rename(record.uuid)
        return replace(record, uuid=uuid, entity_edges=edges, mentions=tuple(mentions))
    if isinstance(record, GraphitiFact):
        return replace(
            record,
            uuid=rename(record.uuid),
            source=rename(record.source),
            target=rename(record.target),
            episodes=tuple(map(rename, record.episodes)),
        )
    if isinstance(record, GraphitiSaga):
        episodes = tuple(map(rename, record.episodes))
        return replace(record, uuid=rename(record.uuid), episodes=episodes)
    return replace(record, uuid=rename(record.uuid))
