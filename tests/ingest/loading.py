"""Small files to load, and what came out of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bitempo.ingest.loaders import load_sessions
from bitempo.ingest.sessions import Malformed, SourceSession


def write_json(folder: Path, document: object, name: str = "file.json") -> Path:
    """A JSON file of the document; lone surrogates become escapes."""
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def write_lines(folder: Path, *records: object, name: str = "file.jsonl") -> Path:
    """A file with one record a line; text is written as it is."""
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def load(path: Path, **options: Any) -> tuple[list[SourceSession], list[Malformed]]:
    """The sessions and the reports of a load, apart."""
    items = list(load_sessions(path, **options))
    sessions = [item for item in items if isinstance(item, SourceSession)]
    return sessions, [item for item in items if isinstance(item, Malformed)]


def told(session: SourceSession) -> list[tuple[str, str]]:
    """Who said what."""
    return [(turn.actor, turn.text) for turn in session.turns]
