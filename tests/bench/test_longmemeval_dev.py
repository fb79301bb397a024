"""Real long chats: the evidence is found in them, and updates rank in order."""

from __future__ import annotations

import pytest

from bitempo.bench.longmemeval import read_evidence, read_questions
from bitempo.bench.order import run_order
from tests.shared import shared


@pytest.mark.parametrize(("name", "questions", "judged"), [("oracle", 247, 231), ("s", 54, 54)])
def test_every_question_is_read_and_its_evidence_is_in_its_history(
    name: str, questions: int, judged: int
) -> None:
    path = shared("data", f"longmemeval_{name}_dev.json.xz")
    asked, evidence = read_questions(path), read_evidence(path)
    assert (len(asked), len(evidence)) == (questions, questions)
    for question in asked:
        turns = {turn.id for session in question.sessions for turn in session.turns}
        assert evidence[question.sample].turns <= turns
    assert sum(bool(known.turns) for known in evidence.values()) == judged


def test_with_recorded_facts_most_updates_rank_in_order() -> None:
    report = run_order(
        shared("data", "longmemeval_oracle_dev.json.xz"),
        questions=10,
        extractions=shared("data", "extractions"),
    )
    assert report.questions == 10
    assert report.newest_above >= 80
    assert report.older_above == 100
