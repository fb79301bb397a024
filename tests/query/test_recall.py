"""Recall: what is found, in which order, and as of when."""

from __future__ import annotations

import json

import pytest

from bitempo import Memory
from bitempo.engine.errors import InvalidInputError
from bitempo.engine.lexical import is_sentence
from bitempo.query.recall import RecallSettings, RecallWeights
from tests.query.memory import SmallMemory, ids, instant

TURNS = RecallSettings(include=("turns",))
FACTS = RecallSettings(include=("facts",))


def two_friends() -> SmallMemory:
    memory = SmallMemory()
    memory.session(
        "may",
        [
            ("Anna", "I finally adopted a dog from the shelter."),
            ("Ben", "Lovely! What breed is it?"),
            ("Anna", "A young whippet called Comet."),
            ("Ben", "My bread baking goes well by the way."),
        ],
        "2024-05-01",
    )
    memory.session(
        "june",
        [
            ("Ben", "The bakery in Lyon offered me a job."),
            ("Anna", "Congratulations, when do you start?"),
            ("Ben", "In September, after the holidays."),
        ],
        "2024-06-01",
    )
    return memory


def test_the_turn_that_has_the_words_of_the_question_comes_first() -> None:
    assert ids(two_friends().recall("Who adopted a dog from a shelter?"))[0] == "may:0"


def test_an_answer_without_the_words_is_found_through_the_turn_before_it() -> None:
    found = ids(two_friends().recall("What breed is the dog?"))
    assert "may:2" in found[:3]


def test_a_turn_is_found_by_what_was_read_out_of_it() -> None:
    memory = SmallMemory()
    turns = [("Anna", "She adores it there."), ("Anna", "The sea is so blue today.")]
    memory.session("s", turns, "2024-05-01")
    question = "Does Carla like Valparaiso, by the sea?"
    assert ids(memory.recall(question, settings=TURNS))[0] == "s:1"
    memory.claim("Carla", "LIKES", "Valparaiso", "Carla likes Valparaiso.", "s:0", "2024-05-02")
    found = memory.recall(question, settings=TURNS).items
    assert found[0].id == "s:0"
    assert (found[0].signals["turn"], found[0].signals["told"]) == (0, 1)


def test_a_claim_lends_to_the_turns_of_its_family_and_of_its_object() -> None:
    memory = SmallMemory()
    memory.session("s", [("Anna", f"Number {n}.") for n in range(4)], "2024-05-01")
    told = [("Anna", "PAINTED", "sunset"), ("Anna", "PAINTED", "horse"), ("Ben", "SAW", "sunset")]
    for n, (who, predicate, what) in enumerate(told):
        memory.claim(who, predicate, what, f"About {what} {n}.", f"s:{n}", "2024-05-02")
    question = "What sunset was painted?"

    def evidence(**weights: float) -> dict[str, float]:
        settings = RecallSettings(include=("turns",), weights=RecallWeights(**weights))
        items = memory.recall(question, settings=settings).items
        return {item.id: round(item.signals["evidence"], 3) for item in items}

    alone, lent = evidence(), evidence(family=0.5)
    assert lent["s:1"] > alone["s:1"]
    assert evidence(object=0.5)["s:2"] > alone["s:2"]
    assert max(evidence(family=1, object=1).values()) <= 1


def test_a_sentence_lends_its_turn_as_much_as_its_weight_says() -> None:
    def evidence(sentence: float) -> float:
        settings = RecallSettings(include=("turns",), weights=RecallWeights(sentence=sentence))
        (item,) = tenant.recall("What sunset was painted?", settings=settings).items
        return item.signals["evidence"]

    with Memory.open(":memory:") as memory:
        tenant = memory.tenant("t")
        said = {"role": "user", "name": "Anna", "content": "I painted a purple sunset."}
        tenant.ingest([said], session="s", started_at="2024-05-01T00:00:00Z")
        (fact,) = tenant.recall("sunset", settings=FACTS).items
        assert fact.fact is not None
        assert is_sentence(fact.fact)
        assert [evidence(share) for share in (0, 0.5, 1)] == [0, 0.5, 1]


def test_the_named_speaker_outranks_another_who_said_the_same() -> None:
    memory = SmallMemory()
    for name in ("Anna", "Ben"):
        memory.session(f"s-{name}", [(name, "I love climbing.")], "2024-05-01")
    for name in ("Anna", "Ben"):
        assert ids(memory.recall(f"What does {name} love?"), "turn")[0] == f"s-{name}:0"
        assert ids(memory.recall(f"What is {name.upper()}'s love?"), "turn")[0] == f"s-{name}:0"


def test_who_says_i_means_the_user_of_a_chat_unless_somebody_is_named() -> None:
    memory = SmallMemory()
    for name in ("assistant", "user", "Ben"):
        memory.session(f"s-{name}", [(name, "I love climbing.")], "2024-05-01")
    assert ids(memory.recall("What do I love?"), "turn")[0] == "s-user:0"
    assert ids(memory.recall("What do I know that Ben loves?"), "turn")[0] == "s-Ben:0"


def test_the_longer_turns_are_the_less_those_beside_them_count() -> None:
    weights = RecallWeights.for_vectors("static")
    assert weights.for_turns(60) == weights
    long = weights.for_turns(240)
    assert (long.pair, long.asked) == (weights.pair / 4, weights.asked / 4)
    assert long.texts == pytest.approx(weights.texts)
    assert long.tokens > weights.tokens
    fixed = RecallWeights(long_turn=0)
    assert fixed.for_turns(1_000) == fixed


def test_no_speaker_is_preferred_when_the_question_names_both() -> None:
    found = two_friends().recall("What did Anna and Ben say about the dog?")
    assert {item.signals["speaker"] for item in found.items if item.kind == "turn"} == {0.0}


def test_a_turn_that_had_not_happened_yet_is_not_shown() -> None:
    memory = two_friends()
    assert "june:0" in ids(memory.recall("bakery job in Lyon"))
    assert ids(memory.recall("bakery job in Lyon", at="2024-05-15")) == []
    assert "june:0" in ids(memory.recall("bakery job in Lyon", at=None))


def test_a_turn_not_yet_known_is_not_shown_and_lends_nothing_to_its_neighbours() -> None:
    memory = SmallMemory()
    memory.session("s", [("Anna", "Guess what I found.")], "2024-05-01", known="2024-05-01")
    memory.session(
        "s", [("Anna", "Guess what I found."), ("Ben", "A lost umbrella?")],
        "2024-05-01", known="2024-06-01",
    )  # fmt: skip
    assert ids(memory.recall("umbrella", known="2024-05-15")) == []
    assert ids(memory.recall("umbrella", known="2024-06-15")) == ["s:1", "s:0"]


def test_a_retracted_turn_is_gone_now_and_there_as_known_before() -> None:
    memory = two_friends()
    memory.retract_episode("june:0", "2024-07-01")
    assert ids(memory.recall("bakery job in Lyon")) == []
    assert "june:0" in ids(memory.recall("bakery job in Lyon", known="2024-06-15"))


def moved() -> SmallMemory:
    memory = SmallMemory()
    memory.session("a", [("Anna", "Home is Lisbon for me.")], "2020-01-01")
    memory.claim(
        "Anna", "home", "Lisbon", "Anna lives in Lisbon.", "a:0", "2020-01-02", single=True
    )
    memory.session("b", [("Anna", "We are settled now.")], "2023-01-01")
    memory.claim("Anna", "home", "Porto", "Anna lives in Porto.", "b:0", "2023-01-02", single=True)
    return memory


def test_a_superseded_fact_shows_only_for_the_time_it_held() -> None:
    memory = moved()
    now = memory.recall("Where does Anna live?", settings=FACTS)
    assert [item.fact.answer for item in now.items if item.fact] == ["Porto"]
    then = memory.recall("Where does Anna live?", at="2021-06-01", settings=FACTS)
    assert [item.fact.answer for item in then.items if item.fact] == ["Lisbon"]
    as_known = memory.recall("Where does Anna live?", known="2022-01-01", settings=FACTS)
    assert [item.fact.answer for item in as_known.items if item.fact] == ["Lisbon"]


def test_a_fact_lends_its_relevance_to_the_turn_that_is_its_evidence() -> None:
    recalled = moved().recall("Where is it that she lives?", settings=TURNS)
    evidence = {item.id: item for item in recalled.items}["b:0"]
    assert evidence.signals["turn"] == 0
    assert evidence.contributions["evidence"] > 0


def test_a_fact_names_the_turns_that_it_comes_from() -> None:
    item = moved().recall("Where does Anna live?", settings=FACTS).items[0]
    assert item.sources == ("b:0",)
    assert item.episode is None


def test_of_two_equally_relevant_facts_the_newer_comes_first() -> None:
    memory = SmallMemory()
    memory.session("s", [("Anna", "So many hobbies.")], "2020-01-01")
    for key, year, name in (("x", "2021", "Aikido"), ("y", "2023", "Origami"), ("z", "2022", "Go")):
        memory.claim(
            "Anna", "hobby", name, f"Anna took up {name}.", "s:0", "2024-01-01",
            key=key, since=f"{year}-01-01",
        )  # fmt: skip
    recalled = memory.recall("What did Anna take up?", settings=FACTS)
    relevance = {item.signals["fact"] for item in recalled.items}
    assert relevance == {1.0}
    assert [i.fact.answer for i in recalled.items if i.fact] == ["Origami", "Go", "Aikido"]


def test_of_two_equally_relevant_facts_the_more_important_comes_first() -> None:
    memory = SmallMemory()
    memory.session("s", [("Anna", "Mind what I cannot eat.")], "2020-01-01")
    for name, importance in (("plums", 3), ("peanuts", 10), ("pears", 6)):
        memory.claim(
            "Anna", "avoids", name, f"Anna avoids {name}.", "s:0", "2020-01-02",
            key=name, importance=importance,
        )  # fmt: skip
    recalled = memory.recall("What does Anna avoid?", settings=FACTS)
    assert [i.fact.answer for i in recalled.items if i.fact] == ["peanuts", "pears", "plums"]


def test_the_newest_of_many_equally_relevant_facts_is_among_the_few_asked_for() -> None:
    memory = SmallMemory()
    memory.session("s", [("Anna", "So many places.")], "2000-01-01")
    for n in range(60):
        memory.claim(
            "Anna", "visited", f"Town{n:02}", f"Anna went to Town{n:02}.", "s:0", "2024-01-01",
            key=f"{n:02}", since=f"{2001 + (n * 7) % 20}-01-01",
        )  # fmt: skip
    recalled = memory.recall(
        "Where did Anna go, or went?", settings=RecallSettings(limit=3, include=("facts",))
    )
    starts = [item.fact.valid.start for item in recalled.items if item.fact]
    assert starts == [instant("2020-01-01")] * 3


def test_a_fact_about_a_named_entity_gets_the_bonus_also_by_alias() -> None:
    memory = SmallMemory()
    memory.session("s", [("x", "All the news.")], "2020-01-01")
    for key, name, alias in (("a", "Margarethe", "Greta"), ("b", "Konrad", "Conny")):
        memory.claim(
            name, "plays", "cello", f"{name} plays the cello.", "s:0", "2020-01-02",
            key=key, aliases=(alias,),
        )  # fmt: skip
    found = memory.recall("Is it Greta's cello?", settings=FACTS)
    assert next(item.fact.subject.name for item in found.items if item.fact) == "Margarethe"
    assert found.items[0].contributions["entity"] > found.items[1].contributions["entity"]


def test_a_contested_fact_is_marked() -> None:
    memory = SmallMemory()
    memory.session("s", [("Anna", "Home."), ("Ben", "Hearsay.")], "2020-01-01")
    memory.claim(
        "Anna", "home", "Lisbon", "Anna lives in Lisbon.", "s:0", "2020-01-02", single=True, trust=9
    )
    memory.claim(
        "Anna", "home", "Porto", "Anna lives in Porto.", "s:1", "2020-01-03", single=True, trust=2
    )
    item = memory.recall("Where does Anna live?", settings=FACTS).items[0]
    assert item.contested
    assert "contested by s:1#0" in item.explain()


@pytest.mark.parametrize("question", ["", "   ", "?!", "zeppelin quorum"])
def test_a_question_without_a_match_finds_nothing(question: str) -> None:
    recalled = two_friends().recall(question)
    assert recalled.items == ()
    assert json.loads(recalled.receipt.to_json())["items"] == []


def test_a_question_of_stop_words_alone_still_finds_them() -> None:
    assert ids(two_friends().recall("what is it"))[0] == "may:1"


def test_a_tenant_never_written_to_answers_nothing() -> None:
    assert SmallMemory().recall("dog").items == ()


def test_every_contribution_adds_up_to_the_score() -> None:
    for item in two_friends().recall("Does Anna have a dog?").items:
        assert item.score == pytest.approx(sum(item.contributions.values()))
        assert item.signals.keys() == item.contributions.keys()
        assert all(0 <= value <= 1 for value in item.signals.values())


def test_the_explanation_names_each_signal_that_counted() -> None:
    item = two_friends().recall("Does Anna have a dog?", settings=TURNS).items[0]
    text = item.explain()
    assert "said by Anna at 2024-05-01" in text
    assert all(name in text for name, added in item.contributions.items() if added)


def test_the_same_recall_gives_the_same_bytes_even_after_later_writes() -> None:
    memory = two_friends()
    first = memory.recall("Does Anna have a dog?", at="2024-06-10", known="2024-06-10")
    memory.session("later", [("Anna", "The dog, the dog, the dog!")], "2024-06-05", "2024-08-01")
    again = memory.recall("Does Anna have a dog?", at="2024-06-10", known="2024-06-10")
    assert first.receipt.to_json() == again.receipt.to_json()
    assert json.loads(first.receipt.to_json())["basis"]["last_tx"] == "2024-06-01T00:00:00Z"


def test_rows_of_another_tenant_change_no_score() -> None:
    memory = two_friends()
    first = memory.recall("Does Anna have a dog?")
    other = SmallMemory(memory.store, "ben")
    for n in range(30):
        other.session(f"n{n}", [("Anna", "I have a dog and a dog")] * 3, "2024-05-01")
    assert memory.recall("Does Anna have a dog?").items == first.items


def test_ties_are_broken_by_id() -> None:
    memory = SmallMemory()
    for id in ("c", "a", "b"):
        memory.session(id, [("Anna", "I love climbing.")], "2024-05-01")
    assert ids(memory.recall("climbing")) == ["a:0", "b:0", "c:0"]


def test_the_limit_and_the_kinds_asked_for_are_kept_to() -> None:
    memory = moved()
    assert len(memory.recall("Anna Lisbon Porto", settings=RecallSettings(limit=1)).items) == 1
    assert {i.kind for i in memory.recall("Anna Lisbon Porto", settings=TURNS).items} == {"turn"}
    assert {i.kind for i in memory.recall("Anna Lisbon Porto", settings=FACTS).items} == {"fact"}


def test_a_weight_set_for_the_call_counts() -> None:
    memory = SmallMemory()
    memory.session("old", [("Anna", "Running running shoes.")], "2020-01-01")
    memory.session("new", [("Anna", "I need shoes for hiking and for running.")], "2024-01-01")
    assert ids(memory.recall("running"))[0] == "old:0"
    recent = RecallSettings(weights=RecallWeights(recency=5), half_life=365)
    assert ids(memory.recall("running", at="2024-02-01", settings=recent))[0] == "new:0"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", 0), ("limit", True), ("limit", 2.0), ("half_life", 0), ("k1", -1),
        ("half_life", float("nan")), ("b", 1.5), ("candidates", 0),
        ("include", ()), ("include", ("turn",)), ("include", "turns"),
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(name: str, value: object) -> None:
    with pytest.raises(InvalidInputError, match=name):
        RecallSettings(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, float("inf"), "1", None])
def test_weights_out_of_range_are_refused(value: object) -> None:
    with pytest.raises(InvalidInputError, match="recency"):
        RecallWeights(recency=value)  # type: ignore[arg-type]


def test_equal_settings_have_one_hash_and_others_another() -> None:
    assert RecallSettings().hash == RecallSettings(include=("turns", "facts")).hash
    assert RecallSettings().hash != RecallSettings(limit=11).hash
    assert RecallSettings().hash != RecallSettings(weights=RecallWeights(window=0.4)).hash


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Robert'); DROP TABLE episode;--", "what about DROP TABLE episode;-- ') OR 1=1"),
        ('she said "NEAR(a b)" AND left', 'NEAR(a b) AND "left" * ^ :x NOT'),
        ("party 🎉 with 🎈", "🎉 party 🎈?"),
        ("שלום עולם", "שלום?"),
        ("مرحبا بالعالم", "أين مرحبا"),
        ("東京タワーに行きました", "東京タワー"),
        ("nul \x00 inside", "nul \x00 inside"),
        ("lone \ud800 surrogate", "lone \ud800 surrogate"),
        ("a_b under_score", "under_score"),
    ],
)
def test_any_text_can_be_asked(said: str, asked: str) -> None:
    memory = SmallMemory()
    memory.session("s", [("Anna", said)], "2024-05-01")
    recalled = memory.recall(asked)
    assert ids(recalled) == ["s:0"]
    recalled.receipt.to_json().encode()


def test_a_megabyte_can_be_asked() -> None:
    memory = two_friends()
    filler = " ".join(f"word{n}" for n in range(2_000))
    question = f"dog shelter {filler} " + "x " * 500_000
    assert ids(memory.recall(question))[0] == "may:0"


def test_a_question_that_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="text"):
        two_friends().recall(b"dog")  # type: ignore[arg-type]


def test_the_clock_of_recency_is_the_valid_time_asked_for() -> None:
    memory = two_friends()
    early = memory.recall("dog", at="2024-05-02", settings=TURNS).items[0]
    late = memory.recall("dog", at="2025-05-02", settings=TURNS).items[0]
    assert early.id == late.id
    assert early.signals["recency"] > 0.9 > 0.1 > late.signals["recency"]
    assert instant("2024-05-02") - early.episode.occurred_at < 86_400_000_001  # type: ignore[union-attr]
