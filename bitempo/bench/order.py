"""Knowledge updates in LongMemEval: does recall put what is newer first, and what was so, before?

Of a question whose evidence lies at several times, the newest evidence turn must rank above the
older ones when it is asked now. Asked as of halfway between the newest and the one before
(`valid_at` there, `known_at` now), that one must rank above the newest, and above all else.

Only scoring knows which turns are evidence, and when to ask about follows from that: the times
are the questions of this benchmark, and stand in for people who ask what was so then.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bitempo._memory import Tenant
from bitempo.bench.asking import Asked, Asking, Progress, take_in, without_names
from bitempo.bench.cache import embedder_of
from bitempo.bench.figures import mean_share
from bitempo.bench.longmemeval import DEPTH, chosen, facts_from, read_evidence, read_questions
from bitempo.engine.embedding import Embedder
from bitempo.engine.reranking import Reranker
from bitempo.engine.rewriting import QuestionRewriter
from bitempo.engine.time import Instant, to_datetime
from bitempo.ingest.rerankers import open_reranker
from bitempo.ingest.rewriters import open_rewriter
from bitempo.query.recall import RecallSettings

UPDATE = "knowledge-update"
"""The type of question that this is about."""


@dataclass(frozen=True, slots=True)
class Update:
    """The evidence turns of a question by age, and when the newest did not stand yet."""

    newest: str
    older: tuple[str, ...]
    """The latest of them first."""
    between: Instant


@dataclass(frozen=True, slots=True)
class Placed:
    """The places of the newest evidence turn and of the best older one, counted from 1.

    None: it was not found. `before_` is as of the time between.
    """

    question: str
    newest: int | None
    older: int | None
    before_newest: int | None
    before_older: int | None

    @property
    def newest_above(self) -> bool:
        """Whether, asked now, the newest stands above the older ones."""
        return _above(self.newest, self.older)

    @property
    def older_above(self) -> bool:
        """Whether, asked as of the time between, the one before stands above the newest."""
        return _above(self.before_older, self.before_newest)


@dataclass(frozen=True, slots=True)
class OrderReport:
    """Shares in percent: `newest_above` now; as of the time between, `older_above` the newest,
    and `older_first` of all turns. `failed` are the questions that miss one of the first two.
    """

    questions: int
    newest_above: float
    older_above: float
    older_first: float
    failed: tuple[Placed, ...]
    facts: int
    extractor: str
    embedder: str | None = None
    reranker: str | None = None
    rewriter: str | None = None

    def to_json(self) -> str:
        """The report as JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True)

    def to_text(self) -> str:
        """The report as plain lines."""
        lines = [
            f"{self.questions} updates; {self.facts} facts by {self.extractor}",
            f"now, the newest evidence above the older:      {self.newest_above:5.1f} %",
            f"as of before, the older above the newest:      {self.older_above:5.1f} %",
            f"as of before, the older first of all:          {self.older_first:5.1f} %",
        ]
        lines.extend(
            f"missed {one.question}: now {_place(one.newest)} above {_place(one.older)}, "
            f"before {_place(one.before_older)} above {_place(one.before_newest)}"
            for one in self.failed
        )
        return "\n".join(lines)


def run_order(
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
) -> OrderReport:
    """Ask every question about an update now and as of before. The arguments are those of `run`.

    Raises:
        InvalidInputError: a cache is given, and no embedder to keep vectors of.
        InvalidRecordError: the file is not in a format of LongMemEval, or none of its questions
            is about an update and to be asked.
        IngestError: not all could be taken in, or embedded.
    """
    opened = embedder_of(embedder, cache)
    judge, asker = open_reranker(reranker), open_rewriter(rewriter)
    known = read_evidence(path)
    updates = {
        question.sample: (question, update)
        for question in read_questions(path)
        if known[question.sample].type == UPDATE
        and (update := update_of(question, known[question.sample].turns)) is not None
    }
    asked = chosen([question for question, _ in updates.values()], extractions, questions)
    placed: list[Placed] = []
    facts = 0
    with facts_from(extractions, path, asked) as extractor:
        asking = Asking(DEPTH, settings or RecallSettings(), opened, extractor, judge, asker)
        for question in asked:
            found, held, name = place(asking, question, updates[question.sample][1])
            placed.append(found)
            facts += held
            if progress is not None:
                progress(question.sample, len(placed), len(asked))
    report = report_of(placed, facts, name, None if opened is None else opened.identity)
    return replace(
        report,
        reranker=None if judge is None else judge.identity,
        rewriter=None if asker is None else asker.identity,
    )


def update_of(question: Asked, evidence: frozenset[str]) -> Update | None:
    """The update that the question is about; None if its evidence is all of one session."""
    told = sorted(
        (session.started_at, turn.occurred_at, turn.id or "")
        for session in question.sessions
        for turn in session.turns
        if turn.id in evidence
    )
    *older, (started, newest_at, newest) = told or [(0, 0, "")]
    before = [(at, id) for began, at, id in older if began < started]
    if not before:
        return None
    between = (before[-1][0] + newest_at) // 2
    return Update(newest, tuple(id for _, id in reversed(before)), between)


def place(asking: Asking, question: Asked, update: Update) -> tuple[Placed, int, str]:
    """Where the evidence stands, now and before; how many facts there were, and by whom."""
    sessions, names = without_names(question.sessions)
    wanted = asking.wanted
    with asking.memory(question.asked_at) as memory:
        tenant = memory.tenant("benchmark")
        take_in(tenant, sessions)
        text = question.questions[0]
        now = _places(tenant, text, wanted, names, None)
        before = _places(tenant, text, wanted, names, update.between)
        placed = Placed(
            question.sample,
            newest=now.get(update.newest),
            older=min((now[id] for id in update.older if id in now), default=None),
            before_newest=before.get(update.newest),
            before_older=before.get(update.older[0]),
        )
        return placed, tenant.stats().facts, memory.extractor.name


def report_of(
    placed: Sequence[Placed], facts: int, extractor: str, embedder: str | None
) -> OrderReport:
    """The shares, and what missed."""
    return OrderReport(
        questions=len(placed),
        newest_above=mean_share([float(one.newest_above) for one in placed]),
        older_above=mean_share([float(one.older_above) for one in placed]),
        older_first=mean_share([float(one.before_older == 1) for one in placed]),
        failed=tuple(one for one in placed if not (one.newest_above and one.older_above)),
        facts=facts,
        extractor=extractor,
        embedder=embedder,
    )


def _places(
    tenant: Tenant,
    question: str,
    settings: RecallSettings,
    names: dict[str, str],
    valid_at: Instant | None,
) -> dict[str, int]:
    """The place of each turn that is found, counted from 1; now, or as of a time."""
    when = None if valid_at is None else to_datetime(valid_at)
    recalled = tenant.recall(question, valid_at=when, settings=settings)
    return {names[item.id]: rank for rank, item in enumerate(recalled.items, start=1)}


def _above(upper: int | None, lower: int | None) -> bool:
    return upper is not None and (lower is None or upper < lower)


def _place(place: int | None) -> str:
    return "not found" if place is None else str(place)
