"""The asynchronous face has every verb of the blocking one, and both see one store."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from bitempo import AsyncMemory, AsyncTenant, Memory, NotFoundError, StoreClosedError, Tenant
from bitempo.testing import FixedClock
from tests.conformance.telling import POLICY, fresh, unused


def verbs(face: type) -> set[str]:
    """The public methods of a face."""
    return {name for name, _ in inspect.getmembers(face, callable) if not name.startswith("_")}


@pytest.mark.parametrize(("blocking", "awaited"), [(Memory, AsyncMemory), (Tenant, AsyncTenant)])
def test_both_faces_have_the_same_verbs(blocking: type, awaited: type) -> None:
    assert verbs(awaited) == verbs(blocking)


@pytest.mark.parametrize("verb", sorted(verbs(Tenant)))
def test_every_verb_of_a_tenant_is_a_coroutine_with_the_same_parameters(verb: str) -> None:
    awaited = getattr(AsyncTenant, verb)
    assert inspect.iscoroutinefunction(awaited)
    parameters = inspect.signature(getattr(Tenant, verb)).parameters
    assert list(inspect.signature(awaited).parameters) == list(parameters)


def test_what_one_face_writes_the_other_reads(location: str, clock: FixedClock) -> None:
    name = unused()

    async def write() -> str:
        async with AsyncMemory.open(location, clock=clock, policy=POLICY) as memory:
            tenant = memory.tenant(name)
            written = await tenant.assert_fact("Ana", "LIVES_IN", "Lima", valid_from="2024-01-01")
            assert [fact.answer for fact in await tenant.as_of("Ana")] == ["Lima"]
            return written.assertion_id

    id = asyncio.run(write())
    with Memory.open(location, clock=clock, policy=POLICY) as memory:
        [fact] = memory.tenant(name).as_of("Ana", "LIVES_IN")
        assert fact.support == (id,)


def test_errors_come_through_an_await(location: str, clock: FixedClock) -> None:
    async def retract() -> None:
        async with AsyncMemory.open(location, clock=clock) as memory:
            await memory.tenant(unused()).retract("nothing")

    with pytest.raises(NotFoundError):
        asyncio.run(retract())


def test_writes_that_are_awaited_together_are_all_there_in_some_order(
    location: str, clock: FixedClock
) -> None:
    async def write() -> list[str]:
        async with AsyncMemory.open(location, clock=clock, policy=POLICY) as memory:
            tenant = memory.tenant(unused())
            games = [f"game {number}" for number in range(20)]
            written = await asyncio.gather(
                *(tenant.assert_fact("Ana", "PLAYS", game, valid_from="2024") for game in games)
            )
            assert len({one.tx for one in written}) == len(games)
            return sorted(str(fact.answer) for fact in await tenant.as_of("Ana", "PLAYS"))

    assert asyncio.run(write()) == sorted(f"game {number}" for number in range(20))


def test_a_closed_memory_says_so(memory: Memory) -> None:
    tenant = fresh(memory)
    memory.close()
    for use in (tenant.as_of, tenant.stats, lambda: tenant.assert_fact("Ana", "PLAYS", "go")):
        with pytest.raises(StoreClosedError):
            use()
