"""A driver of Graphiti's that counts the statements which it hands to the server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from graphiti_core.driver.neo4j_driver import Neo4jDriver


class CountingDriver(Neo4jDriver):
    """`statements` is how many there have been, whichever way Graphiti runs them."""

    def __init__(self, uri: str, user: str | None, password: str | None) -> None:
        self.statements = 0
        super().__init__(uri, user, password)

    async def execute_query(self, cypher_query_: Any, **kwargs: Any) -> Any:
        self._count()
        return await super().execute_query(cypher_query_, **kwargs)

    def session(self, database: str | None = None) -> Any:
        return _Counted(super().session(database), self._count)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Any]:
        async with super().transaction() as transaction:
            yield _Counted(transaction, self._count)

    def _count(self) -> None:
        self.statements += 1


class _Counted:
    """A session, or a transaction of one."""

    def __init__(self, inner: Any, count: Callable[[], None]) -> None:
        self._inner = inner
        self._count = count

    async def run(self, query: str, *args: Any, **kwargs: Any) -> Any:
        self._count()
        return await self._inner.run(query, *args, **kwargs)

    async def execute_write(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        async def counted(transaction: Any) -> Any:
            return await work(_Counted(transaction, self._count), *args, **kwargs)

        return await self._inner.execute_write(counted)

    async def close(self) -> None:
        await self._inner.close()

    async def __aenter__(self) -> _Counted:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        return await self._inner.__aexit__(*raised)
