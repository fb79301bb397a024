"""What is handed in to compare the cost of taking it in: one person's turns, and their facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from benchmarks.script import Script, Told

SPEAKER = "Ana"
SINCE = datetime(2024, 5, 3, tzinfo=UTC)
"""Since when facts with a date hold."""

_BEFORE = datetime(2024, 1, 2, tzinfo=UTC)
_NAMES = {
    "LIKES": ("like", "likes", "jazz, mate, ceviche, origami, thunderstorms"),
    "KNOWS": ("know", "knows", "Bruno, Carla, Dmitri, Elif, Fumiko"),
    "PLAYS": ("play", "plays", "chess, cello, rugby, marimba, backgammon"),
    "READS": ("read", "reads", "Borges, Lispector, Szymborska, Achebe, Ferrante"),
    "COOKS": ("cook", "cooks", "ramen, paella, pierogi, tagine, feijoada"),
    "COLLECTS": ("collect", "collects", "stamps, fossils, teapots, postcards, maps"),
    "LIVES_IN": ("live in", "lives in", "Lima, Cusco"),
    "WORKS_AT": ("work at", "works at", "Acme"),
}
"""How Ana says it of herself, how others say it of her, and of what."""


@dataclass(frozen=True)
class Said:
    """A turn of Ana's: when, what, and the facts that are in it."""

    at: datetime
    text: str
    facts: tuple[Told, ...]


@dataclass(frozen=True)
class EpisodeSet:
    """What is handed in at once, and measured. `known` tells what went in before, unmeasured."""

    name: str
    known: tuple[Said, ...]
    told: tuple[Said, ...]

    @property
    def facts(self) -> int:
        """How many facts it tells."""
        return sum(len(said.facts) for said in self.told)


def episode_sets() -> list[EpisodeSet]:
    """All of them: facts with and without a date, an update, and a repetition.

    Nobody's memory is empty for long: in each, Ana has told five facts before.
    """
    at = datetime(2024, 6, 1, 10, tzinfo=UTC)
    known = (
        _said(datetime(2024, 2, 1, 10, tzinfo=UTC), _BEFORE, "LIVES_IN", ["Lima"]),
        _said(datetime(2024, 2, 1, 10, tzinfo=UTC), _BEFORE, "WORKS_AT", ["Acme"]),
        _said(datetime(2024, 2, 1, 10, tzinfo=UTC), _BEFORE, "LIKES", ["sushi", "rain", "tea"]),
    )
    sets = []
    for since, kind in ((SINCE, "dated"), (None, "undated")):
        some = tuple(
            _said(at, since, name, _targets(name)[:count])
            for name, count in (("LIKES", 1), ("KNOWS", 2), ("PLAYS", 2))
        )
        many = tuple(_said(at, since, name, _targets(name)) for name in list(_NAMES)[:6])
        sets += [
            EpisodeSet(f"one fact, {kind}", known, (_said(at, since, "PLAYS", ["chess"]),)),
            EpisodeSet(f"five facts, {kind}", known, some),
            EpisodeSet(f"thirty facts, {kind}", known, many),
        ]
    moved = _said(at, SINCE, "LIVES_IN", ["Cusco"], ends=("Ana lives in Lima",))
    return [
        *sets,
        EpisodeSet("an update that ends an earlier fact", known, (moved,)),
        EpisodeSet("the same five facts again", known, known),
    ]


def script_of(sets: Sequence[EpisodeSet]) -> Script:
    """What a model is to find in the turns."""
    return Script({said.text: said.facts for one in sets for said in (*one.known, *one.told)})


def _said(
    at: datetime,
    since: datetime | None,
    name: str,
    targets: Sequence[str],
    ends: tuple[str, ...] = (),
) -> Said:
    mine, _, _ = _NAMES[name]
    when = f"Since {since.day} {since:%B %Y}" if since else "These days"
    text = f"{when}, {', and '.join(f'I {mine} {target}' for target in targets)}."
    return Said(at, text, tuple(_told(name, targets, since, when, ends)))


def _told(
    name: str, targets: Sequence[str], since: datetime | None, when: str, ends: tuple[str, ...]
) -> Iterator[Told]:
    mine, others, _ = _NAMES[name]
    for target in targets:
        yield Told(
            SPEAKER,
            name,
            target,
            f"{SPEAKER} {others} {target}",
            valid_at=f"{since:%Y-%m-%dT%H:%M:%SZ}" if since else None,
            contradicts=ends,
            repeats=f"{SPEAKER} {others} {target}",
            quote=f"I {mine} {target}",
            time_text=when if since else None,
        )


def _targets(name: str) -> list[str]:
    return _NAMES[name][2].split(", ")
