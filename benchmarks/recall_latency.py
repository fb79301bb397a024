"""How long recall takes on a tenant of the size of a long conversation.

    python -m benchmarks.recall_latency FILE [--conversation N] [--questions N] [--recorded FOLDER]
        [--embedder NAME]

FILE is of LoCoMo. One of its conversations goes into a file by the rules, or with `--recorded` by
the extractions that the folder holds, and its questions are asked in turn: by words only, and with
the vectors of an embedder (by default the static ones of the base install), there with the question
encoded before and as a caller has it, from text to answer. Before that come first questions: each
is asked of a handle that was just opened, with nothing kept in memory by the process.

Wall time and processor time are printed in milliseconds. Libraries for arrays use several
processors and let them wait busily for more; to leave them to others, set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path

from benchmarks.timing import timed
from bitempo import Memory
from bitempo._embedding import Embeddings
from bitempo.bench.asking import Asked
from bitempo.bench.figures import percentile
from bitempo.bench.locomo import read_conversations
from bitempo.bench.recorded import recorded_extractor
from bitempo.engine import lexical
from bitempo.engine.embedding import Embedder
from bitempo.engine.store import rows
from bitempo.engine.store.port import Point
from bitempo.engine.store.sqlite.store import SqliteStore
from bitempo.ingest.dates import find_times
from bitempo.ingest.embedders import open_embedder
from bitempo.query import counting
from bitempo.query.cache import RecallCache
from bitempo.query.recall import recall

TENANT = "conversation"
FIRST = 10
"""How many first questions are asked."""

Ask = Callable[[str], object]
Handle = Callable[[Sequence[str]], AbstractContextManager[Ask]]
"""Opens the file for these questions."""


def main() -> None:
    arguments = _arguments()
    conversation = read_conversations(arguments.file)[arguments.conversation]
    questions = conversation.questions[: arguments.questions]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conversation.db"
        fill(path, conversation, arguments.file, arguments.recorded)
        measure("words", partial(opened, path, None), questions)
        embedder = open_embedder(arguments.embedder)
        with Memory.open(path, embedder=embedder) as memory:
            memory.tenant(TENANT).embed_missing()
        name = arguments.embedder
        measure(f"{name}, question encoded before", partial(encoded, path, embedder), questions)
        measure(name, partial(opened, path, embedder), questions)


def fill(path: Path, conversation: Asked, file: Path, recorded: Path | None) -> None:
    """Take the conversation in, and print how much it holds."""
    with ExitStack() as open_meanwhile:
        extractor = None
        if recorded is not None:
            model = recorded_extractor(recorded, file, {conversation.sample})
            extractor = open_meanwhile.enter_context(model)
        memory = open_meanwhile.enter_context(Memory.open(path, extractor=extractor))
        memory.tenant(TENANT).ingest(conversation.sessions)
        held = memory.tenant(TENANT).stats()
    print(
        f"{conversation.sample}: {held.episodes} turns, {held.assertions} assertions, "
        f"{held.facts} facts",
        flush=True,
    )


@contextmanager
def opened(path: Path, embedder: Embedder | None, questions: Sequence[str]) -> Iterator[Ask]:
    """Recall as a caller has it."""
    del questions
    with Memory.open(path, embedder=embedder) as memory:
        yield memory.tenant(TENANT).recall


@contextmanager
def encoded(path: Path, embedder: Embedder | None, questions: Sequence[str]) -> Iterator[Ask]:
    """The same, of questions that are encoded already."""
    store, cache = SqliteStore(path), RecallCache()
    embeddings = Embeddings(store, embedder)
    vectors = {question: embeddings.of_question(TENANT, question) for question in questions}

    def ask(question: str) -> object:
        with store.read(TENANT) as reader:
            now = reader.last_tx() or 0
            return recall(
                cache.reader(reader, TENANT),
                question,
                point=Point(now, now),
                vectors=vectors[question],
                tenant=TENANT,
                find_times=find_times,
            )

    yield ask
    store.close()


def measure(name: str, handle: Handle, questions: Sequence[str]) -> None:
    """Print the times of first questions, and of all with one handle."""
    first: list[tuple[float, float]] = []
    for question in questions[:FIRST]:
        with handle([question]) as ask:
            for kept in (counting._kept, rows._kept, lexical._terms_of):
                kept.cache_clear()
            first.append(timed(partial(ask, question)))
    with handle(questions) as ask:
        ask(questions[0])
        warm = [timed(partial(ask, question)) for question in questions]
    print(f"{name:<32} first {_shown(first)}   then {_shown(warm)}", flush=True)


def _shown(times: Sequence[tuple[float, float]]) -> str:
    wall, processor = zip(*times, strict=True)
    return (
        f"p50 {percentile(wall, 0.5):5.1f} p95 {percentile(wall, 0.95):5.1f} "
        f"(processor {percentile(processor, 0.5):5.1f} / {percentile(processor, 0.95):5.1f})"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path, help="conversations of LoCoMo")
    parser.add_argument("--conversation", type=int, default=0, help="which, counted from 0")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--recorded", type=Path, help="a folder of recorded extractions")
    parser.add_argument("--embedder", default="static")
    return parser.parse_args()


if __name__ == "__main__":
    main()
