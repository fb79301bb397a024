"""Several tenants in one Graphiti database: what has the same id in each stays apart there."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo import Memory, Tenant, Turn
from bitempo.graphiti import export_graphiti, import_graphiti
from bitempo.ingest.graphiti import GraphitiImport
from bitempo.ingest.graphiti.scope import id_of, into_group, out_of_group, own
from bitempo.testing import FixedClock
from tests.graphiti.graph import Graph, add

UNSCOPED = (
    "MATCH (n) WHERE n.group_id = $group SET n.uuid = split(n.uuid, '@' + $group)[0]",
    "MATCH ()-[e]->() WHERE e.group_id = $group SET e.uuid = split(e.uuid, '@' + $group)[0]",
    "MATCH ()-[e:HAS_EPISODE|NEXT_EPISODE]->() WHERE e.group_id = $group "
    "SET e.uuid = startNode(e).uuid + '/' + endNode(e).uuid",
    "MATCH ()-[e:RELATES_TO]->() WHERE e.group_id = $group "
    "SET e.source_node_uuid = startNode(e).uuid, e.target_node_uuid = endNode(e).uuid, "
    "e.episodes = [uuid IN e.episodes | split(uuid, '@' + $group)[0]]",
    "MATCH (n:Episodic) WHERE n.group_id = $group "
    "SET n.entity_edges = [uuid IN n.entity_edges | split(uuid, '@' + $group)[0]]",
    "MATCH (s:Saga) WHERE s.group_id = $group SET "
    "s.first_episode_uuid = split(s.first_episode_uuid, '@' + $group)[0], "
    "s.last_episode_uuid = split(s.last_episode_uuid, '@' + $group)[0]",
)
"""Make of what this version wrote what an earlier one did."""

GROUPS = st.text("abc-_12", max_size=8)


@pytest.fixture
def pair(graph: Graph, memory: Memory, clock: FixedClock) -> tuple[Tenant, Tenant]:
    """Two tenants which give the same ids to different things, and the same names to people."""
    one, two = memory.tenant(graph.group), memory.tenant(graph.other)
    for tenant, city in ((one, "Paris"), (two, "Oslo")):
        for n, text in enumerate((f"Hello from {city}!", "Bye.")):
            tenant.append("chat", Turn(text, actor="Ana", occurred_at=clock.now(), id=f"turn-{n}"))
        tenant.assert_fact("Ana", "LIVES_IN", city, episode="home", valid_from="2020-01-01")
        tenant.assert_fact("Ana", "AGE", value=34, episode="age", text=f"34 in {city}")
        clock.advance(timedelta(days=1))
    return one, two


def shown(tenant: Tenant) -> list[object]:
    """What the tenant knows that an export keeps, with the ids that it has here."""
    facts = [
        (f.subject.id, f.predicate, str(f.answer), f.text, f.valid_from, f.valid_to, f.support)
        for f in tenant.history("Ana")
    ]
    with tenant._store.read(tenant.name) as reader:
        # A speaker becomes the beginning of the text.
        turns = [(t.id, t.position, t.text.removeprefix("Ana: ")) for t in reader.turns("chat")]
    return [sorted(facts, key=str), turns]


def take(graph: Graph, memory: Memory, group: str, tenant: str) -> GraphitiImport:
    (done,) = import_graphiti(memory, graph.server.location, group_ids=[group], tenant=tenant)
    assert done.malformed == []
    return done


def count(graph: Graph, group: str) -> list[int]:
    """How many nodes and relationships a group has."""
    ((nodes,),) = graph.query("MATCH (n) WHERE n.group_id = $of RETURN count(n)", of=group)
    ((edges,),) = graph.query("MATCH ()-[e]->() WHERE e.group_id = $of RETURN count(e)", of=group)
    return [nodes, edges]


@given(id=st.text(), group=GROUPS)
def test_a_uuid_of_ours_goes_into_a_group_and_comes_back(id: str, group: str) -> None:
    there = into_group(own(id), group)
    assert there == f"{id}@{group}"
    assert out_of_group(there, group) == own(id)
    assert id_of(own(id)) == id


@given(id=st.text(), groups=st.lists(GROUPS, min_size=2, max_size=2, unique=True))
def test_one_id_in_two_groups_is_two_uuids_that_neither_takes_for_the_others(
    id: str, groups: list[str]
) -> None:
    here, there = groups
    assert into_group(own(id), here) != into_group(own(id), there)
    assert out_of_group(into_group(own(id), here), there) == into_group(own(id), here)


@given(uuid=st.uuids().map(str), group=GROUPS)
def test_a_uuid_of_graphiti_is_the_same_everywhere(uuid: str, group: str) -> None:
    assert into_group(uuid, group) == out_of_group(uuid, group) == id_of(uuid) == uuid


def test_tenants_of_the_same_names_and_ids_go_into_one_database(
    graph: Graph, pair: tuple[Tenant, Tenant]
) -> None:
    for tenant in pair:
        export_graphiti(tenant, graph.server.location)
    before = graph.state()
    for tenant in pair:
        assert export_graphiti(tenant, graph.server.location).expired_since == 0
    assert graph.state() == before
    assert count(graph, graph.group) == count(graph, graph.other)
    with Memory.open(":memory:") as fresh:
        for tenant in pair:
            take(graph, fresh, tenant.name, tenant.name)
            assert shown(fresh.tenant(tenant.name)) == shown(tenant)


def test_what_was_taken_from_an_export_goes_back_without_doubling(
    graph: Graph, memory: Memory, pair: tuple[Tenant, Tenant]
) -> None:
    one, _ = pair
    export_graphiti(one, graph.server.location)
    before = graph.state()
    take(graph, memory, graph.group, "reader")
    reader = memory.tenant("reader")
    assert shown(reader) == shown(one)
    export_graphiti(reader, graph.server.location, group_id=graph.group)
    assert graph.state() == before
    again = take(graph, memory, graph.group, "reader")
    assert (again.episodes, again.facts, again.changed, again.entities) == (0, 0, 0, 0)


def test_what_was_taken_from_an_export_goes_into_another_group_beside_it(
    graph: Graph, memory: Memory, pair: tuple[Tenant, Tenant]
) -> None:
    one, _ = pair
    export_graphiti(one, graph.server.location)
    take(graph, memory, graph.group, "reader")
    reader = memory.tenant("reader")
    reader.assert_fact("Ana", "LIKES", "Tea", episode="tea")
    export_graphiti(reader, graph.server.location, group_id=graph.other)
    take(graph, memory, graph.other, "last")
    assert shown(memory.tenant("last")) == shown(reader)
    again = take(graph, memory, graph.other, "reader")
    assert (again.episodes, again.facts, again.changed, again.entities) == (0, 0, 0, 0)


def test_our_own_evidence_of_a_fact_of_graphiti_is_found_in_the_group(
    graph: Graph, memory: Memory
) -> None:
    said = "Bo: I have been at Acme since 2020."
    graph.run(lambda one: add(one, graph.group, said, "2024-02-01"))
    graph.take(memory)
    tenant = graph.tenant(memory)
    tenant.assert_fact("Bo", "WORKS_AT", "Acme", valid_from="2020-01-01", episode="badge")
    export_graphiti(tenant, graph.server.location)
    (edge,) = graph.edges().values()
    assert edge.episodes[1:] == [f"badge@{graph.group}"]
    names = graph.query(
        "MATCH (e:Episodic)-[:MENTIONS]->(n:Entity) WHERE e.uuid = $uuid AND n.group_id = $group "
        "RETURN n.name ORDER BY n.name",
        uuid=edge.episodes[1],
    )
    assert names == [["Acme"], ["Bo"]]


def test_an_export_of_an_earlier_version_is_taken_and_brought_up_to_date(
    graph: Graph, memory: Memory, pair: tuple[Tenant, Tenant]
) -> None:
    one, _ = pair
    export_graphiti(one, graph.server.location)
    now, size = graph.state(), count(graph, graph.group)
    for statement in UNSCOPED:
        graph.query(statement)
    assert not any(f"@{graph.group}" in line for line in graph.state())
    take(graph, memory, graph.group, "reader")
    reader = memory.tenant("reader")
    assert shown(reader) == shown(one)
    earlier = graph.state()
    export_graphiti(reader, graph.server.location, group_id=graph.group)
    assert graph.state() == earlier
    own_again = take(graph, memory, graph.group, graph.group)
    assert (own_again.episodes, own_again.facts, own_again.entities) == (0, 0, 0)
    export_graphiti(one, graph.server.location)
    assert count(graph, graph.group) == size
    assert without_links(graph.state()) == without_links(now)
    take(graph, memory, graph.group, "reader")
    assert shown(reader) == shown(one)


def without_links(state: list[str]) -> list[str]:
    """The state but for the links of a saga, which have uuids of their own."""
    return [line for line in state if "_EPISODE'" not in line.split(",")[0]]


def test_what_goes_on_after_a_taken_fact_is_a_fact_beside_it(graph: Graph, memory: Memory) -> None:
    one = graph.tenant(memory)
    one.assert_fact("Ana", "SPEAKS", "Thai", valid_from="2010-01-01", valid_to="2015-01-01")
    export_graphiti(one, graph.server.location)
    take(graph, memory, graph.group, "reader")
    reader = memory.tenant("reader")
    reader.assert_fact("Ana", "SPEAKS", "Thai", valid_from="2014-01-01")
    export_graphiti(reader, graph.server.location, group_id=graph.group)
    ends = graph.query(
        "MATCH ()-[e:RELATES_TO {group_id: $group}]->() RETURN e.invalid_at IS NULL ORDER BY 1"
    )
    assert ends == [[False], [True]]
    assert take(graph, memory, graph.group, "last").facts == 2
