"""The asynchronous face: the same verbs, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from functools import update_wrapper
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, overload

from bitempo._memory import Memory, Tenant

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _awaited(
    method: Callable[Concatenate[Tenant, Parameters], Result],
) -> Callable[Concatenate[AsyncTenant, Parameters], Coroutine[Any, Any, Result]]:
    """The method on a worker thread. Cancelling the await does not undo a commit under way."""

    async def call(
        self: AsyncTenant, /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        return await asyncio.to_thread(method, self.tenant, *args, **kwargs)

    return update_wrapper(call, method)


class AsyncTenant:
    """`Tenant`, with every verb a coroutine. Get one from `AsyncMemory.tenant`."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.name = tenant.name

    ingest = _awaited(Tenant.ingest)
    append = _awaited(Tenant.append)
    resume = _awaited(Tenant.resume)
    preview = _awaited(Tenant.preview)
    reextract = _awaited(Tenant.reextract)
    preview_reextract = _awaited(Tenant.preview_reextract)
    usage = _awaited(Tenant.usage)
    assert_fact = _awaited(Tenant.assert_fact)
    assert_facts = _awaited(Tenant.assert_facts)
    set_cardinality = _awaited(Tenant.set_cardinality)
    retract = _awaited(Tenant.retract)
    recall = _awaited(Tenant.recall)
    replay = _awaited(Tenant.replay)
    as_of = _awaited(Tenant.as_of)
    neighbours = _awaited(Tenant.neighbours)
    graph = _awaited(Tenant.graph)
    graph_view = _awaited(Tenant.graph_view)
    paths = _awaited(Tenant.paths)
    when = _awaited(Tenant.when)
    relation = _awaited(Tenant.relation)
    related = _awaited(Tenant.related)
    count = _awaited(Tenant.count)
    first = _awaited(Tenant.first)
    last = _awaited(Tenant.last)
    how_long = _awaited(Tenant.how_long)
    history = _awaited(Tenant.history)
    diff = _awaited(Tenant.diff)
    why = _awaited(Tenant.why)
    entities = _awaited(Tenant.entities)
    merge = _awaited(Tenant.merge)
    unmerge = _awaited(Tenant.unmerge)
    merges = _awaited(Tenant.merges)
    stats = _awaited(Tenant.stats)
    import_ = _awaited(Tenant.import_)
    embed_missing = _awaited(Tenant.embed_missing)
    reembed = _awaited(Tenant.reembed)

    @overload
    async def export(self, target: None = None) -> Iterator[str]: ...
    @overload
    async def export(self, target: str | Path) -> int: ...
    async def export(self, target: str | Path | None = None) -> Iterator[str] | int:
        """As `Tenant.export`."""
        return await asyncio.to_thread(self.tenant.export, target)


class AsyncMemory:
    """`Memory` for asynchronous programs: work runs on threads, the event loop stays free.

    async with AsyncMemory.open("memory.db") as memory:
        await memory.tenant("acme").recall("where does Ana live?")
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @classmethod
    def open(cls, location: str | Path = "bitempo.db", **options: Any) -> Self:
        """As `Memory.open`, with the same options and errors."""
        return cls(Memory.open(location, **options))

    def tenant(self, name: str) -> AsyncTenant:
        """A handle bound to one tenant."""
        return AsyncTenant(self.memory.tenant(name))

    async def backup(self, target: str | Path) -> None:
        """As `Memory.backup`."""
        await asyncio.to_thread(self.memory.backup, target)

    async def close(self) -> None:
        """As `Memory.close`."""
        await asyncio.to_thread(self.memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
