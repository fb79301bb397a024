"""How recall's time grows: facts and turns of synthetic text in one tenant, or in many.

    python -m benchmarks.recall_scale [--facts 100000] [--tenants 1] [--questions 200] [--file F]

Texts are drawn from a Zipf-like vocabulary of 50,000 words, two facts to a turn; rows are
written through the store's own write transactions in batches, with each fact in a slot of its
own, so that nothing needs deriving. With `--tenants 50` the facts are spread over 50 tenants
and one is asked.

Three kinds of question are asked: selective (a name and two words that are not among the 300
most frequent, taken from one fact), typical (a name and three words of one fact, whatever their
frequency) and frequent (six of the 30 most frequent words). Times are of the wall, with the
processor's beside them, since a busy machine shows in the one and not in the other.
"""

from __future__ import annotations

import argparse
import itertools
import random
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bitempo.engine.model import Assertion, Cardinality, Entity, Episode, Session
from bitempo.engine.names import entity_id
from bitempo.engine.store.port import (
    FactVersion,
    PlacedAssertion,
    Point,
    Role,
    Slot,
    WriteTransaction,
)
from bitempo.engine.store.sqlite.store import SqliteStore
from bitempo.engine.time import FOREVER, Interval, parse_instant
from bitempo.query.recall import RecallSettings, recall

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


def build(store: SqliteStore, tenant: str, facts: int, language: Language) -> list[list[str]]:
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
    """The questions of each kind."""
    found: dict[str, list[str]] = {"selective": [], "typical": [], "frequent": []}
    for person, *texts in itertools.islice(itertools.cycle(asked), count):
        ranks = [int(text) for text in texts]
        rare = [rank for rank in ranks if rank >= 300]
        found["selective"].append(_ask(person, language.sample(rare, 2)))
        found["typical"].append(_ask(person, language.sample(ranks, 3)))
        found["frequent"].append(_ask("", language.sample(range(30), 6)))
    return found


def main() -> None:
    arguments = _arguments()
    language = Language(seed=arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file or Path(folder) / "scale.db"
        store = SqliteStore(path)
        began = time.perf_counter()
        asked: list[list[str]] = []
        for number in range(arguments.tenants):
            asked = build(store, f"t{number}", arguments.facts // arguments.tenants, language)
        seconds = time.perf_counter() - began
        print(
            f"{arguments.facts:,} facts and half as many turns in {arguments.tenants} tenant(s): "
            f"{arguments.facts / seconds:,.0f} facts/s, file {path.stat().st_size / 1e6:,.0f} MB"
        )
        for kind, texts in questions(asked, language, arguments.questions).items():
            _measure(store, f"t{arguments.tenants - 1}", kind, texts)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory {peak:,.0f} MB")
        store.close()


def _measure(store: SqliteStore, tenant: str, kind: str, texts: Sequence[str]) -> None:
    wall: list[float] = []
    processor: list[float] = []
    found = 0
    settings = RecallSettings()
    for text in texts:
        before = time.perf_counter(), time.process_time()
        with store.read(tenant) as reader:
            now = reader.last_tx() or START
            recalled = recall(reader, text, point=Point(now, now), settings=settings)
        wall.append(time.perf_counter() - before[0])
        processor.append(time.process_time() - before[1])
        found += len(recalled.items)
    print(
        f"{kind:<10} p50 {_at(wall, 0.5):7.2f} ms  p95 {_at(wall, 0.95):7.2f} ms   "
        f"(processor {_at(processor, 0.5):6.2f} / {_at(processor, 0.95):6.2f})   "
        f"{found / len(texts):.1f} items",
        flush=True,
    )


def _at(seconds: Sequence[float], share: float) -> float:
    return 1_000 * sorted(seconds)[min(int(share * len(seconds)), len(seconds) - 1)]


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


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--tenants", type=int, default=1)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--file", type=Path, help="where to keep the store; a temporary folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
