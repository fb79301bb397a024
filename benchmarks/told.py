"""A conversation for which it is known which facts it tells, and which of them end earlier ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from benchmarks.script import ONE_VALUE, Script, Told

START = datetime(2024, 1, 1, 12, tzinfo=UTC)
VISITS = 5
"""How often each person speaks."""

KINDS = {
    "LIVES_IN": "lives in",
    "WORKS_AT": "works at",
    "LIKES": "likes",
    "KNOWS": "knows",
    "PLAYS": "plays",
}
QUESTIONS = {
    "LIVES_IN": "Where does {} live?",
    "WORKS_AT": "Where does {} work?",
    "LIKES": "What does {} like?",
    "KNOWS": "Whom does {} know?",
    "PLAYS": "What does {} play?",
}
_SYLLABLES = "ba cre di fo gal hin ju kel lo mir nes po qua rin sul tev um vix wen zor".split()


@dataclass(frozen=True)
class Said:
    """One episode: who speaks, when, what, and the facts that are in it."""

    speaker: str
    text: str
    at: datetime
    facts: tuple[Told, ...]


def conversation(episodes: int, facts: int, *, dated: bool) -> list[Said]:
    """So many episodes of so many facts each (1 to 5), the same in every run.

    There is a person for every five episodes; they speak in turn, five times each. With one fact
    an episode, three visits of five tell where one lives, and so end what was told two visits
    before; with five facts, each visit also tells where one works.
    """
    people = _names(max(2, -(-episodes // VISITS)), seed=1)
    places = {kind: _names(23, seed=2 + n) for n, kind in enumerate(KINDS)}
    latest: dict[tuple[str, str], str] = {}
    said = []
    for number in range(episodes):
        visit, person = divmod(number, len(people))
        speaker = people[person]
        at = START + timedelta(days=number)
        since = (at - timedelta(days=2)).replace(hour=0)
        when = f"Since {since.day} {since:%B %Y}" if dated else None
        told = []
        for kind in _kinds(visit, facts):
            target = places[kind][(7 * person + 3 * visit) % len(places[kind])]
            fact = f"{speaker} {KINDS[kind]} {target}"
            before = latest.get((speaker, kind)) if kind in ONE_VALUE else None
            latest[speaker, kind] = fact
            told.append(
                Told(
                    speaker,
                    kind,
                    target,
                    fact,
                    valid_at=f"{since:%Y-%m-%dT%H:%M:%SZ}" if dated else None,
                    contradicts=(before,) if before else (),
                    time_text=when,
                )
            )
        said.append(Said(speaker, _text(speaker, told, when), at, tuple(told)))
    return said


def script(said: Sequence[Said]) -> Script:
    """What a model is to find in each of the episodes."""
    return Script({one.text: one.facts for one in said})


def questions(said: Sequence[Said]) -> list[str]:
    """What can be asked about each who spoke."""
    asked = (QUESTIONS[fact.name].format(one.speaker) for one in said for fact in one.facts)
    return list(dict.fromkeys(asked))


def ended(said: Sequence[Said]) -> int:
    """How many facts of the conversation end an earlier one."""
    return sum(bool(fact.contradicts) for one in said for fact in one.facts)


def _kinds(visit: int, facts: int) -> Sequence[str]:
    names = list(KINDS)
    return names[:facts] if facts > 1 else [names[0] if visit % 2 == 0 else names[2]]


def _text(speaker: str, told: Sequence[Told], when: str | None) -> str:
    facts = ", ".join(fact.fact for fact in told)
    return f"{speaker}: {when}, {facts}." if when else f"{speaker}: {facts}."


def _names(count: int, seed: int) -> list[str]:
    return list(dict.fromkeys(_endless_names(random.Random(seed), count)))[:count]


def _endless_names(chosen: random.Random, count: int) -> Iterator[str]:
    for _ in range(4 * count):
        yield "".join(chosen.choice(_SYLLABLES) for _ in range(4)).capitalize()
