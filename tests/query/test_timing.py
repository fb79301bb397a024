"""Recall of questions that speak of a time: what was said or held then, and nothing after."""

from __future__ import annotations

import json

import pytest

from bitempo.query.recall import RecallSettings
from bitempo.query.receipts import Receipt
from bitempo.query.replaying import recall_again
from tests.query.memory import SmallMemory, ids

FACTS = RecallSettings(include=("facts",))
TURNS = RecallSettings(include=("turns",))
NOON = "2023-10-20T12:00:00Z"


def moves() -> SmallMemory:
    """Anna lived in Lisbon, and moved to Porto in March 2022."""
    memory = SmallMemory()
    memory.session("a", [("Anna", "I live in Lisbon, near the river.")], "2020-01-01")
    live_in(memory, "Lisbon", "a:0", "2020-01-01")
    memory.session("b", [("Anna", "We made the move, and I live in Porto.")], "2022-03-05")
    live_in(memory, "Porto", "b:0", "2022-03-04")
    memory.claim(
        *("Anna", "TOOK_PART_IN", "the move", "We made the move.", "b:0", "2022-03-06"),
        since="2022-03-04",
        until="2022-03-05",
        key="1",
    )
    memory.session("c", [("Anna", "My sister lives in Faro.")], "2023-01-01")
    return memory


def live_in(memory: SmallMemory, city: str, turn: str, since: str) -> None:
    text = f"Anna lives in {city}."
    memory.claim("Anna", "LIVES_IN", city, text, turn, since, since=since, single=True)


def places(memory: SmallMemory, question: str, at: str = NOON, known: str = NOON) -> list[str]:
    """Where Anna lives, by the facts recalled, best first."""
    found = memory.recall(question, at, known, FACTS).items
    lives = [item.fact for item in found if item.fact and item.fact.predicate == "LIVES_IN"]
    return [str(fact.answer) for fact in lives]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does Anna live?", "Porto"),
        ("Where does Anna live now?", "Porto"),
        ("Where did Anna live in May 2021?", "Lisbon"),
        ("Where did Anna live last month?", "Porto"),
        ("Where did Anna live before 2022?", "Lisbon"),
        ("Where did Anna live before the move?", "Lisbon"),
        ("Where did Anna live after the move?", "Porto"),
        ("Where has Anna lived since June 2022?", "Porto"),
        ("Where did Anna previously live?", "Lisbon"),
        ("Where did Anna live before?", "Lisbon"),
        ("Where did Anna first live?", "Lisbon"),
    ],
)
def test_the_first_fact_is_the_one_that_held_at_the_time_named(question: str, answer: str) -> None:
    assert places(moves(), question)[0] == answer


def test_a_question_that_names_no_time_sees_only_what_holds_at_the_point() -> None:
    assert places(moves(), "Where does Anna live?") == ["Porto"]
    item = moves().recall("Where does Anna live?", NOON).items[0]
    assert {"time", "order"}.isdisjoint(item.signals)


def test_nothing_that_began_or_was_learnt_after_the_point_is_seen() -> None:
    memory = moves()
    question = "Where did Anna live since 2019?"
    assert set(places(memory, question)) == {"Lisbon", "Porto"}
    assert places(memory, question, at="2021-06-01") == ["Lisbon"]
    assert places(memory, question, at="2023-06-01", known="2021-06-01") == ["Lisbon"]
    turns = memory.recall("What did Anna say since 2019?", "2021-06-01", NOON, TURNS)
    assert ids(turns) == ["a:0"]


@pytest.mark.parametrize(("at", "known"), [("2022-01-01", NOON), (NOON, "2022-01-01")])
def test_an_event_after_the_point_gives_no_window(at: str, known: str) -> None:
    found = moves().recall("Where did Anna live before the move?", at, known)
    assert found.time.windows == ()
    assert found.time.to_text() == "before the move -> no such event is known"


def test_an_event_gives_its_window_and_is_shown_with_it() -> None:
    found = moves().recall("Where did Anna live before the move?", NOON)
    assert found.time.to_text() == "before the move -> ..2022-03-04"
    assert found.time.anchors == ()


def days() -> SmallMemory:
    memory = SmallMemory()
    memory.session("a", [("Tom", "The roof is done."), ("Ann", "Lovely.")], "2023-10-12T08:00:00Z")
    memory.session(
        "b", [("Tom", "The cat came back."), ("Ann", "Oh good.")], "2023-10-19T08:00:00Z"
    )
    memory.session("c", [("Tom", "It rains again."), ("Ann", "Bother.")], "2023-10-20T08:00:00Z")
    return memory


@pytest.mark.parametrize(
    ("question", "session"),
    [
        ("What did Tom say yesterday?", "b"),
        ("What did Tom say today?", "c"),
        ("What did Tom say last week?", "a"),
        ("What did Tom say on 12 October?", "a"),
    ],
)
def test_what_was_said_in_the_window_comes_first_whatever_its_words(
    question: str, session: str
) -> None:
    assert ids(days().recall(question, NOON, settings=TURNS))[0] == f"{session}:0"


def test_a_turn_of_another_time_counts_for_what_it_tells_of_the_window() -> None:
    memory = SmallMemory()
    memory.session("a", [("Tom", "I climbed a hill.")], "2023-02-01")
    memory.session("b", [("Tom", "I climbed a hill.")], "2023-09-01")
    memory.claim(
        *("Tom", "CLIMBED", "a hill", "I climbed a hill.", "b:0", "2023-09-02"),
        since="2023-06-01",
        until="2023-06-02",
    )
    found = memory.recall("What did Tom climb in June 2023?", NOON, settings=TURNS).items
    assert {item.id: item.signals["time"] for item in found} == {"b:0": 1.0, "a:0": 0.0}


def test_near_the_edge_of_a_window_a_turn_counts_in_part() -> None:
    memory = SmallMemory()
    for name, day in (("a", "2023-06-10"), ("b", "2023-07-11"), ("c", "2023-09-01")):
        memory.session(name, [("Tom", "I went swimming.")], day)
    found = memory.recall("Where did Tom go swimming in June 2023?", NOON, settings=TURNS).items
    near = {item.id: item.signals["time"] for item in found}
    assert near["a:0"] == 1
    assert 0.3 < near["b:0"] < 0.35
    assert near["c:0"] == 0


@pytest.mark.parametrize(
    ("question", "best"),
    [("What was Tom's first swim?", "a:0"), ("What was Tom's most recent swim?", "c:0")],
)
def test_of_what_is_alike_the_end_asked_for_comes_first(question: str, best: str) -> None:
    memory = SmallMemory()
    for name, day in (("a", "2023-06-10"), ("b", "2023-07-11"), ("c", "2023-09-01")):
        memory.session(name, [("Tom", "I had a swim.")], day)
    memory.session("d", [("Tom", "Nice weather today.")], "2023-10-01")
    memory.session("e", [("Tom", "Nice weather today.")], "2020-10-01")
    found = memory.recall(question, NOON, settings=TURNS).items
    assert found[0].id == best
    assert found[0].contributions["order"] > 0


def test_a_recall_with_a_time_replays_to_the_same_bytes_without_reading_it_again() -> None:
    memory = moves()
    found = memory.recall("Where did Anna first live before the move in 2022?", NOON)
    receipt = Receipt.from_json(found.receipt.to_json())
    assert json.loads(found.receipt.to_json())["time"]["order"] == "first"
    memory.session("z", [("Anna", "We made the move again.")], "2023-10-21")
    with memory.store.read(memory.tenant) as reader:
        again = recall_again(reader, receipt)
    assert again.receipt.to_json() == found.receipt.to_json()
    assert again.time == found.time
