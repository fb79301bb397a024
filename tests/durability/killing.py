"""A process that works on a memory and kills itself, by SIGKILL, at a chosen point.

    python -m tests.durability.killing FILE CALLS POINT NTH

Points are named after the call that has just been made, or is about to be ("before put").
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bitempo.engine.store.sqlite import SqliteStore
from tests.durability.workload import TENANT, Homes, open_memory, tell


class Killer:
    """Kills its process when a point is passed for the n-th time."""

    def __init__(self, point: str, nth: int) -> None:
        self._point = point
        self._nth = nth
        self._passed: Counter[str] = Counter()

    def passing(self, point: str) -> None:
        self._passed[point] += 1
        if point == self._point and self._passed[point] == self._nth:
            os.kill(os.getpid(), signal.SIGKILL)


class Watched:
    """Passes every call on, and tells the killer before and after it."""

    def __init__(self, inner: Any, killer: Killer, wrap: tuple[str, ...] = ()) -> None:
        self._inner = inner
        self._killer = killer
        self._wrap = wrap

    @property
    def tx(self) -> int:
        return int(self._inner.tx)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self._killer.passing(f"before {name}")
            result = method(*arguments, **named)
            self._killer.passing(name)
            return Watched(result, self._killer) if name in self._wrap else result

        return call


class WatchedStore(Watched):
    """A store whose inbox and write transactions are watched too."""

    def write(self, tenant: str, now: int, work: Callable[[Any], Any]) -> Any:
        def watched(transaction: Any) -> Any:
            result = work(Watched(transaction, self._killer))
            self._killer.passing("before commit")
            return result

        result = self._inner.write(tenant, now, watched)
        self._killer.passing("commit")
        return result


def main(file: str, calls: str, point: str, nth: str) -> None:
    killer = Killer(point, int(nth))
    store: Any = WatchedStore(SqliteStore(file), killer, wrap=("inbox",))
    extractor = Homes(Path(calls), before=partial(killer.passing, "extract"))
    tell(open_memory(store, extractor).tenant(TENANT))


if __name__ == "__main__":
    main(*sys.argv[1:])
