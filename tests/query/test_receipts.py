"""Receipts: what is in them comes back from JSON, and nothing else is taken for one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.errors import InvalidRecordError
from bitempo.engine.store.port import Point
from bitempo.ingest.dates import find_times
from bitempo.query.recall import RecallSettings, RecallWeights
from bitempo.query.receipts import Receipt, Rewriting
from bitempo.query.times import read_times

unhurried = settings(deadline=None)

INSTANTS = st.integers(-(10**15), 2 * 10**15)
ITEMS = st.tuples(
    st.sampled_from(("fact", "turn")), st.text(min_size=1), st.floats(0, 100, allow_nan=False)
)
RECEIPTS = st.builds(
    Receipt,
    question=st.text(),
    point=st.builds(Point, INSTANTS, st.none() | INSTANTS),
    last_tx=st.none() | INSTANTS,
    settings=st.builds(
        RecallSettings,
        limit=st.integers(1, 50),
        include=st.sampled_from((("facts",), ("turns",), ("facts", "turns"))),
        weights=st.builds(RecallWeights, recency=st.floats(0, 5), turn=st.integers(0, 5)),
        half_life=st.floats(0.1, 1000),
        rewrite_required=st.booleans(),
    ),
    items=st.lists(ITEMS, max_size=4).map(tuple),
    embedder=st.none() | st.text(min_size=1),
    tenant=st.text(),
    time=st.sampled_from(
        [read_times(text, 0, find_times) for text in ("", "before the move", "first in May 2021?")]
    ),
    rewriting=st.none() | st.builds(Rewriting, st.text(min_size=1), st.text(min_size=1)),
)


@unhurried
@given(RECEIPTS)
def test_a_receipt_comes_back_from_its_json_as_it_was(receipt: Receipt) -> None:
    text = receipt.to_json()
    assert "\n" not in text
    again = Receipt.from_json(text)
    assert again == receipt
    assert again.to_json() == text


def written() -> dict[str, Any]:
    chosen = RecallSettings(weights=RecallWeights())
    receipt = Receipt("Where?", Point(5, 7), 3, chosen, (("turn", "a", 0.5),), "e/1", "acme")
    return dict(json.loads(receipt.to_json()))


def test_a_receipt_names_the_clock_and_all_that_the_answer_depends_on() -> None:
    record = written()
    assert record["clock"] == record["basis"]["valid_at"] == "1970-01-01T00:00:00.000007Z"
    assert record["basis"]["tenant"] == "acme"
    assert record["settings"]["weights"]["turn"] == RecallWeights().turn
    assert record["settings_hash"] == RecallSettings(weights=RecallWeights()).hash


def test_a_receipt_without_a_rewriting_is_as_it_was_before_there_were_rewriters() -> None:
    record = written()
    assert "rewriting" not in record
    assert "rewrite_required" not in record["settings"]
    assert Receipt.from_json(json.dumps(record)).searched == "Where?"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 1}, "recall again"),
        ({"time": {"windows": [], "anchors": [], "order": "middle"}}, "cannot be read"),
        ({"time": {}}, "cannot be read"),
        ({"format": 99}, "recall again"),
        ({"settings_hash": "0"}, "changed"),
        ({"clock": "1970-01-01T00:00:00Z"}, "changed"),
        ({"extra": 1}, "changed"),
        ({"basis": {}}, "cannot be read"),
        ({"items": [{"kind": "turn"}]}, "cannot be read"),
        ({"items": [{"kind": "thing", "id": "a", "score": 1.0}]}, "cannot be read"),
        ({"items": [{"kind": "turn", "id": "a", "score": float("inf")}]}, "cannot be read"),
        ({"settings": {"weights": {"turn": 1}}}, "other signals"),
        ({"question": 7}, "changed"),
        ({"rewriting": None}, "changed"),
        ({"rewriting": "Where?"}, "cannot be read"),
        ({"rewriting": {"text": "Where?"}}, "cannot be read"),
        ({"rewriting": {"text": "Where?", "rewriter": "r", "extra": 1}}, "changed"),
    ],
)
def test_what_was_changed_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidRecordError, match=words):
        Receipt.from_json(json.dumps(written() | change))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '"receipt"'])
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(InvalidRecordError):
        Receipt.from_json(text)
