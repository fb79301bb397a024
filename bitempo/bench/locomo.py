"""Recall on LoCoMo (Maharana et al. 2024): does it find the turns that hold the answer?

Recall@k is the share of a question's evidence turns among the first k turns, averaged over the
questions that have usable evidence. Categories 1 to 4 (multi-hop, temporal, open-domain,
single-hop) are averaged; category 5 (adversarial) is reported apart.

Ranking sees the conversation and the texts of the questions, and nothing else of the file. What
a live system would not have (evidence, answers, categories) is read by scoring alone, after.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bitempo._memory import Memory, Tenant
from bitempo.bench.floor import PlainBm25
from bitempo.bench.recorded import recorded_extractor
from bitempo.bench.report import CUTOFFS, Judged, Report, report_of
from bitempo.engine.embedding import Embedder
from bitempo.engine.errors import IngestError, InvalidRecordError
from bitempo.engine.time import EPOCH, to_datetime
from bitempo.ingest.embedders import open_embedder
from bitempo.ingest.extraction import Extractor
from bitempo.ingest.loaders import load_sessions
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.sessions import SourceSession
from bitempo.query.recall import RecallSettings
from bitempo.testing import FixedClock

Progress = Callable[[str, int, int], None]
"""Called with the conversation at work, how many questions are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A conversation and the texts of its questions: all that ranking sees."""

    sample: str
    sessions: tuple[SourceSession, ...]
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What scoring knows of a question: its category, and the ids of the turns it rests on."""

    category: int
    turns: frozenset[str]


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


def run(
    path: str | Path,
    *,
    conversations: int | None = None,
    settings: RecallSettings | None = None,
    embedder: str | Embedder | None = None,
    extractions: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Load each conversation into a memory of its own, ask its questions, and score the turns.

    Args:
        path: a file in the format of LoCoMo.
        conversations: how many to take, from the first; all by default.
        settings: of recall; its `limit` and `include` are those of the benchmark.
        embedder: of the memories, as `Memory.open` takes it.
        extractions: a folder of recorded extractions (see `recorded_extractor`), from which the
            facts come; by default the rules find them.
        progress: told of every question.

    Raises:
        InvalidRecordError: the file is not in the format of LoCoMo, or has no questions; or the
            folder lacks a conversation.
        IngestError: not all could be taken in, or embedded; figures on the rest would mislead.
    """
    asked = read_conversations(path)[:conversations]
    if not any(conversation.questions for conversation in asked):
        raise InvalidRecordError("has no questions (`qa`) to ask", place=str(path))
    opened = open_embedder(embedder) if isinstance(embedder, str) else embedder
    with _facts_from(extractions, path, asked) as extractor:
        ranked = rank(asked, settings or RecallSettings(), progress, opened, extractor)
    report = score(asked, ranked, read_evidence(path))
    return replace(report, embedder=None if opened is None else opened.identity)


def read_conversations(path: str | Path) -> list[Asked]:
    """The conversations of the file and the texts of their questions. Nothing else is read.

    Raises:
        InvalidRecordError: a part of the file is malformed; figures on the rest would mislead.
    """
    sessions: dict[str, list[SourceSession]] = {}
    for item in load_sessions(path, format="locomo", strict=True):
        if isinstance(item, SourceSession):
            sessions.setdefault(item.id.rpartition("/")[0], []).append(item)
    return [
        Asked(
            sample,
            tuple(sessions.get(sample, ())),
            tuple(str(entry["question"]) for entry in _questions(record)),
        )
        for sample, record in _records(path)
    ]


def read_evidence(path: str | Path) -> dict[str, list[Evidence]]:
    """By conversation, what its questions rest on, in the order of the questions."""
    found: dict[str, list[Evidence]] = {}
    for sample, record in _records(path):
        known = set(_turn_ids(record))
        found[sample] = [
            Evidence(
                int(entry.get("category") or 0),
                frozenset(f"{sample}/{id}" for id in _cited(entry.get("evidence")) if id in known),
            )
            for entry in _questions(record)
        ]
    return found


def rank(
    asked: Sequence[Asked],
    settings: RecallSettings,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
    extractor: Extractor | None = None,
) -> list[Ranked]:
    """Answer every question, each conversation in a fresh memory filled through ingest.

    Raises:
        IngestError: not all could be taken in, or embedded.
    """
    wanted = replace(settings, limit=max(CUTOFFS), include=("turns",))
    total = sum(len(conversation.questions) for conversation in asked)
    ranked: list[Ranked] = []
    for conversation in asked:
        tell = _teller(conversation.sample, sum(len(r.rankings) for r in ranked), total, progress)
        clock = FixedClock(_after(conversation.sessions))
        with Memory.open(":memory:", clock=clock, embedder=embedder, extractor=extractor) as memory:
            ranked.append(_rank(memory, conversation, wanted, tell))
    return ranked


def score(
    asked: Sequence[Asked], ranked: Sequence[Ranked], evidence: Mapping[str, Sequence[Evidence]]
) -> Report:
    """Compare what was found with what each question rests on."""
    judged = [
        Judged(known.category, known.turns, ranking.turns, ranking.floor)
        for conversation, result in zip(asked, ranked, strict=True)
        for ranking, known in zip(result.rankings, evidence[conversation.sample], strict=True)
        if known.turns
    ]
    return report_of(
        judged,
        conversations=len(asked),
        questions=sum(len(result.rankings) for result in ranked),
        turns=sum(result.turns for result in ranked),
        facts=sum(result.facts for result in ranked),
        rejected=sum(result.rejected for result in ranked),
        extractor=", ".join(sorted({result.extractor for result in ranked})),
        load_seconds=sum(result.load_seconds for result in ranked),
        latencies=[ranking.seconds for result in ranked for ranking in result.rankings],
    )


def _facts_from(
    extractions: str | Path | None, path: str | Path, asked: Sequence[Asked]
) -> AbstractContextManager[Extractor | None]:
    if extractions is None:
        return nullcontext()
    return recorded_extractor(extractions, path, [conversation.sample for conversation in asked])


def _rank(
    memory: Memory, conversation: Asked, settings: RecallSettings, tell: Callable[[int], None]
) -> Ranked:
    tell(0)
    tenant = memory.tenant(conversation.sample)
    began = time.perf_counter()
    rejected = _take_in(tenant, conversation.sessions)
    load_seconds = time.perf_counter() - began
    floor = PlainBm25(conversation.sessions)
    rankings: list[Ranking] = []
    for number, question in enumerate(conversation.questions, start=1):
        began = time.perf_counter()
        recalled = tenant.recall(question, settings=settings)
        seconds = time.perf_counter() - began
        found = tuple(item.id for item in recalled.items)
        rankings.append(Ranking(found, floor.best(question, settings.limit), seconds))
        tell(number)
    held = tenant.stats()
    extractor = memory.extractor.name
    return Ranked(tuple(rankings), held.episodes, held.facts, rejected, load_seconds, extractor)


def _take_in(tenant: Tenant, sessions: Sequence[SourceSession]) -> int:
    """Ingest the sessions whole; how many claims were rejected.

    Raises:
        IngestError: a part of them was not taken in, or not embedded.
    """
    # One after the other, as they were held: what a window may know is then the same each time.
    report = tenant.ingest(sessions, concurrency=1)
    trouble = report.stopped or report.embedding_error or next(iter(report.failed.values()), None)
    if trouble is not None:
        raise IngestError(f"the sessions of {tenant.name} could not all be taken in: {trouble}")
    return len(report.rejections)


def _teller(
    sample: str, before: int, total: int, progress: Progress | None
) -> Callable[[int], None]:
    def tell(done: int) -> None:
        if progress is not None:
            progress(sample, before + done, total)

    return tell


def _records(path: str | Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The conversations of the file, under the names that the loader gives them."""
    document = Source(path).document
    records = document if isinstance(document, list) else [document]
    for number, record in enumerate(records, start=1):
        if isinstance(record, Mapping) and isinstance(record.get("conversation"), Mapping):
            sample = record.get("sample_id")
            yield f"conversation-{number}" if sample is None else str(sample).strip(), record


def _questions(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    entries = record.get("qa")
    if not isinstance(entries, list):
        return []
    return [entry for entry in entries if isinstance(entry, Mapping) and entry.get("question")]


def _turn_ids(record: Mapping[str, Any]) -> Iterator[str]:
    for turns in record["conversation"].values():
        if isinstance(turns, list):
            yield from (str(turn["dia_id"]).strip() for turn in turns if "dia_id" in turn)


def _cited(evidence: object) -> Iterator[str]:
    """The ids in an evidence list; the data has some that share one text ("D8:6; D9:17")."""
    for entry in evidence if isinstance(evidence, list) else [evidence]:
        yield from re.split(r"[;,\s]+", str(entry or ""))


def _after(sessions: Sequence[SourceSession]) -> datetime:
    """When the questions are asked: a second after the last turn."""
    last = max(
        (turn.occurred_at for session in sessions for turn in session.turns),
        default=0,
    )
    return to_datetime(last + 1_000_000) or EPOCH
