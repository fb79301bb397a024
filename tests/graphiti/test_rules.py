"""Our own rules hold over what was imported: retracting, correcting, denying, deciding anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bitempo import Memory, Tenant
from tests.graphiti.graph import LONDON, PARIS, ROME, Graph, at


@pytest.fixture
def ana(told: Graph) -> Iterator[Tenant]:
    with Memory.open(":memory:") as memory:
        told.take(memory)
        yield told.tenant(memory)


def lived(tenant: Tenant) -> list[tuple[str, object, object]]:
    return [(f.text, f.valid_from, f.valid_to) for f in tenant.history("Ana", "LIVES_IN")]


def test_retracting_the_episode_that_ended_a_fact_opens_it_again(told: Graph, ana: Tenant) -> None:
    (moved,) = told.edges()[LONDON].episodes
    ana.retract(episode=moved)
    assert lived(ana) == [(PARIS, at("2024-01-01"), None), (ROME, at("2024-06-01"), None)]


def test_retracting_what_superseded_and_was_superseded_keeps_what_came_after(
    told: Graph, ana: Tenant
) -> None:
    (moved,) = told.edges()[ROME].episodes
    ana.retract(episode=moved)
    assert lived(ana) == [
        (PARIS, at("2024-01-01"), at("2024-03-01")),
        (LONDON, at("2024-03-01"), None),
    ]


def test_what_was_retracted_stays_so_when_graphiti_ends_it(graph: Graph) -> None:
    ana, paris = graph.entity("Ana"), graph.entity("Paris")
    said = graph.episode("Ana: I live in Paris.", "2024-01-10")
    edge = graph.edge(ana, "LIVES_IN", paris, "2024-01-10", episodes=[said.uuid])
    graph.save(ana, paris, said, edge)
    with Memory.open(":memory:") as memory:
        graph.take(memory)
        tenant = graph.tenant(memory)
        tenant.retract(f"{said.uuid}#{edge.uuid}")
        edge.invalid_at, edge.expired_at = at("2024-03-01"), at("2024-03-05")
        graph.save(edge)
        assert graph.take(memory).changed == 1
        assert tenant.history("Ana") == []
        assert graph.take(memory).changed == 0


def test_a_correction_replaces_an_imported_claim(told: Graph, ana: Tenant) -> None:
    edge = told.edges()[ROME]
    claim = f"{edge.episodes[0]}#{edge.uuid}"
    ana.assert_fact("Ana", "LIVES_IN", "Milan", valid_from="2024-06-01", corrects=claim)
    assert [
        (f.answer, f.valid_to) for f in ana.as_of("Ana", "LIVES_IN", valid_at="2024-07-01")
    ] == [("Milan", None)]


def test_a_denial_ends_an_imported_fact(ana: Tenant) -> None:
    ana.assert_fact("Ana", "LIVES_IN", "Rome", polarity="-", valid_from="2024-09-01")
    assert lived(ana)[-1] == (ROME, at("2024-06-01"), at("2024-09-01"))


def test_predicates_hold_many_values_until_it_is_decided_otherwise(
    told: Graph, ana: Tenant
) -> None:
    ana.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-10-01")
    assert lived(ana)[2] == (ROME, at("2024-06-01"), None)
    ana.set_cardinality("LIVES_IN", "one")
    assert lived(ana)[2] == (ROME, at("2024-06-01"), at("2024-10-01"))
    assert told.take(ana._memory).single == ()
