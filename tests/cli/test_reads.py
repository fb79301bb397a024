"""The commands that read, for people and for machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.runner import Run


def test_as_of_shows_what_is_true_now(acme: Run) -> None:
    found = acme("as-of", "Mara", "LIVES_IN")
    assert found.code == 0
    assert found.lines[0].split() == ["subject", "predicate", "value", "valid", "marks", "fact"]
    assert found.lines[2].split()[:5] == ["Mara", "LIVES_IN", "Porto", "since", "2024-03-01"]
    assert found.lines[2].split()[5] == "inferred"
    assert found.err == ""


def test_as_of_json_has_every_field_of_a_fact(acme: Run) -> None:
    (fact,) = acme("--json", "as-of", "Mara", "works at", "--valid-at", "2024-05-01").json["facts"]
    assert set(fact) == {
        *("id", "slot", "subject", "predicate", "object", "value", "text"),
        *("valid_from", "valid_to", "granularity", "from_inferred", "tx_from", "tx_to"),
        *("modality", "due", "importance", "confidence", "trust", "inferred"),
        *("support", "contested", "conflicts"),
    }
    assert fact["object"]["name"] == "Lagar Press"
    assert (fact["valid_from"], fact["valid_to"]) == ("2024-04-01T00:00:00Z", None)
    assert fact["granularity"] == "month"
    assert fact["tx_to"] is None


def test_both_times_count(acme: Run) -> None:
    def home(*when: str) -> list[str]:
        facts = acme("as-of", "Mara", "LIVES_IN", "--json", *when).json["facts"]
        return [fact["object"]["name"] for fact in facts]

    assert home() == ["Porto"]
    assert home("--valid-at", "2024-02-01") == ["Leeds"]
    assert home("--valid-at", "2024-05-01") == ["Porto"]
    assert home("--valid-at", "2024-05-01", "--known-at", "2024-06-01") == ["Leeds"]
    assert home("--known-at", "2024-01-01") == []


def test_as_of_everything_is_cut_at_the_limit(acme: Run) -> None:
    every = acme("as-of", "--json").json["facts"]
    assert len(acme("as-of", "--json", "--limit", "3").json["facts"]) == 3
    typed = acme("as-of", "--json", "--no-sentences").json["facts"]
    assert typed == [fact for fact in every if fact["predicate"] != "STATES"]
    assert acme("as-of", "--json", "--no-sentences", "--limit", "2").json["facts"] == typed[:2]


def test_plans_are_read_when_asked_for(acme: Run) -> None:
    planned = acme("as-of", "Tom", "--modality", "planned", "--json").json["facts"]
    assert {fact["modality"] for fact in planned} == {"planned"}
    assert all(
        fact["modality"] == "actual" for fact in acme("as-of", "Tom", "--json").json["facts"]
    )
    both = acme("as-of", "Tom", "--modality", "any", "--json").json["facts"]
    assert {fact["modality"] for fact in both} == {"actual", "planned"}


def test_what_nothing_is_known_of_is_an_answer(acme: Run) -> None:
    found = acme("as-of", "Nobody")
    assert (found.code, found.out) == (0, "")
    assert found.err == "nothing is known of it at that point\n"
    assert acme("as-of", "Nobody", "--json").json == {"facts": []}


def test_neighbours_come_nearest_first_with_their_distance(acme: Run) -> None:
    facts = acme("neighbours", "Porto", "--hops", "2", "--no-sentences", "--json").json["facts"]
    assert [fact["distance"] for fact in facts] == sorted(fact["distance"] for fact in facts)
    near = [(f["subject"]["name"], f["predicate"]) for f in facts if f["distance"] == 1]
    assert ("Mara", "LIVES_IN") in near
    pets = [f["value"] or f["object"]["name"] for f in facts if f["predicate"] == "HAS_PET"]
    assert "Biscuit" in pets
    one = acme("neighbours", "Porto", "--no-sentences", "--fan-out", "1")
    assert one.lines[0].split() == [
        *("distance", "subject", "predicate", "value", "valid", "marks", "fact")
    ]
    assert [line.split()[0] for line in one.lines[2:]] == ["1"]
    assert acme("neighbours", "Nobody").err == "nothing is known of it at that point\n"
    assert acme("neighbours", "Porto", "--hops", "9").code == 2


def test_history_goes_through_valid_time(acme: Run) -> None:
    facts = acme("history", "Mara", "LIVES_IN", "--json").json["facts"]
    assert [(f["object"]["name"], f["valid_from"], f["valid_to"]) for f in facts] == [
        ("Leeds", "2024-01-14T10:06:16Z", "2024-03-01T00:00:00Z"),
        ("Porto", "2024-03-01T00:00:00Z", None),
    ]
    before = acme("history", "Mara", "LIVES_IN", "--known-at", "2024-06-01", "--json").json["facts"]
    assert [(f["object"]["name"], f["valid_to"]) for f in before] == [("Leeds", None)]


def test_versions_come_as_they_were_believed(acme: Run) -> None:
    found = acme("history", "Mara", "WORKS_AT", "--versions")
    assert [line.split("  ")[0] for line in found.lines[2:]] == ["Mara"] * 5
    facts = acme("history", "Mara", "WORKS_AT", "--versions", "--json").json["facts"]
    assert [f["object"]["name"] for f in facts] == [
        "Harbour Books",
        "Harbour Books",
        "Lagar Press",
        "Harbour Books",
        "Lagar Press",
    ]
    assert [f["tx_from"] for f in facts] == sorted(f["tx_from"] for f in facts)


def test_versions_and_known_at_do_not_go_together(acme: Run) -> None:
    acme("history", "Mara", "--versions", "--known-at", "2024-06-01").refused(2, "--known-at")


def test_diff_shows_both_sides(acme: Run) -> None:
    found = acme("diff", "2024-08-01", "2024-09-01", "--no-sentences", "--json").json
    assert (found["known_a"], found["known_b"]) == ("2024-08-01T00:00:00Z", "2024-09-01T00:00:00Z")
    assert "Porto" in [f["object"] and f["object"]["name"] for f in found["believed"]]
    assert "Leeds" in [f["object"] and f["object"]["name"] for f in found["no_longer"]]
    shown = acme("diff", "2024-08-01", "2024-09-01", "--no-sentences").lines
    assert f"Believed at 2024-09-01, not at 2024-08-01: {len(found['believed'])}" in shown
    assert f"Believed at 2024-08-01, no longer at 2024-09-01: {len(found['no_longer'])}" in shown


def test_diff_is_against_now_without_a_second_time(acme: Run) -> None:
    found = acme("diff", "2024-12-01", "--json").json
    assert "Nata" in [f["object"] and f["object"]["name"] for f in found["believed"]]
    assert acme("diff", "2025-01-01", "--json").json["believed"] == []


def test_why_leads_back_to_the_turns(acme: Run) -> None:
    (fact,) = acme("as-of", "Mara", "WORKS_AT", "--json").json["facts"]
    found = acme("why", fact["id"], "--json").json
    assert found["fact"] == fact
    # One sentence gave both that it began in April and that it holds.
    (episode,) = {
        episode["id"]: episode for one in found["support"] for episode in one["episodes"]
    }.values()
    assert episode["session"] == "correction"
    assert "I started at Lagar Press in April, not June." in episode["text"]
    assert sorted({one["assertion"]["text"] for one in found["corrected"]}) == [
        "I started at Lagar Press in June."
    ]
    assert found["superseded"]["object"]["name"] == "Harbour Books"
    assert found["superseded_by"] is None
    shown = acme("why", fact["id"])
    for part in ("because", "corrects", "superseded", "session correction", fact["id"]):
        assert part in shown.out


def test_why_by_subject_and_predicate(acme: Run) -> None:
    (fact,) = acme("as-of", "Mara", "WORKS_AT", "--json").json["facts"]
    assert acme("why", "Mara", "works at").out == acme("why", fact["id"]).out
    earlier = acme("why", "Mara", "WORKS_AT", "--valid-at", "2024-02-01", "--json").json
    assert earlier["fact"]["object"]["name"] == "Harbour Books"
    acme("why", "Mara", "OWNS").refused(1, "Mara OWNS")
    acme("why", "Mara", "HAS_PET").refused(2, "Biscuit", "Nata")


def test_why_of_an_unknown_fact_says_no(acme: Run) -> None:
    acme("why", "fact_unknown").refused(1, "no fact 'fact_unknown'")
    acme("why", "fact_unknown", "--json").refused(1, "no fact 'fact_unknown'")


def test_why_before_the_fact_was_believed_says_no(acme: Run) -> None:
    (fact,) = acme("as-of", "Mara", "LIVES_IN", "--json").json["facts"]
    acme("why", fact["id"], "--known-at", "2024-02-01").refused(1, "not believed")


def test_recall_ranks_facts_and_turns(acme: Run) -> None:
    question = "Which tea does Mara like?"
    found = acme("recall", question, "--limit", "3", "--json").json
    assert found["question"] == question
    assert len(found["items"]) == 3
    scores = [item["score"] for item in found["items"]]
    assert scores == sorted(scores, reverse=True)
    assert {item["kind"] for item in found["items"]} <= {"fact", "turn"}
    for item in found["items"]:
        assert (item["fact"] is None) != (item["episode"] is None)
        assert set(item["contributions"]) == set(item["signals"])
    shown = acme("recall", question, "--limit", "3")
    assert shown.lines[0].split() == ["score", "kind", "text", "when", "marks", "id"]


def test_recall_explains_each_score(acme: Run) -> None:
    shown = acme("recall", "Which tea does Mara like?", "--limit", "1", "--explain")
    assert "score" in shown.lines[0]
    assert any(" x " in line for line in shown.lines)


def test_recall_of_nothing_known_yet(acme: Run) -> None:
    found = acme("recall", "tea", "--known-at", "2023-01-01", "--json")
    assert (found.code, found.json["items"]) == (0, [])


def test_entities_by_name_and_all(acme: Run) -> None:
    (mara,) = acme("entities", "mara", "--json").json["entities"]
    assert (mara["name"], mara["type"]) == ("Mara", "person")
    assert len(acme("entities", "--limit", "4", "--json").json["entities"]) == 4
    assert "Biscuit" in acme("entities").out


def test_stats_count_what_is_there(acme: Run) -> None:
    found = acme("stats", "--json").json
    assert found["tenant"] == "acme"
    assert (found["sessions"], found["episodes"], found["transactions"]) == (6, 43, 6)
    assert found["inbox"] == {"applied": 6}
    assert found["first_tx"] == "2024-01-14T10:10:10Z"
    assert "fact versions" in acme("stats").out


@pytest.mark.parametrize("option", ["--valid-at", "--known-at"])
def test_a_time_that_cannot_be_read_is_bad_input(acme: Run, option: str) -> None:
    acme("as-of", "Mara", option, "yesterday").refused(2, "'yesterday' is not a time")
    acme("recall", "tea", option, "2024-05-01T12:00:00").refused(2, "UTC offset")


def test_a_tenant_sees_only_its_own(acme: Run) -> None:
    assert acme("as-of", "--tenant", "other", "--json").json == {"facts": []}
    assert acme("stats", "--tenant", "other", "--json").json["episodes"] == 0


def test_what_was_stored_cannot_command_the_terminal(bitempo: Run, store: Path) -> None:
    command = ("--store", str(store), "--tenant", "t")
    bitempo(*command, "assert", "esc\x1b[31mred", "SAID", "bell\x07")
    for read in (("as-of",), ("why", "esc\x1b[31mred", "SAID"), ("recall", "bell", "--explain")):
        shown = bitempo(*command, *read).out
        assert "\x1b[31m" not in shown
        assert "\x07" not in shown
    assert "esc\\x1b[31mred" in bitempo(*command, "as-of").out
