"""Every test here runs on every store; a new store is one more entry of `STORES`.

No test may know what is behind a location, nor count on an empty store: tenants get fresh names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import is_hypothesis_test, settings

from bitempo import Memory, Tenant
from bitempo.testing import FixedClock
from tests.conformance.telling import POLICY, fresh
from tests.servers.neo4j import neo4j_server

Item = TypeVar("Item")


@dataclass(frozen=True)
class Places:
    """Where memories can be opened on a store.

    `scratch` is for memories that need not outlive their handle; `lasting` gives, for a folder,
    a location whose content stays. `share` is the part of a property's usual examples that it is
    tried with.
    """

    scratch: str
    lasting: Callable[[Path], str]
    share: float = 1.0

    def examples(self, usual: int) -> int:
        """How many examples to try of a property that is usually tried with so many."""
        return max(3, round(usual * self.share))

    def some(self, items: Sequence[Item], at_least: int = 3) -> list[Item]:
        """As large a part of the items, from the first one on and spread evenly over them."""
        count = min(len(items), max(at_least, round(len(items) * self.share)))
        return [items[number * len(items) // count] for number in range(count)]


@dataclass
class Opener:
    """Opens memories on a store, and closes them all at the end of the test session."""

    places: Places
    _opened: ExitStack = field(default_factory=ExitStack)

    def __call__(self, location: str | None = None, **options: Any) -> Memory:
        options.setdefault("policy", POLICY)
        memory = Memory.open(self.places.scratch if location is None else location, **options)
        self._opened.callback(memory.close)
        return memory

    def close(self) -> None:
        self._opened.close()


@contextmanager
def sqlite() -> Iterator[Places]:
    """Files, and memory for what need not stay."""
    yield Places(":memory:", lambda folder: f"sqlite:///{folder}/memory.db")


@contextmanager
def neo4j() -> Iterator[Places]:
    """A real server, which all tests share. A round trip costs, so examples are fewer: what a
    property says of the rules is tried in full on SQLite, here whether this store keeps to it."""
    with neo4j_server() as server:
        yield Places(server.location, lambda _: server.location, share=0.1)


STORES: dict[str, Callable[[], AbstractContextManager[Places]]] = {
    "sqlite": sqlite,
    "neo4j": neo4j,
}


@pytest.fixture(scope="session", params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[Places]:
    """The store under test."""
    with STORES[request.param]() as places:
        yield places


@pytest.fixture(scope="session")
def open_memory(store: Places) -> Iterator[Opener]:
    """Opens memories on the store; also inside hypothesis tests, where each call is its own."""
    opener = Opener(store)
    yield opener
    opener.close()


@pytest.fixture
def location(store: Places, tmp_path: Path) -> str:
    """A location whose content outlives a memory that was open on it."""
    return store.lasting(tmp_path)


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Iterator[None]:
    """Try a property with the store's share of the examples that it asks for."""
    places = item.funcargs.get("store") if hasattr(item, "funcargs") else None
    if not isinstance(places, Places) or not is_hypothesis_test(item.obj):
        return (yield)
    # Hypothesis has no public way to change the settings of a test that carries some already.
    usual = item.obj._hypothesis_internal_use_settings
    fewer = settings(usual, max_examples=places.examples(usual.max_examples))
    item.obj._hypothesis_internal_use_settings = fewer
    try:
        return (yield)
    finally:
        item.obj._hypothesis_internal_use_settings = usual
