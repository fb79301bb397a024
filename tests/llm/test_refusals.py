"""What a model may not say, however well it is put: it is refused alone, and the rest stays."""

from __future__ import annotations

from typing import Any

import pytest

from bitempo.engine.model import (
    AssertionDraft,
    Cardinality,
    Entity,
    EntityRef,
    Episode,
    Fact,
    Modality,
)
from bitempo.engine.store.port import Predicate
from bitempo.engine.time import FOREVER, Interval
from bitempo.ingest.extraction import Known, Window
from bitempo.ingest.llm.mapping import Mapped, Mapper
from bitempo.ingest.llm.prompt import PromptSettings, prompt_of
from bitempo.ingest.llm.times import TimeReader
from tests.llm.replies import at, claim, reply, turn, window

ANNA = turn(1, "I live in Lisbon now. Tom met Eve, no more tea, and I'm done with all of it.")


def mapped(*claims: Any, told: Window | None = None, **more: Any) -> Mapped:
    told = told or window(ANNA)
    mapper = Mapper("llm/1/m", "llm1", TimeReader(PromptSettings().timezone), never)
    return mapper.map(reply(*claims, **more), prompt_of(told, PromptSettings()), told.known)


def never(_: str) -> bool:
    return False


def taken(*claims: Any, **more: Any) -> AssertionDraft:
    result = mapped(*claims, **more)
    assert result.rejections == ()
    (draft,) = result.drafts
    return draft


def refused(*claims: Any, **more: Any) -> str:
    """The reason, where the claims are refused and another claim beside them is not."""
    result = mapped(*claims, claim(value="Lisbon"), **more)
    assert [draft.value for draft in result.drafts] == ["Lisbon"]
    (rejection,) = result.rejections
    return rejection.reason


def fact(type: str = "person", modality: Modality = Modality.ACTUAL) -> Fact:
    who, where = Entity("ent_a", "Anna", type, ("Annie",)), Entity("ent_p", "Porto", "place")
    held = Interval(at(2020, 1, 1), FOREVER)
    return Fact(
        "f", "s", who, "LIVES_IN", "", held, held, where, modality=modality, support=("old#1",)
    )


def knowing(*facts: Fact, said: Episode = ANNA) -> Window:
    entities = tuple(fact.subject for fact in facts)
    return Window("w", "s", (said,), known=Known(entities, facts))


@pytest.mark.parametrize("predicate", ["SAME_AS", "same as", "sameAs"])
def test_a_model_does_not_say_who_is_who(predicate: str) -> None:
    same = claim(subject="Eve", predicate=predicate, object="Tom", quote="Tom met Eve")
    assert "who is who" in refused(same)


@pytest.mark.parametrize("label", ["f" + "9" * 5000, "a" + "9" * 5000, "f9999999999"])
def test_a_label_of_many_digits_names_nothing_and_costs_nothing_else(label: str) -> None:
    told = knowing(fact())
    assert taken(claim(corrects=label), told=told).corrects is None
    assert "no turn has the label" in refused(claim(evidence=[label]), told=told)


def test_a_correction_stays_within_the_type_of_its_subject() -> None:
    assert taken(claim(corrects="f1"), told=knowing(fact())).corrects == "old#1"
    assert taken(claim(corrects="f1"), told=knowing(fact("cat"))).corrects is None


def test_a_correction_stays_within_the_modality_of_what_it_corrects() -> None:
    wished = claim(corrects="f1", modality="hypothetical")
    assert taken(wished, told=knowing(fact())).corrects is None
    assert taken(wished, told=knowing(fact(modality=Modality.HYPOTHETICAL))).corrects == "old#1"


def test_a_name_that_the_reply_makes_opens_nothing_to_correction() -> None:
    eve = {"name": "Eve", "type": "person", "aliases": ["Anna"]}
    corrected = claim(subject="Eve", corrects="f1", quote="Tom met Eve")
    told = knowing(fact(), said=turn(1, "Tom met Eve and Anna. They live in Lisbon.", "Carl"))
    assert taken(corrected, told=told, entities=(eve,)).corrects is None
    # A name that is on record does.
    annie = turn(1, "Annie lives in Lisbon, not in Porto.", "Carl")
    right = claim(subject="Annie", corrects="f1", quote="Annie lives in Lisbon")
    assert taken(right, told=knowing(fact(), said=annie)).corrects == "old#1"


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("e", "does not occur"),
        ("bon", "does not occur"),
        ("live in Lis", "does not occur"),
        ("I", "no word that says anything"),
        ("of it.", "no word that says anything"),
    ],
)
def test_a_quote_is_of_whole_words_and_says_something(quote: str, why: str) -> None:
    assert why in refused(claim(quote=quote))


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("No.", "no"),
        ("I am!", "I am"),
        ("I'm in Lisbon's centre", "Lisbon"),
        ("私は東京に住んでいます", "東京"),
        ("저는 리스본에 살아요", "리스본"),
        ("Tomorrow, a tom cat", "tom"),
    ],
)
def test_a_quote_may_be_a_whole_turn_or_a_word_of_a_script_without_spaces(
    text: str, quote: str
) -> None:
    told = window(turn(1, text))
    assert taken(claim(value=True, quote=quote), told=told).evidence == ("e1",)


def test_a_name_that_no_turn_says_gives_way_to_the_one_that_is_said() -> None:
    told = window(turn(1, "Eve likes tea", "Carl"))
    zorg = {"name": "Zorg", "type": "person", "aliases": ["Eve"]}
    likes = {"predicate": "LIKES", "value": "tea", "quote": "Eve likes tea"}
    for subject in ("Eve", "Zorg"):
        draft = taken(claim(subject=subject, **likes), told=told, entities=(zorg,))
        assert draft.subject == EntityRef("Eve", "person")
    known = Known((Entity("ent_z", "Zorg", "person"),))
    told = Window("w", "s", told.episodes, known=known)
    draft = taken(claim(subject="Zorg", **likes), told=told, entities=(zorg,))
    assert draft.subject == EntityRef("Zorg", "person", ("Eve",))


def test_an_assistant_with_a_name_is_still_a_machine() -> None:
    planner = turn(1, "I live in Lisbon", "planner", role="assistant")
    draft = taken(claim(subject="I"), told=window(planner))
    assert (draft.subject, draft.trust) == (EntityRef("planner", "agent"), 3)
    both = window(planner, turn(2, "Great.", "Anna", role="user"))
    draft = taken(claim(subject="the user"), told=both)
    assert (draft.subject, draft.trust) == (EntityRef("Anna", "person"), 3)
    # A source whose trust was given keeps it.
    trusted = turn(1, "I live in Lisbon", "planner", role="assistant", trust=5)
    assert taken(claim(subject="I"), told=window(trusted)).trust == 5


def denial(predicate: str, quote: str, cardinality: str = "many") -> dict[str, Any]:
    return claim(
        predicate=predicate, object=None, polarity="-", quote=quote, cardinality=cardinality
    )


@pytest.mark.parametrize("cardinality", ["one", "many"])
def test_a_denial_of_everything_needs_words_that_say_so(cardinality: str) -> None:
    # LIKES holds many values, whatever the model says of it.
    assert "would end all values" in refused(denial("LIKES", "no more tea", cardinality))
    assert taken(denial("LIKES", "I'm done with all of it", cardinality)).object is None


def test_a_denial_of_a_single_value_needs_no_value() -> None:
    assert taken(denial("NICKNAME_AT_WORK", "no more tea", "one")).value is None
    recorded = Known(predicates=(Predicate("NICKNAME_AT_WORK", Cardinality.MANY, "x"),))
    told = Window("w", "s", (ANNA,), known=recorded)
    assert "would end all" in refused(denial("NICKNAME_AT_WORK", "no more tea", "one"), told=told)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", ["A" * 100_000, " " * 100_000, "!" * 100_000, "a " * 50_000])
def test_a_long_text_without_words_is_read_in_one_go(text: str) -> None:
    told = window(turn(1, f"I live in Lisbon {text}"))
    fields = ("subject", "object", "quote", "corrects", "predicate")
    result = mapped(
        *(claim(**{field: text}) for field in fields),
        claim(evidence=[text]),
        told=told,
        entities=({"name": text, "type": "person", "aliases": [text]},),
    )
    assert "Anna" in [draft.subject.name for draft in result.drafts]
    assert any("no turn has the label" in rejection.reason for rejection in result.rejections)
