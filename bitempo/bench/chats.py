"""What a benchmark of long chats reports: figures by turn and by session, for each type."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass

from bitempo.bench.asking import Ranked
from bitempo.bench.figures import mean_share, percentile, reciprocal_rank

CUTOFFS = (5, 10)


@dataclass(frozen=True, slots=True)
class Judged:
    """A question's type and evidence, with the turns found by recall and by the floor.

    A turn's id is that of its session, a slash, and its place.
    """

    type: str
    evidence: frozenset[str]
    found: Sequence[str]
    floor: Sequence[str]


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over questions, in percent, at each cutoff k.

    `turn_recall` is the share of the evidence turns among the first k turns; `turn_any` and
    `turn_all` are how often one, or all, of them are there. `session_any` and `session_all` are
    the same for the sessions of these turns among the first k sessions, each of which stands
    where its best turn stands. `mrr` is the mean reciprocal rank of the first evidence turn.
    """

    questions: int
    turn_recall: dict[str, float]
    turn_any: dict[str, float]
    turn_all: dict[str, float]
    session_any: dict[str, float]
    session_all: dict[str, float]
    mrr: float


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one run. Times are in milliseconds, but `load_seconds`.

    `types` has each type of question by its name; `floor_overall` and `floor_types` are the same
    of plain BM25. `judged` questions have an answer in their history. `facts` were found by the
    `extractor`, of whose claims so many were `rejected`.
    """

    questions: int
    judged: int
    turns: int
    facts: int
    overall: Quality
    types: dict[str, Quality]
    floor_overall: Quality
    floor_types: dict[str, Quality]
    latency_p50: float
    latency_p95: float
    load_seconds: float
    rejected: int
    extractor: str
    embedder: str | None = None
    reranker: str | None = None
    rewriter: str | None = None

    def to_json(self) -> str:
        """The report as JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True)

    def to_text(self) -> str:
        """The report as a plain table."""
        heads = ("r@5", "r@10", "any@5", "any@10", "all@5", "all@10", "MRR")
        by_session = ("any@5", "all@5", "all@10")
        lines = [
            f"{'':<35}{'turns':<{_WIDTH * len(heads)}}{'sessions':<{_WIDTH * len(by_session)}}",
            f"{'':<26}{'questions':>9}" + "".join(f"{h:>{_WIDTH}}" for h in (*heads, *by_session)),
            _row("all", self.overall),
            _row("  plain BM25", self.floor_overall),
        ]
        for name, quality in self.types.items():
            lines.append(_row(name, quality))
            lines.append(_row("  plain BM25", self.floor_types[name]))
        lines += [
            "",
            f"{self.questions} questions, {self.turns} turns; {self.judged} have an answer there",
            f"{self.facts} facts by {self.extractor}; claims that were rejected: {self.rejected}",
            f"loaded in {self.load_seconds:.1f} s; recall p50 {self.latency_p50:.1f} ms, "
            f"p95 {self.latency_p95:.1f} ms",
        ]
        return "\n".join(lines)


def report_of(judged: Sequence[Judged], ranked: Sequence[Ranked], embedder: str | None) -> Report:
    """The report on the judged questions, and on all that were asked."""
    by_type = {
        name: [case for case in judged if case.type == name]
        for name in sorted({case.type for case in judged})
    }
    latencies = [ranking.seconds for result in ranked for ranking in result.rankings]
    return Report(
        questions=len(latencies),
        judged=len(judged),
        turns=sum(result.turns for result in ranked),
        facts=sum(result.facts for result in ranked),
        overall=_quality([(case.evidence, case.found) for case in judged]),
        types={
            name: _quality([(case.evidence, case.found) for case in cases])
            for name, cases in by_type.items()
        },
        floor_overall=_quality([(case.evidence, case.floor) for case in judged]),
        floor_types={
            name: _quality([(case.evidence, case.floor) for case in cases])
            for name, cases in by_type.items()
        },
        latency_p50=percentile(latencies, 0.50),
        latency_p95=percentile(latencies, 0.95),
        load_seconds=round(sum(result.load_seconds for result in ranked), 3),
        rejected=sum(result.rejected for result in ranked),
        extractor=", ".join(sorted({result.extractor for result in ranked})),
        embedder=embedder,
    )


def session_of(turn: str) -> str:
    """The id of the session that a turn is of."""
    return turn.rpartition("/")[0]


_WIDTH = 8


def _quality(cases: Sequence[tuple[frozenset[str], Sequence[str]]]) -> Quality:
    by_session = [
        (
            frozenset(session_of(turn) for turn in evidence),
            list(dict.fromkeys(session_of(turn) for turn in found)),
        )
        for evidence, found in cases
    ]
    return Quality(
        questions=len(cases),
        turn_recall=_at_cutoffs(cases, lambda hits, all: hits / all),
        turn_any=_at_cutoffs(cases, lambda hits, _: float(hits > 0)),
        turn_all=_at_cutoffs(cases, lambda hits, all: float(hits == all)),
        session_any=_at_cutoffs(by_session, lambda hits, _: float(hits > 0)),
        session_all=_at_cutoffs(by_session, lambda hits, all: float(hits == all)),
        mrr=mean_share([reciprocal_rank(evidence, found) for evidence, found in cases]),
    )


def _at_cutoffs(
    cases: Sequence[tuple[Collection[str], Sequence[str]]], share: Callable[[int, int], float]
) -> dict[str, float]:
    """At each cutoff, the mean of what `share` makes of the hits and the size of the evidence."""
    return {
        str(cutoff): mean_share(
            [
                share(len(set(evidence) & set(found[:cutoff])), len(evidence))
                for evidence, found in cases
            ]
        )
        for cutoff in CUTOFFS
    }


def _row(label: str, quality: Quality) -> str:
    of_turns = (quality.turn_recall, quality.turn_any, quality.turn_all)
    figures = [at[str(cutoff)] for at in of_turns for cutoff in CUTOFFS]
    figures += [quality.mrr, quality.session_any["5"]]
    figures += [quality.session_all[str(cutoff)] for cutoff in CUTOFFS]
    return f"{label:<26}{quality.questions:>9}" + "".join(f"{f:>{_WIDTH}.1f}" for f in figures)
