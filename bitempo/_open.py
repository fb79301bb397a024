"""From a location to a store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bitempo.engine.errors import InvalidInputError, StoreError
from bitempo.engine.store.port import Store
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.ingest.extraction import Extractor, ModelExtractor
from bitempo.ingest.resolution import NO_RESOLUTION, ChatDecider, EntityMatcher, Resolver

if TYPE_CHECKING:
    from bitempo.engine.embedding import Embedder

_SERVERS = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def open_store(location: str | Path, *, busy_timeout: float) -> Store:
    """The store at a file, at `sqlite:///file`, in memory for ":memory:", or on a Neo4j server.

    A server's user and password come from the location (`bolt://user:password@host:7687`), else
    from BITEMPO_NEO4J_USER and BITEMPO_NEO4J_PASSWORD. Its database is the path, and options of
    the connection follow as a query (`?pool_size=20&connect_timeout=5`, see `Options` of the
    Neo4j store); `busy_timeout` is its `retry_time`.

    Raises:
        StoreError: the location is of a kind that there is no store for, or cannot be opened.
    """
    if not isinstance(location, str | Path):
        raise StoreError(f"a location is a path or text, not {type(location).__name__}")
    text = str(location)
    scheme, separator, rest = text.partition("://")
    if not separator:
        return SqliteStore(text, busy_timeout=busy_timeout)
    if scheme == "sqlite":
        # Three slashes before a relative path, four before an absolute one.
        return SqliteStore(rest.removeprefix("/") or ":memory:", busy_timeout=busy_timeout)
    if scheme in _SERVERS:
        return _open_server(text, busy_timeout)
    raise StoreError(
        f"there is no store for {scheme}:// locations; give a file such as memory.db, "
        'sqlite:///memory.db, ":memory:", or a server such as bolt://localhost:7687'
    )


def resolver_for(extractor: Extractor, embedder: Embedder | None = None) -> Resolver:
    """The resolver that suits an extractor which was handed in without one."""
    if not isinstance(extractor, ModelExtractor):
        return NO_RESOLUTION
    from bitempo.ingest.llm import LLMExtractor

    asked = ChatDecider(extractor.chat) if isinstance(extractor, LLMExtractor) else None
    return EntityMatcher(asked, embedder)


def check_parts(**parts: object) -> None:
    """Refuse the name of a part where the part itself is wanted.

    Raises:
        InvalidInputError: one of them is text.
    """
    for name, part in parts.items():
        if isinstance(part, str):
            raise InvalidInputError(f"{name}={part!r}: give {_PARTS[name]}, not its name")


_PARTS = {
    "extractor": "an extractor, such as LLMExtractor(model)",
    "resolver": "a resolver, such as EntityMatcher()",
    "redactor": "a redactor, such as SecretRedactor()",
}


def _open_server(location: str, busy_timeout: float) -> Store:
    try:
        from bitempo.engine.store.neo4j import Neo4jStore, Options
    except ImportError as error:
        raise InvalidInputError(
            "a Neo4j server needs the driver: pip install 'bitempo[neo4j]'"
        ) from error
    return Neo4jStore(
        location,
        user=os.environ.get("BITEMPO_NEO4J_USER"),
        password=os.environ.get("BITEMPO_NEO4J_PASSWORD"),
        options=Options(retry_time=busy_timeout),
    )
