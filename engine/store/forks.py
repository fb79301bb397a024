"""Forks: what a child process must not share, such as connections and locks, hears of it before."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Generic, Protocol, TypeVar
from weakref import WeakSet

Key = TypeVar("Key")
Value = TypeVar("Value")


class Forkable(Protocol):
    """What has to do something before the process forks, and afterwards on either side."""

    def prepare_fork(self) -> None: ...
    def continue_parent(self) -> None: ...
    def continue_child(self) -> None: ...


def watch(forkable: Forkable) -> None:
    """Tell it of every fork for as long as it lives."""
    _watched.add(forkable)


class GuardedCache(Generic[Key, Value]):
    """What is in memory under a lock, used last at the end; a child process starts without it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._guard = threading.Lock()
        watch(self)

    def forget(self) -> None:
        """Drop everything; it is read again when it is needed."""
        with self._guard:
            self._kept.clear()

    def prepare_fork(self) -> None:
        """Hold still: no lock may be held by a thread that the child does not have."""
        self._guard.acquire()

    def continue_parent(self) -> None:
        """Go on after a fork."""
        self._guard.release()

    def continue_child(self) -> None:
        """Start anew, since what is kept may have been growing."""
        self._guard = threading.Lock()
        self._kept = OrderedDict()


_watched: WeakSet[Forkable] = WeakSet()
_prepared: list[Forkable] = []


def _before() -> None:
    _prepared[:] = list(_watched)
    for forkable in _prepared:
        forkable.prepare_fork()


def _after_in_parent() -> None:
    while _prepared:
        _prepared.pop().continue_parent()


def _after_in_child() -> None:
    while _prepared:
        _prepared.pop().continue_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )
