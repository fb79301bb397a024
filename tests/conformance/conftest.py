"""Every test here runs on every store; a new store is one more entry of `STORES`.

No test may know what is behind a location, nor count on an empty store: tenants get fresh names.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bitempo import Memory, Tenant
from bitempo.testing import FixedClock
from tests.conformance.telling import POLICY, fresh


@dataclass
class Opener:
    """Opens memories on a store, and closes them all at the end of the test session.

    `scratch` is where memories go that need not outlive their handle.
    """

    scratch: str
    _opened: ExitStack = field(default_factory=ExitStack)

    def __call__(self, location: str | None = None, **options: Any) -> Memory:
        options.setdefault("policy", POLICY)
        memory = Memory.open(self.scratch if location is None else location, **options)
        self._opened.callback(memory.close)
        return memory

    def close(self) -> None:
        self._opened.close()


def _sqlite(folder: Path) -> str:
    return f"sqlite:///{folder}/memory.db"


STORES = {"sqlite": (":memory:", _sqlite)}
"""By store: the location of scratch memories, and that of one that stays, given a folder."""


@pytest.fixture(scope="session", params=STORES)
def store(request: pytest.FixtureRequest) -> str:
    """The name of the store under test."""
    return str(request.param)


@pytest.fixture(scope="session")
def open_memory(store: str) -> Iterator[Opener]:
    """Opens memories on the store; also inside hypothesis tests, where each call is its own."""
    opener = Opener(STORES[store][0])
    yield opener
    opener.close()


@pytest.fixture
def location(store: str, tmp_path: Path) -> str:
    """A location whose content outlives a memory that was open on it."""
    return STORES[store][1](tmp_path)


@pytest.fixture
def clock() -> FixedClock:
    """A clock that the test moves, well after all valid times told of."""
    return FixedClock("2030-01-01")


@pytest.fixture
def memory(open_memory: Opener, clock: FixedClock) -> Memory:
    """A memory with the clock, and with the policy of `telling`."""
    return open_memory(clock=clock)


@pytest.fixture
def tenant(memory: Memory) -> Tenant:
    """A tenant that holds nothing."""
    return fresh(memory)
