"""Forks: what a child process must not share, such as connections and locks, hears of it before."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """What has to do something before the process forks, and afterwards on either side."""

    def prepare_fork(self) -> None: ...
    def continue_parent(self) -> None: ...
    def continue_child(self) -> None: ...


def watch(forkable: Forkable) -> None:
    """Tell it of every fork for as long as it lives."""
    _watched.add(forkable)


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
