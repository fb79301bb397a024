"""A small file in the format of LongMemEval, of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MOVED = "I moved house last week: I live in Porto now."
LIVED = "I live in Lisbon, close to the river."


def questions() -> list[dict[str, Any]]:
    """A question about an update, one about what an assistant said, one without an answer."""
    return [
        _question("q1", "knowledge-update", "Where do I live now, in which city?", {0: 0, 2: 0}),
        _question("q2", "single-session-assistant", "Which bread did you recommend?", {1: 1}),
        _question("q3_abs", "single-session-user", "What is my cat's name?", {1: 0}),
    ]


def write(folder: Path, records: Any, name: str = "chats.json") -> Path:
    """The records as a file."""
    path = folder / name
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def shared_form(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The same questions in the other form: sessions shared, evidence listed apart."""
    sessions = {
        id: [{"role": turn["role"], "content": turn["content"]} for turn in turns]
        for record in records
        for id, turns in zip(
            record["haystack_session_ids"], record["haystack_sessions"], strict=True
        )
    }
    return {
        "sessions": sessions,
        "questions": [
            {
                "id": record["question_id"],
                "type": record["question_type"],
                "question": record["question"],
                "asked": record["question_date"],
                "answer": record["answer"],
                "haystack": [
                    list(pair)
                    for pair in zip(
                        record["haystack_session_ids"], record["haystack_dates"], strict=True
                    )
                ],
                "evidence_turns": [
                    [id, index]
                    for id, turns in zip(
                        record["haystack_session_ids"], record["haystack_sessions"], strict=True
                    )
                    for index, turn in enumerate(turns)
                    if turn.get("has_answer")
                ],
            }
            for record in records
        ],
    }


def _question(id: str, kind: str, text: str, evidence: dict[int, int]) -> dict[str, Any]:
    told = [
        [LIVED, "Lisbon is lovely. Is the river loud?", "Only the gulls are."],
        ["Which bread goes with soup?", "I recommend rye bread with soup.", "Thanks!"],
        [MOVED, "Good luck in Porto!", "Could you list a few parks?"],
    ]
    return {
        "question_id": id,
        "question_type": kind,
        "question": text,
        "answer": "Porto",
        "question_date": "2023/06/20 (Tue) 10:00",
        # Not in the order of time.
        "haystack_session_ids": ["noise_2", "answer_1", "answer_2"],
        "haystack_dates": [
            "2023/05/02 (Tue) 09:00",
            "2023/04/01 (Sat) 09:00",
            "2023/06/03 (Sat) 09:00",
        ],
        "haystack_sessions": [_session(told, 1, evidence), *_two(told, evidence)],
        "answer_session_ids": ["answer_1", "answer_2"],
    }


def _two(told: list[list[str]], evidence: dict[int, int]) -> list[list[dict[str, Any]]]:
    return [_session(told, place, evidence) for place in (0, 2)]


def _session(told: list[list[str]], place: int, evidence: dict[int, int]) -> list[dict[str, Any]]:
    roles = ("user", "assistant", "user")
    turns: list[dict[str, Any]] = [
        {"role": role, "content": text} for role, text in zip(roles, told[place], strict=True)
    ]
    if place in evidence:
        turns[evidence[place]]["has_answer"] = True
    return turns
