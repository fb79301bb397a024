"""Recall on LoCoMo (Maharana et al. 2024): does it find the turns that hold the answer?

Recall@k is the share of a question's evidence turns among the first k turns, averaged over the
questions that have usable evidence. Categories 1 to 4 (multi-hop, temporal, open-domain,
single-hop) are averaged; category 5 (adversarial) is reported apart.

Ranking sees the conversation and the texts of the questions, and nothing else of the file. What
a live system would not have (evidence, answers, categories) is read by scoring alone, after.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bitempo.bench.asking import Asked, Asking, Progress, Ranked, after
from bitempo.bench.cache import embedder_of
from bitempo.bench.recorded import recorded_extractor
from bitempo.bench.report import CUTOFFS, Judged, Report, report_of
from bitempo.engine.embedding import Embedder
from bitempo.engine.errors import InvalidRecordError
from bitempo.engine.reranking import Reranker
from bitempo.engine.rewriting import QuestionRewriter
from bitempo.ingest.extraction import Extractor
from bitempo.ingest.loaders import load_sessions
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.rerankers import open_reranker
from bitempo.ingest.rewriters import open_rewriter
from bitempo.ingest.sessions import SourceSession
from bitempo.query.recall import RecallSettings


@dataclass(frozen=True, slots=True)
class Evidence:
    """What scoring knows of a question: its category, and the ids of the turns it rests on."""

    category: int
    turns: frozenset[str]


def run(
    path: str | Path,
    *,
    conversations: int | None = None,
    settings: RecallSettings | None = None,
    embedder: str | Embedder | None = None,
    reranker: str | Reranker | None = None,
    rewriter: str | QuestionRewriter | None = None,
    extractions: str | Path | None = None,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Load each conversation into a memory of its own, ask its questions, and score the turns.

    Args:
        path: a file in the format of LoCoMo.
        conversations: how many to take, from the first; all by default.
        settings: of recall; its `limit` and `include` are those of the benchmark.
        embedder: of the memories, as `Memory.open` takes it.
        reranker, rewriter: the same.
        extractions: a folder of recorded extractions (see `recorded_extractor`), from which the
            facts come; by default the rules find them.
        cache: a folder that keeps the vectors for the next run.
        progress: told of every question.

    Raises:
        InvalidInputError: a cache is given, and no embedder to keep vectors of.
        InvalidRecordError: the file is not in the format of LoCoMo, or has no questions; or the
            folder lacks a conversation.
        IngestError: not all could be taken in, or embedded; figures on the rest would mislead.
    """
    asked = read_conversations(path)[:conversations]
    if not any(conversation.questions for conversation in asked):
        raise InvalidRecordError("has no questions (`qa`) to ask", place=str(path))
    opened = embedder_of(embedder, cache)
    judge, asker = open_reranker(reranker), open_rewriter(rewriter)
    with _facts_from(extractions, path, asked) as extractor:
        asking = Asking(max(CUTOFFS), settings or RecallSettings(), opened, extractor, judge, asker)
        ranked = asking.rank(asked, progress)
    report = score(asked, ranked, read_evidence(path))
    return replace(
        report,
        embedder=None if opened is None else opened.identity,
        reranker=None if judge is None else judge.identity,
        rewriter=None if asker is None else asker.identity,
    )


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
            after(sessions.get(sample, ())),
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
