"""What the commands print that are about intervals."""

from __future__ import annotations

from tests.cli.runner import Run


def test_when_gives_both_ends_with_what_they_come_from(acme: Run) -> None:
    leeds, porto = acme("when", "Mara", "LIVES_IN", "--json").json["intervals"]
    assert leeds["fact"]["object"]["name"] == "Leeds"
    assert leeds["start"] == {
        "at": "2024-01-14T10:06:16Z",
        "earliest": None,
        "latest": "2024-01-14T10:06:16Z",
        "granularity": "unknown",
        "origin": "inferred",
    }
    assert leeds["end"] == {**porto["start"], "origin": "superseded"}
    assert (porto["start"]["origin"], porto["start"]["granularity"]) == ("stated", "day")
    assert (porto["end"]["at"], porto["end"]["origin"]) == (None, "open")
    assert acme("when", porto["fact"]["id"], "--json").json["intervals"] == [porto]
    only = acme("when", "Mara", "LIVES_IN", "porto", "--json").json["intervals"]
    assert only == [porto]
    shown = acme("when", "Mara", "LIVES_IN")
    assert "superseded (day)" in shown.lines[2]
    assert acme("when", "Nobody").err == "nothing is known of it at that time\n"
    acme("when", "fact_" + "0" * 24).refused(1, "no fact")


def test_facts_are_found_by_how_they_lie_to_another(acme: Run) -> None:
    leeds, porto = (
        one["fact"]["id"] for one in acme("when", "Mara", "LIVES_IN", "--json").json["intervals"]
    )
    assert acme("relation", leeds, porto).out == "meets\n"
    found = acme("relation", porto, leeds, "--json").json
    assert found == {"relation": "met_by", "converse": "meets"}
    lived = ("--predicate", "LIVES_IN", "--json")
    assert [f["id"] for f in acme("related", porto, "before", "meets", *lived).json["facts"]] == [
        leeds
    ]
    assert leeds in acme("related", porto, "meets").out
    assert acme("related", porto, "equals", "--subject", "Nobody").err == "no fact lies so to it\n"
    acme("related", porto, "within").refused(2, "'within'", "'during'")
