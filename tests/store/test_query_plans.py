"""What is asked again and again is looked up in an index; nothing walks through a whole tenant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from typing import Any

import apsw
import apsw.ext
import pytest

from bitempo import Memory, Modality, Statement, Tenant
from bitempo.engine.store.port import Corpus, FactQuery, Inbox, InboxWindow, Point, Reader
from bitempo.engine.store.sqlite import SqliteStore
from tests.store.telling import Scripted, each_says, session

POINT = Point(2**60, 2**60)
IDS = ["a", "b"]

WAITING = {"inbox_pending"}
"""The index of the windows that wait, which are few, and of nothing else: it may be walked."""

READS: dict[str, Callable[[Reader], object]] = {
    "a slot at a point": lambda r: r.facts(FactQuery(POINT, subjects=IDS, predicates=IDS)),
    "an entity at a point": lambda r: r.facts(FactQuery(POINT, subjects=IDS)),
    "an object at a point": lambda r: r.facts(FactQuery(POINT, objects=IDS)),
    "a slot by its key": lambda r: r.facts(FactQuery(POINT, slots=IDS)),
    "what assertions support": lambda r: r.facts(FactQuery(POINT, support=IDS)),
    "facts by id": lambda r: r.facts(FactQuery(ids=IDS)),
    "history of a slot": lambda r: r.facts(FactQuery(Point(2**60), subjects=IDS, predicates=IDS)),
    "versions of a slot": lambda r: r.facts(FactQuery(subjects=IDS, predicates=IDS)),
    "versions of support": lambda r: r.facts(FactQuery(support=IDS)),
    "around entities": lambda r: r.neighbourhood(IDS, POINT, hops=3, fan_out=5),
    "along predicates": lambda r: r.neighbourhood(
        IDS, POINT, hops=2, fan_out=5, predicates=IDS, modality=Modality.ACTUAL
    ),
    "what changed": lambda r: r.changed_facts(1, 2),
    "assertions": lambda r: r.assertions(IDS),
    "evidence": lambda r: r.evidenced_by(IDS, 2**60),
    "episodes": lambda r: r.episodes(IDS),
    "sessions": lambda r: r.sessions(IDS),
    "turns": lambda r: r.turns("s"),
    "last turns": lambda r: r.turns("s", 4),
    "neighbours": lambda r: r.neighbours(IDS, 1),
    "entities": lambda r: r.entities(IDS),
    "entities by name": lambda r: r.entities_named(IDS),
    "a page of entities": lambda r: r.list_entities("a", 10),
    "entities by words": lambda r: r.entities_sharing(["ana", "lima"], 1),
    "what is one": lambda r: r.identities(IDS, 2**60),
    "what stood for which": lambda r: r.stood_for(IDS),
    "last transaction": lambda r: r.last_tx(5),
    "search of assertions": lambda r: r.search(Corpus.ASSERTIONS, IDS, known_at=2**60, limit=9),
    "search of turns": lambda r: r.search(Corpus.TURNS, IDS, known_at=2**60, limit=9),
    "search as known earlier": lambda r: r.search(Corpus.TURNS, ["hello"], known_at=5, limit=9),
}

RANGES = {
    "what changed": {"fact_opened", "fact_closed"},
    "a page of entities": {"sqlite_autoindex_entity_1"},
}
"""Reads of a stretch of an index, bounded by what is asked for."""

WRITES: dict[str, Callable[[Tenant], object]] = {
    "assert": lambda t: t.assert_fact("Ana", "LIVES_IN", "Oslo"),
    "assert many": lambda t: t.assert_facts([Statement("Bo", "KNOWS", n) for n in IDS]),
    "deny a slot": lambda t: t.assert_fact("Ana", "KNOWS", polarity="-"),
    "correct": lambda t: t.assert_fact("Ana", "LIVES_IN", "Rome", corrects="E1#0000"),
    "merge and unmerge": lambda t: [t.merge("Ana", "Lima"), t.unmerge("Ana", "Lima")],
    "retract an assertion": lambda t: t.retract("E1#0000"),
    "retract an episode": lambda t: t.retract(episode="s-0"),
    "ingest": lambda t: t.ingest(session(["new"], "new")),
    "ingest again": lambda t: t.ingest(session(["hello", "world"])),
    "append": lambda t: t.append("s", session(["more"], "more").turns),
    "resume": lambda t: t.resume(),
}

INBOX: dict[str, Callable[[Inbox], object]] = {
    "put": lambda i: i.put([InboxWindow("w", "s", "{}", 0)]),
    "pending": lambda i: i.pending(),
    "pending of a session": lambda i: i.pending("s"),
    "get": lambda i: i.get(IDS),
    "store extraction": lambda i: i.store_extraction("w", "{}"),
    "store extraction with usage": lambda i: i.store_extraction("w", "{}", usage="1"),
    "add usage": lambda i: i.add_usage("w", "1"),
    "claim": lambda i: i.claim("w", "owner", 1.0),
    "release": lambda i: i.release("w", "owner"),
    "readings of a session": lambda i: i.readings("s"),
    "fail": lambda i: i.fail("w", "reason"),
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    store = SqliteStore(tmp_path_factory.mktemp("plans") / "memory.db")
    with Memory(store, extractor=Scripted(each_says)) as opened:
        for name in ("acme", "other"):
            tenant = opened.tenant(name)
            tenant.assert_fact("Ana", "LIVES_IN", "Lima", episode="E1")
            tenant.ingest(session(["hello", "world"]))
        yield opened


@pytest.mark.parametrize("read", READS)
def test_a_read_looks_up_what_it_needs(memory: Memory, read: str) -> None:
    with statements(memory) as run, memory._store.read("acme") as reader:
        READS[read](reader)
    check(memory, run, besides=RANGES.get(read, frozenset()))


@pytest.mark.parametrize("write", WRITES)
def test_a_write_looks_up_what_it_needs(memory: Memory, write: str) -> None:
    with statements(memory) as run:
        WRITES[write](memory.tenant("acme"))
    check(memory, run, besides=WAITING)


@pytest.mark.parametrize("call", INBOX)
def test_the_inbox_looks_up_what_it_needs(memory: Memory, call: str) -> None:
    with statements(memory) as run:
        INBOX[call](memory._store.inbox("acme"))
    check(memory, run, besides=WAITING)


def test_a_walk_through_a_tenant_would_be_noticed(memory: Memory) -> None:
    for walk in (
        "SELECT * FROM fact",
        "SELECT * FROM fact WHERE tenant = 1",
        "SELECT * FROM fact WHERE tenant = 1 AND tx_to > 5",
        "SELECT * FROM fact_assertion WHERE tenant = 1 AND role = 'supports'",
        "SELECT count(*) FROM episode WHERE tenant = 1 AND text = ''",
        "SELECT * FROM turn_text",
    ):
        with pytest.raises(AssertionError, match="walks"):
            check(memory, [walk])


@contextmanager
def statements(memory: Memory) -> Iterator[list[str]]:
    """The statements that are run meanwhile, those that SQLite runs by itself left out."""
    run: list[str] = []

    def note(event: dict[str, Any]) -> None:
        if not event["sql"].startswith("--"):
            run.append(event["sql"])

    def trace(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_STMT, note)

    connections = memory._store._connections  # type: ignore[attr-defined]
    for idle in connections._idle:
        trace(idle)
    apsw.connection_hooks.append(trace)
    try:
        yield run
    finally:
        apsw.connection_hooks.remove(trace)
        for idle in connections._idle:
            idle.trace_v2(0, None)


def check(memory: Memory, run: list[str], besides: Set[str] = frozenset()) -> None:
    planned = [sql for sql in run if sql.split()[0] in ("SELECT", "UPDATE", "DELETE", "INSERT")]
    assert planned
    connections = memory._store._connections  # type: ignore[attr-defined]
    with connections.reading() as connection:
        for sql in planned:
            plan = apsw.ext.query_info(connection, sql, explain_query_plan=True).query_plan
            taken = list(steps(plan))
            results = {step.removeprefix("CO-ROUTINE ") for step in taken if "CO-ROUTINE" in step}
            for step in taken:
                of_result = step.removeprefix("SCAN ") in results
                assert of_result or not walks(step, besides), f"{sql} walks: {step}"


def steps(plan: Any) -> Iterator[str]:
    yield plan.detail
    for part in plan.sub or ():
        yield from steps(part)


def walks(step: str, besides: Set[str]) -> bool:
    """Whether a step of a plan goes through a whole table, or through all of a tenant's rows."""
    if any(f"INDEX {index} " in step for index in besides):
        return False
    if step.startswith("SCAN"):
        return not any(re.match(allowed, step) for allowed in LOOK_UPS)
    # The last transaction is at the end of its index.
    return bool(OF_A_TENANT.search(step)) and not step.startswith("SEARCH tx USING PRIMARY KEY")


OF_A_TENANT = re.compile(r" USING .*\(tenant=\?( AND \w+[<>]\?)*\)$")
LOOK_UPS = (
    r"SCAN json_each VIRTUAL TABLE",
    r"SCAN CONSTANT ROW",
    # Full text: M for a term that is looked up; 0x100 for one term of the vocabulary.
    r"SCAN (\w+_text|t) VIRTUAL TABLE INDEX \d+:.*M",
    r"SCAN \w+_terms VIRTUAL TABLE INDEX 2(5[6-9]|6\d):",
)
"""Scans of what was handed in, and of virtual tables that are asked for one thing."""
