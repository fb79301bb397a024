"""What the durability tests tell a memory, and how they judge the file that a process left."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from bitempo import EntityRef, Memory, SourceSession, Statement, Tenant, Turn
from bitempo.engine.model import AssertionDraft, Cardinality, Episode
from bitempo.engine.store.port import Store
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.engine.time import parse_instant
from bitempo.ingest.extraction import Extraction, Window
from bitempo.testing import FixedClock

TENANT = "acme"
NOW = "2030-01-01"
START = parse_instant("2024-01-01")
DAY = 86_400_000_000
CITIES = ("Lima", "Oslo", "Quito", "Rome")


@dataclass(frozen=True)
class Homes:
    """Reads "I live in X" and "I like X"; notes each call in a file, so that it can be counted."""

    calls: Path | None = None
    before: Callable[[], None] = lambda: None
    name: str = "homes/1"

    def extract(self, window: Window) -> Extraction:
        if self.calls is not None:
            with self.calls.open("a") as file:
                file.write(window.id + "\n")
        self.before()
        drafts = [draft for episode in window.episodes for draft in self._read(episode)]
        return Extraction(self.name, tuple(drafts))

    def _read(self, episode: Episode) -> Iterator[AssertionDraft]:
        for lead, predicate, cardinality in (
            ("I live in ", "LIVES_IN", Cardinality.ONE),
            ("I like ", "LIKES", Cardinality.MANY),
        ):
            if episode.text.startswith(lead):
                yield AssertionDraft(
                    subject=EntityRef(episode.actor or "?", "person"),
                    predicate=predicate,
                    object=EntityRef(episode.text.removeprefix(lead)),
                    text=f"{episode.actor}: {episode.text}",
                    evidence=(episode.id,),
                    key="0",
                    cardinality=cardinality,
                    extractor=self.name,
                )


def sessions() -> list[SourceSession]:
    """Three sessions, of two windows, one and one, in which homes change again and again."""
    return [_session(number, turns) for number, turns in enumerate((25, 6, 6))]


def tell(tenant: Tenant) -> None:
    """The whole workload. Telling it again changes nothing and goes on where it stopped."""
    tenant.ingest(sessions())
    tenant.assert_facts(
        [
            Statement("Ana", "LIVES_IN", "Cusco", valid_from="2024-06-01"),
            Statement("Bo", "LIKES", "tea", valid_from="2024-06-01"),
        ],
        episode="E1",
        occurred_at="2024-06-02",
    )
    tenant.retract(episode="s1-2")
    tenant.assert_facts(
        [Statement("Ana", "LIVES_IN", "Lima", valid_from="2024-05-01", corrects="E1#0000")],
        episode="E2",
        occurred_at="2024-06-03",
    )


def open_memory(store: Store, extractor: Homes | None = None) -> Memory:
    """A memory whose clock stands still, so that the n-th commit has the same time in every run."""
    return Memory(store, clock=FixedClock(NOW), extractor=extractor or Homes())


def lines(tenant: Tenant) -> list[str]:
    """All that the tenant holds."""
    return list(tenant.export())


def graph(exported: list[str]) -> list[str]:
    """What of an export the graph holds: all but the inbox, and the line that counts both."""
    return [line for line in exported if json.loads(line).get("record") not in ("window", "end")]


@dataclass(frozen=True)
class Uninterrupted:
    """A run that nothing stopped: its graph after each commit, and all it held at the end."""

    graphs: list[list[str]]
    end: list[str]


def uninterrupted() -> Uninterrupted:
    """Run the workload in memory, looking at it after every commit."""
    graphs: list[list[str]] = []

    class Watched:
        def __init__(self, store: Store) -> None:
            self._store = store

        def __getattr__(self, name: str) -> Any:
            return getattr(self._store, name)

        def write(self, *arguments: Any) -> Any:
            try:
                return self._store.write(*arguments)
            finally:
                now = graph(lines(memory.tenant(TENANT)))
                if not graphs or now != graphs[-1]:
                    graphs.append(now)

    memory = open_memory(Watched(SqliteStore(":memory:")))
    graphs.append(graph(lines(memory.tenant(TENANT))))
    tell(memory.tenant(TENANT))
    return Uninterrupted(graphs, lines(memory.tenant(TENANT)))


def check_file(path: Path) -> None:
    """The file is sound: SQLite's own checks, both text indexes, and no row without its own."""
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.pragma("integrity_check") == "ok"
        for text, table, searched in (
            ("assertion_text", "assertion", "1"),
            ("turn_text", "episode", "kind <> 'statement'"),
        ):
            connection.execute(f"INSERT INTO {text} ({text}) VALUES ('integrity-check')")
            indexed = connection.execute(f"SELECT rowid FROM {text} ORDER BY rowid").fetchall()
            rows = connection.execute(
                f"SELECT seq FROM {table} WHERE {searched} ORDER BY seq"
            ).fetchall()
            assert indexed == rows
        for statement in _ORPHANS:
            assert connection.execute(statement).get == 0, statement


def reopened(path: Path, extractor: Homes | None = None) -> AbstractContextManager[Memory]:
    """The memory on a file that another process left."""
    return open_memory(SqliteStore(path), extractor)


_ORPHANS = (
    "SELECT count(*) FROM evidence v LEFT JOIN episode e USING (tenant) "
    "WHERE v.episode NOT IN (SELECT id FROM episode o WHERE o.tenant = v.tenant)",
    "SELECT count(*) FROM fact f WHERE NOT EXISTS (SELECT 1 FROM fact_assertion l "
    "WHERE l.tenant = f.tenant AND l.fact = f.id)",
    "SELECT count(*) FROM assertion a WHERE NOT EXISTS (SELECT 1 FROM evidence v "
    "WHERE v.tenant = a.tenant AND v.assertion = a.id)",
    "SELECT count(*) FROM (SELECT tenant, tx_from FROM assertion UNION SELECT tenant, tx_from "
    "FROM episode UNION SELECT tenant, tx_from FROM fact) w WHERE NOT EXISTS "
    "(SELECT 1 FROM tx t WHERE t.tenant = w.tenant AND t.tx = w.tx_from)",
    "SELECT count(*) FROM fact a JOIN fact b ON a.tenant = b.tenant AND a.slot = b.slot "
    "AND a.id < b.id AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to "
    "AND a.tx_from < b.tx_to AND b.tx_from < a.tx_to",
)
"""What may never be: a row that names one that is not there, or two versions of one slot that
overlap in both times."""


def _session(number: int, turns: int) -> SourceSession:
    start = START + number * 10 * DAY
    return SourceSession(
        id=f"s{number}",
        started_at=start,
        turns=tuple(
            Turn(
                text=(
                    f"I like {CITIES[n % 3]} {number}"
                    if n % 4 == 3
                    else f"I live in {CITIES[(n + number) % 4]}"
                ),
                actor=("Ana", "Bo")[n % 2],
                occurred_at=start + n * DAY // 4,
                id=f"s{number}-{n}",
            )
            for n in range(turns)
        ),
    )
