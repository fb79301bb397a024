"""The figures that benchmarks of ranking share."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def mean_share(shares: Sequence[float]) -> float:
    """The mean of shares in [0, 1], in percent; 0 of none."""
    return round(100 * sum(shares) / len(shares), 2) if shares else 0.0


def reciprocal_rank(evidence: Collection[str], found: Sequence[str]) -> float:
    """1 over the place of the first that is evidence, counted from 1; 0 where none is."""
    return next((1 / rank for rank, id in enumerate(found, start=1) if id in evidence), 0.0)


def percentile(seconds: Sequence[float], share: float) -> float:
    """The nearest-rank percentile, in milliseconds."""
    if not seconds:
        return 0.0
    ordered = sorted(seconds)
    return round(1_000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)], 3)
