"""An export holds all that a tenant holds, down to what waits; an import takes all or nothing."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bitempo import (
    BitempoError,
    EntityRef,
    InvalidRecordError,
    Memory,
    Statement,
    Tenant,
    TenantNotEmptyError,
    Turn,
)
from bitempo.engine.store.port import InboxWindow
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.ingest.extraction import Window
from bitempo.testing import FixedClock
from tests.store.telling import START, Scripted, says, session


def extract(window: Window) -> list[Any]:
    if any("fail" in episode.text for episode in window.episodes):
        raise TimeoutError("no answer 東京")
    return [*(says(episode) for episode in window.episodes), "no draft"]


def open_at(path: Path | str) -> Memory:
    clock = FixedClock("2024-06-01")
    return Memory(SqliteStore(path), clock=clock, extractor=Scripted(extract))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_at(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def original(memory: Memory) -> Tenant:
    """A tenant with something of every kind."""
    tenant = memory.tenant("acme")
    tenant.assert_facts(
        [
            Statement("Ana", "LIVES_IN", "東京 タワー", valid_from="2019", trust=8),
            Statement("Ana", "LIVES_IN", "Lima", valid_from="2020-05", valid_to="2021"),
            Statement("Ana", "KNOWS", EntityRef("Bo", "person", ("Bobby", "ボー"))),
            Statement("Ana", "LIKES", value=1),
            Statement("Ana", "LIKES", value=True, importance=9, confidence=0.25),
            Statement("Ana", "LIKES", value="1.0\u2028\x85", text='said "so"\n\ttwice 😀'),
            Statement("Ana", "BUY", "car", modality="planned", due="2025-01"),
        ],
        episode="E#1",
    )
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2022", episode="E2")
    tenant.assert_fact("Ana", "LIVES_IN", "Lima", corrects="E#1#0000", episode="E3")
    tenant.assert_fact("Ana", "KNOWS", polarity="-", valid_from="2023", episode="E4")
    tenant.assert_fact("東京タワー", "IS", "tower", valid_from=None, episode="E5")
    tenant.assert_fact("bobby", "LIVES_IN", "Quito", episode="E6")
    tenant.retract("E3#0000")
    tenant.retract(episode="E2")
    tenant.ingest(session(["hello", "שלום"], metadata={"from": None, "to": [1.0, 1]}))
    tenant.ingest(session(["this will fail"], "failing"))
    window = InboxWindow("w", "s", '{"a": "\\u0000"}', START, extraction="{}")
    memory._store.inbox("acme").put([window])
    return tenant


def lines(tenant: Tenant) -> list[str]:
    return list(tenant.export())


def test_what_comes_back_is_equal_byte_by_byte_and_so_is_its_export(
    original: Tenant, memory: Memory, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    original.export(first)
    with open_at(":memory:") as other:
        assert other.tenant("copy").import_(first) == len(lines(original)) - 2
        other.tenant("copy").export(second)
        back = memory.tenant("back")
        back.import_(second)
        assert other.tenant("copy").stats() == original.stats()
    assert first.read_bytes() == second.read_bytes()
    assert lines(back) == lines(original)
    kinds = {json.loads(line).get("record") for line in lines(original)}
    assert kinds >= {"transaction", "predicate", "session", "entity", "episode", "assertion"}
    assert kinds >= {"fact", "window"}
    assert original.stats().inbox == {"applied": 1, "failed": 1, "received": 1}


def test_a_copy_goes_on_with_what_waited(original: Tenant) -> None:
    copy = original._memory.tenant("copy")
    copy.import_(lines(original))
    extractor = original._memory.extractor
    assert isinstance(extractor, Scripted)
    extractor.of = lambda window: [says(episode) for episode in window.episodes]
    assert copy.resume().assertions == original.resume().assertions == 1
    assert lines(copy) == lines(original)
    for tenant in (original, copy):
        tenant.append("s", Turn("and more", "Ana", START, "m1"))
        tenant.assert_fact("Ana", "LIVES_IN", "Rome", episode="E7", occurred_at="2024-05-01")
        tenant.retract("E#1#0001")
    assert lines(copy) == lines(original)
    for question in ("hello", "Where does Ana live?", "שלום", "東京"):
        assert copy.recall(question).items == original.recall(question).items


DAMAGES: dict[str, Callable[[str], str]] = {
    "cut off": lambda line: line[: len(line) // 2],
    "no object": lambda _: "[]",
    "no such record": lambda _: '{"record": "song"}',
    "no fields": lambda line: json.dumps({"record": json.loads(line)["record"]}),
    "a field too many": lambda line: line[:-1] + ', "extra": {"from": 1, "to": 2}}',
    "a wrong type": lambda line: line.replace('"', "", 2),
    "a bad time": lambda line: line.replace("2024-06-01", "2024-66-01"),
    "twice": lambda line: f"{line}\n{line}",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_line_anywhere_leaves_the_tenant_empty(
    original: Tenant, memory: Memory, damage: str
) -> None:
    whole = lines(original)
    target = memory.tenant("target")
    refused = 0
    for number in random.Random(1).sample(range(1, len(whole)), 12):
        damaged = DAMAGES[damage](whole[number]).split("\n")
        if damaged == [whole[number]]:
            continue
        try:
            target.import_([*whole[:number], *damaged, *whole[number + 1 :]])
        except InvalidRecordError:
            refused += 1
        else:
            # The only damage that may be taken: what stands twice and is one.
            target = memory.tenant(f"target {number}")
            continue
        assert target.stats() == memory.tenant("never used").stats()
        assert list(target.as_of()) == []
    assert refused > 0
    target.import_(whole)
    assert lines(target) == whole


@pytest.mark.parametrize(
    "kind",
    ["transaction", "predicate", "session", "entity", "episode", "assertion", "fact", "end"],
)
def test_an_export_in_which_something_is_missing_is_refused(
    original: Tenant, memory: Memory, kind: str
) -> None:
    whole = lines(original)
    kept = [line for line in whole if json.loads(line).get("record") != kind]
    with pytest.raises(InvalidRecordError, match="not whole"):
        memory.tenant("target").import_(kept)
    assert memory.tenant("target").stats().transactions == 0


def test_a_tenant_that_holds_only_what_waits_is_not_imported_into(
    original: Tenant, memory: Memory
) -> None:
    waiting = memory.tenant("waiting")
    waiting.ingest(session(["this will fail"]))
    before = lines(waiting)
    for tenant in (waiting, original):
        with pytest.raises(TenantNotEmptyError, match="import into a new tenant"):
            tenant.import_(lines(original))
    assert lines(waiting) == before


def test_a_source_that_breaks_off_leaves_the_tenant_empty_and_the_memory_usable(
    original: Tenant, memory: Memory
) -> None:
    def breaking() -> Iterator[str]:
        yield from lines(original)[:20]
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        memory.tenant("target").import_(breaking())
    assert memory.tenant("target").stats().transactions == 0
    memory.tenant("target").import_(lines(original))


def test_an_export_that_breaks_off_leaves_the_file_as_it_was(
    original: Tenant, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "export.jsonl"
    target.write_text("precious")
    names = {file.name for file in tmp_path.iterdir()}
    dump = memory._store.dump

    def breaking(tenant: str) -> Iterator[Any]:
        for number, record in enumerate(dump(tenant)):
            if number == 10:
                raise BitempoError("broken off")
            yield record

    monkeypatch.setattr(memory._store, "dump", breaking)
    with pytest.raises(BitempoError, match="broken off"):
        original.export(target)
    assert target.read_text() == "precious"
    assert {file.name for file in tmp_path.iterdir()} == names


def test_a_process_killed_in_an_import_leaves_the_tenant_empty(
    original: Tenant, memory: Memory
) -> None:
    whole = lines(original)

    def killed() -> Iterator[str]:
        yield from whole[:-1]
        os.kill(os.getpid(), signal.SIGKILL)

    assert forked(lambda: memory.tenant("target").import_(killed())) == -signal.SIGKILL
    assert memory.tenant("target").stats().transactions == 0
    memory.tenant("target").import_(whole)
    assert lines(memory.tenant("target")) == whole


def test_a_process_killed_in_an_export_leaves_no_half_file(
    original: Tenant, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = memory._store.dump

    def killed(tenant: str) -> Iterator[Any]:
        for number, record in enumerate(dump(tenant)):
            if number == 10:
                os.kill(os.getpid(), signal.SIGKILL)
            yield record

    with monkeypatch.context() as patch:
        patch.setattr(memory._store, "dump", killed)
        target = tmp_path / "export.jsonl"
        assert forked(lambda: original.export(target)) == -signal.SIGKILL
    assert not target.exists()
    assert original.export(target) == len(lines(original)) - 2


def forked(work: Callable[[], object]) -> int:
    """How a forked process ended that did the work."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
