"""The commands that write: init, assert, retract, cardinality."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.runner import Run


def test_init_makes_a_store_that_can_be_read(bitempo: Run, tmp_path: Path) -> None:
    done = bitempo("init", "--store", "mine.db", "--json")
    assert (done.code, done.json) == (0, {"store": "mine.db"})
    assert (tmp_path / "mine.db").exists()
    assert bitempo("init", "--store", "mine.db").out == "mine.db is ready\n"
    assert bitempo("stats", "--store", "mine.db", "--tenant", "t", "--json").json["episodes"] == 0


def test_assert_then_supersede(empty: Run) -> None:
    first = empty("assert", "Ana", "lives in", "Lisbon", "--from", "2020", "--json").json
    assert len(first["assertions"]) == len(first["facts_opened"]) == 1
    second = empty("assert", "Ana", "LIVES_IN", "Porto", "--from", "2023-05", "--json").json
    assert second["facts_closed"] == first["facts_opened"]
    facts = empty("history", "Ana", "LIVES_IN", "--json").json["facts"]
    assert [(f["object"]["name"], f["valid_from"], f["valid_to"]) for f in facts] == [
        ("Lisbon", "2020-01-01T00:00:00Z", "2023-05-01T00:00:00Z"),
        ("Porto", "2023-05-01T00:00:00Z", None),
    ]
    assert [f["granularity"] for f in facts] == ["year", "month"]


def test_assert_shows_what_it_wrote(empty: Run) -> None:
    done = empty("assert", "Ana", "LIVES_IN", "Lisbon")
    assert done.code == 0
    assert [line.split()[0] for line in done.lines] == ["asserted", "opened", "recorded"]


@pytest.mark.parametrize(
    ("text", "value"), [("42", 42), ("1.5", 1.5), ("true", True), ("jasmine", "jasmine")]
)
def test_a_literal_keeps_its_type(empty: Run, text: str, value: object) -> None:
    assert empty("assert", "Ana", "LUCKY", "--value", text).code == 0
    (fact,) = empty("as-of", "Ana", "--json").json["facts"]
    assert fact["value"] == value
    assert type(fact["value"]) is type(value)
    assert fact["object"] is None


def test_every_field_can_be_given(empty: Run) -> None:
    done = empty(
        *("assert", "Ana", "PLANS_TO", "--value", "move", "--modality", "planned"),
        *("--from", "2024-01-01", "--to", "2024-06-01", "--due", "2024-05-20", "--trust", "8"),
        *("--importance", "9", "--confidence", "0.5", "--cardinality", "many"),
        *("--text", "Ana plans to move", "--subject-type", "person", "--episode", "note-1"),
        *("--occurred-at", "2024-01-02"),
    )
    assert done.code == 0
    (fact,) = empty("as-of", "Ana", "--modality", "any", "--valid-at", "2024-02-01", "--json").json[
        "facts"
    ]
    assert (fact["trust"], fact["importance"], fact["confidence"]) == (8, 9, 0.5)
    assert (fact["text"], fact["modality"]) == ("Ana plans to move", "planned")
    assert fact["due"] == {"from": "2024-05-20T00:00:00Z", "to": "2024-05-21T00:00:00Z"}
    assert fact["subject"]["type"] == "person"
    assert fact["valid_to"] == "2024-06-01T00:00:00Z"


def test_a_start_can_be_unbounded_or_not_stated(empty: Run) -> None:
    empty("assert", "Ana", "SPEAKS", "Portuguese", "--from", "always")
    empty("assert", "Ana", "SPEAKS", "Danish", "--occurred-at", "2024-02-01")
    facts = empty("as-of", "Ana", "SPEAKS", "--json").json["facts"]
    assert [(f["object"]["name"], f["valid_from"], f["from_inferred"]) for f in facts] == [
        ("Portuguese", None, False),
        ("Danish", "2024-02-01T00:00:00Z", True),
    ]
    shown = empty("as-of", "Ana", "SPEAKS").out
    assert "always" in shown
    assert "inferred start" in shown


def test_a_negative_ends_what_held(empty: Run) -> None:
    empty("assert", "Ana", "WORKS_AT", "Acme", "--from", "2020")
    empty("assert", "Ana", "WORKS_AT", "--negative", "--from", "2022")
    assert empty("as-of", "Ana", "WORKS_AT", "--json").json["facts"] == []
    (fact,) = empty("history", "Ana", "WORKS_AT", "--json").json["facts"]
    assert fact["valid_to"] == "2022-01-01T00:00:00Z"


def test_a_correction_and_its_retraction(empty: Run) -> None:
    def start() -> str:
        (fact,) = empty("as-of", "Ana", "WORKS_AT", "--json").json["facts"]
        return str(fact["valid_from"])

    said = empty("assert", "Ana", "WORKS_AT", "Acme", "--from", "2020-06", "--json").json
    (wrong,) = said["assertions"]
    said = empty(
        *("assert", "Ana", "WORKS_AT", "Acme", "--from", "2020-03", "--corrects", wrong, "--json")
    ).json
    assert start() == "2020-03-01T00:00:00Z"
    done = empty("retract", said["assertions"][0], "--json")
    assert done.json["retracted"] == said["assertions"]
    assert start() == "2020-06-01T00:00:00Z"


def test_retracting_an_episode_takes_back_what_it_alone_supports(empty: Run) -> None:
    empty("assert", "Ana", "LIVES_IN", "Lisbon", "--from", "2020")
    empty("assert", "Ana", "LIVES_IN", "Porto", "--from", "2023", "--episode", "note")
    done = empty("retract", "--episode", "note")
    assert done.code == 0
    assert {line.split()[0] for line in done.lines} == {"retracted", "opened", "closed", "recorded"}
    (fact,) = empty("as-of", "Ana", "LIVES_IN", "--json").json["facts"]
    assert (fact["object"]["name"], fact["valid_to"]) == ("Lisbon", None)


def test_a_repeated_episode_changes_nothing(empty: Run) -> None:
    claim = ("assert", "Ana", "LIVES_IN", "Lisbon", "--episode", "note")
    first = empty(*claim, "--json").json
    again = empty(*claim, "--json").json
    assert (again["tx"], again["assertions"]) == (None, first["assertions"])
    assert "nothing changed" in empty(*claim).out


def test_an_episode_with_other_content_is_a_conflict(empty: Run) -> None:
    empty("assert", "Ana", "LIVES_IN", "Lisbon", "--episode", "note")
    empty("assert", "Ana", "LIVES_IN", "Porto", "--episode", "note").refused(1, "note")


def test_a_policy_makes_a_predicate_hold_one_value(empty: Run, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[predicates]\nDESK = "one"\n', encoding="utf-8")
    for name, start in (("A1", "2023"), ("B2", "2024")):
        empty("assert", "Ana", "DESK", name, "--from", start, "--policy", str(policy))
    (fact,) = empty("as-of", "Ana", "DESK", "--json").json["facts"]
    assert fact["object"]["name"] == "B2"


def test_a_predicate_that_held_many_values_is_made_to_hold_one(empty: Run) -> None:
    empty("assert", "Ana", "DESK", "A1", "--from", "2023")
    before = empty("assert", "Ana", "DESK", "B2", "--from", "2024", "--json").json["tx"]
    assert len(empty("as-of", "Ana", "DESK", "--json").json["facts"]) == 2
    done = empty("cardinality", "desk", "one", "--json")
    assert (done.code, done.json["predicate"], done.json["cardinality"]) == (0, "DESK", "one")
    assert (done.json["assertions"], len(done.json["facts_closed"])) == ([], 2)
    (fact,) = empty("as-of", "Ana", "DESK", "--json").json["facts"]
    assert fact["object"]["name"] == "B2"
    assert fact["tx_from"] == done.json["tx"]
    earlier = empty("as-of", "Ana", "DESK", "--known-at", before, "--json").json["facts"]
    assert {one["object"]["name"] for one in earlier} == {"A1", "B2"}
    empty("cardinality", "DESK", "many")
    assert len(empty("as-of", "Ana", "DESK", "--json").json["facts"]) == 2


def test_a_decision_is_shown_and_repeating_it_changes_nothing(empty: Run) -> None:
    empty("assert", "Ana", "DESK", "A1")
    decided = empty("cardinality", "DESK", "one")
    assert decided.lines[0] == "decided    DESK holds one value"
    assert decided.lines[-1].startswith("recorded   ")
    again = empty("cardinality", "DESK", "one")
    assert again.out == "nothing changed: DESK holds one value already\n"
    assert empty("cardinality", "DESK", "one", "--json").json["tx"] is None


def test_a_decision_that_cannot_be_is_refused(empty: Run, bitempo: Run) -> None:
    empty("init")
    empty("cardinality", "DESK", "few").refused(2, "'few'", "'one', 'many'")
    empty("cardinality", "42", "one").refused(2, "not a predicate")
    absent = ("--store", "absent.db", "--tenant", "t")
    bitempo(*absent, "cardinality", "DESK", "one").refused(1, "absent.db")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("Ana", "LIVES_IN", "Porto", "--from", "2020-13"), "2020-13"),
        (("Ana", "LIVES_IN", "Porto", "--from", "2024", "--to", "2023"), "must end after"),
        (("Ana", "42", "Porto"), "not a predicate"),
        (("Ana", "LIVES_IN", "Porto", "--modality", "maybe"), "maybe"),
        (("Ana", "LIVES_IN", "Porto", "--trust", "11"), "--trust"),
        (("Ana", "LIVES_IN", "Porto", "--cardinality", "some"), "some"),
        (("Ana", "LIVES_IN", "Porto", "--value", "3"), "value"),
    ],
)
def test_a_claim_that_cannot_be_is_bad_input(
    empty: Run, arguments: tuple[str, ...], word: str
) -> None:
    empty("assert", *arguments).refused(2, word)


def test_correcting_or_retracting_what_is_not_there_says_no(empty: Run) -> None:
    empty("init")
    empty("retract", "nothing").refused(1, "nothing")
    empty("retract", "--episode", "never").refused(1, "never")
    empty("assert", "Ana", "LIVES_IN", "Porto", "--corrects", "nothing").refused(1, "nothing")
    empty("retract").refused(2, "assertion or an episode")
