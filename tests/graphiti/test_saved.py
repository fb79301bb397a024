"""Graphs saved record by record, with times of their own: what each turns into."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from graphiti_core.edges import EntityEdge, EpisodicEdge
from graphiti_core.nodes import EntityNode

from bitempo import Memory, Tenant
from bitempo.ingest.graphiti import GraphitiImport
from tests.graphiti.graph import Graph, at


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:") as memory:
        yield memory


@pytest.fixture
def pair(graph: Graph) -> tuple[EntityNode, EntityNode]:
    """Ana and Acme, saved."""
    ana, acme = graph.entity("Ana", labels=["Person"]), graph.entity("Acme")
    graph.save(ana, acme)
    return ana, acme


def held(tenant: Tenant, **known: object) -> list[tuple[datetime | None, datetime | None]]:
    """From when to when Ana's facts held, as known then."""
    return [(f.valid_from, f.valid_to) for f in tenant.history("Ana", **known)]  # type: ignore[arg-type]


def test_what_was_known_before_and_after_a_fact_expired(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    edge = graph.edge(
        pair[0],
        "WORKS_AT",
        pair[1],
        "2024-01-05",
        valid_at="2019-01-01",
        invalid_at="2024-03-01",
        expired_at="2024-03-07",
    )
    graph.save(edge)
    graph.take(memory)
    tenant = graph.tenant(memory)
    assert held(tenant, known_at="2024-01-04") == []
    assert held(tenant, known_at="2024-01-05") == [(at("2019-01-01"), None)]
    assert held(tenant, known_at="2024-03-06") == [(at("2019-01-01"), None)]
    assert held(tenant, known_at="2024-03-07") == [(at("2019-01-01"), at("2024-03-01"))]
    assert held(tenant) == [(at("2019-01-01"), at("2024-03-01"))]
    assert tenant.as_of("Ana", valid_at="2024-04-01") == []


@pytest.mark.parametrize(
    ("times", "first", "last"),
    [
        (
            {"valid_at": "2019-01-01", "invalid_at": "2020-01-01"},
            [(at("2019-01-01"), at("2020-01-01"))],
            [(at("2019-01-01"), at("2020-01-01"))],
        ),
        (
            {"valid_at": "2019-01-01", "invalid_at": "2020-01-01", "expired_at": "2024-01-05"},
            [(at("2019-01-01"), at("2020-01-01"))],
            [(at("2019-01-01"), at("2020-01-01"))],
        ),
        ({"valid_at": "2019-01-01", "expired_at": "2024-03-07"}, [(at("2019-01-01"), None)], []),
        (
            {"valid_at": "2022-01-01", "invalid_at": "2020-01-01", "expired_at": "2024-03-07"},
            [(at("2022-01-01"), None)],
            [],
        ),
        (
            {"invalid_at": "2020-01-01", "expired_at": "2024-03-07"},
            [(at("2024-01-05"), None)],
            [(None, at("2020-01-01"))],
        ),
        ({}, [(at("2024-01-05"), None)], [(at("2024-01-05"), None)]),
    ],
    ids=[
        "end-from-the-first",
        "expired-at-once",
        "withdrawn",
        "never-held",
        "ended-before",
        "undated",
    ],
)
def test_each_shape_of_times(
    graph: Graph,
    memory: Memory,
    pair: tuple[EntityNode, EntityNode],
    times: dict[str, str],
    first: object,
    last: object,
) -> None:
    graph.save(graph.edge(pair[0], "WORKS_AT", pair[1], "2024-01-05", **times))
    assert graph.take(memory).malformed == []
    tenant = graph.tenant(memory)
    assert held(tenant, known_at="2024-01-05") == first
    assert held(tenant) == last
    assert graph.take(memory).unchanged == 1


def test_an_end_does_not_end_what_else_is_said_of_the_same_two(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    as_cook = graph.edge(
        pair[0],
        "WORKS_AT",
        pair[1],
        "2024-01-05",
        fact="Ana cooks at Acme",
        valid_at="2019-01-01",
        invalid_at="2021-01-01",
        expired_at="2024-03-07",
    )
    as_host = graph.edge(
        pair[0], "WORKS_AT", pair[1], "2024-01-06", fact="Ana hosts at Acme", valid_at="2020-01-01"
    )
    graph.save(as_cook, as_host)
    graph.take(memory)
    tenant = graph.tenant(memory)
    assert held(tenant) == [(at("2019-01-01"), None)]
    (fact,) = tenant.history("Ana")
    assert {e.assertion.text for e in tenant.why(fact).support} == {
        "Ana cooks at Acme",
        "Ana hosts at Acme",
    }


def test_a_new_fact_of_the_same_two_stays_open_beside_one_that_ended_before(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    ended = graph.edge(
        pair[0],
        "WORKS_AT",
        pair[1],
        "2024-01-05",
        valid_at="2019-01-01",
        invalid_at="2021-01-01",
        expired_at="2024-03-07",
    )
    graph.save(ended)
    graph.take(memory)
    tenant = graph.tenant(memory)
    assert held(tenant) == [(at("2019-01-01"), at("2021-01-01"))]
    graph.save(
        graph.edge(pair[0], "WORKS_AT", pair[1], "2024-05-01", fact="again", valid_at="2020-06-01")
    )
    graph.take(memory)
    assert held(tenant) == [(at("2019-01-01"), None)]
    assert held(tenant, known_at="2024-04-01") == [(at("2019-01-01"), at("2021-01-01"))]
    assert graph.take(memory).unchanged == 2


def test_an_end_that_graphiti_overwrites_is_learnt_anew_and_the_old_one_stays_known(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    edge = graph.edge(
        pair[0],
        "WORKS_AT",
        pair[1],
        "2024-01-05",
        valid_at="2019-01-01",
        invalid_at="2024-03-01",
        expired_at="2024-03-07",
    )
    graph.save(edge)
    graph.take(memory)
    for end in ("2024-02-01", "2024-02-20"):
        edge.invalid_at = at(end)
        graph.save(edge)
        assert graph.take(memory).changed == 1
        assert held(graph.tenant(memory)) == [(at("2019-01-01"), at(end))]
    assert held(graph.tenant(memory), known_at="2024-03-07") == [
        (at("2019-01-01"), at("2024-03-01"))
    ]


def test_attributes_become_facts_that_follow_what_graphiti_overwrites(
    graph: Graph, memory: Memory
) -> None:
    ana = graph.entity("Ana", labels=["Person"], attributes={"job title": "cook", "age": 30})
    graph.save(ana)
    graph.take(memory)
    tenant = graph.tenant(memory)
    assert [f.answer for f in tenant.as_of("Ana", "job title")] == ["cook"]
    assert [f.answer for f in tenant.as_of("Ana", "age")] == [30]
    assert [e.type for e in tenant.entities("Ana")] == ["person"]
    later = graph.edge(ana, "KNOWS", ana, "2024-05-01")
    ana.attributes = {"job title": "chef"}
    graph.save(ana, later)
    assert graph.take(memory).entities == 1
    assert [(f.answer, f.valid_to) for f in tenant.history("Ana", "job title")] == [
        ("cook", at("2024-05-01")),
        ("chef", None),
    ]
    assert tenant.as_of("Ana", "age") == []


def test_entities_of_one_name_stay_apart(graph: Graph, memory: Memory) -> None:
    one, two, acme = graph.entity("Sam"), graph.entity("Sam"), graph.entity("Acme")
    graph.save(one, two, acme)
    graph.save(
        graph.edge(one, "WORKS_AT", acme, "2024-01-05", fact="one"),
        graph.edge(two, "WORKS_AT", acme, "2024-01-06", fact="two"),
    )
    graph.take(memory)
    tenant = graph.tenant(memory)
    assert {e.id for e in tenant.entities("Sam")} == {f"ent_{one.uuid}", f"ent_{two.uuid}"}
    assert [f.text for f in tenant.as_of(f"ent_{two.uuid}")] == ["two"]
    assert sorted(f.text for f in tenant.as_of("Sam")) == ["one", "two"]


def test_a_renamed_entity_is_found_by_both_names(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    ana, acme = pair
    graph.save(graph.edge(ana, "WORKS_AT", acme, "2024-01-05"))
    graph.take(memory)
    ana.name = "Ana Ruiz"
    graph.save(ana, graph.edge(ana, "LIKES", acme, "2024-01-06"))
    graph.take(memory)
    tenant = graph.tenant(memory)
    assert len(tenant.as_of("Ana")) == len(tenant.as_of("Ana Ruiz")) == 2


def test_times_without_an_offset_are_taken_as_utc_and_counted(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    said = graph.episode("Ana: I work at Acme.", "2024-01-05", valid_at=datetime(2024, 1, 4, 9))
    edge = graph.edge(pair[0], "WORKS_AT", pair[1], "2024-01-05", episodes=[said.uuid])
    graph.save(said, edge)
    done = graph.take(memory)
    assert done.without_offset == 1
    assert held(graph.tenant(memory)) == [(datetime.fromisoformat("2024-01-04T09:00:00Z"), None)]


MALFORMED = {
    "no fact": "MATCH ()-[e {uuid: $uuid}]->() REMOVE e.fact",
    "no created_at": "MATCH ()-[e {uuid: $uuid}]->() REMOVE e.created_at",
    "created_at is no time": "MATCH ()-[e {uuid: $uuid}]->() SET e.created_at = 5",
    "target is no Entity": "MATCH ()-[e {uuid: $uuid}]->(b) REMOVE b.uuid",
    "not after its valid_at": "MATCH ()-[e {uuid: $uuid}]->() "
    "SET e.invalid_at = datetime('1999'), e.valid_at = datetime('2000')",
}


@pytest.mark.parametrize("reason", MALFORMED)
def test_a_malformed_fact_is_named_and_left_out(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode], reason: str
) -> None:
    beta = graph.entity("Beta")
    sound = graph.edge(pair[0], "LIKES", pair[1], "2024-01-05")
    broken = graph.edge(pair[0], "WORKS_AT", beta, "2024-01-05")
    graph.save(beta, sound, broken)
    graph.query(MALFORMED[reason], uuid=broken.uuid)
    done = graph.take(memory)
    found = [one for one in done.malformed if one.place.startswith("RELATES_TO")]
    assert [one.place for one in found] == [f"RELATES_TO {broken.uuid}"]
    assert reason in found[0].reason
    assert [f.text for f in graph.tenant(memory).as_of("Ana")] == [sound.fact]


def test_odd_names_of_facts_become_predicates(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    for name in ("works at", "worksAt", "42"):
        graph.save(graph.edge(pair[0], name, pair[1], "2024-01-05", fact=name))
    graph.take(memory)
    assert {f.predicate for f in graph.tenant(memory).as_of("Ana")} == {"WORKS_AT", "RELATES_TO"}


def test_a_saga_becomes_a_session_and_communities_are_counted(graph: Graph, memory: Memory) -> None:
    told = [graph.episode(text, f"2024-01-0{n}") for n, text in enumerate(("one", "two"), 1)]
    graph.save(*told)
    graph.query(
        "CREATE (s:Saga {uuid: 'saga-' + $group, name: 'trip', group_id: $group, "
        "created_at: datetime('2024-01-01')}) WITH s MATCH (e:Episodic {group_id: $group}) "
        "CREATE (s)-[:HAS_EPISODE {uuid: e.uuid + '-in', group_id: $group}]->(e)"
    )
    graph.query(
        "CREATE (:Community {uuid: 'c-' + $group, name: 'all', group_id: $group, summary: ''})"
    )
    done = graph.take(memory)
    assert (done.sagas, done.communities) == (1, 1)
    with memory._store.read(graph.group) as reader:
        turns = reader.turns(f"saga-{graph.group}")
    assert [(turn.position, turn.text) for turn in turns] == [(0, "one"), (1, "two")]


def test_what_an_episode_mentions_is_kept(graph: Graph, memory: Memory) -> None:
    ana, said = graph.entity("Ana"), graph.episode("Ana was there.", "2024-01-05")
    mention = EpisodicEdge(
        group_id=graph.group,
        source_node_uuid=said.uuid,
        target_node_uuid=ana.uuid,
        created_at=at("2024-01-05"),
    )
    graph.save(ana, said, mention)
    graph.take(memory)
    with memory._store.read(graph.group) as reader:
        found = reader.episodes([said.uuid])[said.uuid].metadata["graphiti"]["mentions"]
    assert [(one["uuid"], one["entity"]) for one in found] == [(mention.uuid, ana.uuid)]


def test_into_a_tenant_that_holds_later_transactions_it_is_known_from_then(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    graph.save(graph.edge(pair[0], "LIVES_IN", pair[1], "2024-01-05", valid_at="2020-01-01"))
    tenant = graph.tenant(memory)
    written = tenant.assert_fact("Bo", "LIVES_IN", "Oslo")
    done: GraphitiImport = graph.take(memory)
    assert done.late == 1
    assert done.single == ("LIVES_IN",)
    (fact,) = tenant.history("Ana")
    assert written.tx is not None
    assert fact.tx_from is not None
    assert fact.tx_from > written.tx


def test_both_writers_of_facts_are_read(
    graph: Graph, memory: Memory, pair: tuple[EntityNode, EntityNode]
) -> None:
    edge: EntityEdge = graph.edge(pair[0], "LIKES", pair[1], "2024-01-05")
    edge.attributes = {"how much": "a lot"}
    graph.save(edge)
    assert "source_uuid" in graph.edges()[edge.fact].attributes
    graph.take(memory)
    with memory._store.read(graph.group) as reader:
        record = reader.episodes([f"graphiti/fact/{edge.uuid}/1"])
    (kept,) = record.values()
    assert kept.metadata["graphiti"]["fact"]["attributes"] == {"how much": "a lot"}
