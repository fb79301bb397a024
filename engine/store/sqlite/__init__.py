"""The embedded store: one SQLite file, no server."""

from bitempo.engine.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
