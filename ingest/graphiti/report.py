"""What an import and an export did."""

from __future__ import annotations

from dataclasses import dataclass, field

from bitempo.engine.time import Instant
from bitempo.ingest.sessions import Malformed


@dataclass(slots=True)
class GraphitiImport:
    """What was taken from one group into one tenant.

    `facts` are new ones, `changed` those that Graphiti has changed since an earlier import,
    `unchanged` those that were there already. `entities` are those that are new or have changed,
    `sagas` those that new episodes belong to, `communities` those that were not taken.
    `without_offset` counts times that had none and were taken as UTC, `late` commits that came
    after their own time, since the tenant held later ones. `single` are predicates that the
    tenant holds to one value, which Graphiti does not. `malformed` are records that could not be
    taken. `redacted` counts the secrets that were taken out of what was read, by kind.
    """

    group_id: str
    tenant: str
    episodes: int = 0
    facts: int = 0
    changed: int = 0
    unchanged: int = 0
    entities: int = 0
    sagas: int = 0
    communities: int = 0
    without_offset: int = 0
    late: int = 0
    first_tx: Instant | None = None
    last_tx: Instant | None = None
    single: tuple[str, ...] = ()
    malformed: list[Malformed] = field(default_factory=list)
    redacted: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class GraphitiExport:
    """What was written for one tenant into one group.

    `plans` counts facts left out since they are planned or supposed, which Graphiti has no place
    for; `expired_since` those of an earlier export that are no longer believed. `embedded` is
    whether vectors were written.
    """

    group_id: str
    tenant: str
    episodes: int = 0
    entities: int = 0
    facts: int = 0
    closed: int = 0
    sagas: int = 0
    plans: int = 0
    expired_since: int = 0
    embedded: bool = False
