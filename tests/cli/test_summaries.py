"""What the commands print that compute from intervals."""

from __future__ import annotations

from tests.cli.runner import Run


def test_a_count_and_its_facts(acme: Run) -> None:
    found = acme("count", "Mara", "WORKS_AT", "--json").json
    assert (found["number"], found["values"]) == (2, 2)
    assert [f["object"]["name"] for f in found["facts"]] == ["Harbour Books", "Lagar Press"]
    assert found["sources"]
    lines = acme("count", "Mara", "WORKS_AT", "--to", "2024-02").lines
    assert lines[0] == "1 fact; 1 value"
    assert "Harbour Books" in lines[3]
    assert acme("count", "Mara", "WORKS_AT", "lagar press", "--json").json["number"] == 1
    acme("count", "Mara", "WORKS_AT", "--from", "2024", "--to", "2023").refused(2, "must end after")


def test_the_first_and_the_last(acme: Run) -> None:
    first = acme("first", "Mara", "WORKS_AT", "--json").json
    assert first["fact"]["object"]["name"] == "Harbour Books"
    assert first["facts"] == [first["fact"]]
    later = acme("first", "Mara", "WORKS_AT", "--from", "2024-05", "--json").json
    assert (later["fact"]["object"]["name"], later["sure"]) == ("Lagar Press", True)
    assert "Lagar Press" in acme("last", "Mara", "WORKS_AT").out
    nothing = acme("first", "Mara", "OWNS", "--json")
    assert (nothing.json["fact"], nothing.err) == (None, "nothing is known of it at that time\n")


def test_how_long_it_held(acme: Run) -> None:
    asked = ("how-long", "Mara", "LIVES_IN", "Porto")
    found = acme(*asked, "--valid-at", "2024-03-11", "--json").json
    assert found["held"] == 10 * 86_400
    assert found["at_least"] < found["held"] == found["at_most"]
    assert found["until"] == "2024-03-11T00:00:00Z"
    shown = acme(*asked, "--valid-at", "2024-03-11")
    assert shown.lines[0] == "10 days, at least 9 days, at most 10 days"
    assert acme("how-long", "Mara", "LIVES_IN", "Oslo").lines == ["0:00:00"]
    undated = acme("how-long", "Mara", "LIVES_IN", "Leeds", "--json").json
    assert undated["at_most"] is None
