"""Work on several threads, in order within a lane."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar, cast

Done = TypeVar("Done")


class Lanes(Generic[Done]):
    """Does tasks on a bounded number of threads; those of one lane one after the other.

    With a concurrency of 1 there is no thread: the work is done by `collect`, in the order the
    tasks were added. All methods are for the one thread that made it.

    Args:
        work: does a task; called on other threads.
        concurrency: how many tasks are done at the same time.
    """

    def __init__(self, work: Callable[[str], Done], concurrency: int) -> None:
        self._work = work
        self._concurrency = concurrency
        self._lock = threading.Condition()
        self._lanes: dict[str | None, deque[str]] = {}
        self._ready: deque[str | None] = deque()
        self._open: set[str] = set()
        self._threads = 0
        self._idle = 0
        self._closed = False
        self._done: SimpleQueue[tuple[str, Done | None, BaseException | None]] = SimpleQueue()

    @property
    def open(self) -> int:
        """How many tasks were added and not collected yet."""
        return len(self._open)

    @property
    def has_room(self) -> bool:
        """Whether more should be added, so that no thread waits and yet little is held."""
        if self._concurrency == 1:
            return not self._open
        with self._lock:
            starving = len(self._lanes) < self._concurrency
        bound = _AHEAD_OF_FEW_LANES if starving else _AHEAD
        return len(self._open) < bound * self._concurrency

    def add(self, lane: str | None, task: str) -> None:
        """Have a task done after those of its lane; one that is open already is not added."""
        if task in self._open:
            return
        self._open.add(task)
        if self._concurrency == 1:
            lane = None
        with self._lock:
            if lane in self._lanes:
                self._lanes[lane].append(task)
                return
            self._lanes[lane] = deque([task])
            self._ready.append(lane)
            if self._concurrency > 1:
                self._call_a_thread()

    def collect(self) -> Done:
        """What the next task that is done came to; waits for it. Something must be open.

        Raises:
            BaseException: whatever the work on it raised.
        """
        if self._concurrency == 1:
            task = self._lanes[None].popleft()
            if not self._lanes[None]:
                del self._lanes[None]
                self._ready.clear()
            self._open.discard(task)
            return self._work(task)
        task, done, error = self._done.get()
        self._open.discard(task)
        if error is not None:
            raise error
        return cast(Done, done)

    def drop_what_waits(self) -> list[str]:
        """Begin no task any more, and give those dropped; what is being done stays open."""
        dropped: list[str] = []
        with self._lock:
            for lane in list(self._lanes):
                tasks = self._lanes[lane]
                dropped.extend(tasks)
                self._open.difference_update(tasks)
                tasks.clear()
                if lane in self._ready:
                    del self._lanes[lane]
            self._ready.clear()
        return dropped

    def close(self) -> None:
        """Let the threads end once nothing waits."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()

    def _call_a_thread(self) -> None:
        if self._idle >= len(self._ready):
            self._lock.notify()
        elif self._threads < self._concurrency:
            self._threads += 1
            # Nobody waits for them when a second Ctrl-C ends the program at once.
            threading.Thread(target=self._serve, name="bitempo-ingest", daemon=True).start()

    def _serve(self) -> None:
        while (found := self._next()) is not None:
            lane, task = found
            try:
                done, error = self._work(task), None
            except BaseException as raised:  # noqa: BLE001 - raised again where it is collected
                done, error = None, raised
            with self._lock:
                # The lane goes on before the task is reported done, so that it is seen to wait.
                if self._lanes[lane]:
                    self._ready.append(lane)
                else:
                    del self._lanes[lane]
            self._done.put((task, done, error))

    def _next(self) -> tuple[str | None, str] | None:
        with self._lock:
            self._idle += 1
            try:
                while not self._ready:
                    if self._closed:
                        return None
                    self._lock.wait()
                lane = self._ready.popleft()
                return lane, self._lanes[lane].popleft()
            finally:
                self._idle -= 1


_AHEAD = 4
"""So many tasks for each thread may be open before no more are asked for."""

_AHEAD_OF_FEW_LANES = 64
"""The same where there are fewer lanes than threads: more may bring another lane."""
