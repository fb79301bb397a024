"""What answers and still holds comes first: on the conversation that ships, and in the small."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bitempo import Memory, RecallItem, RecallSettings, Tenant, load_sessions
from bitempo._clock import ReplayClock
from bitempo.cli.replay import in_order_of_time
from bitempo.query.question import read_question
from bitempo.query.recall import RecallWeights
from tests.docs.blocks import ROOT
from tests.query.memory import SmallMemory, ids

FACTS = RecallSettings(include=("facts",))
TURNS = RecallSettings(include=("turns",))
QUESTIONS = [
    ("Where does Mara live?", "Porto", "Leeds"),
    ("Where does Mara work?", "Lagar Press", "Harbour Books"),
    ("What is Mara's favourite tea?", "Gorreana", "jasmine"),
    ("What is Mara's favorite tea?", "Gorreana", "jasmine"),
    ("Where does Tom live?", "Plymouth", "Bristol"),
]


@pytest.fixture(scope="module")
def friends() -> Iterator[Tenant]:
    clock = ReplayClock()
    with Memory.open(":memory:", clock=clock) as memory:
        tenant = memory.tenant("mara")
        sessions = load_sessions(ROOT / "examples" / "conversation.jsonl")
        tenant.ingest(in_order_of_time(sessions, tenant, clock, lambda *_: None))
        yield tenant


@pytest.mark.parametrize(("question", "now", "then"), QUESTIONS)
@pytest.mark.parametrize("settings", [RecallSettings(), FACTS], ids=["both", "facts"])
def test_the_first_item_tells_what_holds_at_the_time_asked_for(
    friends: Tenant, question: str, now: str, then: str, settings: RecallSettings
) -> None:
    found = friends.recall(question, settings=settings).items
    assert now.casefold() in found[0].text.casefold()
    assert not found[0].former
    earlier = friends.recall(question, valid_at="2024-02-01", settings=settings).items
    assert then.casefold() in earlier[0].text.casefold()
    assert not earlier[0].former


@pytest.mark.parametrize(("question", "now", "then"), QUESTIONS)
def test_a_turn_that_told_what_no_longer_holds_is_marked_below_the_one_that_tells_what_does(
    friends: Tenant, question: str, now: str, then: str
) -> None:
    found = friends.recall(question, limit=40, settings=TURNS).items
    current = min(n for n, item in enumerate(found) if now in item.text and not item.former)
    stale = [n for n, item in enumerate(found) if then in item.text and item.former]
    assert stale
    assert current < min(stale)
    before = friends.recall(question, limit=40, valid_at="2024-02-01", settings=TURNS).items
    assert not any(item.former for item in before)


def test_what_was_not_known_yet_makes_no_turn_former(friends: Tenant) -> None:
    found = friends.recall("Where does Mara live?", valid_at="2024-07-01", known_at="2024-07-01")
    assert found.items[0].text == 'Mara lives in Leeds ("I live in Leeds.")'
    assert not any(item.former for item in found.items)


def test_all_of_several_facts_that_answer_come_before_anything_else(friends: Tenant) -> None:
    found = friends.recall("What pets does Mara have?").items
    assert {item.fact.answer for item in found[:2] if item.fact} == {"Biscuit", "Nata"}


def test_no_sentence_is_listed_beside_its_turn_or_the_fact_read_out_of_it(friends: Tenant) -> None:
    for question, *_ in QUESTIONS:
        for settings in (RecallSettings(limit=30), RecallSettings(limit=30, include=("facts",))):
            found = friends.recall(question, settings=settings).items
            turns = {item.id for item in found if item.kind == "turn"}
            read = {item.fact.text for item in found if item.fact and not sentence(item)}
            for item in filter(sentence, found):
                assert turns.isdisjoint(item.sources)
                assert item.text not in read


def test_a_fact_says_what_it_superseded(friends: Tenant) -> None:
    item = friends.recall("Where does Mara live?").items[0]
    assert item.superseded is not None
    assert item.superseded.answer == "Leeds"
    assert "superseded Leeds" in item.explain()
    (first, *_) = friends.recall("Where does Mara live?", valid_at="2024-02-01").items
    assert first.superseded is None


def test_a_question_about_before_is_not_kept_from_what_was(friends: Tenant) -> None:
    def of_leeds(question: str) -> RecallItem:
        found = friends.recall(question, limit=40, settings=TURNS).items
        return next(item for item in found if item.text.startswith("I live in Leeds"))

    assert of_leeds("Where does Mara live?").contributions["former"] < 0
    before = of_leeds("Where did Mara live before?")
    assert before.former
    assert before.contributions["former"] == 0


def sentence(item: RecallItem) -> bool:
    """Whether the item is a fact that is a whole sentence."""
    return item.fact is not None and item.fact.predicate == "STATES"


def moved() -> SmallMemory:
    """Anna told of Lisbon in a turn that says "live", and of Porto in one that does not."""
    memory = SmallMemory()
    memory.session("a", [("Anna", "I live in Lisbon, and I love it.")], "2020-01-01")
    memory.claim(
        "Anna", "LIVES_IN", "Lisbon", "I live in Lisbon.", "a:0", "2020-01-02", single=True
    )
    memory.session("b", [("Anna", "It was a good move north.")], "2023-01-01")
    memory.claim(
        "Anna", "LIVES_IN", "Porto", "It was a good move.", "b:0", "2023-01-02", single=True
    )
    return memory


def test_a_claim_is_found_by_its_predicate_and_its_object() -> None:
    for question in ("living there", "Porto"):
        found = moved().recall(question, settings=FACTS).items
        assert [item.text for item in found] == ['Anna lives in Porto ("It was a good move.")']


def test_a_turn_is_former_from_when_what_it_told_has_ended() -> None:
    memory = moved()
    question = "Where does Anna live?"
    for at, former in (("2022-12-31", []), ("2023-06-01", ["a:0"]), (None, [])):
        found = memory.recall(question, at=at, settings=TURNS).items
        assert [item.id for item in found if item.former] == former
    assert ids(memory.recall(question, settings=TURNS)) == ["b:0", "a:0"]


def test_a_turn_is_judged_by_the_claim_that_the_question_is_about() -> None:
    memory = moved()
    memory.claim("Anna", "LOVES", "fado", "I love it.", "a:0", "2020-01-02", key="1")
    former = {
        question: [item.id for item in memory.recall(question, settings=TURNS).items if item.former]
        for question in ("Where does Anna live?", "What does Anna love?")
    }
    assert former == {"Where does Anna live?": ["a:0"], "What does Anna love?": []}


def test_what_was_over_by_its_own_account_is_past_and_not_former() -> None:
    memory = SmallMemory()
    memory.session("a", [("Anna", "We saw the comet from the lighthouse.")], "2020-01-02")
    memory.claim(
        "Anna",
        "SAW",
        "comet",
        "Anna saw the comet from the lighthouse.",
        "a:0",
        "2020-01-02",
        since="2020-01-01",
        until="2020-01-02",
    )
    for at in ("2020-01-03", "2023-01-01", None):
        [item] = memory.recall("When did Anna see the comet?", at=at, settings=TURNS).items
        assert not item.former


def test_what_holds_now_stands_above_what_it_replaced_however_well_that_one_fits() -> None:
    memory = SmallMemory()
    memory.session(
        "a", [("Anna", "My pottery class is on Thursday, I love pottery class.")], "2024-01-01"
    )
    memory.claim(
        "Anna", "TAKES_CLASS", "pottery", "Anna takes a pottery class.", "a:0", "2024-01-01"
    )
    memory.claim(
        "pottery",
        "CLASS_DAY",
        "Thursday",
        "Class is on Thursday.",
        "a:0",
        "2024-01-01",
        key="1",
        single=True,
    )
    memory.session("b", [("Anna", "We meet on Fridays now.")], "2024-02-01")
    memory.claim(
        "pottery", "CLASS_DAY", "Friday", "Class is on Fridays.", "b:0", "2024-02-01", single=True
    )
    question = "What day is the pottery class that Anna takes?"
    found = memory.recall(question, settings=TURNS).items
    assert [item.id for item in found] == ["b:0", "a:0"]
    assert found[0].contributions["update"] > 0
    earlier = "What day was the pottery class that Anna takes before?"
    assert ids(memory.recall(earlier, settings=TURNS)) == ["a:0", "b:0"]
    assert ids(memory.recall(question, at="2024-01-15", settings=TURNS)) == ["a:0"]


def test_a_comparison_with_what_was_before_asks_of_now() -> None:
    assert read_question("Where did Anna live before?").of_earlier
    assert not read_question("Does Anna run more often than before?").of_earlier


def test_how_much_former_counts_can_be_set() -> None:
    weights = RecallWeights(former=0, tells=0, evidence=0, update=0)
    settings = RecallSettings(include=("turns",), weights=weights)
    found = moved().recall("Where does Anna live?", settings=settings).items
    assert found[0].id == "a:0"
    assert found[0].former
    assert "tells what no longer holds" in found[0].explain()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where does Anna work?", "Lab"),
        ("What does Anna work as?", "chemist"),
        ("Who does Anna live with?", "Ben"),
        ("Where does Anna live?", "Porto"),
    ],
)
def test_predicates_that_differ_in_their_preposition_are_told_apart(
    question: str, answer: str
) -> None:
    memory = SmallMemory()
    memory.session("s", [("Anna", "About me.")], "2020-01-01")
    for key, (predicate, object) in enumerate(
        [("WORKS_AT", "Lab"), ("WORKS_AS", "chemist"), ("LIVES_WITH", "Ben"), ("LIVES_IN", "Porto")]
    ):
        memory.claim(
            "Anna", predicate, object, "About me.", "s:0", "2020-01-02", key=str(key)
        )  # fmt: skip
    first = memory.recall(question, settings=FACTS).items[0]
    assert first.fact is not None
    assert first.fact.answer == answer


def test_what_answers_is_found_though_its_claim_is_not_among_the_candidates() -> None:
    memory = moved()
    memory.session("c", [("Ben", "Living is fun.")], "2024-01-01")
    for n in range(3):
        memory.claim(
            f"Ben{n}", "LIVES_IN", "Faro", "They live on.", "c:0", "2024-01-02", key=str(n)
        )  # fmt: skip
    few = RecallSettings(include=("facts",), candidates=3)
    first = memory.recall("Where does Anna live, and live, on?", settings=few).items[0]
    assert first.fact is not None
    assert (first.fact.subject.name, first.fact.answer) == ("Anna", "Porto")
    assert first.sources == ("b:0",)
