"""Recorded extractions as the facts of a benchmark."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from bitempo.bench.asking import Asking
from bitempo.bench.locomo import read_conversations, run
from bitempo.bench.recorded import recorded_extractor
from bitempo.engine.errors import IngestError, InvalidRecordError
from bitempo.ingest.extraction import Extractor
from bitempo.testing import HashingEmbedder
from tests.bench.test_locomo import conversation, written


def recording(folder: Path, sample: str = "c1") -> Path:
    """A folder with what a model found in the first session of the conversation."""
    garden: dict[str, Any] = {
        "id": "a1",
        "subject": "Ada",
        "predicate": "PLANTED",
        "value": "tomatoes",
        "text": "Ada planted tomatoes.",
        "kind": "event",
        "evidence": ["D1:1"],
        "quote": "I planted tomatoes in the garden",
    }
    told = {
        "session": 1,
        "entities": [{"name": "Ada", "type": "person"}, {"name": "Bo", "type": "person"}],
        "assertions": [garden],
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{sample}.jsonl").write_text(json.dumps(told) + "\n", encoding="utf-8")
    return folder


def test_the_facts_are_those_that_were_recorded(tmp_path: Path) -> None:
    path = written(tmp_path, conversation())
    report = run(path, extractions=recording(tmp_path / "recorded"))
    assert (report.facts, report.rejected) == (1, 0)
    assert report.extractor.startswith("llm/")
    assert report.extractor.endswith("/recorded")
    assert f"1 facts by {report.extractor}" in report.to_text()
    assert run(path).extractor.startswith("rules")


def test_a_conversation_that_was_not_recorded_is_refused_unless_it_is_left_out(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, conversation("c1"), conversation("c2"))
    folder = recording(tmp_path / "recorded")
    with pytest.raises(InvalidRecordError, match=r"no recorded extractions .* of c2"):
        run(path, extractions=folder)
    assert run(path, extractions=folder, conversations=1).facts == 1
    with pytest.raises(InvalidRecordError, match="of c1"):
        run(path, extractions=tmp_path / "absent", conversations=1)


def test_the_recorded_model_sees_turns_and_never_a_question(tmp_path: Path) -> None:
    path = written(tmp_path, conversation())
    asked = read_conversations(path)[0]
    with recorded_extractor(recording(tmp_path / "recorded"), path, ["c1"]) as extractor:
        prompts = _prompts(extractor, path)
    assert "I planted tomatoes in the garden yesterday." in prompts
    assert not [question for question in asked.questions if question in prompts]


def test_ranking_with_recorded_facts_sees_no_evidence_either(tmp_path: Path) -> None:
    folder = recording(tmp_path / "recorded")
    whole = conversation()
    before = _rankings(written(tmp_path, whole), folder)
    for entry in whole["qa"]:
        entry |= {"evidence": ["D1:2"], "category": 1, "answer": "a telescope"}
    assert _rankings(written(tmp_path, whole), folder) == before


def test_what_cannot_be_taken_in_whole_gives_no_figures(tmp_path: Path) -> None:
    failing = HashingEmbedder()
    failing.failing = OSError("no vectors today")
    with pytest.raises(IngestError, match="no vectors today"):
        run(written(tmp_path, conversation()), embedder=failing)


def _rankings(path: Path, folder: Path | None) -> list[tuple[str, ...]]:
    asked = read_conversations(path)
    with nullcontext() if folder is None else recorded_extractor(folder, path, ["c1"]) as found:
        ranked = Asking(20, extractor=found).rank(asked)
    return [ranking.turns for result in ranked for ranking in result.rankings]


def _prompts(extractor: Extractor, path: Path) -> str:
    from bitempo import Memory

    sessions = read_conversations(path)[0].sessions
    with Memory.open(":memory:", extractor=extractor) as memory:
        requests = memory.tenant("t").preview(sessions).requests
    return "\n".join(text for request in requests for _, text in request.messages)
