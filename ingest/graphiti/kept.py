"""What of a Graphiti graph has no place among episodes and assertions, kept beside them.

Each fact and each entity is kept as it was read, as the metadata of an episode of its own that
nothing cites, under `graphiti/fact/<uuid>/<number>`; a change makes the next number. From it a
later import knows what is new, and an export gives back what we have no words for. What an export
of ours wrote stands under its id, and keeps its uuid of no group inside.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from bitempo.engine.model import Episode, EpisodeKind
from bitempo.engine.store.port import Reader
from bitempo.engine.time import Instant, format_instant
from bitempo.ingest.graphiti.claims import Taken
from bitempo.ingest.graphiti.model import (
    GraphitiEntity,
    GraphitiEpisode,
    GraphitiFact,
    GraphitiSaga,
)
from bitempo.ingest.graphiti.scope import id_of, own

METADATA = "graphiti"
"""The key of our episodes' and sessions' metadata under which Graphiti's own fields stand."""

_PREFIX = "graphiti/"
_TOLD = _PREFIX + "told/"
_KINDS = {
    "message": EpisodeKind.TURN,
    "json": EpisodeKind.JSON,
    "fact_triple": EpisodeKind.STATEMENT,
}


def source_episode(episode: GraphitiEpisode, session: tuple[str, int] | None) -> Episode:
    """Graphiti's episode as ours, with the saga that it is part of and its place there."""
    kept = episode.to_json()
    for name in ("uuid", "content", "valid_at"):
        del kept[name]
    return Episode(
        id=id_of(episode.uuid),
        text=episode.content,
        occurred_at=episode.valid_at,
        kind=_KINDS.get(episode.source, EpisodeKind.TEXT),
        session=session[0] if session else None,
        position=session[1] if session else None,
        metadata={METADATA: kept | _uuid(episode.uuid)},
    )


def told_id(uuid: str) -> str:
    """The id of the episode that stands for the telling of a fact which no episode supports."""
    return _TOLD + id_of(uuid)


def told(fact: GraphitiFact) -> Episode:
    """An episode for a fact that Graphiti has no episode for."""
    occurred = fact.reference_time if fact.reference_time is not None else fact.created_at
    return Episode(told_id(fact.uuid), fact.fact, occurred, EpisodeKind.STATEMENT)


def fact_record(stands: Taken, number: int) -> Episode:
    """A fact as it was read, with the assertions that speak for it."""
    fact = stands.fact
    kept = {"fact": fact.to_json(), "claims": dict(stands.claims), "denial": stands.denial}
    return _record("fact", fact.uuid, number, fact.fact, fact.created_at, kept)


def entity_record(entity: GraphitiEntity, number: int, at: Instant) -> Episode:
    """An entity as it was read, at `at`."""
    return _record("entity", entity.uuid, number, entity.name, at, {"entity": entity.to_json()})


def is_kept(episode: Episode) -> bool:
    """Whether the episode is one of ours, which Graphiti has no episode for."""
    return episode.id.startswith(_PREFIX)


def of_graphiti(metadata: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Graphiti's own fields of an episode or a session; None for one that is not from there."""
    found = metadata.get(METADATA)
    return found if isinstance(found, Mapping) else None


def uuid_of(id: str, metadata: Mapping[str, Any]) -> str:
    """The uuid, in no group, of the episode or the session of ours that has these."""
    old = of_graphiti(metadata)
    return own(id) if old is None else str(old.get("uuid", id))


def graphiti_episode(episode: Episode) -> GraphitiEpisode | None:
    """Graphiti's episode that ours was made of; None for one that is not from there."""
    kept = of_graphiti(episode.metadata)
    if kept is None or is_kept(episode):
        return None
    own = {"content": episode.text, "valid_at": format_instant(episode.occurred_at)}
    return GraphitiEpisode.from_json({"uuid": episode.id, **kept, **own})


def saga_metadata(saga: GraphitiSaga) -> dict[str, Any]:
    """The metadata of the session that a saga becomes."""
    return {METADATA: {"name": saga.name, "summary": saga.summary} | _uuid(saga.uuid)}


def taken_fact(record: Episode) -> Taken:
    """What `fact_record` kept."""
    kept = record.metadata[METADATA]
    return Taken(GraphitiFact.from_json(kept["fact"]), kept["claims"], kept["denial"])


def taken_entity(record: Episode) -> GraphitiEntity:
    """What `entity_record` kept."""
    return GraphitiEntity.from_json(record.metadata[METADATA]["entity"])


def place_of(record: Episode) -> tuple[str, str, int] | None:
    """The kind, uuid (or our id) and number of a record; None for another episode."""
    if not is_kept(record) or record.id.startswith(_TOLD):
        return None
    kind, _, rest = record.id.removeprefix(_PREFIX).partition("/")
    uuid, _, number = rest.rpartition("/")
    return kind, uuid, int(number)


def latest(reader: Reader, kind: str, uuids: Collection[str]) -> dict[str, tuple[int, Episode]]:
    """The latest record of each uuid that has one, with its number."""
    found: dict[str, tuple[int, Episode]] = {}
    number, asked = 1, {_id(kind, uuid, 1): uuid for uuid in uuids}
    while asked:
        records = reader.episodes(asked)
        for id, record in records.items():
            found[asked[id]] = (number, record)
        number += 1
        asked = {_id(kind, asked[id], number): asked[id] for id in records}
    return found


def _record(
    kind: str, uuid: str, number: int, text: str, at: Instant, kept: dict[str, Any]
) -> Episode:
    return Episode(
        _id(kind, uuid, number), text, at, EpisodeKind.STATEMENT, metadata={METADATA: kept}
    )


def _id(kind: str, uuid: str, number: int) -> str:
    return f"{_PREFIX}{kind}/{id_of(uuid)}/{number}"


def _uuid(uuid: str) -> dict[str, str]:
    """The field that keeps a uuid which is not the id here."""
    return {} if uuid == id_of(uuid) else {"uuid": uuid}
