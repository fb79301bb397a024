"""What the rules make of real conversations, through the whole path of ingest."""

from __future__ import annotations

import pytest

from benchmarks.resolution import Quality, measured
from tests.shared import shared


@pytest.fixture(scope="module")
def results() -> dict[str, Quality]:
    return measured(shared("data").parent)


def test_nothing_is_merged_that_is_not_one_thing(results: dict[str, Quality]) -> None:
    assert [pair for quality in results.values() for pair in quality.wrong] == []


def test_what_can_be_seen_without_a_model_is_merged(results: dict[str, Quality]) -> None:
    assert results["labelled, seen"].recall >= 0.65
    assert results["labelled, held out"].recall >= 0.2
    assert results["recorded"].recall >= 0.25


def test_aliases_that_a_source_gives_are_all_kept(results: dict[str, Quality]) -> None:
    assert results["aliases"].recall == 1.0
