"""What a Graphiti graph holds, as records, and their form as JSON in our metadata.

Instants are microseconds since the epoch, UTC; None where Graphiti has no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self, cast

from bitempo.engine.time import Instant, format_instant, parse_instant

MARK = "bitempo_"
"""Properties that an export of ours adds begin so; an import leaves them out."""

EXTRACTOR = "graphiti"
"""What assertions taken from a Graphiti graph name as their extractor."""

_TIMES = frozenset({"created_at", "expired_at", "valid_at", "invalid_at", "reference_time"})


class _Record:
    """A record that can be kept as JSON."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """Every field that has a value, times as ISO 8601."""
        names = [one.name for one in fields(cast(Any, self))]
        found = {name: getattr(self, name) for name in names}
        return {
            name: format_instant(value) if name in _TIMES else _plain(value)
            for name, value in found.items()
            if value is not None
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        return cls(
            **{
                name: parse_instant(value) if name in _TIMES else _frozen(value)
                for name, value in kept.items()
            }
        )


@dataclass(frozen=True, slots=True)
class Mention(_Record):
    """That an episode mentions an entity (`MENTIONS`)."""

    uuid: str
    entity: str
    created_at: Instant


@dataclass(frozen=True, slots=True)
class GraphitiEpisode(_Record):
    """An `Episodic` node. `entity_edges` are the facts that it added, restated or ended."""

    uuid: str
    name: str
    source: str
    source_description: str
    content: str
    created_at: Instant
    valid_at: Instant
    entity_edges: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphitiEntity(_Record):
    """An `Entity` node. `labels` are its own, without `Entity`, in alphabetical order.

    `literal` is a literal as JSON, for what an export of ours made an entity of.
    """

    uuid: str
    name: str
    created_at: Instant
    labels: tuple[str, ...] = ()
    summary: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    literal: str | None = None


@dataclass(frozen=True, slots=True)
class GraphitiFact(_Record):
    """A `RELATES_TO` relationship. `source` and `target` are uuids of entities."""

    uuid: str
    source: str
    target: str
    name: str
    fact: str
    created_at: Instant
    episodes: tuple[str, ...] = ()
    valid_at: Instant | None = None
    invalid_at: Instant | None = None
    expired_at: Instant | None = None
    reference_time: Instant | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GraphitiSaga(_Record):
    """A `Saga` node with its episodes in the order of their telling."""

    uuid: str
    name: str
    created_at: Instant
    summary: str = ""
    episodes: tuple[str, ...] = ()


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [one.to_json() if isinstance(one, _Record) else one for one in value]
    return dict(value) if isinstance(value, Mapping) else value


def _frozen(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return tuple(Mention.from_json(one) if isinstance(one, dict) else one for one in value)
