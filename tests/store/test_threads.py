"""Threads and tasks that share one memory, on a file and in memory."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bitempo import (
    AsyncMemory,
    Memory,
    StoreBusyError,
    StoreClosedError,
    StoreError,
)
from bitempo.engine.store.port import WriteTransaction
from bitempo.engine.store.sqlite import SqliteStore

ROUNDS = 15
THREADS = 8


@pytest.fixture(params=["file", "memory"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file, or no file at all."""
    return str(tmp_path / "memory.db") if request.param == "file" else ":memory:"


@pytest.fixture
def memory(location: str) -> Iterator[Memory]:
    with Memory.open(location) as opened:
        yield opened


def each_in_a_thread(work: Callable[[int], object]) -> None:
    start = threading.Barrier(THREADS)

    def begin(number: int) -> None:
        start.wait()
        work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(begin, range(THREADS)))


def test_threads_share_a_memory_and_every_write_is_applied(memory: Memory) -> None:
    tenant = memory.tenant("acme")

    def work(number: int) -> None:
        for turn in range(ROUNDS):
            tenant.assert_fact("everybody", "KNOWS", f"{number}-{turn}", valid_from="2024")
            seen = {fact.answer for fact in tenant.as_of("everybody", "KNOWS")}
            assert seen >= {f"{number}-{n}" for n in range(turn + 1)}

    each_in_a_thread(work)
    assert len(tenant.as_of("everybody")) == THREADS * ROUNDS
    stats = tenant.stats()
    assert stats.transactions == THREADS * ROUNDS
    assert stats.entities == THREADS * ROUNDS + 1


def test_threads_export_and_back_up_while_others_write(memory: Memory, tmp_path: Path) -> None:
    tenant = memory.tenant("acme")
    tenant.assert_fact("everybody", "KNOWS", "Ana")

    def work(number: int) -> None:
        for turn in range(5):
            tenant.assert_fact("everybody", "KNOWS", f"{number}-{turn}")
            exported = tenant.export()
            assert memory.tenant(f"copy {number}-{turn}").import_(list(exported)) > 3
        memory.backup(tmp_path / f"{number}.db")
        with Memory.open(tmp_path / f"{number}.db") as copy:
            assert len(copy.tenant("acme").as_of()) > 5

    each_in_a_thread(work)


def test_an_export_under_way_is_of_one_state_and_holds_up_no_write(memory: Memory) -> None:
    tenant = memory.tenant("acme")
    tenant.assert_fact("Ana", "LIVES_IN", "Lima")
    before = tenant.export()
    after = tenant.export()
    lines = [next(before) for _ in range(2)]
    with ThreadPoolExecutor(1) as other:
        other.submit(tenant.assert_fact, "Ana", "LIVES_IN", "Oslo").result()
    lines.extend(before)
    assert not any("Oslo" in line for line in lines)
    assert any("Oslo" in line for line in after)


def test_an_export_can_be_read_into_a_tenant_of_the_same_memory(memory: Memory) -> None:
    memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima")
    exported = memory.tenant("acme").export()
    memory.tenant("copy").import_(exported)
    assert [fact.answer for fact in memory.tenant("copy").as_of("Ana")] == ["Lima"]


def test_a_thread_that_holds_the_write_too_long_makes_the_others_busy(location: str) -> None:
    store = SqliteStore(location, busy_timeout=0.05)
    memory = Memory(store)
    held, release = threading.Event(), threading.Event()

    def hold(transaction: WriteTransaction) -> None:
        held.set()
        release.wait()
        transaction.discard()

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(store.write, "acme", 0, hold)
        held.wait()
        try:
            with pytest.raises(StoreBusyError, match="busy_timeout"):
                memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima")
        finally:
            release.set()
        holding.result()
    assert memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima").tx is not None
    memory.close()


def test_a_write_inside_a_write_is_refused_and_leaves_the_outer_one_whole(location: str) -> None:
    with Memory(SqliteStore(location, busy_timeout=0.05)) as memory:
        store = memory._store

        def nested(transaction: WriteTransaction) -> None:
            with pytest.raises(StoreError, match="inside another write"):
                store.write("other", 0, lambda inner: inner.discard())
            transaction.discard()

        store.write("acme", 0, nested)
        assert memory.tenant("acme").assert_fact("Ana", "LIVES_IN", "Lima").tx is not None


def test_threads_that_end_leave_no_open_file_behind(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        tenant = memory.tenant("acme")
        tenant.assert_fact("Ana", "LIVES_IN", "Lima")
        before = open_files()
        for _ in range(60):
            thread = threading.Thread(target=tenant.as_of)
            thread.start()
            thread.join()
        assert open_files() <= before + 3


def test_closing_lets_a_write_finish_and_refuses_what_comes_after(location: str) -> None:
    store = SqliteStore(location)
    memory = Memory(store)
    tenant = memory.tenant("acme")
    tenant.assert_fact("Ana", "LIVES_IN", "Lima")
    held, release = threading.Event(), threading.Event()

    def slow(transaction: WriteTransaction) -> None:
        held.set()
        release.wait()
        transaction.discard()

    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(store.write, "acme", 0, slow)
        held.wait()
        closing = pool.submit(memory.close)
        release.set()
        writing.result()
        closing.result()
    for use in (
        tenant.as_of,
        tenant.stats,
        lambda: list(tenant.export()),
        lambda: tenant.assert_fact("Ana", "LIVES_IN", "Oslo"),
        tenant.resume,
    ):
        with pytest.raises(StoreClosedError, match="open it again"):
            use()
    memory.close()


def test_closing_while_threads_read_ends_them_with_an_answer_or_a_clear_error(
    location: str,
) -> None:
    memory = Memory.open(location)
    tenant = memory.tenant("acme")
    for number in range(20):
        tenant.assert_fact("everybody", "KNOWS", f"{number}")
    reading = threading.Barrier(THREADS + 1)

    def read_for_ever() -> None:
        while True:
            assert len(tenant.as_of("everybody")) == 20

    def read(_: int) -> None:
        reading.wait()
        with pytest.raises(StoreClosedError):
            read_for_ever()

    with ThreadPoolExecutor(THREADS) as pool:
        done = [pool.submit(read, number) for number in range(THREADS)]
        reading.wait()
        memory.close()
        for future in done:
            future.result()


def test_many_tasks_share_an_async_memory(location: str) -> None:
    async def work() -> None:
        async with AsyncMemory.open(location) as memory:
            tenant = memory.tenant("acme")

            async def one(number: int) -> None:
                await tenant.assert_fact("everybody", "KNOWS", f"{number}")
                known = {fact.answer for fact in await tenant.as_of("everybody", "KNOWS")}
                assert f"{number}" in known

            await asyncio.gather(*(one(number) for number in range(100)))
            assert len(await tenant.as_of("everybody")) == 100
            assert (await tenant.stats()).transactions == 100
            exported = await tenant.export()
            assert await memory.tenant("copy").import_(exported) > 100

    asyncio.run(work())


def open_files() -> int:
    gc.collect()
    return len(os.listdir("/dev/fd"))  # noqa: PTH208
