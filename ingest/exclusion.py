"""One thread at a time for one window, so that no window is extracted, and paid, twice at once.

It holds within a process; between processes `claims` does.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from bitempo.engine.store.port import Store

Window = tuple[str, str]
"""A tenant and the id of a window of its inbox."""

MOST_REMEMBERED = 1_000
"""Windows that were held last; what was read of one before that may be out of date."""


@dataclass(slots=True)
class _Busy:
    """A window that is worked on, and how many threads want it.

    The thread that has it may come back for it: an extractor may itself ingest.
    """

    lock: threading.RLock = field(default_factory=threading.RLock)
    wanted: int = 0


@dataclass(slots=True)
class _Windows:
    """The windows of one store."""

    busy: dict[Window, _Busy] = field(default_factory=dict)
    held: OrderedDict[Window, None] = field(default_factory=OrderedDict)


_guard = threading.Lock()
_stores: WeakKeyDictionary[Store, _Windows] = WeakKeyDictionary()


@contextmanager
def one_at_a_time(store: Store, tenant: str, window: str) -> Iterator[bool]:
    """Hold the window; gives whether it was held before, and may not be as it was read then."""
    key = (tenant, window)
    with _guard:
        windows = _stores.setdefault(store, _Windows())
        mine = windows.busy.setdefault(key, _Busy())
        mine.wanted += 1
    try:
        with mine.lock:
            yield key in windows.held
    finally:
        with _guard:
            windows.held[key] = None
            if len(windows.held) > MOST_REMEMBERED:
                windows.held.popitem(last=False)
            mine.wanted -= 1
            if not mine.wanted:
                del windows.busy[key]
