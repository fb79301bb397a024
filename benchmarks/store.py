"""How fast the embedded store reads and writes, with one large tenant among others.

    python -m benchmarks.store --facts 100000 --tenants 50 [--json] [--file FILE]

One tenant gets so many assertions; the other tenants share as many again. Two in five are of
single-valued predicates, where later ones supersede. Everything goes through the engine's own
commit, so resolution, derivation and full text are in the times. Nothing is asserted here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import quantiles

from rich.console import Console
from rich.table import Table

from bitempo.engine.commit import Batch, commit
from bitempo.engine.model import AssertionDraft, EntityRef, Episode, EpisodeKind
from bitempo.engine.policy import PredicatePolicy
from bitempo.engine.store.port import FactQuery, Point
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.engine.time import parse_instant

START = parse_instant("2020-01-01")
HOUR = 3_600_000_000
POLICY = PredicatePolicy().with_single("LIVES_IN", "WORKS_FOR").with_many("KNOWS", "LIKES")
PREDICATES = ("LIVES_IN", "WORKS_FOR", "KNOWS", "LIKES", "KNOWS")
SYLLABLES = "ba de fi go hu ka le mi no pu ra se ti vo zu".split()
DRAFTS_PER_EPISODE = 10


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    p50_ms: float | None = None
    p95_ms: float | None = None
    per_second: float | None = None
    value: float | None = None
    unit: str = ""


@dataclass(frozen=True)
class Workload:
    """Assertions that are the same in every run."""

    facts: int
    seed: int

    @property
    def entities(self) -> int:
        """A fact has a subject and mostly an object; each entity is met ten times or so."""
        return max(20, self.facts // 5)

    def entity(self, chosen: random.Random) -> str:
        """Skewed: a tenth of the entities is met half of the time."""
        top = self.entities if chosen.random() < 0.5 else self.entities // 10
        number = chosen.randrange(top)
        return f"{word(number % 500)} {number}"

    def batches(self, first: int, size: int) -> Iterator[Batch]:
        """All assertions, so many a batch, from the episode with the number `first`."""
        chosen = random.Random(self.seed)
        for start in range(0, self.facts, size):
            count = min(size, self.facts - start)
            episodes = [
                episode(first + (start + offset) // DRAFTS_PER_EPISODE)
                for offset in range(0, count, DRAFTS_PER_EPISODE)
            ]
            yield Batch(
                episodes=tuple(episodes),
                drafts=tuple(
                    self.draft(chosen, episodes[n // DRAFTS_PER_EPISODE], n % DRAFTS_PER_EPISODE)
                    for n in range(count)
                ),
            )

    def draft(self, chosen: random.Random, source: Episode, key: int) -> AssertionDraft:
        """One assertion about a random entity, with fifteen words of text."""
        subject, object = self.entity(chosen), self.entity(chosen)
        predicate = chosen.choice(PREDICATES)
        words = " ".join(word(int(chosen.paretovariate(0.7)) % 20_000) for _ in range(12))
        return AssertionDraft(
            subject=EntityRef(subject),
            predicate=predicate,
            object=EntityRef(object),
            text=f"{subject} {predicate} {object} {words}",
            evidence=(source.id,),
            key=str(key),
            valid_from=source.occurred_at + key,
        )


def word(number: int) -> str:
    """A pronounceable word, another for each number."""
    syllables: list[str] = []
    while number or not syllables:
        number, rest = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[rest])
    return "".join(syllables) + "x"


def episode(number: int) -> Episode:
    """An episode that is not searched as a turn, an hour after the one before it."""
    return Episode(f"ep{number}", f"episode {number}", START + number * HOUR, EpisodeKind.TEXT)


def run(file: Path, facts: int, tenants: int, batch: int) -> list[Figure]:
    """Build the file and measure it."""
    store = SqliteStore(file)
    figures = list(build(store, "t0", Workload(facts, 1), batch))
    if tenants > 1:
        share = max(1, facts // (tenants - 1))
        started, done = time.perf_counter(), 0
        for number in range(1, tenants):
            for part in Workload(share, 1 + number).batches(0, min(batch, share)):
                commit(store, f"t{number}", part, POLICY, START)
                done += len(part.drafts)
        rate = done / (time.perf_counter() - started)
        figures.append(Figure(f"batch apply, {tenants - 1} other tenants", per_second=rate))
    figures += reads(store, Workload(facts, 1))
    figures += single_commits(store, Workload(facts, 1))
    store.close()
    figures.append(Figure("file", value=file.stat().st_size / 1e6, unit="MB"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if MAC else 1e3)
    figures.append(Figure("peak resident memory", value=peak, unit="MB"))
    return figures


def build(store: SqliteStore, tenant: str, workload: Workload, size: int) -> Iterator[Figure]:
    """Apply the workload, and tell how fast the first and the last part of it went."""
    rates: list[float] = []
    started = time.perf_counter()
    for batch in workload.batches(0, size):
        before = time.perf_counter()
        commit(store, tenant, batch, POLICY, START)
        rates.append(len(batch.drafts) / (time.perf_counter() - before))
    total = time.perf_counter() - started
    tenth = max(1, len(rates) // 10)
    yield Figure(f"batch apply, {size} a commit", per_second=workload.facts / total)
    yield Figure("  first tenth", per_second=sum(rates[:tenth]) / tenth)
    yield Figure("  last tenth", per_second=sum(rates[-tenth:]) / tenth)


def reads(store: SqliteStore, workload: Workload) -> list[Figure]:
    """Reads of slots and entities that have facts, at random points, each in its own snapshot."""
    chosen = random.Random(7)
    with store.read("t0") as reader:
        last = reader.last_tx() or START
        entities = [entity.id for entity in reader.list_entities(None, None)]
        known = reader.facts(FactQuery(Point(last), subjects=chosen.sample(entities, 500)))
    hours = workload.facts // DRAFTS_PER_EPISODE

    def at(wanted: FactQuery) -> FactQuery:
        return replace(wanted, point=Point(last, START + chosen.randrange(hours) * HOUR))

    def slot() -> FactQuery:
        fact = chosen.choice(known)
        return at(FactQuery(subjects=[fact.subject.id], predicates=[fact.predicate]))

    def entity() -> FactQuery:
        return at(FactQuery(subjects=[chosen.choice(known).subject.id]))

    def object() -> FactQuery:
        fact = chosen.choice(known)
        return at(FactQuery(objects=[fact.object.id if fact.object else ""]))

    kinds: list[tuple[str, Callable[[], FactQuery]]] = [
        ("a slot at a point", slot),
        ("an entity at a point", entity),
        ("an object at a point", object),
    ]
    figures = []
    for what, query in kinds:
        times = []
        for _ in range(3_000):
            asked = query()
            before = time.perf_counter()
            with store.read("t0") as reader:
                reader.facts(asked)
            times.append(time.perf_counter() - before)
        figures.append(timed(what, times))
    return figures


def single_commits(store: SqliteStore, workload: Workload) -> list[Figure]:
    """One assertion a commit, each durable before the next."""
    chosen = random.Random(8)
    first = 10 * workload.facts
    times = []
    for number in range(500):
        source = episode(first + number)
        batch = Batch(episodes=(source,), drafts=(workload.draft(chosen, source, 0),))
        before = time.perf_counter()
        commit(store, "t0", batch, POLICY, START)
        times.append(time.perf_counter() - before)
    return [timed("durable commit of one assertion", times)]


def timed(what: str, seconds: list[float]) -> Figure:
    """The median and the 95th percentile."""
    cut = quantiles(seconds, n=20)
    return Figure(what, cut[9] * 1e3, cut[18] * 1e3, len(seconds) / sum(seconds))


def show(figures: list[Figure], title: str) -> None:
    """The figures as a table."""
    table = Table(title=title)
    table.add_column("")
    for name in ("p50 ms", "p95 ms", "per second", "value"):
        table.add_column(name, justify="right")
    for figure in figures:
        table.add_row(
            figure.what,
            "" if figure.p50_ms is None else f"{figure.p50_ms:.3f}",
            "" if figure.p95_ms is None else f"{figure.p95_ms:.3f}",
            "" if figure.per_second is None else f"{figure.per_second:,.0f}",
            "" if figure.value is None else f"{figure.value:,.0f} {figure.unit}",
        )
    Console().print(table)


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--tenants", type=int, default=50)
    parser.add_argument("--batch", type=int, default=1_000, help="assertions a commit")
    parser.add_argument("--file", type=Path, help="where to build; a temporary file by default")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        file = options.file or Path(folder) / "memory.db"
        figures = run(file, options.facts, options.tenants, options.batch)
    if options.json:
        json.dump([asdict(figure) for figure in figures], sys.stdout, indent=1)
        print()
        return
    show(figures, f"{options.facts:,} assertions in one tenant, {options.tenants} tenants")


MAC = os.uname().sysname == "Darwin"

if __name__ == "__main__":
    main()
