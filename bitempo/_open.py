"""From a location to a store."""

from __future__ import annotations

from pathlib import Path

from bitempo.engine.errors import StoreError
from bitempo.engine.store.port import Store
from bitempo.engine.store.sqlite import SqliteStore


def open_store(location: str | Path, *, busy_timeout: float) -> Store:
    """The store at a file, at `sqlite:///file`, or in memory for ":memory:".

    Raises:
        StoreError: the location is of a kind that there is no store for, or cannot be opened.
    """
    text = str(location)
    scheme, separator, rest = text.partition("://")
    if not separator:
        return SqliteStore(text, busy_timeout=busy_timeout)
    if scheme == "sqlite":
        # Three slashes before a relative path, four before an absolute one.
        return SqliteStore(rest.removeprefix("/") or ":memory:", busy_timeout=busy_timeout)
    raise StoreError(
        f"there is no store for {scheme}:// locations; give a file such as memory.db, "
        'sqlite:///memory.db, or ":memory:"'
    )
