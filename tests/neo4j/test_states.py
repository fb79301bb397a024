"""A read sees one state, whole, though others write meanwhile; and every write before it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from bitempo import Memory, Statement, StoreError, Tenant
from bitempo.engine.store.port import FactQuery, Point, Reader
from tests.conformance.telling import fresh
from tests.durability.workload import lines
from tests.neo4j.conftest import Opening

EACH = 60
COMMITS = 14


def people(number: int) -> list[Statement]:
    """Half of them new facts, half of them superseding what the commit before told."""
    return [
        Statement(
            f"person {n if n % 2 else number * EACH + n}",
            "LIVES_IN",
            f"place {number}",
            valid_from=f"{2000 + number}-01-01",
        )
        for n in range(EACH)
    ]


@contextmanager
def written_to(tenant: Tenant) -> Iterator[Callable[[], bool]]:
    """Commits go on in the background; whether they still do."""

    def write() -> None:
        for number in range(COMMITS):
            tenant.assert_facts(people(number), episode=f"E{number}")

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        yield lambda: not writing.done()
        writing.result()


def check_whole(reader: Reader) -> int:
    """How many commits are seen; fails where one is seen in part."""
    stats = reader.stats()
    if stats.last_tx is None:
        assert stats.episodes == stats.assertions == stats.facts == 0
        return 0
    assert stats.episodes == stats.transactions
    assert stats.assertions == EACH * stats.transactions
    everything = reader.facts(FactQuery(Point(2**60)))
    assert len(everything) == stats.facts
    assert all(fact.support for fact in everything)
    versions = reader.facts(FactQuery())
    assert len(versions) == stats.fact_versions
    assert {fact.id for fact in versions if not fact.tx_to} == {fact.id for fact in everything}
    assert reader.stats() == stats
    return stats.transactions


def test_a_reader_beside_a_writer_sees_whole_commits_only(opened: Opening) -> None:
    writer, reader = opened(), opened()
    tenant = fresh(writer)
    seen = []
    with written_to(tenant) as still:
        while still():
            with reader._store.read(tenant.name) as reading:
                seen.append(check_whole(reading))
    with reader._store.read(tenant.name) as reading:
        assert check_whole(reading) == COMMITS
    assert seen == sorted(seen)
    assert set(seen) - {0, COMMITS}


def test_an_export_beside_a_writer_holds_one_state_and_can_be_imported(opened: Opening) -> None:
    writer, reader = opened(), opened()
    tenant = fresh(writer)
    exports = []
    with written_to(tenant) as still:
        while still():
            exports.append(lines(reader.tenant(tenant.name)))
    sizes = {check_export(export) for export in exports}
    assert sizes - {0, COMMITS}
    copy = fresh(reader)
    copy.import_(exports[-1])
    assert sorted(lines(copy)) == sorted(exports[-1])


def check_export(export: list[str]) -> int:
    """How many commits an export holds; fails where it holds one in part."""
    records = [json.loads(line) for line in export]
    by_kind: dict[str, list[dict[str, object]]] = {}
    for record in records:
        by_kind.setdefault(record.get("record", ""), []).append(record)
    commits = len(by_kind.get("transaction", ()))
    assert len(by_kind.get("episode", ())) == commits
    assert len(by_kind.get("assertion", ())) == EACH * commits
    used = {record["tx"] for record in by_kind.get("transaction", ())}
    for record in (*by_kind.get("fact", ()), *by_kind.get("assertion", ())):
        believed = record.get("believed") or record["assertion"]["believed"]  # type: ignore[index]
        assert isinstance(believed, dict)
        assert {believed["from"], believed.get("to")} <= used | {None}
    return commits


def test_an_export_during_a_change_of_cardinality_is_refused(memory: Memory) -> None:
    tenant = fresh(memory)
    tenant.assert_facts(people(0))
    exporting = tenant.export()
    assert not isinstance(exporting, int)
    next(exporting)
    next(exporting)
    tenant.set_cardinality("LIVES_IN", "many")
    with pytest.raises(StoreError, match="export it again"):
        list(exporting)


def test_a_fact_given_up_during_a_read_is_still_believed_in_it(memory: Memory) -> None:
    tenant = fresh(memory)
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01", episode="E1")
    with memory._store.read(tenant.name) as reading:
        before = reading.facts(FactQuery(Point(2**60)))
        stats = reading.stats()
        tenant.retract(episode="E1")
        tenant.assert_fact("Bo", "LIVES_IN", "Oslo", valid_from="2024-01-01")
        assert reading.facts(FactQuery(Point(2**60))) == reading.facts(FactQuery()) == before
        assert [fact.tx_to for fact in before] == [None]
        assert reading.changed_facts(0, 2**60) == before
        assert reading.stats() == stats
        [claim] = reading.assertions(before[0].support).values()
        assert not claim.retracted
        [episode] = reading.episodes(["E1"]).values()
        assert episode.believed is not None
        assert episode.believed.to is None
    assert [fact.subject.name for fact in tenant.as_of()] == ["Bo"]


def test_each_thread_reads_what_any_thread_of_the_memory_has_written(memory: Memory) -> None:
    tenant = fresh(memory)
    behind = []

    def work(number: int) -> None:
        for step in range(8):
            tenant.assert_fact(f"person {number}", "KNOWS", f"{step}", valid_from="2024-01-01")
            told[number] = step + 1
            expected = list(told)
            for other, least in enumerate(expected):
                if len(tenant.as_of(f"person {other}", "KNOWS")) < least:
                    behind.append((number, other, least))

    told = [0] * 4
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert behind == []
    assert tenant.stats().transactions == 32


def test_reads_carry_the_bookmarks_of_writes(memory: Memory) -> None:
    store = memory._store
    assert fresh(memory).assert_fact("Ana", "KNOWS", "Bo").tx is not None
    after = set(store._bookmarks.get_bookmarks())  # type: ignore[attr-defined]
    assert after
    with store._session("READ") as session:  # type: ignore[attr-defined]
        session.run("RETURN 1").consume()
        assert session.last_bookmarks().raw_values
