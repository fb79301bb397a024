"""Statements, plans and corrections: sentences as facts, when they hold, what they take back."""

from __future__ import annotations

import pytest

from bitempo.engine.model import (
    Cardinality,
    Correction,
    EntityRef,
    Modality,
    Polarity,
)
from bitempo.engine.time import BEGINNING, Granularity, Interval, parse_time
from bitempo.ingest.rules import RulesExtractor
from tests.ingest.rules_support import SAID_AT, drafts, line, typed


def day(text: str) -> Interval:
    """The interval of an ISO date."""
    return parse_time(text)[0]


class TestStatements:
    def test_the_text_is_the_sentence_and_the_subject_is_the_speaker(self) -> None:
        (draft,) = drafts("Hey Tom! I painted the   kitchen.\nHow are you?")
        assert (draft.subject, draft.predicate) == (EntityRef("Zoe", "person"), "STATES")
        assert draft.text == draft.value == "I painted the kitchen."
        assert draft.quote == "I painted the   kitchen."
        assert (draft.evidence, draft.cardinality) == (("turn0",), Cardinality.MANY)
        assert (draft.extractor, draft.inferred, draft.trust) == ("rules-en/1", False, 5)
        assert draft.confidence < 1

    def test_a_past_event_lasts_as_long_as_its_stated_time(self) -> None:
        (draft,) = drafts("I went to the market yesterday.")
        assert (draft.valid_from, draft.valid_to) == (
            day("2024-05-15").start,
            day("2024-05-15").end,
        )
        assert (draft.time_text, draft.granularity) == ("yesterday", Granularity.DAY)

    def test_a_state_since_a_time_is_open(self) -> None:
        (draft,) = drafts("I've been painting since 2019.")
        assert (draft.valid_from, draft.valid_to) == (day("2019").start, None)

    def test_a_state_until_a_time_is_bounded(self) -> None:
        (draft,) = drafts("I'm at the clinic until Friday.")
        assert (draft.valid_from, draft.valid_to) == (None, day("2024-05-17").start)

    def test_a_past_time_inside_a_present_statement_does_not_bound_it(self) -> None:
        (draft,) = drafts("I adore the painting I finished yesterday.")
        assert (draft.valid_from, draft.valid_to) == (None, None)

    @pytest.mark.parametrize(
        "sentence",
        [
            "I started learning the cello in June 2023.",
            "We began sailing in June 2023.",
            "I took up pottery in June 2023.",
        ],
    )
    def test_what_was_started_goes_on(self, sentence: str) -> None:
        draft = drafts(sentence)[0]
        assert (draft.predicate, draft.valid_from) == ("STATES", day("2023-06").start)
        assert draft.valid_to is None

    def test_what_was_started_and_stopped_does_not_go_on(self) -> None:
        (draft,) = drafts("I started rowing in June 2023 but quit.")
        assert (draft.valid_from, draft.valid_to) == (day("2023-06").start, day("2023-06").end)

    def test_no_stated_time_is_left_to_the_time_of_the_turn(self) -> None:
        (draft,) = drafts("I painted the kitchen.")
        assert (draft.valid_from, draft.time_text) == (None, None)

    def test_a_dropped_subject_is_the_speaker(self) -> None:
        (draft,) = drafts("Went hiking last weekend.")
        assert draft.subject.name == "Zoe"
        assert draft.valid_from == day("2024-05-11").start

    def test_a_part_that_supposes_does_not_take_the_other_part_along(self) -> None:
        made = drafts("I'd love to visit Japan, but I live in Lima.")
        assert [draft.text for draft in made] == ["I live in Lima."] * 2

    def test_a_question_tagged_on_does_not_take_the_statement_along(self) -> None:
        made = drafts("I painted the kitchen, what about you?")
        assert [draft.text for draft in made] == ["I painted the kitchen"]

    def test_turns_of_machines_make_no_facts(self) -> None:
        for actor in ("assistant", "System", "tool"):
            assert drafts("I live in Lima.", actor=actor) == []

    def test_a_role_or_nobody_is_a_person_called_user(self) -> None:
        for actor in ("user", None, "  ", "!!"):
            assert drafts("I live in Lima.", actor=actor)[0].subject == EntityRef("user", "person")

    def test_code_and_quoted_lines_are_not_the_speakers_own(self) -> None:
        text = "```\nI live in Rome\n```\n> I live in Oslo\nI live in Lima."
        assert typed(text) == ["LIVES_IN +Lima"]

    def test_hearsay_and_what_is_said_of_others_is_trusted_less(self) -> None:
        told = [draft for draft in drafts("Luis told me he moved to Cusco.") if draft.inferred]
        seen = [draft for draft in drafts("Luis works at Acme.") if draft.inferred]
        assert [draft.trust for draft in (*told, *seen)] == [3, 4]

    def test_importance_follows_what_a_claim_is_about(self) -> None:
        weights = {
            draft.predicate: draft.importance
            for draft in drafts(
                "I'm allergic to nuts. I live in Lima. I work at Acme. I love jazz.",
                "I watered the plants.",
            )
        }
        assert weights["ALLERGIC_TO"] == 9
        assert weights["LIVES_IN"] == 8
        assert weights["WORKS_AT"] == 7
        assert weights["LIKES"] == 5
        assert weights["STATES"] == 3

    def test_a_favourite_is_single_valued(self) -> None:
        made = {draft.predicate: draft for draft in drafts("My favourite tea is oolong.")}
        assert made["FAVOURITE_TEA"].cardinality is Cardinality.ONE


class TestMentions:
    @pytest.mark.parametrize(
        ("sentence", "names"),
        [
            (
                "I met Ana Lopez and Tom at the Royal Academy.",
                ["Ana Lopez", "Tom", "Royal Academy"],
            ),
            ("I saw @maya_r yesterday.", ["maya_r"]),
            ("I met them on Monday in May.", []),
            ("I have Spanish friends.", []),
            ("Painting calms me.", []),
            ("I LOVE THIS PAINTING SO MUCH", []),
            ("Thanks Tom, I painted a lot.", []),
            ("I, Zoe, painted it.", []),
            ("I met them on Tues and Fri.", []),
            ("We painted it in Sept or Dec 2023.", []),
            ("I met Jan on 3 Jan.", ["Jan"]),
            ("Guitar is my escape.", []),
            ("I paint a lot: Pottery is next.", []),
            ("I like crafts… Clay has its charm.", []),
            ("Ana told us about my painting.", ["Ana"]),
        ],
    )
    def test_names_in_a_sentence_become_mentions(self, sentence: str, names: list[str]) -> None:
        assert [mention.name for mention in drafts(sentence)[0].mentions] == names

    def test_a_name_that_a_pattern_typed_keeps_its_type(self) -> None:
        states = drafts("I live in Lima with my sister Ana.")[0]
        assert set(states.mentions) == {EntityRef("Lima", "place"), EntityRef("Ana", "person")}


class TestPlans:
    @pytest.mark.parametrize(
        ("sentence", "value", "due"),
        [
            ("I have to submit the report by Friday.", "submit the report", "2024-05-17"),
            ("I need to call the bank tomorrow.", "call the bank", "2024-05-17"),
            ("I will finish the book by next Monday.", "finish the book", "2024-05-20"),
            ("I'm going to visit Japan in June.", "visit Japan", "2024-06"),
            ("I'm moving to Lisbon next month.", "move to Lisbon", "2024-06"),
            ("We're getting married in June.", "get married", "2024-06"),
            ("I have a dentist appointment on 3 June.", "have a dentist appointment", "2024-06-03"),
            ("I plan to run a marathon.", "run a marathon", None),
        ],
    )
    def test_a_firm_plan_is_planned_and_keeps_its_deadline_as_data(
        self, sentence: str, value: str, due: str | None
    ) -> None:
        (draft,) = drafts(sentence)
        assert (draft.predicate, draft.value) == ("PLANS_TO", value)
        assert draft.modality is Modality.PLANNED
        assert (draft.valid_from, draft.valid_to) == (None, None)
        assert draft.due == (day(due) if due else None)
        assert draft.granularity is Granularity.UNKNOWN

    def test_something_due_has_a_deadline(self) -> None:
        (draft,) = drafts("My thesis is due on Friday.")
        assert (draft.predicate, draft.value, draft.due) == (
            "HAS_DEADLINE",
            "thesis",
            day("2024-05-17"),
        )

    @pytest.mark.parametrize(
        "sentence",
        [
            "I'm thinking about moving to Paris next month.",
            "I think I'll go with the blue one.",
            "If it works out, I'll move to Paris in June.",
            "I have to admit I painted it.",
            "I'm looking for a job next month.",
            "I might visit Japan in June.",
        ],
    )
    def test_what_is_not_firm_is_no_plan(self, sentence: str) -> None:
        assert [draft for draft in drafts(sentence) if draft.predicate == "PLANS_TO"] == []


class TestCorrections:
    def test_an_elliptic_correction_renews_the_claim_it_takes_back(self) -> None:
        made = drafts("I live in Lisbon. Sorry, I meant Porto, not Lisbon.")[-1]
        assert line(made) == "LIVES_IN +Porto"
        assert made.object == EntityRef("Porto", "place")
        assert made.corrects == Correction("Lisbon")
        assert made.quote == "Sorry, I meant Porto, not Lisbon."

    def test_it_reaches_back_into_the_context_but_extracts_nothing_from_it(self) -> None:
        made = drafts("I meant Porto, not Lisbon.", context=("I live in Lisbon.",))
        assert [line(draft) for draft in made] == ["LIVES_IN +Porto"]
        assert made[0].evidence == ("turn0",)

    def test_a_corrected_time_renews_the_claims_of_its_sentence(self) -> None:
        made = drafts("I moved to Porto in June 2023.", "Actually, not June, it was March.")[3:]
        assert [draft.predicate for draft in made] == ["STATES", "LIVES_IN", "LIVES_IN"]
        assert [draft.valid_from for draft in made] == [*[day("2023-03").start] * 2, None]
        assert [draft.corrects for draft in made] == [
            Correction("I moved to Porto in June 2023."),
            *[Correction("Porto")] * 2,
        ]

    def test_a_corrected_time_is_told_in_the_words_that_were_said(self) -> None:
        said = "Actually, it was on 12 April, not 3 April."
        made = drafts("We moved to Antwerp on 3 April.", said)[3:]
        assert [draft.valid_from for draft in made] == [*[day("2024-04-12").start] * 2, None]
        assert {(draft.text, draft.quote) for draft in made} == {(said, said)}
        assert made[0].value == said
        assert {draft.object for draft in made[1:]} == {EntityRef("Antwerp", "place")}

    def test_all_that_was_said_of_the_wrong_value_is_taken_back(self) -> None:
        for said in ("Sorry, I meant Lisbon, not Porto.", "Correction: I live in Lisbon."):
            made = drafts("I moved to Porto in June 2023.", said)[3:]
            made = [draft for draft in made if draft.predicate == "LIVES_IN"]
            assert [draft.object for draft in made] == [EntityRef("Lisbon", "place")] * 2
            assert [draft.corrects for draft in made] == [Correction("Porto")] * 2

    @pytest.mark.parametrize("said", ["I mean July.", "Sorry, I meant in July."])
    def test_a_time_alone_corrects_only_the_time(self, said: str) -> None:
        made = drafts("I moved to Porto in June 2023.", said.replace("July", "July 2023"))[3:]
        assert [draft.predicate for draft in made] == ["STATES", "LIVES_IN", "LIVES_IN"]
        assert {draft.object for draft in made[1:]} == {EntityRef("Porto", "place")}
        assert [draft.valid_from for draft in made] == [*[day("2023-07").start] * 2, None]

    @pytest.mark.parametrize(("said", "start"), [("April", "2024-04"), ("2019", "2019")])
    def test_a_word_or_number_that_is_a_time_only_there_corrects_it(
        self, said: str, start: str
    ) -> None:
        made = drafts("I moved to Porto in March.", f"I mean {said}.")[3:]
        assert {draft.object for draft in made[1:]} == {EntityRef("Porto", "place")}
        assert made[1].valid_from == day(start).start

    @pytest.mark.parametrize(
        "texts",
        [
            ("I live in Rome.", "I mean Rome is great."),
            ("My friend Tom likes tea.", "I live in Rome.", "Sorry, I mean Tom."),
            ("I live in Rome.", "I mean July."),
        ],
    )
    def test_what_is_no_value_of_the_claim_corrects_nothing(self, texts: tuple[str, ...]) -> None:
        made = drafts(*texts)
        assert [draft for draft in made if draft.corrects] == []
        homes = [line(draft) for draft in made if draft.predicate == "LIVES_IN"]
        assert homes == ["LIVES_IN +Rome"]

    @pytest.mark.parametrize(
        ("texts", "claim", "corrected"),
        [
            (("Correction: I live in Porto.",), "LIVES_IN +Porto", None),
            (("I work at Acme, not Globex.",), "WORKS_AT +Acme", "Globex"),
            (("I live in Rome.", "Actually, I live in Oslo."), "LIVES_IN +Oslo", "Rome"),
            (("I'm 34.", "I mean 35."), "AGE +35", "34"),
            (("I live in Rome.", "Sorry, I mean Porto."), "LIVES_IN +Porto", "Rome"),
            (("I was born in 1990.", "I mean 1991."), "BIRTH_YEAR +1991 [-inf..)", "1990"),
            (("My birthday is 3 May.", "I mean 4 May."), "BIRTHDAY +4 May [-inf..)", "3 May"),
            (("My name is Ana.", "Sorry, it's Anna."), "NAME +Anna [-inf..)", "Ana"),
            (("My birthday is 3 May. Not 3 May, 4 May.",), "BIRTHDAY +4 May [-inf..)", "3 May"),
        ],
    )
    def test_a_correction_names_what_it_takes_back(
        self, texts: tuple[str, ...], claim: str, corrected: str | None
    ) -> None:
        made = [draft for draft in drafts(*texts) if draft.inferred][-1]
        assert line(made) == claim
        assert made.corrects == Correction(corrected)

    @pytest.mark.parametrize(
        "texts",
        [
            ("Actually, I live in Oslo.",),
            ("I live in Rome.", "I live in Oslo."),
            ("I'm tired, not sad.",),
            ("I meant Porto, not Lisbon.",),
        ],
    )
    def test_without_anything_to_take_back_nothing_is_corrected(
        self, texts: tuple[str, ...]
    ) -> None:
        assert [draft.corrects for draft in drafts(*texts) if draft.corrects] == []


def test_used_to_is_over_now_and_denied_from_now_on() -> None:
    over, denial = (draft for draft in drafts("I used to live in Lima.") if draft.inferred)
    assert (over.valid_from, over.valid_to) == (BEGINNING, SAID_AT)
    assert (denial.polarity, denial.valid_from, denial.valid_to) == (Polarity.NEGATIVE, None, None)


def test_the_name_carries_language_and_version() -> None:
    assert RulesExtractor("en").name == "rules-en/1"
