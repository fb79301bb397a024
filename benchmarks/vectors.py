"""Vectors: how fast texts are encoded, and how long the nearest of a tenant take on each store.

    python -m benchmarks.vectors [--sizes 10000 100000] [--store LOCATION ...] [--json]

Vectors are drawn in clusters, 256 numbers each; a scan is warm, as the second question and every
later one find it. `load` is what the first one takes to read them into memory.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bitempo import Memory
from bitempo.engine.embedding import Matrix, normalised
from bitempo.engine.model import Episode
from bitempo.engine.store.port import Corpus, WriteTransaction
from bitempo.engine.store.vector_port import Embedded, Passage, VectorSpace
from bitempo.ingest.embedders import open_embedder

SPACE = VectorSpace("benchmark/256", 256)
BATCH = 2_000
QUESTIONS = 40
NOW = 2**60


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--store", nargs="*", default=[], help="servers to measure besides a file")
    parser.add_argument("--embedders", nargs="*", default=["static", "minilm"])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    rows: list[dict[str, Any]] = [encoding(name) for name in given.embedders]
    with tempfile.TemporaryDirectory() as folder:
        for size in given.sizes:
            file = str(Path(folder) / f"{size}.db")
            found = [searching(location, size) for location in (file, *given.store)]
            for other in found:
                other["ratio"] = round(other["p50_ms"] / found[0]["p50_ms"], 2)
            rows += found
    print(json.dumps(rows, indent=1) if given.json else "\n".join(map(str, rows)))


def encoding(name: str) -> dict[str, Any]:
    """Texts a second, of some thirty words each."""
    embedder = open_embedder(name)
    assert embedder is not None
    texts = [f"{n}: on that day we talked about the harbour, the boats, " * 3 for n in range(400)]
    embedder.embed(texts[:2])
    started = time.perf_counter()
    embedder.embed(texts)
    return {
        "embedder": embedder.identity,
        "texts_per_s": round(len(texts) / (time.perf_counter() - started)),
    }


def searching(location: str, size: int) -> dict[str, Any]:
    """The median of the nearest ten, of so many vectors of one tenant."""
    drawn = np.random.default_rng(1)
    centres = drawn.standard_normal((200, SPACE.dimension))

    def clustered(count: int) -> Matrix:
        noise = 0.7 * drawn.standard_normal((count, SPACE.dimension))
        return normalised(centres[drawn.integers(200, size=count)] + noise)

    name, exact = uuid.uuid4().hex, clustered(size)
    with Memory.open(location) as memory:
        store = memory._store
        vectors = store.vectors(name)
        for first in range(0, size, BATCH):
            ids = [f"e{number}" for number in range(first, min(first + BATCH, size))]

            def add(write: WriteTransaction, ids: list[str] = ids) -> None:
                write.add_episodes([Episode(id, id, 0) for id in ids])

            store.write(name, first, add)
            vectors.begin(SPACE)
            passages = [Passage(Corpus.TURNS, id, id) for id in ids]
            made = [Embedded(vector) for vector in exact[first : first + BATCH]]
            vectors.put(SPACE, passages, made)
        times: list[float] = []
        hits = 0
        for question in clustered(QUESTIONS):
            started = time.perf_counter()
            with store.read(name) as reader:
                near = reader.nearest(Corpus.TURNS, question, known_at=NOW, limit=10)
            times.append(1000 * (time.perf_counter() - started))
            true = {f"e{place}" for place in np.argsort(-(exact @ question))[:10]}
            hits += len(true & {item.id for item in near})
    return {
        "store": location.rpartition("@")[2] if "://" in location else "file",
        "vectors": size,
        "load_ms": round(times[0], 1),
        "p50_ms": round(statistics.median(times[1:]), 2),
        "recall_at_10": hits / (10 * QUESTIONS),
    }


if __name__ == "__main__":
    main()
