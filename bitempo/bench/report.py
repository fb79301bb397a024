"""What a retrieval benchmark reports, and how its figures come from the rankings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bitempo.bench.figures import mean_share, percentile, reciprocal_rank

CUTOFFS = (5, 10, 20)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
AVERAGED = (1, 2, 3, 4)
"""The categories that the headline figures are over."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A question's category and evidence, with the turns found by recall and by the floor."""

    category: int
    evidence: frozenset[str]
    found: Sequence[str]
    floor: Sequence[str]


@dataclass(frozen=True, slots=True)
class Quality:
    """Mean recall at each cutoff and mean reciprocal rank of the first hit, in percent."""

    questions: int
    recall: dict[str, float]
    mrr: float


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one run. Times are in milliseconds, but `load_seconds`.

    `overall` is over categories 1 to 4; `categories` has each by its number; `floor_overall`
    and `floor_categories` are the same of plain BM25. `judged` questions have usable evidence.
    `facts` were found by the `extractor`, of whose claims so many were `rejected`.
    """

    conversations: int
    turns: int
    facts: int
    questions: int
    judged: int
    overall: Quality
    categories: dict[str, Quality]
    floor_overall: Quality
    floor_categories: dict[str, Quality]
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
        heads = "".join(f"{f'r@{cutoff}':>8}" for cutoff in CUTOFFS)
        lines = [f"{'':<24}{'questions':>9}{heads}{'MRR':>8}{'plain r@10':>12}"]
        lines.append(_row("categories 1-4", self.overall, self.floor_overall))
        lines.extend(
            _row(
                f"{number} {CATEGORIES.get(int(number), '')}",
                quality,
                self.floor_categories[number],
            )
            for number, quality in self.categories.items()
        )
        lines.append("")
        lines.append(
            f"{self.conversations} conversations, {self.turns} turns; "
            f"{self.judged} of {self.questions} questions have usable evidence"
        )
        lines.append(
            f"{self.facts} facts by {self.extractor}; claims that were rejected: {self.rejected}"
        )
        lines.append(
            f"loaded in {self.load_seconds:.1f} s; recall p50 {self.latency_p50:.1f} ms, "
            f"p95 {self.latency_p95:.1f} ms"
        )
        return "\n".join(lines)


def report_of(
    judged: Sequence[Judged],
    *,
    conversations: int,
    questions: int,
    turns: int,
    facts: int,
    rejected: int,
    extractor: str,
    load_seconds: float,
    latencies: Sequence[float],
) -> Report:
    """The report on the judged questions; latencies in seconds."""
    averaged = [case for case in judged if case.category in AVERAGED]
    by_category = {
        str(number): [case for case in judged if case.category == number]
        for number in sorted({case.category for case in judged})
    }
    return Report(
        conversations=conversations,
        turns=turns,
        facts=facts,
        questions=questions,
        judged=len(judged),
        overall=_quality([(case.evidence, case.found) for case in averaged]),
        categories={
            number: _quality([(case.evidence, case.found) for case in cases])
            for number, cases in by_category.items()
        },
        floor_overall=_quality([(case.evidence, case.floor) for case in averaged]),
        floor_categories={
            number: _quality([(case.evidence, case.floor) for case in cases])
            for number, cases in by_category.items()
        },
        latency_p50=percentile(latencies, 0.50),
        latency_p95=percentile(latencies, 0.95),
        load_seconds=round(load_seconds, 3),
        rejected=rejected,
        extractor=extractor,
    )


def _quality(cases: Sequence[tuple[frozenset[str], Sequence[str]]]) -> Quality:
    return Quality(
        questions=len(cases),
        recall={
            str(cutoff): mean_share(
                [len(evidence & set(found[:cutoff])) / len(evidence) for evidence, found in cases]
            )
            for cutoff in CUTOFFS
        },
        mrr=mean_share([reciprocal_rank(evidence, found) for evidence, found in cases]),
    )


def _row(label: str, quality: Quality, floor: Quality) -> str:
    figures = "".join(f"{quality.recall[str(cutoff)]:>8.1f}" for cutoff in CUTOFFS)
    return (
        f"{label:<24}{quality.questions:>9}{figures}{quality.mrr:>8.1f}{floor.recall['10']:>12.1f}"
    )
