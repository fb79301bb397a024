"""How recall's time, the memory and the disk grow with what a store holds.

    python -m benchmarks.recall_scale [--facts 10000 100000 1000000] [--most 100000]
        [--embedder static|minilm|none] [--neo4j LOCATION] [--questions 100] [--json]

Each size is built in a process of its own, of synthetic facts and half as many turns
(`benchmarks.growing`): in one tenant, or in as many as it takes with at most `--most` facts each,
of which the last is asked. First by words alone, then the same questions with the embedder's
vectors too. The vectors of questions are made before, and their time is given apart; the first
question, which reads the tenant's vectors into memory, is apart as well. Times are of the wall,
with the processor's beside them, since a busy machine shows in the one and not in the other.

BITEMPO_NEO4J_USER and BITEMPO_NEO4J_PASSWORD sign in to a server, where the tenants are removed
afterwards.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks.growing import MINUTE, START, Language, build, questions
from benchmarks.stores import remove, server
from benchmarks.timing import timed
from bitempo.bench.figures import percentile
from bitempo.engine.embedding import Embedder
from bitempo.engine.store.port import Point, Store
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.ingest.embedders import open_embedder
from bitempo.ingest.embedding import Embedding
from bitempo.query.recall import recall
from bitempo.query.vectors import QuestionVectors, question_vectors

WARM = 3
"""Questions of a kind before those that are counted."""


@dataclass(frozen=True)
class Line:
    """One figure: of building in texts a second and MB, of questions in milliseconds."""

    store: str
    facts: int
    tenants: int
    what: str
    p50_ms: float | None = None
    p95_ms: float | None = None
    processor_p50_ms: float | None = None
    processor_p95_ms: float | None = None
    per_second: float | None = None
    disk_mb: float | None = None
    memory_mb: float | None = None


@dataclass(frozen=True)
class Task:
    """One size on one store."""

    facts: int
    most: int
    embedder: str | None
    location: str | None
    questions: int


def measure(task: Task) -> list[Line]:
    """Build it, and ask."""
    with ExitStack() as leaving, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scale.db"
        store: Store = SqliteStore(file) if task.location is None else server(task.location)
        leaving.callback(store.close)
        run = _Run(task, store, file)
        if task.location is not None:
            for tenant in run.names:
                leaving.callback(remove, task.location, tenant)
        return list(run.lines())


class _Run:
    def __init__(self, task: Task, store: Store, file: Path) -> None:
        self._task, self._store, self._file = task, store, file
        run, count = uuid.uuid4().hex, -(-task.facts // task.most)
        self.names = [f"scale-{run}-{number}" for number in range(count)]
        self._language = Language(seed=7)

    def lines(self) -> Iterator[Line]:
        count = len(self.names)
        asked: list[list[str]] = []
        began = time.perf_counter()
        for name in self.names:
            asked = build(self._store, name, self._task.facts // count, self._language)
        yield self._built("facts and turns written, texts", began)
        kinds = questions(asked, self._language, WARM + self._task.questions)
        for kind, texts in kinds.items():
            yield self._asked(f"words, {kind}", texts, [None] * len(texts))
        embedder = open_embedder(self._task.embedder)
        if embedder is None:
            return
        began = time.perf_counter()
        for name in self.names:
            Embedding(self._store, name, embedder).embed_missing()
        yield self._built("vectors made and written, texts", began)
        yield from self._hybrid(embedder, kinds)

    def _hybrid(self, embedder: Embedder, kinds: dict[str, list[str]]) -> Iterator[Line]:
        texts = [text for kind in kinds.values() for text in kind]
        made: dict[str, QuestionVectors] = {}

        def make(text: str) -> None:
            made[text] = question_vectors(embedder, text)

        make(texts[0])
        yield self._timed("a question encoded", [lambda text=t: make(text) for t in texts])
        first = [lambda: self._recall(texts[0], made[texts[0]])]
        yield self._timed("words and vectors, first question", first)
        for kind, asked in kinds.items():
            yield self._asked(f"words and vectors, {kind}", asked, [made[t] for t in asked])

    def _asked(
        self, what: str, texts: Sequence[str], vectors: Sequence[QuestionVectors | None]
    ) -> Line:
        pairs = list(zip(texts, vectors, strict=True))
        for text, one in pairs[:WARM]:
            self._recall(text, one)
        calls = [lambda text=text, one=one: self._recall(text, one) for text, one in pairs[WARM:]]
        return self._timed(what, calls)

    def _recall(self, text: str, vectors: QuestionVectors | None) -> None:
        with self._store.read(self.names[-1]) as reader:
            # By then all turns have happened.
            point = Point(reader.last_tx() or START, START + self._task.facts * MINUTE)
            recall(reader, text, point=point, vectors=vectors)

    def _timed(self, what: str, calls: Sequence[Callable[[], None]]) -> Line:
        wall, processor = zip(*map(timed, calls), strict=True)
        return self._line(
            what,
            p50_ms=percentile(wall, 0.5),
            p95_ms=percentile(wall, 0.95),
            processor_p50_ms=percentile(processor, 0.5),
            processor_p95_ms=percentile(processor, 0.95),
        )

    def _built(self, what: str, began: float) -> Line:
        texts = self._task.facts * 3 // 2
        parts = [self._file, self._file.with_name(f"{self._file.name}-wal")]
        size = sum(part.stat().st_size for part in parts if part.exists())
        return self._line(
            what,
            per_second=texts / (time.perf_counter() - began),
            disk_mb=size / 1e6 if size else None,
        )

    def _line(self, what: str, **figures: float | None) -> Line:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        name = "neo4j" if self._task.location else "sqlite"
        line = Line(name, self._task.facts, len(self.names), what, memory_mb=peak, **figures)
        print(f"{_column(line)}: {what}: {_cell(line)}", file=sys.stderr, flush=True)
        return line


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all sizes on each store, and print a table or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--facts", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--most", type=int, default=100_000, help="facts of a tenant at most")
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--neo4j", metavar="LOCATION", help="a server to measure as well")
    parser.add_argument("--questions", type=int, default=100, help="of each kind")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    embedder = None if given.embedder == "none" else given.embedder
    lines: list[Line] = []
    for facts in given.facts:
        for location in (None, given.neo4j) if given.neo4j else (None,):
            task = Task(facts, given.most, embedder, location, given.questions)
            # A process of its own each time, so that its memory is of this size.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                lines += process.submit(measure, task).result()
    if given.json:
        print(json.dumps([asdict(line) for line in lines], indent=1))
        return
    print("\n".join(_table(lines)))


def _table(lines: Sequence[Line]) -> Iterator[str]:
    """A row for each figure, a column for each size on each store."""
    columns = list(dict.fromkeys(_column(line) for line in lines))
    cells = {(line.what, _column(line)): _cell(line) for line in lines}
    yield "| | " + " | ".join(columns) + " |"
    yield "| --- |" + " ---: |" * len(columns)
    for what in dict.fromkeys(line.what for line in lines):
        row = [cells.get((what, column), "") for column in columns]
        yield f"| {what} | " + " | ".join(row) + " |"


def _column(line: Line) -> str:
    tenants = "one tenant" if line.tenants == 1 else f"{line.tenants} tenants"
    return f"{line.store}, {line.facts:,} facts, {tenants}"


def _cell(line: Line) -> str:
    """Of a question the median and the 95th percentile, and in brackets those of the processor."""
    if line.p50_ms is None:
        disk = "" if line.disk_mb is None else f", {line.disk_mb:,.0f} MB on disk"
        return f"{line.per_second:,.0f} a second{disk}, {line.memory_mb:,.0f} MB in memory"
    return (
        f"{line.p50_ms:.1f} / {line.p95_ms:.1f} "
        f"({line.processor_p50_ms:.1f} / {line.processor_p95_ms:.1f})"
    )


if __name__ == "__main__":
    main()
