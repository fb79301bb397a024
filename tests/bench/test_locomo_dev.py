"""Recall on real conversations stays as good as it was measured to be."""

from __future__ import annotations

import pytest

from bitempo.bench.locomo import run
from bitempo.bench.report import Report
from tests.shared import shared


@pytest.fixture(scope="module")
def report() -> Report:
    return run(shared("data", "locomo_dev.json"))


def test_every_question_with_evidence_is_asked(report: Report) -> None:
    assert (report.conversations, report.turns, report.questions) == (4, 2080, 757)
    assert report.overall.questions == 582


def test_recall_without_an_embedder_reaches_its_mark(report: Report) -> None:
    assert report.overall.recall["10"] >= 75.0
    assert report.overall.recall["5"] >= 67.0


def test_recall_beats_plain_bm25_in_every_category(report: Report) -> None:
    assert report.floor_overall.recall["10"] == pytest.approx(61.5, abs=1.5)
    for number, quality in report.categories.items():
        assert quality.recall["10"] > report.floor_categories[number].recall["10"]
