"""What a tenant should hold, kept as a plain list of what was told and when.

Answers come from the per-instant oracle over the assertions that were live at a transaction time:
recorded by then, not retracted by then, and not corrected by an assertion unretracted then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from bitempo.engine.identity import SAME_AS
from bitempo.engine.model import Cardinality
from bitempo.engine.time import FOREVER, Instant
from bitempo.engine.timeline import Claim
from tests import oracle


@dataclass(frozen=True)
class Told:
    """One assertion as it was told. An `object` of None denies the whole slot."""

    subject: str
    predicate: str
    object: str | None
    start: Instant
    end: Instant = FOREVER
    positive: bool = True
    trust: int = 5
    corrects: str | None = None


@dataclass(frozen=True)
class Recorded:
    """What was told, under its id, in its episode, over `[recorded_at, retracted_at)`."""

    id: str
    episode: str
    told: Told
    recorded_at: Instant
    retracted_at: Instant = FOREVER

    def unretracted(self, known: Instant) -> bool:
        """Whether it was on record and not retracted at the transaction time."""
        return self.recorded_at <= known < self.retracted_at


@dataclass
class Model:
    """Everything that was ever recorded in one tenant."""

    cardinalities: dict[str, Cardinality]
    recorded: dict[str, Recorded] = field(default_factory=dict)

    def record(self, id: str, episode: str, told: Told, tx: Instant) -> None:
        """Record a new assertion at a transaction time; one already there stays as it is."""
        self.recorded.setdefault(id, Recorded(id, episode, told, tx))

    def retract(self, ids: Iterable[str], tx: Instant) -> None:
        """Retract those of the assertions that are not retracted yet."""
        for id in ids:
            if self.recorded[id].retracted_at == FOREVER:
                self.recorded[id] = replace(self.recorded[id], retracted_at=tx)

    def episode(self, episode: str) -> list[str]:
        """The ids of the episode's assertions."""
        return [id for id, item in self.recorded.items() if item.episode == episode]

    def answer(
        self, subject: str, predicate: str, valid: Instant, known: Instant
    ) -> frozenset[str]:
        """The values that hold at a valid time, as known at a transaction time."""
        claims = self.claims(subject, predicate, known)
        return oracle.value_at(claims, self.cardinalities[predicate], valid)

    def claims(self, subject: str, predicate: str, known: Instant) -> list[Claim]:
        """The live claims of the slot (or slot family) at the transaction time.

        What is merged is one: of the names of a group, values are given as the first.
        """
        first = self.firsts(known)
        return [
            Claim(
                id=item.id,
                value=first(item.told.object),
                start=item.told.start,
                end=item.told.end,
                recorded_at=item.recorded_at,
                trust=item.told.trust,
                positive=item.told.positive,
            )
            for item in self._live(known)
            if (first(item.told.subject), item.told.predicate) == (first(subject), predicate)
        ]

    def firsts(self, known: Instant) -> Callable[[str | None], Any]:
        """What gives the first name of the group that a name is in at the transaction time."""
        groups: dict[str, frozenset[str]] = {}
        links: dict[frozenset[str], list[Claim]] = {}
        for item in self._live(known):
            if item.told.predicate == SAME_AS:
                pair = frozenset((item.told.subject, str(item.told.object)))
                links.setdefault(pair, []).append(_link(item))
        for pair, claims in links.items():
            if any(run.end == FOREVER for run in oracle.runs(claims, Cardinality.MANY)):
                joined = pair.union(*(groups.get(name, pair) for name in pair))
                groups |= dict.fromkeys(joined, joined)
        return lambda name: name if name is None else min(groups.get(name, {name}))

    def _live(self, known: Instant) -> list[Recorded]:
        standing = [item for item in self.recorded.values() if item.unretracted(known)]
        corrected = {item.told.corrects for item in standing}
        return [item for item in standing if item.id not in corrected]


def _link(item: Recorded) -> Claim:
    return Claim(
        id=item.id,
        value="one",
        start=item.told.start,
        end=item.told.end,
        recorded_at=item.recorded_at,
        trust=item.told.trust,
        positive=item.told.positive,
    )
