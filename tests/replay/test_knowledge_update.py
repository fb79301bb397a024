"""What a strong model wrote down of real chats, through the client, the prompt and the checks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from bitempo.engine.time import parse_instant, to_datetime
from bitempo.testing import read_prompt
from tests.conformance.conftest import Opener, Places
from tests.replay.recorded import Replayed, chat_sessions, knowledge_replay, replaying
from tests.shared import shared

MOST_REJECTED = 0.005
FEWEST_CHATS = 10
"""How many of the chats go to a store where each costs much; all go into SQLite."""

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def questions(store: Places) -> list[str]:
    """The chats that are told on the store."""
    every = list(dict.fromkeys(case["question_id"] for case in _cases()))
    return store.some(every, FEWEST_CHATS)


@pytest.fixture(scope="module")
def in_order(open_memory: Opener, questions: list[str]) -> Iterator[Replayed]:
    with replaying(open_memory, knowledge_replay()) as replayed:
        for question in questions:
            replayed.ingest(question, chat_sessions()[question])
        yield replayed


def test_slots_say_what_they_must_when_sessions_come_in_order(in_order: Replayed) -> None:
    assert _differences(in_order, known_too=True) == []


def test_nothing_that_was_recorded_is_lost_and_hardly_any_rejected(in_order: Replayed) -> None:
    recorded = len(in_order.replay.given)
    # The recorder saw whole sessions: it may name what the turns of a window do not.
    assert len(in_order.rejected) <= MOST_REJECTED * recorded, in_order.rejected
    assert set(in_order.replay.given) == {
        key for key in in_order.replay.assertions if key[0] in in_order.tenants
    }


def test_every_turn_is_sent_once_to_be_extracted(in_order: Replayed) -> None:
    sent = Counter(
        (turn.occurred_at, turn.text)
        for call in in_order.model.calls
        for turn in read_prompt(call).turns
    )
    told = Counter(
        (turn.occurred_at // 60_000_000 * 60_000_000, turn.text)
        for question in in_order.tenants
        for session in chat_sessions()[question]
        for turn in session.turns
    )
    assert sent == told


def test_the_same_sessions_again_cost_nothing_and_change_nothing(in_order: Replayed) -> None:
    before = _content(in_order)
    in_order.model.forget_calls()
    new = [in_order.ingest(name, chat_sessions()[name]) for name in in_order.tenants]
    assert (sum(new), in_order.model.calls) == (0, [])
    assert _content(in_order) == before


def test_slots_say_the_same_now_when_sessions_come_in_reverse(
    open_memory: Opener, questions: list[str]
) -> None:
    with replaying(open_memory, knowledge_replay()) as replayed:
        for question in questions:
            replayed.ingest(question, chat_sessions()[question][::-1])
        assert _differences(replayed, known_too=False) == []


def _differences(replayed: Replayed, *, known_too: bool) -> list[str]:
    found = []
    for case in _cases():
        question = case["question_id"]
        if question not in replayed.tenants:
            continue
        # Reversed, the clock ran backwards; "now" is well after all that was recorded.
        replayed.clock.set(to_datetime(chat_sessions()[question][-1].started_at) or "")
        replayed.clock.advance(timedelta(days=1))
        for item in case["expect"]:
            if "known" not in item or known_too:
                found += _compared(replayed, case, item)
    return found


def _compared(replayed: Replayed, case: dict[str, Any], item: dict[str, Any]) -> list[str]:
    question, known_at = case["question_id"], None
    if "known" in item:
        # A session goes in by windows, each with a transaction time of its own; it is known
        # once the last of them is.
        known_at = to_datetime(replayed.known_at[question, parse_instant(item["known"])])
    facts = replayed.memory.tenant(replayed.tenants[question]).as_of(
        case["subject"],
        case["predicate"],
        valid_at=item["valid"],
        known_at=known_at,
        modality=case["modality"],
    )
    values = sorted(str(fact.answer) for fact in facts)
    if values == sorted(item["values"]):
        return []
    return [f"{question} {case['subject']} {case['predicate']} {item}: got {values}"]


def _content(replayed: Replayed) -> dict[str, list[str]]:
    return {
        name: list(replayed.memory.tenant(tenant).export())
        for name, tenant in replayed.tenants.items()
    }


def _cases() -> list[dict[str, Any]]:
    path = shared("cases", "knowledge_update.json")
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return cases
