"""Both stores beside each other: the same data, the same calls, in one run.

    python -m benchmarks.stores --neo4j bolt://localhost:7687 [--facts 10000 100000] [--json]

BITEMPO_NEO4J_USER and BITEMPO_NEO4J_PASSWORD sign in. Each size gets a tenant of its own on each
store, which is removed from the server afterwards. A fifth of the assertions supersede a value of
a single-valued slot. Everything goes through the engine's own commit and reader, so resolution,
derivation and full text are in the times. Reads alternate between the stores, so that whatever
else the machine does meets both. Nothing is asserted here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles

import neo4j
from rich.console import Console
from rich.table import Table

from benchmarks.store import HOUR, POLICY, START, Workload, episode, word
from bitempo.engine.commit import Batch, commit
from bitempo.engine.model import Fact
from bitempo.engine.store.neo4j import Neo4jStore, Options
from bitempo.engine.store.neo4j.address import read_location
from bitempo.engine.store.neo4j.schema import LABELS
from bitempo.engine.store.port import FactQuery, Point, Reader, Store
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.query.recall import recall

STORES = ("sqlite", "neo4j")
FAN_OUT = 50
"""How many facts of an entity a hop takes at most."""


@dataclass(frozen=True)
class Line:
    """What one store took for one kind of call; times in milliseconds."""

    facts: int
    what: str
    store: str
    p50_ms: float | None = None
    p95_ms: float | None = None
    per_second: float | None = None


@dataclass(frozen=True)
class Place:
    """A store, and the tenant that is measured in it."""

    store: Store
    tenant: str

    @contextmanager
    def read(self) -> Iterator[Reader]:
        with self.store.read(self.tenant) as reader:
            yield reader


def measure(places: Mapping[str, Place], facts: int, batch: int, reads: int) -> Iterator[Line]:
    """Build both, and then ask both the same things in turn."""
    workload = Workload(facts, 1)
    for name, place in places.items():
        yield apply(place, workload, batch, name)
    calls = {**commits(places, workload), **questions(places, workload)}
    for what, call in calls.items():
        few = reads if "commit" not in what else max(5, reads // 10)
        times: dict[str, list[float]] = {name: [] for name in places}
        for number in range(few + 5):
            for name, place in places.items():
                before = time.perf_counter()
                call(place, number)
                # The first ones find cold caches and plans that are not made yet.
                if number >= 5:
                    times[name].append(time.perf_counter() - before)
        for name in places:
            cut = quantiles(times[name], n=20)
            yield Line(facts, what, name, cut[9] * 1e3, cut[18] * 1e3)


def apply(place: Place, workload: Workload, batch: int, name: str) -> Line:
    """Apply the workload in commits of so many assertions."""
    started = time.perf_counter()
    for part in workload.batches(0, batch):
        commit(place.store, place.tenant, part, POLICY, START)
    rate = workload.facts / (time.perf_counter() - started)
    return Line(workload.facts, f"apply, {batch} a commit", name, per_second=rate)


Call = Callable[[Place, int], object]


def commits(places: Mapping[str, Place], workload: Workload) -> dict[str, Call]:
    """Durable commits of one assertion and of five hundred, the same on each store."""

    def batch_of(size: int, number: int) -> Batch:
        chosen = random.Random(f"{size} {number}")
        source = episode(10 * workload.facts + size * 10_000 + number)
        drafts = [workload.draft(chosen, source, key) for key in range(size)]
        return Batch(episodes=(source,), drafts=tuple(drafts))

    def committed(size: int) -> Call:
        return lambda place, number: commit(
            place.store, place.tenant, batch_of(size, number), POLICY, START
        )

    return {"commit of 1": committed(1), "commit of 500": committed(500)} if places else {}


def questions(places: Mapping[str, Place], workload: Workload) -> dict[str, Call]:
    """Reads of facts that are there, each from its own snapshot, at random points."""
    known = sample(next(iter(places.values())))
    hours = max(1, workload.facts // 10)

    def point(reader: Reader, number: int) -> Point:
        last = reader.last_tx() or START
        return Point(last, START + random.Random(number).randrange(hours) * HOUR)

    def slot(place: Place, number: int) -> object:
        fact = known[number % len(known)]
        with place.read() as reader:
            asked = FactQuery(
                point(reader, number), subjects=[fact.subject.id], predicates=[fact.predicate]
            )
            return reader.facts(asked)

    def two_hops(place: Place, number: int) -> object:
        fact = known[number % len(known)]
        with place.read() as reader:
            at = point(reader, number)
            return reader.neighbourhood([fact.subject.id], at, hops=2, fan_out=FAN_OUT)

    def asked(place: Place, number: int) -> object:
        chosen = random.Random(number)
        fact = known[number % len(known)]
        words = " ".join(word(int(chosen.paretovariate(0.7)) % 20_000) for _ in range(3))
        with place.read() as reader:
            at = point(reader, number)
            return recall(reader, f"what of {fact.subject.name} {words}?", point=at)

    return {"a slot at a point": slot, "two hops at a point": two_hops, "recall": asked}


def sample(place: Place) -> list[Fact]:
    """Facts of entities taken at random, the same in every run."""
    with place.read() as reader:
        entities = [entity.id for entity in reader.list_entities(None, None)]
        wanted = random.Random(7).sample(entities, min(300, len(entities)))
        return reader.facts(FactQuery(Point(reader.last_tx() or START), subjects=wanted))


def run(location: str, sizes: list[int], batch: int, reads: int) -> list[Line]:
    """All sizes, one after the other."""
    lines: list[Line] = []
    for facts in sizes:
        with ExitStack() as leaving, tempfile.TemporaryDirectory() as folder:
            stores: dict[str, Store] = {
                "sqlite": SqliteStore(Path(folder) / "memory.db"),
                "neo4j": server(location),
            }
            tenant = f"benchmark-{uuid.uuid4().hex}"
            for store in stores.values():
                leaving.callback(store.close)
            leaving.callback(remove, location, tenant)
            places = {name: Place(store, tenant) for name, store in stores.items()}
            for line in measure(places, facts, batch, reads):
                print(f"{line.facts:>9,} {line.what} {line.store}", file=sys.stderr)
                lines.append(line)
    return lines


def server(location: str) -> Neo4jStore:
    """The store on the server, signed in to by the environment."""
    return Neo4jStore(
        location,
        user=os.environ.get("BITEMPO_NEO4J_USER"),
        password=os.environ.get("BITEMPO_NEO4J_PASSWORD"),
    )


def remove(location: str, tenant: str) -> None:
    """Take the tenant's nodes off the server again."""
    address, _ = read_location(location, Options())
    user = address.user or os.environ.get("BITEMPO_NEO4J_USER", "neo4j")
    password = address.password or os.environ.get("BITEMPO_NEO4J_PASSWORD", "")
    with (
        neo4j.GraphDatabase.driver(address.uri, auth=(user, password)) as driver,
        driver.session(database=address.database) as session,
    ):
        # Facts and assertions first: what is left then has few relationships.
        for label in reversed(LABELS):
            session.run(
                f"MATCH (n:{label}) WHERE coalesce(n.tenant, n.name) = $tenant "
                "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS",
                tenant=tenant,
            ).consume()


def ratio(lines: list[Line], line: Line) -> float:
    """How many times longer the server takes than the embedded store for the same."""
    other = next(
        o for o in lines if (o.facts, o.what, o.store) == (line.facts, line.what, "sqlite")
    )
    if line.per_second is not None and other.per_second is not None:
        return other.per_second / line.per_second
    return (line.p50_ms or 0.0) / (other.p50_ms or 1.0)


def show(lines: list[Line]) -> None:
    """The lines as a table, with the ratio of the server to the embedded store."""
    table = Table(title="Both stores, same run, same data; ratio of the times, Neo4j to SQLite")
    for name in ("facts", "", "store", "p50 ms", "p95 ms", "per second", "ratio"):
        table.add_column(name, justify="left" if name in ("", "store") else "right")
    for line in lines:
        table.add_row(
            f"{line.facts:,}",
            line.what,
            line.store,
            "" if line.p50_ms is None else f"{line.p50_ms:.2f}",
            "" if line.p95_ms is None else f"{line.p95_ms:.2f}",
            "" if line.per_second is None else f"{line.per_second:,.0f}",
            "" if line.store == "sqlite" else f"{ratio(lines, line):.1f}",
        )
    Console().print(table)


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--neo4j", required=True, metavar="LOCATION")
    parser.add_argument("--facts", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--batch", type=int, default=500, help="assertions a commit")
    parser.add_argument("--reads", type=int, default=200, help="calls of each kind")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    lines = run(options.neo4j, options.facts, options.batch, options.reads)
    if options.json:
        found = [asdict(line) | {"ratio": round(ratio(lines, line), 2)} for line in lines]
        json.dump(found, sys.stdout, indent=1)
        print()
        return
    show(lines)


if __name__ == "__main__":
    main()
