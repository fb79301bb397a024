"""Few statements, the same number whatever the size, and each finds its nodes by an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from bitempo import Memory, Modality, SourceSession, Statement, Tenant, Turn
from bitempo.engine.store.port import Corpus, FactQuery, Inbox, InboxWindow, Point, Reader
from bitempo.engine.time import parse_instant
from tests.conformance.telling import fresh
from tests.durability.workload import lines
from tests.neo4j.workload import open_memory
from tests.servers.running import Neo4jServer

MOST_OF_A_COMMIT = 12
MOST_OF_A_MERGE = 30
MOST_OF_A_WINDOW = 20
MOST_OF_AN_APPEND = 18
POINT = Point(2**60, 2**60)
IDS = ["a", "b"]
MANY = [f"id {number}" for number in range(500)]
START = parse_instant("2024-01-01")


class Recorder:
    """Keeps the statements that are sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Mapping[str, Any]]] = []

    def __call__(self, statement: str, parameters: Mapping[str, Any]) -> None:
        self.sent.append((statement, parameters))

    def during(self, work: Callable[[], object]) -> list[tuple[str, Mapping[str, Any]]]:
        """The statements sent while the work is done."""
        self.sent.clear()
        work()
        return list(self.sent)


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture(scope="module")
def watched(server: Neo4jServer, recorder: Recorder) -> Iterator[Memory]:
    """A memory whose statements are recorded."""
    with open_memory(server.location, observer=recorder) as memory:
        yield memory


@pytest.fixture(scope="module")
def told(watched: Memory) -> Tenant:
    """A tenant that knows a little of everything."""
    tenant = fresh(watched)
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", episode="E1")
    tenant.ingest(conversation("s", "I live in Oslo", "I like Lima"))
    return tenant


def conversation(id: str, *said: str) -> SourceSession:
    turns = [Turn(text, "Ana", START + n, id=f"{id}-{n}") for n, text in enumerate(said)]
    return SourceSession(id, START, tuple(turns))


def people(first: int, count: int) -> list[Statement]:
    return [
        Statement(f"person {first + n}", "LIVES_IN" if n % 2 else "KNOWS", f"place {n % 7}")
        for n in range(count)
    ]


def test_a_commit_of_one_and_of_five_hundred_take_the_same_few_statements(
    watched: Memory, recorder: Recorder
) -> None:
    tenant = fresh(watched)
    tenant.assert_facts(people(0, 3))
    counts = [
        len(recorder.during(partial(tenant.assert_facts, people(first, count))))
        for first, count in ((10, 1), (100, 50), (1_000, 500))
    ]
    assert counts[0] == counts[1] == counts[2] <= MOST_OF_A_COMMIT


def test_superseding_and_retracting_many_take_few_statements_too(
    watched: Memory, recorder: Recorder
) -> None:
    tenant = fresh(watched)
    moves = [Statement(f"person {n}", "LIVES_IN", "Lima", valid_from="2024") for n in range(50)]
    tenant.assert_facts(moves, episode="E1")
    moves = [Statement(f"person {n}", "LIVES_IN", "Oslo", valid_from="2025") for n in range(50)]
    superseding = recorder.during(lambda: tenant.assert_facts(moves, episode="E2"))
    assert len(superseding) <= MOST_OF_A_COMMIT
    assert len(recorder.during(lambda: tenant.retract(episode="E1"))) <= MOST_OF_A_COMMIT
    assert tenant.stats().facts == 50


def test_merging_costs_few_statements_and_other_commits_one_where_something_is_merged(
    watched: Memory, recorder: Recorder
) -> None:
    tenant = fresh(watched)
    tenant.assert_facts(people(0, 3))
    before = len(recorder.during(lambda: tenant.assert_facts(people(10, 50))))
    merging = recorder.during(lambda: tenant.merge("person 10", "person 12"))
    unmerging = recorder.during(lambda: tenant.unmerge("person 10", "person 12"))
    assert len(merging) <= MOST_OF_A_MERGE
    assert len(unmerging) <= MOST_OF_A_MERGE
    after = len(recorder.during(lambda: tenant.assert_facts(people(100, 50))))
    assert after <= before + 1


def test_a_window_is_applied_in_few_statements(told: Tenant, recorder: Recorder) -> None:
    said = [f"I live in place {n}" for n in range(12)]
    sent = recorder.during(lambda: told.ingest(conversation("few", *said)))
    assert len(sent) <= MOST_OF_A_WINDOW


def test_a_turn_is_appended_in_few_statements(watched: Memory, recorder: Recorder) -> None:
    tenant = fresh(watched)
    tenant.ingest(conversation("s", "I live in Oslo", "I like Lima"))
    for turn in (Turn("I live in Rome", "Ana", START + 9), Turn("So what", "Bo", START, id="own")):
        sent = recorder.during(partial(tenant.append, "s", turn))
        assert len(sent) <= MOST_OF_AN_APPEND
        # What waits, and the state of the tenant, are read once before the window is put there.
        reading = [statement for statement, _ in sent[:3]]
        assert sum("BitempoWindow(tenant, state)" in statement for statement in reading) == 1
        assert sum("RETURN (t.last_tx" in statement for statement in reading) == 1


@pytest.mark.parametrize(
    ("most", "ask"),
    [
        (3, lambda t: t.as_of("Ana", "LIVES_IN")),
        (3, lambda t: t.as_of("Ana", valid_at="2024-05-01", known_at="2030-05-01")),
        (2, lambda t: t.as_of()),
        (3, lambda t: t.neighbours("Ana", hops=1)),
        (3, lambda t: t.neighbours("Ana", hops=8)),
        (3, lambda t: t.history("Ana", "LIVES_IN")),
        (3, lambda t: t.history("Ana", versions=True)),
        (2, lambda t: t.diff("2020-01-01")),
        (2, lambda t: t.stats()),
        (2, lambda t: t.entities()),
        (7, lambda t: t.why(t.as_of("Ana", "LIVES_IN")[0])),
        (12, lambda t: t.recall("where does Ana live?")),
    ],
    ids=[
        "slot", "entity", "all", "one hop", "eight hops", "history", "versions", "diff", "stats",
        "entities", "why", "recall",
    ],
)  # fmt: skip
def test_a_read_takes_few_statements(
    told: Tenant, recorder: Recorder, most: int, ask: Callable[[Tenant], object]
) -> None:
    before = 3 if ask.__code__.co_names[0] == "why" else 0
    assert len(recorder.during(lambda: ask(told))) - before <= most


READS: dict[str, Callable[[Reader], object]] = {
    "a slot at a point": lambda r: r.facts(FactQuery(POINT, subjects=IDS, predicates=IDS)),
    "an entity at a point": lambda r: r.facts(FactQuery(POINT, subjects=IDS)),
    "an object at a point": lambda r: r.facts(FactQuery(POINT, objects=IDS)),
    "an entity and an object": lambda r: r.facts(FactQuery(POINT, subjects=IDS, objects=IDS)),
    "a predicate": lambda r: r.facts(FactQuery(POINT, predicates=IDS, limit=5)),
    "a slot by its key": lambda r: r.facts(FactQuery(POINT, slots=IDS)),
    "many slots": lambda r: r.facts(FactQuery(POINT, slots=MANY)),
    "what assertions support": lambda r: r.facts(FactQuery(POINT, support=IDS)),
    "what many support": lambda r: r.facts(FactQuery(POINT, support=MANY)),
    "facts by id": lambda r: r.facts(FactQuery(ids=IDS)),
    "history of a slot": lambda r: r.facts(FactQuery(Point(2**60), subjects=IDS, predicates=IDS)),
    "versions of a slot": lambda r: r.facts(FactQuery(subjects=IDS, predicates=IDS)),
    "versions of support": lambda r: r.facts(FactQuery(support=IDS)),
    "around entities": lambda r: r.neighbourhood(IDS, POINT, hops=3, fan_out=5),
    "along predicates": lambda r: r.neighbourhood(
        IDS, POINT, hops=2, fan_out=5, predicates=IDS, modality=Modality.ACTUAL
    ),
    "everything": lambda r: r.facts(FactQuery(POINT)),
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
    "a page as known earlier": lambda r: r.list_entities("a", 10, 2**50),
    "entities by words": lambda r: r.entities_sharing(["ana", "lima"], 5),
    "predicates": lambda r: r.predicates(),
    "last transaction": lambda r: r.last_tx(5),
    "search of assertions": lambda r: r.search(Corpus.ASSERTIONS, IDS, known_at=2**60, limit=9),
    "search of turns": lambda r: r.search(Corpus.TURNS, ["oslo"], known_at=2**60, limit=9),
    "stats": lambda r: r.stats(),
}

READS_OF_MERGES: dict[str, Callable[[Reader], object]] = {
    "what is one": lambda r: r.identities(IDS, 2**60),
    "all that is one": lambda r: r.identities(None, 2**60),
    "what stood for which": lambda r: r.stood_for(IDS),
}

WRITES: dict[str, Callable[[Tenant], object]] = {
    "assert": lambda t: t.assert_fact("Ana", "LIVES_IN", "Oslo"),
    "assert many": lambda t: t.assert_facts(people(0, 300)),
    "deny a slot": lambda t: t.assert_fact("Ana", "KNOWS", polarity="-"),
    "correct": lambda t: t.assert_fact("Ana", "LIVES_IN", "Rome", corrects="E1#0000"),
    "retract an assertion": lambda t: t.retract("E1#0000"),
    "retract an episode": lambda t: t.retract(episode="s-0"),
    "merge and unmerge": lambda t: [t.merge("Ana", "Lima"), t.unmerge("Ana", "Lima")],
    "set cardinality": lambda t: [t.set_cardinality("KNOWS", c) for c in ("one", "many")],
    "ingest": lambda t: t.ingest(conversation("new", "I live in Rome")),
    "ingest again": lambda t: t.ingest(conversation("s", "I live in Oslo", "I like Lima")),
    "append": lambda t: t.append("s", Turn("more", "Ana", START + 9)),
    "resume": lambda t: t.resume(),
    "export": lines,
}

INBOX: dict[str, Callable[[Inbox], object]] = {
    "put": lambda i: i.put([InboxWindow("w", "s", "{}", 0)]),
    "pending": lambda i: i.pending(),
    "pending of a session": lambda i: i.pending("s"),
    "get": lambda i: i.get(IDS),
    "store extraction": lambda i: i.store_extraction("w", "{}"),
    "store extraction with usage": lambda i: i.store_extraction("w", "{}", usage="1"),
    "add usage": lambda i: i.add_usage("w", "1"),
    "claim": lambda i: [i.put([InboxWindow("w", "s", "{}", 0)]), i.claim("w", "owner", 1.0)],
    "release": lambda i: i.release("w", "owner"),
    "usage": lambda i: i.usage(),
    "readings": lambda i: i.readings(),
    "readings of a session": lambda i: i.readings("s"),
    "fail": lambda i: i.fail("w", "reason"),
}


@pytest.mark.parametrize("read", READS)
def test_a_read_looks_up_what_it_needs(
    server: Neo4jServer, told: Tenant, recorder: Recorder, read: str
) -> None:
    def ask() -> None:
        with told._store.read(told.name) as reader:
            READS[read](reader)

    check(server, recorder.during(ask))


def test_what_is_merged_is_looked_up(
    server: Neo4jServer, watched: Memory, recorder: Recorder
) -> None:
    tenant = fresh(watched)
    tenant.assert_facts(people(0, 3))
    tenant.merge("person 0", "person 2")

    def ask() -> None:
        with tenant._store.read(tenant.name) as reader:
            for read in READS_OF_MERGES.values():
                read(reader)

    sent = recorder.during(ask)
    assert len(sent) == 1 + len(READS_OF_MERGES)
    check(server, sent)


@pytest.mark.parametrize("write", WRITES)
def test_a_write_looks_up_what_it_needs(
    server: Neo4jServer, told: Tenant, recorder: Recorder, write: str
) -> None:
    check(server, recorder.during(lambda: WRITES[write](told)))


@pytest.mark.parametrize("call", INBOX)
def test_the_inbox_looks_up_what_it_needs(
    server: Neo4jServer, told: Tenant, recorder: Recorder, call: str
) -> None:
    inbox = told._store.inbox(told.name)
    check(server, recorder.during(lambda: INBOX[call](inbox)))


def test_an_import_looks_up_what_it_needs(
    server: Neo4jServer, watched: Memory, told: Tenant, recorder: Recorder
) -> None:
    exported = lines(told)
    check(server, recorder.during(lambda: fresh(watched).import_(exported)))


def test_a_walk_through_a_tenant_or_a_label_would_be_noticed(
    server: Neo4jServer, told: Tenant
) -> None:
    for walk in (
        "MATCH (n) RETURN n",
        "MATCH (f:BitempoFact) RETURN f",
        "MATCH (f:BitempoFact) WHERE f.tenant = $tenant RETURN f",
        "MATCH (f:BitempoFact) WHERE f.tenant = $tenant AND f.modality = 'planned' RETURN f",
        "MATCH (f:BitempoFact)-[:SUBJECT]->(n) WHERE n.name = 'Ana' RETURN f",
    ):
        with pytest.raises(AssertionError, match="walks"):
            check(server, [(walk, {"tenant": told.name})])


def check(server: Neo4jServer, sent: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Each statement reaches nodes by an index on more than the tenant alone."""
    assert sent
    with server.driver() as driver, driver.session() as session:
        for statement, parameters in sent:
            plan = session.run("EXPLAIN " + statement, dict(parameters)).consume().plan
            assert plan is not None
            walking = [step for step in steps(plan) if walks(*step)]
            assert not walking, f"{statement} walks: {walking}"


def steps(plan: Any) -> Iterator[tuple[str, str]]:
    yield plan["operatorType"].partition("@")[0], str(plan["args"].get("Details", ""))
    for part in plan.get("children", ()):
        yield from steps(part)


def walks(operator: str, details: str) -> bool:
    if operator in SCANS:
        return True
    if operator in ("NodeIndexSeek", "NodeIndexScan"):
        return not any(allowed in details for allowed in OF_A_TENANT) and by_tenant_alone(details)
    return False


def by_tenant_alone(details: str) -> bool:
    """Whether the tenant is all that is looked up, though the index has more."""
    conditions = details.partition(" WHERE ")[2].partition(", cache[")[0]
    exact = [c for c in conditions.split(" AND ") if "tenant =" not in c and "IS NOT NULL" not in c]
    return not exact


SCANS = {
    "AllNodesScan",
    "NodeByLabelScan",
    "PartitionedAllNodesScan",
    "PartitionedNodeByLabelScan",
    "DirectedAllRelationshipsScan",
    "UndirectedAllRelationshipsScan",
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
    "NodeIndexContainsScan",
    "NodeIndexEndsWithScan",
}
OF_A_TENANT = (
    # All predicates or sessions of a tenant, and counts of what it holds, are what is asked for.
    "BitempoPredicate(tenant)",
    "BitempoSession(tenant)",
    "BitempoEntity(tenant, id_start) WHERE tenant = $tenant AND id_start IS NOT NULL",
    "BitempoTransaction(tenant, tx) WHERE tenant = $tenant AND tx IS NOT NULL",
    "BitempoWindow(tenant, state) WHERE tenant = $tenant AND state IS NOT NULL",
)
"""Look-ups by tenant alone that are meant."""
