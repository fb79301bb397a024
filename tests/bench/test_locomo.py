"""The LoCoMo benchmark: what ranking may see, and how the figures come about."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from bitempo.bench.asking import Asking
from bitempo.bench.locomo import read_conversations, read_evidence, run
from bitempo.bench.report import Judged, report_of
from bitempo.engine.errors import InvalidRecordError, ModelError
from bitempo.testing import HashingReranker, ScriptedRewriter


def conversation(sample: str = "c1") -> dict[str, Any]:
    def turns(session: int, *said: tuple[str, str]) -> list[dict[str, str]]:
        return [
            {"speaker": speaker, "dia_id": f"D{session}:{n}", "text": text}
            for n, (speaker, text) in enumerate(said, start=1)
        ]

    return {
        "sample_id": sample,
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": turns(
                1,
                ("Ada", "I planted tomatoes in the garden yesterday."),
                ("Bo", "My sister gave me a telescope."),
                ("Ada", "How kind of her!"),
            ),
            "session_2_date_time": "10:00 am on 2 June, 2023",
            "session_2": turns(
                2,
                ("Bo", "I saw the rings of Saturn at last."),
                ("Ada", "The tomatoes are ripe."),
            ),
        },
        "qa": [
            {
                "question": "What did Bo see in the sky?",
                "answer": "the rings of Saturn",
                "evidence": ["D2:1"],
                "category": 4,
            },
            {
                "question": "When did Ada plant tomatoes?",
                "answer": "7 May 2023",
                "evidence": ["D1:1"],
                "category": 2,
            },
            {
                "question": "What grows in Ada's garden, and is it ripe?",
                "answer": "tomatoes",
                "evidence": ["D1:1; D2:2"],
                "category": 1,
            },
            {
                "question": "What did Ada's brother give her?",
                "adversarial_answer": "a telescope",
                "evidence": ["D1:2"],
                "category": 5,
            },
            {"question": "Who won?", "answer": "?", "evidence": ["D9:9"], "category": 3},
        ],
    }


def written(folder: Path, *conversations: dict[str, Any]) -> Path:
    path = folder / "locomo.json"
    path.write_text(json.dumps(list(conversations)), encoding="utf-8")
    return path


def rankings(path: Path) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    ranked = Asking(20).rank(read_conversations(path))
    return [(ranking.turns, ranking.floor) for result in ranked for ranking in result.rankings]


def test_ranking_sees_neither_evidence_nor_answers_nor_categories(tmp_path: Path) -> None:
    whole = conversation()
    before = rankings(written(tmp_path, whole))
    assert any(turns for turns, _ in before)
    stripped = copy.deepcopy(whole)
    stripped["qa"] = [{"question": entry["question"]} for entry in whole["qa"]]
    assert rankings(written(tmp_path, stripped)) == before
    shuffled = copy.deepcopy(whole)
    for entry, other in zip(shuffled["qa"], reversed(whole["qa"]), strict=True):
        entry |= {"evidence": other["evidence"], "category": other["category"], "answer": "Saturn"}
    shuffled |= {"observation": {"s": "Saturn"}, "session_summary": {"s": "tomatoes"}}
    assert rankings(written(tmp_path, shuffled)) == before


def test_ranking_sees_no_ids(tmp_path: Path) -> None:
    before = rankings(written(tmp_path, conversation()))
    renamed = conversation("answers")
    names = {"c1/D1:1": "z", "c1/D1:2": "y", "c1/D1:3": "x", "c1/D2:1": "w", "c1/D2:2": "answer"}
    for turns in (renamed["conversation"]["session_1"], renamed["conversation"]["session_2"]):
        for turn in turns:
            turn["dia_id"] = names[f"c1/{turn['dia_id']}"]
    expected = [
        tuple(tuple(f"answers/{names[id]}" for id in ids) for ids in both) for both in before
    ]
    assert rankings(written(tmp_path, renamed)) == expected


def test_conversations_do_not_see_each_other(tmp_path: Path) -> None:
    alone = rankings(written(tmp_path, conversation("c1")))
    together = rankings(written(tmp_path, conversation("c1"), conversation("c2")))
    assert together[: len(alone)] == alone


def test_evidence_is_split_and_what_is_not_in_the_conversation_is_left_out(tmp_path: Path) -> None:
    evidence = read_evidence(written(tmp_path, conversation()))["c1"]
    assert [sorted(item.turns) for item in evidence] == [
        ["c1/D2:1"],
        ["c1/D1:1"],
        ["c1/D1:1", "c1/D2:2"],
        ["c1/D1:2"],
        [],
    ]


def test_the_report_counts_what_it_was_about(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    report = run(
        written(tmp_path, conversation("c1"), conversation("c2")),
        progress=lambda *told: seen.append(told),
    )
    assert (report.conversations, report.turns, report.questions, report.judged) == (2, 10, 10, 8)
    assert report.overall.questions == 6
    assert {number: q.questions for number, q in report.categories.items()} == {
        "1": 2,
        "2": 2,
        "4": 2,
        "5": 2,
    }
    assert report.overall.recall["20"] == 100
    assert seen[-1] == ("c2", 10, 10)
    assert json.loads(report.to_json())["overall"]["recall"]["20"] == 100
    assert "categories 1-4" in report.to_text()


def test_the_first_conversations_can_be_taken_alone(tmp_path: Path) -> None:
    path = written(tmp_path, conversation("c1"), conversation("c2"))
    assert run(path, conversations=1).turns == 5


def test_recall_and_reciprocal_rank_are_means_over_questions() -> None:
    found = [f"t{n}" for n in range(20)]
    report = report_of(
        [
            Judged(1, frozenset({"t0", "t7", "t15", "gone"}), found, found[:1]),
            Judged(4, frozenset({"t1"}), found, []),
            Judged(5, frozenset({"t19"}), found, []),
        ],
        conversations=1,
        questions=4,
        turns=20,
        facts=0,
        rejected=0,
        extractor="rules",
        load_seconds=0.5,
        latencies=[0.004, 0.001, 0.002, 0.003],
    )
    assert report.overall.recall == {"5": 62.5, "10": 75.0, "20": 87.5}
    assert report.overall.mrr == 75.0
    assert report.categories["5"].recall == {"5": 0.0, "10": 0.0, "20": 100.0}
    assert report.categories["5"].mrr == 5.0
    assert report.floor_overall.recall["10"] == 12.5
    assert (report.latency_p50, report.latency_p95) == (3.0, 4.0)


def test_a_file_without_questions_is_refused(tmp_path: Path) -> None:
    silent = conversation() | {"qa": []}
    with pytest.raises(InvalidRecordError, match="no questions"):
        run(written(tmp_path, silent))


def test_a_malformed_turn_is_refused_with_its_place(tmp_path: Path) -> None:
    broken = conversation()
    broken["conversation"]["session_2"][1]["text"] = 7
    with pytest.raises(InvalidRecordError, match="session_2, turn 2"):
        run(written(tmp_path, broken))


def test_a_reranker_has_its_say_and_is_named(tmp_path: Path) -> None:
    reranker = HashingReranker()
    report = run(written(tmp_path, conversation()), reranker=reranker)
    assert report.reranker == "hashing"
    assert 0 < len(reranker.asked) <= report.questions
    assert run(written(tmp_path, conversation())).reranker is None


def test_a_rewriter_is_named_and_must_not_fail(tmp_path: Path) -> None:
    rewriter = ScriptedRewriter()
    report = run(written(tmp_path, conversation()), rewriter=rewriter)
    assert report.rewriter == "scripted"
    assert len(rewriter.asked) == report.questions
    assert all(before == [] for _, before, _ in rewriter.asked)
    rewriter.failing = ModelError("it is down")
    with pytest.raises(ModelError, match="it is down"):
        run(written(tmp_path, conversation()), rewriter=rewriter)
