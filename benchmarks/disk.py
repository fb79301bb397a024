"""What vectors take on disk: a LoCoMo file taken into a file of its own for each embedder.

    python -m benchmarks.disk FILE [--embedders static minilm] [--conversations N] [--json]

A memory without an embedder stands first. For each embedder it is told what the bytes of its
vectors come to, and how large the file is, packed, with and without the vectors of tokens; all for
100,000 turns, in MB of 1,000,000 bytes. Facts are found by the rules, and claims have vectors
too. Every conversation has a tenant of its own.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from bitempo import Memory
from bitempo.bench.asking import take_in
from bitempo.bench.cache import embedder_of
from bitempo.bench.locomo import read_conversations
from bitempo.ingest.embedders import NONE

TURNS = 100_000
MB = 1_000_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="a file in the format of LoCoMo")
    parser.add_argument("--embedders", nargs="+", default=["static", "minilm"])
    parser.add_argument("--conversations", type=int, help="how many to take; all by default")
    parser.add_argument("--cache", type=Path, help="keep the vectors for the next run")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    rows = [
        measured(given.file, name, given.conversations, given.cache)
        for name in (NONE, *given.embedders)
    ]
    print(json.dumps(rows, indent=1) if given.json else "\n".join(map(str, rows)))


def measured(
    path: Path, embedder: str, conversations: int | None, cache: Path | None
) -> dict[str, Any]:
    """What the conversations of the file take with one embedder."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        used = embedder_of(embedder, cache if embedder != NONE else None)
        turns = 0
        with Memory.open(str(file), embedder=used) as memory:
            for conversation in read_conversations(path)[:conversations]:
                tenant = memory.tenant(conversation.sample)
                take_in(tenant, conversation.sessions)
                turns += tenant.stats().episodes
        return {
            "embedder": embedder if used is None else used.identity,
            "turns": turns,
            **_sizes(file, turns),
        }


def _sizes(file: Path, turns: int) -> dict[str, Any]:
    with closing(apsw.Connection(str(file))) as connection:
        lengths = connection.execute(
            "SELECT count(*), total(length(codes)), total(length(tokens)), "
            "total(length(tokens)) FILTER (WHERE corpus = 'turns') FROM vector"
        )
        ((vectors, codes, tokens, of_turns),) = lengths
        with_tokens = _packed(connection, file)
        connection.execute("UPDATE vector SET tokens = NULL")
        without_tokens = _packed(connection, file)
    return {
        "vectors": vectors,
        "bytes_of_tokens_a_turn": round(of_turns / turns),
        "texts_mb": _scaled(codes, turns),
        "tokens_mb": _scaled(tokens, turns),
        "file_mb": _scaled(with_tokens, turns),
        "file_without_tokens_mb": _scaled(without_tokens, turns),
    }


def _packed(connection: apsw.Connection, file: Path) -> int:
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return file.stat().st_size


def _scaled(size: float, turns: int) -> int:
    return round(size * TURNS / turns / MB)


if __name__ == "__main__":
    main()
