"""Asking the questions of a benchmark: all that ranks stands here, and sees no answer.

Each conversation goes into a memory of its own. Sessions and turns get names that say nothing
but their order, since those of a data set may tell which of them hold an answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bitempo._memory import Memory, Tenant
from bitempo.bench.floor import PlainBm25
from bitempo.engine.embedding import Embedder
from bitempo.engine.errors import IngestError
from bitempo.engine.reranking import Reranker
from bitempo.engine.rewriting import QuestionRewriter
from bitempo.engine.time import EPOCH, Instant, to_datetime
from bitempo.ingest.extraction import Extractor
from bitempo.ingest.sessions import SourceSession
from bitempo.query.recall import RecallSettings
from bitempo.testing import FixedClock

Progress = Callable[[str, int, int], None]
"""Called with the conversation at work, how many questions are done, and how many there are."""

_TENANT = "benchmark"
_SECOND: Instant = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A conversation, the texts of its questions, and when they are asked: all that ranking sees.

    `sample` is for the reader of the benchmark, and is not told to the memory.
    """

    sample: str
    sessions: tuple[SourceSession, ...]
    questions: tuple[str, ...]
    asked_at: Instant


@dataclass(frozen=True, slots=True)
class Ranking:
    """The turns that were found for a question, best first, and by the floor."""

    turns: tuple[str, ...]
    floor: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A conversation with all its questions answered."""

    rankings: tuple[Ranking, ...]
    turns: int
    facts: int
    rejected: int
    load_seconds: float
    extractor: str


@dataclass(frozen=True, slots=True)
class Asking:
    """How the questions are asked.

    `limit` is how many turns are found for each; settings are those of recall, but for `limit`
    and `include`. An embedder, an extractor, a reranker and a rewriter are those of the memories.
    """

    limit: int
    settings: RecallSettings = field(default_factory=RecallSettings)
    embedder: Embedder | None = None
    extractor: Extractor | None = None
    reranker: Reranker | None = None
    rewriter: QuestionRewriter | None = None

    @property
    def wanted(self) -> RecallSettings:
        """The settings of each recall. A rewriter that fails would mislead, so it is required."""
        return replace(self.settings, limit=self.limit, include=("turns",), rewrite_required=True)

    def rank(self, asked: Sequence[Asked], progress: Progress | None = None) -> list[Ranked]:
        """Answer every question, each conversation in a fresh memory filled through ingest.

        Raises:
            IngestError: not all could be taken in, or embedded.
        """
        total = sum(len(conversation.questions) for conversation in asked)
        done = 0
        ranked: list[Ranked] = []
        for conversation in asked:
            tell = _teller(conversation.sample, done, total, progress)
            ranked.append(self._rank(conversation, tell))
            done += len(conversation.questions)
        return ranked

    def _rank(self, conversation: Asked, tell: Callable[[int], None]) -> Ranked:
        tell(0)
        sessions, names = without_names(conversation.sessions)
        wanted = self.wanted
        floor = PlainBm25(sessions)
        rankings: list[Ranking] = []
        with self.memory(conversation.asked_at) as memory:
            tenant = memory.tenant(_TENANT)
            began = time.perf_counter()
            rejected = take_in(tenant, sessions)
            load_seconds = time.perf_counter() - began
            for number, question in enumerate(conversation.questions, start=1):
                began = time.perf_counter()
                recalled = tenant.recall(question, settings=wanted)
                seconds = time.perf_counter() - began
                found = tuple(names[item.id] for item in recalled.items)
                plain = tuple(names[id] for id in floor.best(question, self.limit))
                rankings.append(Ranking(found, plain, seconds))
                tell(number)
            held, extractor = tenant.stats(), memory.extractor.name
        return Ranked(tuple(rankings), held.episodes, held.facts, rejected, load_seconds, extractor)

    def memory(self, now: Instant) -> Memory:
        """A fresh memory in which it is always `now`."""
        return Memory.open(
            ":memory:",
            clock=FixedClock(to_datetime(now) or EPOCH),
            embedder=self.embedder,
            extractor=self.extractor,
            reranker=self.reranker,
            rewriter=self.rewriter,
        )


def without_names(
    sessions: Sequence[SourceSession],
) -> tuple[list[SourceSession], dict[str, str]]:
    """The sessions and turns numbered in their order, and by its number the id of each turn."""
    numbered: list[SourceSession] = []
    names: dict[str, str] = {}
    for place, session in enumerate(sessions):
        own = f"s{place:05}"
        ids = [f"{own}/{index:05}" for index in range(len(session.turns))]
        names |= zip(ids, [turn.id or "" for turn in session.turns], strict=True)
        turns = [replace(turn, id=id) for turn, id in zip(session.turns, ids, strict=True)]
        numbered.append(replace(session, id=own, turns=tuple(turns)))
    return numbered, names


def take_in(tenant: Tenant, sessions: Sequence[SourceSession]) -> int:
    """Ingest the sessions whole; how many claims were rejected.

    Raises:
        IngestError: a part of them was not taken in, or not embedded.
    """
    # One after the other, as they were held: what a window may know is then the same each time.
    report = tenant.ingest(sessions, concurrency=1)
    trouble = report.stopped or report.embedding_error or next(iter(report.failed.values()), None)
    if trouble is not None:
        raise IngestError(f"a conversation could not be taken in whole: {trouble}")
    return len(report.rejections)


def after(sessions: Sequence[SourceSession]) -> Instant:
    """A second after the last turn: the first time at which all of it can be asked about."""
    last = max((turn.occurred_at for session in sessions for turn in session.turns), default=0)
    return last + _SECOND


def _teller(
    sample: str, before: int, total: int, progress: Progress | None
) -> Callable[[int], None]:
    def tell(done: int) -> None:
        if progress is not None:
            progress(sample, before + done, total)

    return tell
