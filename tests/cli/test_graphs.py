"""What the commands print that see facts as a graph."""

from __future__ import annotations

import networkx
import pytest

from tests.cli.runner import Run


def test_a_graph_is_what_networkx_reads(acme: Run) -> None:
    found = acme("graph", "Mara", "--hops", "2", "--json").json
    graph = networkx.node_link_graph(found, edges="edges")
    assert isinstance(graph, networkx.MultiDiGraph)
    assert graph.graph["tenant"] == "acme"
    facts = acme("as-of", "Mara", "--no-sentences", "--json").json["facts"]
    (mara,) = acme("entities", "Mara", "--json").json["entities"]
    about_her = {fact["id"]: fact for fact in facts}
    edges = {key: edge for _, _, key, edge in graph.out_edges(mara["id"], keys=True, data=True)}
    values = {value["fact"]: value for value in graph.nodes[mara["id"]]["values"]}
    assert edges.keys() | values.keys() == about_her.keys()
    for id, edge in (edges | values).items():
        for name in ("predicate", "text", "valid_from", "valid_to", "tx_from", "importance"):
            assert edge[name] == about_her[id][name]


def test_a_graph_is_shown_by_its_entities_those_with_most_facts_first(acme: Run) -> None:
    shown = acme("graph")
    assert shown.lines[0].split("  ")[0] == "name"
    assert shown.lines[2].startswith("Mara")
    past = acme("graph", "--valid-at", "2000-01-01", "--known-at", "2000-01-01", "--json")
    assert past.json["nodes"] == past.json["edges"] == []
    assert acme("graph", "Nobody").err == "nothing is known of it at that point\n"


@pytest.mark.parametrize("asked", [("--limit", "2"), ("--hops", "2")])
def test_a_graph_that_cannot_be_given_is_refused(acme: Run, asked: tuple[str, str]) -> None:
    acme("graph", *asked).refused(2, asked[0].strip("-") if "hops" in asked[0] else "graph_view")


def test_paths_are_the_facts_along_them(acme: Run) -> None:
    found = acme("paths", "Porto", "Biscuit", "--json").json
    assert found["whole"]
    (path,) = found["paths"]
    assert [fact["predicate"] for fact in path] == ["LIVES_IN", "HAS_PET"]
    shown = acme("paths", "Porto", "Biscuit")
    assert [line.split()[1] for line in shown.lines if "fact_" in line] == ["LIVES_IN", "HAS_PET"]


def test_where_there_is_no_path_it_is_said(acme: Run) -> None:
    assert (
        acme("paths", "Porto", "Nobody").err == "nothing leads from Porto to Nobody at that point\n"
    )
    assert acme("paths", "Porto", "porto").err == "Porto and porto are one entity\n"


def test_what_a_narrow_search_may_have_left_out_is_said(acme: Run) -> None:
    for place in ("Braga", "Espinho"):
        acme("assert", "Gaia", "NEAR", place)
    found = acme("paths", "Mara", "Gaia", "--fan-out", "1", "--json")
    assert found.json == {"paths": [], "whole": False}
    assert "there may be more" in found.err
