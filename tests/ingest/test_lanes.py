"""Work on several threads: in order within a lane, side by side across lanes, nothing lost."""

from __future__ import annotations

import threading
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.ingest.lanes import Lanes


def everything(lanes: Lanes[str]) -> list[str]:
    """What is done, until nothing is open."""
    done = []
    while lanes.open:
        done.append(lanes.collect())
    lanes.close()
    return done


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 99)), max_size=30),
    st.integers(1, 4),
)
def test_every_task_is_done_once_and_in_order_within_its_lane(
    tasks: list[tuple[str | None, int]], concurrency: int
) -> None:
    names = [(lane, f"{number}:{extra}") for number, (lane, extra) in enumerate(tasks)]
    lane_of = {name: lane for lane, name in names}
    lock = threading.Lock()
    busy: set[str | None] = set()
    order: dict[str | None, list[str]] = defaultdict(list)

    def work(task: str) -> str:
        with lock:
            assert lane_of[task] not in busy
            busy.add(lane_of[task])
            order[lane_of[task]].append(task)
        with lock:
            busy.discard(lane_of[task])
        return task

    lanes = Lanes(work, concurrency)
    for lane, name in names:
        lanes.add(lane, name)
        lanes.add(lane, name)
    assert sorted(everything(lanes)) == sorted(lane_of)
    for lane, done in order.items():
        assert done == [name for where, name in names if where == lane]


def test_lanes_go_side_by_side_and_no_more_than_were_asked_for() -> None:
    meeting = threading.Barrier(3, timeout=60)
    lock = threading.Lock()
    at_once, most = 0, 0

    def work(task: str) -> str:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        meeting.wait()
        with lock:
            at_once -= 1
        return task

    lanes = Lanes(work, 3)
    for number in range(9):
        lanes.add(f"lane {number}", f"task {number}")
    assert len(everything(lanes)) == 9
    assert most == 3


def test_with_a_concurrency_of_one_the_caller_does_the_work_in_the_order_given() -> None:
    here = threading.current_thread()
    done: list[str] = []

    def work(task: str) -> str:
        assert threading.current_thread() is here
        done.append(task)
        return task

    lanes = Lanes(work, 1)
    for lane, task in (("a", "1"), ("b", "2"), ("a", "3")):
        lanes.add(lane, task)
        assert not lanes.has_room
    assert everything(lanes) == done == ["1", "2", "3"]
    assert lanes.has_room


@pytest.mark.parametrize("concurrency", [1, 3])
def test_what_the_work_raises_is_raised_where_it_is_collected(concurrency: int) -> None:
    def work(task: str) -> str:
        if task == "bad":
            raise KeyboardInterrupt(task)
        return task

    lanes = Lanes(work, concurrency)
    lanes.add("a", "bad")
    lanes.add("a", "good")
    with pytest.raises(KeyboardInterrupt, match="bad"):
        lanes.collect()
    assert everything(lanes) == ["good"]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_what_waits_can_be_dropped_and_what_has_begun_is_still_collected(concurrency: int) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(task: str) -> str:
        begun.set()
        assert go_on.wait(60)
        return task

    lanes = Lanes(work, concurrency)
    for task in ("1", "2", "3"):
        lanes.add("a", task)
    if concurrency > 1:
        assert begun.wait(60)
    lanes.drop_what_waits()
    go_on.set()
    assert everything(lanes) == ([] if concurrency == 1 else ["1"])


def test_more_is_asked_for_while_threads_would_wait_and_then_no_more() -> None:
    go_on = threading.Event()

    def work(task: str) -> str:
        assert go_on.wait(60)
        return task

    lanes = Lanes(work, 2)
    for number in range(100):
        lanes.add("one lane", f"{number}")
    # One lane keeps one thread busy; another lane may come.
    assert lanes.has_room
    lanes.add("another", "x")
    assert not lanes.has_room
    go_on.set()
    assert len(everything(lanes)) == 101
