"""Facts and turns of synthetic text, as many as wanted, and questions about them.

Texts are drawn from a Zipf-like vocabulary of 50,000 words, ten words to a fact and two facts to a
turn; rows are written through the store's own write transactions in batches, with each fact in a
slot of its own, so that nothing needs deriving.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from functools import partial

from bitempo.engine.model import Assertion, Cardinality, Entity, Episode, Session
from bitempo.engine.names import entity_id
from bitempo.engine.store.port import (
    FactVersion,
    PlacedAssertion,
    Role,
    Slot,
    Store,
    WriteTransaction,
)
from bitempo.engine.time import FOREVER, Interval, parse_instant

VOCABULARY = 50_000
WORDS_OF_A_FACT = 10
PEOPLE = 2_000
BATCH = 5_000
TURNS_OF_A_SESSION = 20
SYLLABLES = [first + vowel for vowel in "aeiou" for first in "bdfgklmnprtvz"]
START = parse_instant("2020-01-01")
MINUTE = 60_000_000


class Language:
    """Words by rank of frequency, and texts drawn from them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._cumulative = list(itertools.accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))
        self._ranks = range(VOCABULARY)

    def draw(self, count: int) -> list[int]:
        """The ranks of that many words."""
        return self._random.choices(self._ranks, cum_weights=self._cumulative, k=count)

    def person(self) -> str:
        return f"Person{self._random.randrange(PEOPLE)}"

    def sample(self, ranks: Sequence[int], count: int) -> list[int]:
        return self._random.sample(ranks, min(count, len(ranks)))


def word(rank: int) -> str:
    """A word of its own for each rank, with all first letters, that no stemmer changes."""
    syllables = ""
    while rank or not syllables:
        rank, digit = divmod(rank, len(SYLLABLES))
        syllables += SYLLABLES[digit]
    return syllables + "x"


def build(store: Store, tenant: str, facts: int, language: Language) -> list[list[str]]:
    """Write the facts and their turns; gives the words of some facts to ask about."""
    asked: list[list[str]] = []
    for first in range(0, facts, BATCH):
        size = min(BATCH, facts - first)
        texts = [(language.person(), language.draw(WORDS_OF_A_FACT)) for _ in range(size)]
        store.write(tenant, START, partial(_write, first=first, texts=texts))
        for person, ranks in texts[:: max(1, size // 20)]:
            asked.append([person, *(str(rank) for rank in ranks)])
    return asked


def questions(asked: Sequence[list[str]], language: Language, count: int) -> dict[str, list[str]]:
    """The questions of each kind.

    Selective ones have a name and two words of one fact that are not among the 300 most frequent,
    typical ones a name and three words of one fact, whatever their frequency, and frequent ones six
    of the 30 most frequent words.
    """
    found: dict[str, list[str]] = {"selective": [], "typical": [], "frequent": []}
    for person, *texts in itertools.islice(itertools.cycle(asked), count):
        ranks = [int(text) for text in texts]
        rare = [rank for rank in ranks if rank >= 300]
        found["selective"].append(_ask(person, language.sample(rare, 2)))
        found["typical"].append(_ask(person, language.sample(ranks, 3)))
        found["frequent"].append(_ask("", language.sample(range(30), 6)))
    return found


def _write(write: WriteTransaction, first: int, texts: Sequence[tuple[str, list[int]]]) -> None:
    if first == 0:
        write.add_entities([_person(number) for number in range(PEOPLE)])
    turns = list(_turns(first, texts, write.tx))
    write.add_sessions([Session(id, START) for id in sorted({str(turn.session) for turn in turns})])
    write.add_episodes(turns)
    placed = [_assertion(first + n, *text, write.tx) for n, text in enumerate(texts)]
    write.add_assertions(placed)
    write.open_facts([_fact(item) for item in placed])


def _ask(person: str, ranks: Sequence[int]) -> str:
    return " ".join([person, *(word(rank) for rank in ranks)]).strip() + "?"


def _person(number: int) -> Entity:
    name = f"Person{number}"
    return Entity(entity_id(name, ""), name)


def _turns(first: int, texts: Sequence[tuple[str, list[int]]], tx: int) -> Iterator[Episode]:
    for offset in range(0, len(texts), 2):
        number = (first + offset) // 2
        pair = texts[offset : offset + 2]
        yield Episode(
            id=f"turn{number}",
            text=" ".join(word(rank) for _, ranks in pair for rank in ranks),
            occurred_at=START + number * MINUTE,
            session=f"s{number // TURNS_OF_A_SESSION}",
            position=number % TURNS_OF_A_SESSION,
            actor=pair[0][0],
            believed=Interval(tx, FOREVER),
        )


def _assertion(number: int, person: str, ranks: list[int], tx: int) -> PlacedAssertion:
    value = " ".join(word(rank) for rank in ranks)
    record = Assertion(
        id=f"turn{number // 2}#{number % 2}",
        subject=entity_id(person, ""),
        predicate="said",
        value=value,
        text=f"{person} {value}",
        quote=value,
        evidence=(f"turn{number // 2}",),
        valid=Interval(START),
        believed=Interval(tx, FOREVER),
    )
    slot = Slot(f"slot{number}", f"family{number}", Cardinality.MANY)
    return PlacedAssertion(record, slot, f"v{number}")


def _fact(placed: PlacedAssertion) -> FactVersion:
    record = placed.assertion
    return FactVersion(
        id=f"fact_{record.id}",
        slot=placed.slot.key,
        value_key=placed.value_key or "",
        subject=record.subject,
        predicate=record.predicate,
        value=record.value,
        text=record.text,
        lead=record.id,
        valid=record.valid,
        links=frozenset({(Role.SUPPORTS, record.id)}),
    )
