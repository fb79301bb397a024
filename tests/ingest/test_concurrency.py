"""Several windows at a time: in order within an actor, counted in one place, stopped cleanly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from bitempo import (
    Budget,
    EpisodeConflictError,
    InvalidInputError,
    Memory,
    Meter,
    ModelError,
    SourceSession,
    StoreError,
    Tenant,
)
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.ingest.extraction import Window
from tests.ingest.model_double import CALL, PaidModel, told


def tenant_with(model: PaidModel) -> Tenant:
    return Memory(SqliteStore(":memory:"), extractor=model).tenant("acme")


def of_actors(actors: int, each: int) -> list[SourceSession]:
    """Sessions of several actors, in turn."""
    return [
        told(f"s{number}-{actor}", f"turn {number} of {actor}", actor=f"actor {actor}")
        for number in range(each)
        for actor in range(actors)
    ]


def test_actors_go_side_by_side_and_each_in_order() -> None:
    meeting = threading.Barrier(4, timeout=60)
    model = PaidModel(before=lambda _: bool(meeting.wait()))  # type: ignore[arg-type]
    report = tenant_with(model).ingest(of_actors(4, 5))
    assert (report.new_turns, report.usage.calls) == (20, 20)
    for actor in range(4):
        of_one = [text for text in model.texts if text.endswith(f"of {actor}")]
        assert of_one == [f"turn {number} of {actor}" for number in range(5)]


def test_sessions_of_nobody_are_one_queue() -> None:
    at_once = threading.Semaphore(1)

    def alone(_: Window) -> None:
        assert at_once.acquire(blocking=False)
        at_once.release()

    model = PaidModel(before=alone)
    source = [told(f"s{number}", f"turn {number}") for number in range(12)]
    assert tenant_with(model).ingest(source, concurrency=4).new_turns == 12
    assert model.texts == [f"turn {number}" for number in range(12)]


def test_progress_is_told_in_the_thread_that_called() -> None:
    told_in: list[tuple[threading.Thread, int]] = []
    tenant_with(PaidModel()).ingest(
        of_actors(3, 4),
        progress=lambda turns: told_in.append((threading.current_thread(), turns)),
    )
    assert {thread for thread, _ in told_in} == {threading.current_thread()}
    assert sum(turns for _, turns in told_in) == 12


def test_sources_are_read_as_they_are_needed() -> None:
    model = PaidModel()
    ahead: list[int] = []

    def source() -> Iterator[SourceSession]:
        for number in range(400):
            ahead.append(number - len(model.read))
            yield told(f"s{number}", "tea", actor=f"actor {number % 7}")

    tenant_with(model).ingest(source(), concurrency=3)
    assert max(ahead) <= 3 * 4 + 1


def test_an_interrupt_leaves_all_of_it_to_be_resumed_and_loses_no_reply() -> None:
    model = PaidModel()
    tenant = tenant_with(model)
    source = of_actors(4, 10)

    def pressed(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tenant.ingest(source, progress=pressed)
    done = tenant.stats().inbox["applied"]
    assert 1 <= done == len(model.read) < 40
    assert tenant.ingest(source).finished
    assert len(model.read) == tenant.stats().inbox["applied"] == 40


def test_a_conflict_leaves_what_came_before_it_applied() -> None:
    tenant = tenant_with(PaidModel())
    tenant.ingest(told("s0-0", "another text", actor="actor 0"))
    source = of_actors(3, 2)
    with pytest.raises(EpisodeConflictError):
        tenant.ingest([*source[1:], source[0], told("never", "read")])
    assert tenant.stats().inbox == {"applied": 6}


def test_a_store_that_fails_ends_the_run_and_what_was_paid_for_is_not_paid_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = PaidModel()
    store = SqliteStore(":memory:")
    tenant = Memory(store, extractor=model).tenant("acme")
    whole = store.write

    def failing(*arguments: object) -> object:
        if len(model.read) > 5:
            raise StoreError("the disk has gone")
        return whole(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", failing)
        with pytest.raises(StoreError):
            tenant.ingest(of_actors(4, 5))
    assert len(model.read) < 20
    assert tenant.ingest(of_actors(4, 5)).finished
    assert len(model.read) == 20


def test_one_meter_bounds_several_runs_together() -> None:
    model = PaidModel()
    tenant = tenant_with(model)
    meter = Meter(Budget(max_calls=3))
    assert tenant.ingest(told("s1", "tea"), budget=meter).stopped is None
    assert tenant.append("s2", {"role": "user", "content": "rice"}, budget=meter).stopped is None
    stopped = tenant.ingest(of_actors(2, 2), budget=meter)
    assert stopped.stopped is not None
    assert meter.spent == CALL + CALL + CALL
    assert len(model.read) == 3


def test_no_thread_is_left_when_a_run_has_ended() -> None:
    tenant_with(PaidModel()).ingest(of_actors(4, 2))
    for thread in threading.enumerate():
        if thread.name == "bitempo-ingest":
            thread.join(60)
            assert not thread.is_alive()


def test_an_endpoint_that_recovers_is_not_taken_to_be_down() -> None:
    def flaky(window: Window) -> None:
        if window.session.endswith(("0", "1", "3", "4")):
            raise ModelError("busy")

    source = [told(f"s{number}", "tea") for number in range(10)]
    report = tenant_with(PaidModel(before=flaky)).ingest(source)
    assert (len(report.failed), report.stopped) == (4, None)


@pytest.mark.parametrize("concurrency", [0, -1])
def test_a_concurrency_of_nothing_is_refused(concurrency: int) -> None:
    with pytest.raises(InvalidInputError, match="at least 1"):
        tenant_with(PaidModel()).ingest(told("s1", "tea"), concurrency=concurrency)


def test_threads_that_append_at_once_pay_for_each_turn_once() -> None:
    model = PaidModel()
    tenant = tenant_with(model)

    def talk(person: int) -> None:
        for number in range(4):
            text = f"tea {number} of {person}"
            tenant.append(f"s{person}", {"role": "user", "content": text}, actor=f"a{person}")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(talk, range(4)))
    assert sorted(model.texts) == sorted(f"tea {n} of {p}" for p in range(4) for n in range(4))
    assert tenant.stats().inbox == {"applied": 16}


def test_threads_that_hand_in_the_same_pay_for_it_once() -> None:
    model = PaidModel()
    tenant = tenant_with(model)
    with ThreadPoolExecutor(4) as threads:
        reports = list(threads.map(tenant.ingest, [of_actors(3, 2)] * 4))
    assert all(report.finished for report in reports)
    assert len(model.read) == 6
