"""Supersession on real conversations: what a strong model wrote down, session by session."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from typing import Any

from bitempo import NOT_STATED, EntityRef, Memory, PredicatePolicy, Statement, Tenant
from bitempo.testing import FixedClock
from tests.shared import shared

Session = dict[str, Any]


def test_slots_say_what_they_must_when_sessions_come_in_order() -> None:
    assert _differences(_cases(), reverse=False) == []


def test_slots_say_the_same_now_when_sessions_come_in_reverse() -> None:
    assert _differences(_cases(), reverse=True) == []


def test_every_case_has_its_sessions_and_an_expectation_in_the_past() -> None:
    cases = _cases()
    assert len(cases) >= 30
    assert {case["question_id"] for case in cases} <= _sessions().keys()
    assert all(any("known" in item for item in case["expect"]) for case in cases)


def _differences(cases: Iterable[dict[str, Any]], *, reverse: bool) -> list[str]:
    by_question = defaultdict(list)
    for case in cases:
        by_question[case["question_id"]].append(case)
    found = []
    clock = FixedClock("2000-01-01")
    # The extraction decides how many values a predicate holds: nothing is known beforehand.
    with Memory.open(":memory:", clock=clock, policy=PredicatePolicy()) as memory:
        for question, asked in by_question.items():
            tenant = memory.tenant(question)
            sessions = _sessions()[question]
            for session in reversed(sessions) if reverse else sessions:
                _replay(tenant, clock, session)
            # Reversed, the clock runs backwards; "now" is well after all that was recorded.
            clock.set(max(session["date"] for session in sessions))
            clock.advance(timedelta(days=1))
            for case in asked:
                found += _compared(tenant, case, known_too=not reverse)
    return found


def _replay(tenant: Tenant, clock: FixedClock, session: Session) -> None:
    episode = f"S{session['session']}"
    types = {entity["name"]: entity for entity in session["entities"]}
    places = {a["id"]: f"{episode}#{i:04d}" for i, a in enumerate(session["assertions"])}
    clock.set(session["date"])
    tenant.assert_facts(
        [
            Statement(
                subject=_ref(a["subject"], types),
                predicate=a["predicate"],
                object=None if a["object"] is None else _ref(a["object"], types),
                value=a["value"],
                valid_from=NOT_STATED if a["from"] is None else a["from"],
                valid_to=a["to"],
                polarity=a["polarity"],
                modality=a["modality"],
                importance=a["importance"],
                confidence=a["confidence"],
                due=a["due"],
                corrects=a["corrects"] and places[a["corrects"]],
                cardinality=a["cardinality"],
                text=a["text"],
            )
            for a in session["assertions"]
        ],
        episode=episode,
        occurred_at=session["date"],
    )


def _ref(name: str, types: dict[str, dict[str, Any]]) -> EntityRef:
    entity = types.get(name)
    if entity is None:
        return EntityRef(name)
    return EntityRef(name, entity["type"], tuple(entity["aliases"]))


def _compared(tenant: Tenant, case: dict[str, Any], *, known_too: bool) -> list[str]:
    found = []
    for item in case["expect"]:
        if "known" in item and not known_too:
            continue
        facts = tenant.as_of(
            case["subject"],
            case["predicate"],
            valid_at=item["valid"],
            known_at=item.get("known"),
            modality=case["modality"],
        )
        values = sorted(str(fact.answer) for fact in facts)
        if values != sorted(item["values"]):
            asked = f"{case['question_id']} {case['subject']} {case['predicate']} {item}"
            found.append(f"{asked}: got {values}")
    return found


def _cases() -> list[dict[str, Any]]:
    path = shared("cases", "knowledge_update.json")
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return cases


@cache
def _sessions() -> dict[str, list[Session]]:
    path = shared("data", "extractions", "knowledge_update.jsonl")
    by_question: dict[str, list[Session]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        session = json.loads(line)
        by_question[session["question_id"]].append(session)
    for sessions in by_question.values():
        sessions.sort(key=lambda session: (session["date"], session["session"]))
    return by_question
