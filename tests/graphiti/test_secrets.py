"""What an import takes from a Graphiti graph comes without its secrets."""

from __future__ import annotations

from bitempo import NO_REDACTION, Memory
from tests.graphiti.graph import Graph


def save_secrets(graph: Graph) -> None:
    ana, lima = graph.entity("Ana"), graph.entity("Lima")
    ana.summary = "Ana's password is hunter2."
    ana.attributes = {"api_key": "ab12cd34ef56"}
    said = graph.episode("Ana: my password is hunter2. I live in Lima.", "2024-01-10")
    edge = graph.edge(ana, "LIVES_IN", lima, "2024-01-10", episodes=[said.uuid])
    edge.fact = "Ana lives in Lima and her PIN is 4821"
    graph.save(ana, lima, said, edge)


def test_an_import_takes_no_secret_and_counts_them(graph: Graph) -> None:
    save_secrets(graph)
    with Memory.open(":memory:") as memory:
        report = graph.take(memory)
        held = "\n".join(graph.tenant(memory).export())
        assert report.redacted == {"password": 2, "pin": 1, "secret": 1}
        for secret in ("hunter2", "ab12cd34ef56", "4821"):
            assert secret not in held
        assert [fact.answer for fact in graph.tenant(memory).as_of(predicate="LIVES_IN")] == [
            "Lima"
        ]
        again = graph.take(memory)
        assert (again.episodes, again.facts, again.changed, again.entities) == (0, 0, 0, 0)


def test_an_import_into_a_memory_without_redaction_takes_all(graph: Graph) -> None:
    save_secrets(graph)
    with Memory.open(":memory:", redactor=NO_REDACTION) as memory:
        assert graph.take(memory).redacted == {}
        assert "hunter2" in "\n".join(graph.tenant(memory).export())
