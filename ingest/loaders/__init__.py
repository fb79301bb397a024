"""Loaders: from the files that people have to `SourceSession`s."""

from bitempo.ingest.loaders.loader import Loader, LoadOptions
from bitempo.ingest.loaders.registry import LOADERS, Progress, load_sessions, loader_names
from bitempo.ingest.sessions import Malformed, SourceSession, Turn

__all__ = [
    "LOADERS",
    "LoadOptions",
    "Loader",
    "Malformed",
    "Progress",
    "SourceSession",
    "Turn",
    "load_sessions",
    "loader_names",
]
