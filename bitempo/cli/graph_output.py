"""How the command line gives a graph (node-link JSON, or a table of its nodes) and its paths."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from bitempo.cli import tables
from bitempo.cli.shapes import Shape, fact, time
from bitempo.engine.time import from_datetime
from bitempo.query.paths import Paths

if TYPE_CHECKING:
    from networkx import MultiDiGraph


def shape(graph: MultiDiGraph) -> Shape:
    """The graph in the node-link form that networkx reads (`node_link_graph`)."""
    return {
        "directed": True,
        "multigraph": True,
        "graph": _plain(graph.graph),
        "nodes": [
            {
                "id": id,
                "name": node["name"],
                "type": node["type"],
                "values": [_plain(value) for value in node["values"]],
            }
            for id, node in graph.nodes(data=True)
        ],
        "edges": [
            {"source": source, "target": target, "key": key, **_plain(edge)}
            for source, target, key, edge in graph.edges(keys=True, data=True)
        ],
    }


def table(graph: MultiDiGraph) -> Table:
    """One row an entity, those with most facts first, and how many facts of which kind it has."""
    found = sorted(
        graph.nodes(data=True),
        key=lambda one: (-graph.degree(one[0]) - len(one[1]["values"]), one[1]["name"], one[0]),
    )
    columns = {
        "name": [node["name"] for _, node in found],
        "type": [node["type"] for _, node in found],
        "facts": [str(graph.out_degree(id) + len(node["values"])) for id, node in found],
        "with a value": [str(len(node["values"])) for _, node in found],
        "facts about it": [str(graph.in_degree(id)) for id, _ in found],
        "entity": [id for id, _ in found],
    }
    return tables.table(columns, whole=["entity"])


def paths_shape(found: Paths) -> Shape:
    """Each path as the facts along it."""
    return {"paths": [[fact(one) for one in path] for path in found], "whole": found.whole}


def show_paths(console: Console, found: Paths) -> None:
    """A table for each path."""
    for path in found:
        if path:
            console.print(tables.facts(path, width=console.width))


def _plain(attributes: dict[str, Any]) -> Shape:
    return {
        name: time(from_datetime(one)) if isinstance(one, datetime) else one
        for name, one in attributes.items()
    }
