"""Recall on LongMemEval (Wu et al. 2024): does it find the turns and sessions that answer?

Each question has a history of its own, which goes into a memory of its own, and is asked at its
date. (Where the history goes on later the same day, as some in the data do: a second after its
end.) A question counts if some turn of its history is marked as evidence; those that have no
answer there ("_abs") do not.

Ranking sees the sessions and the text of the question, and nothing else of the file: no marks, no
answers, no types, and no ids, which name the sessions that hold the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import Any

from bitempo.bench.asking import Asked, Asking, Progress, Ranked, after
from bitempo.bench.cache import embedder_of
from bitempo.bench.chats import Judged, Report, report_of
from bitempo.bench.recorded import recorded_extractor, recorded_names
from bitempo.engine.embedding import Embedder
from bitempo.engine.errors import InvalidInputError, InvalidRecordError
from bitempo.engine.names import digest
from bitempo.engine.reranking import Reranker
from bitempo.engine.rewriting import QuestionRewriter
from bitempo.engine.time import Instant
from bitempo.ingest.extraction import Extractor
from bitempo.ingest.loaders import load_sessions
from bitempo.ingest.loaders.source import Source
from bitempo.ingest.loaders.stamps import parse_stamp
from bitempo.ingest.rerankers import open_reranker
from bitempo.ingest.rewriters import open_rewriter
from bitempo.ingest.sessions import SourceSession
from bitempo.query.recall import RecallSettings

DEPTH = 200
"""How many turns are ranked for a question, so that ten sessions are among them."""

_NO_ANSWER = "_abs"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What scoring knows of a question: its type, and the ids of the turns it rests on."""

    type: str
    turns: frozenset[str]


def run(
    path: str | Path,
    *,
    questions: int | None = None,
    settings: RecallSettings | None = None,
    embedder: str | Embedder | None = None,
    reranker: str | Reranker | None = None,
    rewriter: str | QuestionRewriter | None = None,
    extractions: str | Path | None = None,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Load the history of each question into a memory of its own, ask it, and score what it finds.

    Args:
        path: a file in a format of LongMemEval (see `bitempo.ingest.loaders.longmemeval`).
        questions: how many to take, spread over the file; all by default.
        settings: of recall; its `limit` and `include` are those of the benchmark.
        embedder: of the memories, as `Memory.open` takes it.
        reranker, rewriter: the same.
        extractions: a folder of recorded extractions (see `recorded_extractor`), from which the
            facts come; only questions that it has are asked. By default the rules find the facts.
        cache: a folder that keeps the vectors for the next run.
        progress: told of every question.

    Raises:
        InvalidInputError: a cache is given, and no embedder to keep vectors of.
        InvalidRecordError: the file is not in a format of LongMemEval, or none of its questions
            is to be asked.
        IngestError: not all could be taken in, or embedded; figures on the rest would mislead.
    """
    opened = embedder_of(embedder, cache)
    judge, asker = open_reranker(reranker), open_rewriter(rewriter)
    asked = chosen(read_questions(path), extractions, questions)
    with facts_from(extractions, path, asked) as extractor:
        asking = Asking(DEPTH, settings or RecallSettings(), opened, extractor, judge, asker)
        ranked = asking.rank(asked, progress)
    identity = None if opened is None else opened.identity
    report = score(asked, ranked, read_evidence(path), identity)
    return replace(
        report,
        reranker=None if judge is None else judge.identity,
        rewriter=None if asker is None else asker.identity,
    )


def read_questions(path: str | Path) -> list[Asked]:
    """Each question with its sessions, in the order of time, and when it is asked.

    Sessions of one time are in the order of a hash of what they say, since their order in the
    file could tell something. Nothing else of the file is read.

    Raises:
        InvalidRecordError: a part of the file is malformed; figures on the rest would mislead.
    """
    sessions: dict[str, list[SourceSession]] = {}
    for item in load_sessions(path, format="longmemeval", strict=True):
        if isinstance(item, SourceSession):
            sessions.setdefault(item.id.partition("/")[0], []).append(item)
    found = []
    for name, record in _records(path):
        own = sorted(
            sessions.get(name, ()), key=lambda session: (session.started_at, _said(session))
        )
        place = f"{Path(path).name}, question {name}"
        question, date = record.get("question"), record.get("question_date", record.get("asked"))
        if not own or not isinstance(question, str) or not question.strip():
            raise InvalidRecordError("must have a question and sessions", place=place)
        found.append(Asked(name, tuple(own), (question,), max(_date(date, place), after(own))))
    return found


def read_evidence(path: str | Path) -> dict[str, Evidence]:
    """By question, what it rests on; no turns, where its history does not answer it."""
    found = {}
    for name, record in _records(path):
        kind = str(record.get("question_type") or record.get("type") or "")
        turns = () if name.endswith(_NO_ANSWER) else _marked(name, record)
        found[name] = Evidence(kind, frozenset(turns))
    return found


def score(
    asked: Sequence[Asked],
    ranked: Sequence[Ranked],
    evidence: Mapping[str, Evidence],
    embedder: str | None = None,
) -> Report:
    """Compare what was found with what each question rests on."""
    judged = [
        Judged(known.type, known.turns, ranking.turns, ranking.floor)
        for question, result in zip(asked, ranked, strict=True)
        for ranking in result.rankings
        if (known := evidence[question.sample]).turns
    ]
    return report_of(judged, ranked, embedder)


def chosen(
    asked: Sequence[Asked], extractions: str | Path | None, most: int | None
) -> Sequence[Asked]:
    """The questions whose sessions were recorded, where a recording is wanted; at most so many.

    They are spread evenly, since files have the questions type by type.

    Raises:
        InvalidRecordError: there is none.
    """
    if extractions is not None:
        recorded = recorded_names(extractions)
        asked = [question for question in asked if question.sample in recorded]
    if not asked:
        raise InvalidRecordError(
            "there is no question to ask; with extractions, the folder must hold those (*.jsonl) "
            "of the sessions of some",
            place="" if extractions is None else str(extractions),
        )
    count = len(asked) if most is None else min(most, len(asked))
    return [asked[place * len(asked) // count] for place in range(count)]


def facts_from(
    extractions: str | Path | None, path: str | Path, asked: Sequence[Asked]
) -> AbstractContextManager[Extractor | None]:
    """What finds the facts: recorded extractions; None for the rules."""
    if extractions is None:
        return nullcontext()
    return recorded_extractor(extractions, path, [question.sample for question in asked])


def _records(path: str | Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The questions of the file, under the names that the loader gives them."""
    document = Source(path).document
    if isinstance(document, Mapping):
        document = document.get("questions", [document])
    for record in document if isinstance(document, list) else []:
        if isinstance(record, Mapping):
            yield str(record.get("question_id", record.get("id"))).strip(), record


def _marked(name: str, record: Mapping[str, Any]) -> Iterator[str]:
    """The ids of the turns that are marked; of a session that stands there twice, the first."""
    if "haystack_sessions" not in record:
        for session, index in record.get("evidence_turns", ()):
            yield f"{name}/{session}/{index}"
        return
    columns = (record["haystack_session_ids"], record["haystack_sessions"])
    first: dict[str, Any] = {}
    for session, turns in zip(*columns, strict=True):
        first.setdefault(str(session).strip(), turns)
    for session, turns in first.items():
        for index, turn in enumerate(turns):
            if turn.get("has_answer"):
                yield f"{name}/{session}/{index}"


def _said(session: SourceSession) -> str:
    return digest(*[f"{turn.actor}: {turn.text}" for turn in session.turns])


def _date(value: object, place: str) -> Instant:
    try:
        return parse_stamp(value, UTC)
    except InvalidInputError as error:
        raise InvalidRecordError(f"when it is asked: {error}", place=place) from error
