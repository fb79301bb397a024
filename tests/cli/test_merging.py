"""The commands that say which entities are one: merge, unmerge, merges."""

from __future__ import annotations

import pytest

from tests.cli.runner import Run


@pytest.fixture
def people(empty: Run) -> Run:
    """A tenant that knows Melanie in Lima, and Mel who plays go."""
    empty("assert", "Melanie", "LIVES_IN", "Lima", "--from", "2023")
    empty("assert", "Mel", "PLAYS", "go", "--from", "2024")
    return empty


def test_merged_entities_have_their_facts_together_until_they_are_unmerged(people: Run) -> None:
    merged = people("merge", "Mel", "Melanie", "--reason", "she signs so", "--json").json
    assert len(merged["assertions"]) == 1
    facts = people("as-of", "Mel", "--json").json["facts"]
    assert {(f["subject"]["name"], f["predicate"]) for f in facts} == {
        ("Melanie", "LIVES_IN"),
        ("Melanie", "PLAYS"),
        ("Mel", "SAME_AS"),
    }
    unmerged = people("unmerge", "Melanie", "Mel", "--json").json
    assert unmerged["retracted"] == merged["assertions"]
    facts = people("as-of", "Mel", "--json").json["facts"]
    assert [(f["subject"]["name"], f["predicate"]) for f in facts] == [("Mel", "PLAYS")]


def test_merges_are_listed_with_their_reason(people: Run) -> None:
    assert people("merges", "--json").json == {"merges": []}
    people("merge", "Mel", "Melanie", "--reason", "she signs so")
    (merge,) = people("merges", "--json").json["merges"]
    assert [merge[end]["name"] for end in ("entity", "into", "canonical")] == [
        "Mel",
        "Melanie",
        "Melanie",
    ]
    assert merge["reason"] == "Mel is the same as Melanie: she signs so"
    assert "she signs so" in people("merges").out
    assert people("merges", "--known-at", "2001-01-01", "--json").json == {"merges": []}


def test_why_shows_the_merge(people: Run) -> None:
    people("merge", "Mel", "Melanie")
    assert "merged by" in people("why", "Melanie", "PLAYS").out


def test_what_cannot_be_merged_is_refused(people: Run) -> None:
    people("merge", "Mel", "Nobody").refused(1, "Nobody")
    people("merge", "Mel", "mel").refused(2, "itself")
    people("unmerge", "Mel", "Melanie").refused(1, "not merged")
