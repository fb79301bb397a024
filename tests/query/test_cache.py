"""What recall keeps in memory is what the store would give, and no more than it may be."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.query.cache import RecallCache
from tests.query.memory import SmallMemory, instant

TURNS = tuple(f"{session}:{n}" for session in ("may", "june") for n in range(4))
KNOWN = instant("2030-01-01")


@pytest.fixture(scope="module")
def memory() -> SmallMemory:
    """Two sessions, and claims of which some end others; one is retracted again."""
    memory = SmallMemory()
    memory.session("may", [("Ana", f"I am in town {n}.") for n in range(4)], "2024-05-01")
    memory.session("june", [("Bo", f"I saw Ana in town {n}.") for n in range(4)], "2024-06-01")
    for n, turn in enumerate(TURNS):
        memory.claim(
            "Ana", "LIVES_IN", f"Town {n}", f"Ana lives in town {n}.", turn,
            f"2024-07-0{n + 1}", since=f"2024-0{n + 1}-01", single=True,
        )  # fmt: skip
    memory.retract_episode("june:3", "2024-08-01")
    return memory


def assertions(reader: Reader) -> list[str]:
    known = reader.evidenced_by(TURNS, KNOWN)
    return [id for ids in known.values() for id in ids]


IDS = st.lists(st.sampled_from((*TURNS, "unheard of")), unique=True)
MOMENTS = st.sampled_from((None, "2024-01-15", "2024-06-15", "2030-01-01")).map(
    lambda text: None if text is None else instant(text)
)


@given(st.lists(st.tuples(IDS, st.integers(1, 2), MOMENTS), min_size=1, max_size=4))
def test_a_cached_reader_gives_what_the_reader_gives(
    memory: SmallMemory, asked: list[tuple[list[str], int, int | None]]
) -> None:
    cache = RecallCache()
    for episodes, reach, at in asked:
        with memory.store.read(memory.tenant) as plain:
            cached, last = cache.reader(plain, memory.tenant), plain.last_tx() or 0
            claims = assertions(plain)[: len(episodes)]
            assert cached.episodes(episodes) == plain.episodes(episodes)
            assert cached.neighbours(episodes, reach) == plain.neighbours(episodes, reach)
            assert cached.assertions(claims) == plain.assertions(claims)
            slots = {one.slot for one in plain.facts(FactQuery(support=claims))}
            names = {one.subject for one in plain.assertions(claims).values()}
            assert cached.entities(names) == plain.entities(names)
            for known_at in (last, instant("2024-07-03")):
                for query in (
                    FactQuery(Point(known_at, at), support=claims),
                    FactQuery(Point(known_at, at), support=claims, limit=1),
                    FactQuery(Point(known_at, at), subjects=names),
                    FactQuery(Point(known_at, at), slots=slots),
                    FactQuery(Point(known_at, at), slots=slots, support=claims),
                ):
                    assert cached.facts(query) == plain.facts(query)


class Counted:
    """A reader that counts what it is asked."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        read = getattr(self._reader, name)

        def counted(*arguments: Any) -> Any:
            self.calls.append(name)
            return read(*arguments)

        return counted


def test_what_was_read_is_not_read_again_until_something_is_written() -> None:
    memory, cache = SmallMemory(), RecallCache()
    memory.session("may", [("Ana", "I am in town."), ("Bo", "So am I.")], "2024-05-01")

    def calls() -> list[str]:
        with memory.store.read(memory.tenant) as reader:
            counted = Counted(reader)
            found = cache.reader(cast(Reader, counted), memory.tenant).neighbours(["may:0"], 1)
            assert list(found) == [one for one in ("may:0", "may:1") if one in found]
            return counted.calls

    assert "neighbours" in calls()
    assert "neighbours" not in calls()
    memory.session("june", [("Ana", "I have left.")], "2024-06-01")
    assert "neighbours" in calls()


def test_a_reader_that_began_before_a_write_neither_gets_nor_leaves_what_is_later() -> None:
    memory, cache = SmallMemory(), RecallCache()
    memory.session("may", [("Ana", "I am in town.")], "2024-05-01")
    with memory.store.read(memory.tenant) as reader:
        older = Counted(reader)
        older.last_tx = lambda: instant("2024-04-01")  # type: ignore[attr-defined]
        assert cache.reader(reader, memory.tenant).episodes(["may:0"])
        late = cache.reader(cast(Reader, older), memory.tenant)
        assert late.episodes(["may:0"])
        assert "episodes" in older.calls
        counted = Counted(reader)
        assert cache.reader(cast(Reader, counted), memory.tenant).episodes(["may:0"])
        assert "episodes" not in counted.calls


def test_no_more_is_kept_than_may_be_and_what_is_dropped_is_read_again(
    memory: SmallMemory,
) -> None:
    cache = RecallCache(most_bytes=1)
    for _ in range(2):
        with memory.store.read(memory.tenant) as reader:
            counted = Counted(reader)
            cached = cache.reader(cast(Reader, counted), memory.tenant)
            assert cached.episodes(TURNS) == reader.episodes(TURNS)
            assert "episodes" in counted.calls


def test_a_tenant_is_never_given_what_is_kept_of_another() -> None:
    cache = RecallCache()
    ana = SmallMemory()
    bo = SmallMemory(ana.store, "bo")
    ana.session("may", [("Ana", "I am in town.")], "2024-05-01")
    bo.session("may", [("Bo", "I am at sea.")], "2024-05-01")
    for memory, said in ((ana, "I am in town."), (bo, "I am at sea."), (ana, "I am in town.")):
        with memory.store.read(memory.tenant) as reader:
            assert cache.reader(reader, memory.tenant).episodes(["may:0"])["may:0"].text == said
