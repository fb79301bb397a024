"""A tenant's belief written in Graphiti's shape, and read by graphiti-core's own classes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from graphiti_core.edges import EntityEdge, EpisodicEdge
from graphiti_core.nodes import EntityNode, EpisodicNode, SagaNode

from benchmarks.scripted import embed
from bitempo import ConflictError, InvalidInputError, Memory, NotFoundError, Tenant, Turn
from bitempo.graphiti import export_graphiti, import_graphiti
from bitempo.testing import FixedClock
from tests.graphiti.graph import LONDON, PARIS, ROME, Graph, add, at, tell

ACME_SAID = "Bo: I have been at Acme since 2020."


@pytest.fixture
def own(graph: Graph, memory: Memory, clock: FixedClock) -> Tenant:
    """A tenant with facts of its own: superseded, ended, undated, literal, planned, retracted."""
    tenant = graph.tenant(memory)
    tenant.append("chat", Turn("Good morning!", occurred_at=clock.now(), actor="Ana"))
    tenant.assert_fact("Ana", "LIVES_IN", "Paris", valid_from="2020-01-01", text="Paris it is")
    clock.advance(timedelta(days=1))
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2024-01-01", text="Oslo now")
    tenant.assert_fact("Ana", "STUDIES", "Law", valid_from="2010-01-01", valid_to="2015-01-01")
    tenant.assert_fact("Ana", "LIKES", "Tea")
    tenant.assert_fact("Ana", "AGE", value=34, valid_from="2024-05-01")
    tenant.assert_fact("Ana", "VISITS", "Lima", modality="planned")
    wrong = tenant.assert_fact("Ana", "OWNS", "Boat")
    tenant.retract(wrong.assertion_id)
    return tenant


def texts_of(graph: Graph) -> dict[str, EntityEdge]:
    return graph.edges()


def test_back_to_where_it_came_from_changes_nothing(told: Graph, memory: Memory) -> None:
    told.take(memory)
    before = told.state()
    done = export_graphiti(told.tenant(memory), told.server.location)
    assert (done.facts, done.closed, done.episodes, done.entities) == (4, 2, 4, 5)
    assert told.state() == before


def test_round_trip_gives_back_every_field(graph: Graph, memory: Memory) -> None:
    ana = graph.entity(
        "Ana", labels=["Person", "Friend"], summary="Ana is here.", attributes={"age": 30}
    )
    acme = graph.entity("Acme", created_at=at("2024-01-03"))
    alone = graph.entity("Alone")
    said = graph.episode(
        "Ana: I work at Acme.", "2024-01-05", valid_at=datetime(2024, 1, 4, tzinfo=UTC)
    )
    ended = graph.edge(
        ana,
        "works at",
        acme,
        "2024-01-05",
        episodes=[said.uuid, "of-an-episode-that-is-gone"],
        valid_at="2019-01-01",
        invalid_at="2024-03-01",
        expired_at="2024-03-07",
        reference_time=at("2024-01-04"),
        attributes={"tags": ["a", "b"], "since": at("2020-02-02"), "share": 0.5},
    )
    withdrawn = graph.edge(ana, "LIKES", acme, "2024-01-06", expired_at="2024-02-01")
    empty = graph.edge(
        ana, "KNOWS", acme, "2024-01-07",
        valid_at="2022-01-01", invalid_at="2021-01-01", expired_at="2024-02-01",
    )  # fmt: skip
    mention = EpisodicEdge(
        group_id=graph.group,
        source_node_uuid=said.uuid,
        target_node_uuid=alone.uuid,
        created_at=at("2024-01-05"),
    )
    graph.save(ana, acme, alone, said, ended, withdrawn, empty, mention)
    # Only the single writer of nodes leaves the list of labels out, only that of facts puts the
    # endpoints under other names; no reader of Graphiti's uses either.
    graph.query(
        "MATCH (n:Entity {group_id: $group}) SET n.labels = ['Entity'] + "
        "CASE WHEN n:Person THEN ['Friend', 'Person'] ELSE [] END"
    )
    graph.query(
        "MATCH ()-[e:RELATES_TO {group_id: $group}]->() SET e.source_node_uuid = e.source_uuid, "
        "e.target_node_uuid = e.target_uuid REMOVE e.source_uuid, e.target_uuid"
    )
    before = graph.state()
    assert graph.take(memory).malformed == []
    graph.remove()
    assert graph.state() == []
    export_graphiti(graph.tenant(memory), graph.server.location)
    assert graph.state() == before


def test_round_trip_of_what_was_told(told: Graph, memory: Memory) -> None:
    told.take(memory)
    before = told.state()
    told.remove(told.group)
    export_graphiti(told.tenant(memory), told.server.location, embed=embedded)
    assert told.state() == before


def test_graphiti_searches_what_was_exported(told: Graph, memory: Memory) -> None:
    told.take(memory)
    asked = "Ana lives in Rome, is that so?"
    before = told.run(lambda one: one.search(asked, group_ids=[told.group]))
    told.remove(told.group)
    export_graphiti(told.tenant(memory), told.server.location)
    by_words = told.run(lambda one: one.search(asked, group_ids=[told.group]))
    assert {PARIS, LONDON, ROME} <= {edge.fact for edge in by_words}
    told.remove(told.group)
    export_graphiti(told.tenant(memory), told.server.location, embed=embedded)
    after = told.run(lambda one: one.search(asked, group_ids=[told.group]))
    # Only the first is nearer than the others; the order of those is the server's.
    assert after[0].fact == before[0].fact == ROME
    assert {edge.uuid for edge in after} == {edge.uuid for edge in before}


def test_graphiti_reads_what_is_our_own(graph: Graph, own: Tenant) -> None:
    done = export_graphiti(own, graph.server.location)
    edges = graph.edges()
    assert done.facts == len(edges) == 5
    assert done.plans == 1
    paris, oslo = edges["Paris it is"], edges["Oslo now"]
    assert (paris.valid_at, paris.invalid_at) == (at("2020-01-01"), at("2024-01-01"))
    assert paris.created_at < (paris.expired_at or at("1900-01-01"))
    assert paris.expired_at == oslo.created_at
    assert (oslo.valid_at, oslo.invalid_at, oslo.expired_at) == (at("2024-01-01"), None, None)
    law = edges["Ana studies Law"]
    assert (law.invalid_at, law.expired_at) == (at("2015-01-01"), law.created_at)
    tea = edges["Ana likes Tea"]
    assert (tea.valid_at, tea.invalid_at) == (None, None)
    assert tea.reference_time == at("2025-01-02")
    nodes = {
        node.uuid: node
        for node in graph.run(lambda one: EntityNode.get_by_group_ids(one.driver, [graph.group]))
    }
    age = edges["Ana age 34"]
    assert (nodes[age.source_node_uuid].name, nodes[age.target_node_uuid].name) == ("Ana", "34")
    episodes = graph.run(lambda one: EpisodicNode.get_by_group_ids(one.driver, [graph.group]))
    said = {episode.content: episode for episode in episodes}
    assert "Ana: Good morning!" in said
    assert said["Oslo now"].entity_edges == [oslo.uuid]
    assert [e.uuid for e in episodes if e.uuid in oslo.episodes] == oslo.episodes
    mentions = graph.run(lambda one: EpisodicEdge.get_by_group_ids(one.driver, [graph.group]))
    assert {
        nodes[m.target_node_uuid].name
        for m in mentions
        if m.source_node_uuid == said["Oslo now"].uuid
    } == {"Ana", "Oslo"}
    (saga,) = graph.run(lambda one: SagaNode.get_by_group_ids(one.driver, [graph.group]))
    assert saga.name == "chat"


def test_exporting_again_changes_nothing(graph: Graph, own: Tenant) -> None:
    export_graphiti(own, graph.server.location)
    before = graph.state()
    assert export_graphiti(own, graph.server.location).expired_since == 0
    assert graph.state() == before


def test_what_is_no_longer_believed_expires_with_the_next_export(
    graph: Graph, own: Tenant, clock: FixedClock
) -> None:
    export_graphiti(own, graph.server.location)
    clock.advance(timedelta(days=30))
    (tea,) = own.history("Ana", "LIKES")
    own.retract(tea.support[0])
    own.assert_fact("Ana", "LIVES_IN", "Bern", valid_from="2025-01-15", text="Bern")
    assert export_graphiti(own, graph.server.location).expired_since == 1
    edges = graph.edges()
    assert edges["Ana likes Tea"].expired_at is not None
    assert edges["Oslo now"].invalid_at == at("2025-01-15")
    assert edges["Bern"].expired_at is None


def test_what_changed_here_changes_there(graph: Graph, memory: Memory) -> None:
    tell(graph)
    graph.take(memory)
    tenant = graph.tenant(memory)
    before = graph.edges()
    tenant.retract(episode=before[LONDON].episodes[0])
    tenant.assert_fact("Ana", "LIVES_IN", "Rome", polarity="-", valid_from="2024-09-01")
    export_graphiti(tenant, graph.server.location)
    after = graph.edges()
    paris, london, rome = after[PARIS], after[LONDON], after[ROME]
    assert (paris.invalid_at, paris.expired_at) == (None, None)
    assert london.expired_at == before[LONDON].expired_at
    assert rome.invalid_at == at("2024-09-01")
    assert rome.expired_at is not None


def test_our_own_comes_back_into_another_tenant(graph: Graph, own: Tenant, memory: Memory) -> None:
    export_graphiti(own, graph.server.location)
    (done,) = import_graphiti(
        memory, graph.server.location, group_ids=[graph.group], tenant=graph.other
    )
    assert done.malformed == []
    back = memory.tenant(graph.other)

    def shown(tenant: Tenant) -> list[object]:
        return sorted(
            (f.predicate, str(f.answer), str(f.valid), f.text) for f in tenant.history("Ana")
        )

    assert shown(back) == shown(own)
    assert [f.answer for f in back.as_of("Ana", "AGE")] == [34]
    assert {f.support[0] for f in back.history("Ana", "LIKES")} == {
        f.support[0] for f in own.history("Ana", "LIKES")
    }


def test_our_own_is_not_taken_in_twice(graph: Graph, own: Tenant, memory: Memory) -> None:
    export_graphiti(own, graph.server.location)
    before = list(own.export())
    done = graph.take(memory)
    assert (done.facts, done.changed, done.episodes, done.entities) == (0, 0, 0, 0)
    assert list(own.export()) == before


def test_both_graphs_live_in_one_database(graph: Graph, tmp_path: Path) -> None:
    graph.run(lambda one: add(one, graph.group, ACME_SAID, "2024-02-01"))
    asked = "Where does Bo work?"
    theirs = graph.run(lambda one: one.search(asked, group_ids=[graph.group]))
    state = graph.state()
    with Memory.open(graph.server.location) as memory, Memory.open(tmp_path / "m.db") as file:
        tenant = graph.tenant(memory)
        try:
            assert graph.take(memory).facts == graph.take(file).facts == 1
            # The order of entities that were made at one time is the store's.
            assert sorted(tenant.export()) == sorted(graph.tenant(file).export())
            ours = tenant.recall(asked, valid_at="2024-06-01")
            after = graph.run(lambda one: one.search(asked, group_ids=[graph.group]))
            assert [edge.model_dump() for edge in after] == [edge.model_dump() for edge in theirs]
            assert graph.state() == state
            second = "Bo: I left Acme for Beta in May."
            graph.run(lambda one: add(one, graph.group, second, "2024-05-20"))
            again = tenant.recall(asked, valid_at="2024-06-01")
            assert [i.text for i in again.items] == [i.text for i in ours.items]
            assert again.receipt == ours.receipt
        finally:
            graph.query(
                "MATCH (n) WHERE n.tenant = $group OR (n:BitempoTenant AND n.name = $group) "
                "DETACH DELETE n"
            )


def test_a_group_that_holds_it_already_is_not_robbed(told: Graph, memory: Memory) -> None:
    told.take(memory)
    before = told.state()
    with pytest.raises(ConflictError, match="in the group"):
        export_graphiti(told.tenant(memory), told.server.location, group_id="elsewhere")
    assert told.state() == before


def test_what_cannot_be_exported_is_refused_in_words(told: Graph, memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="holds nothing"):
        export_graphiti(memory.tenant("nobody"), told.server.location)
    tenant = memory.tenant("not a group")
    tenant.assert_fact("Ana", "LIKES", "Tea")
    with pytest.raises(InvalidInputError, match="cannot be a group id"):
        export_graphiti(tenant, told.server.location)


def embedded(texts: list[str]) -> list[list[float]]:
    return [embed(text) for text in texts]
