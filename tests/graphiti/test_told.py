"""A graph that `add_episode` has written, imported: what holds, what was known, and why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bitempo import Memory, Tenant
from bitempo.engine.time import to_datetime
from bitempo.graphiti import import_graphiti
from tests.graphiti.graph import ACME, BETA, LONDON, PARIS, ROME, TEA, Graph, add, at

TICK = timedelta(microseconds=1)


@pytest.fixture(scope="module")
def memory(told: Graph) -> Iterator[Memory]:
    with Memory.open(":memory:") as memory:
        done = import_graphiti(memory, told.server.location, group_ids=[told.group, told.other])
        assert [(one.group_id, one.tenant) for one in done] == [
            (told.group, told.group),
            (told.other, told.other),
        ]
        assert [(one.episodes, one.facts, one.malformed, one.late) for one in done] == [
            (4, 4, [], 0),
            (2, 2, [], 0),
        ]
        yield memory


@pytest.fixture(scope="module")
def ana(told: Graph, memory: Memory) -> Tenant:
    return told.tenant(memory)


def texts(tenant: Tenant, valid_at: str, **known: object) -> list[str]:
    return sorted(fact.text for fact in tenant.as_of(valid_at=valid_at, **known))  # type: ignore[arg-type]


def test_facts_hold_over_the_valid_times_that_graphiti_gives(ana: Tenant) -> None:
    found = [(fact.text, fact.valid_from, fact.valid_to) for fact in ana.history("Ana", "LIVES_IN")]
    assert found == [
        (PARIS, at("2024-01-01"), at("2024-03-01")),
        (LONDON, at("2024-03-01"), at("2024-06-01")),
        (ROME, at("2024-06-01"), None),
    ]
    assert texts(ana, "2024-02-01") == [PARIS]
    assert texts(ana, "2024-04-01") == [LONDON]
    assert texts(ana, "2024-07-01") == [TEA, ROME]


@pytest.mark.parametrize("fact", [PARIS, LONDON])
def test_an_end_is_known_from_when_it_expired(told: Graph, ana: Tenant, fact: str) -> None:
    edge = told.edges()[fact]
    assert edge.expired_at is not None
    assert edge.invalid_at is not None
    later = "2024-12-01"
    before_it = edge.created_at - TICK
    assert fact not in texts(ana, later, known_at=before_it)
    assert fact in texts(ana, later, known_at=edge.created_at)
    assert fact in texts(ana, later, known_at=edge.expired_at - TICK)
    assert fact not in texts(ana, later, known_at=edge.expired_at)
    (closed,) = [f for f in ana.history("Ana", known_at=edge.expired_at) if f.text == fact]
    assert (closed.valid_from, closed.valid_to) == (edge.valid_at, edge.invalid_at)


def test_an_undated_fact_holds_from_its_telling_and_says_so(ana: Tenant) -> None:
    (tea,) = ana.history("Ana", "LIKES")
    assert (tea.valid_from, tea.valid_to, tea.from_inferred) == (at("2024-06-10"), None, True)


def test_a_repeated_fact_has_each_telling_as_support(told: Graph, ana: Tenant) -> None:
    (tea,) = ana.history("Ana", "LIKES")
    tellings = [one.episodes[0].text for one in ana.why(tea).support]
    assert sorted(tellings) == [
        "Ana: In June I went on to Rome. I like tea.",
        "Ana: Tea again, as ever.",
    ]
    second = next(one for one in ana.why(tea).support if "again" in one.episodes[0].text)
    created = [
        row[0]
        for row in told.query(
            "MATCH (e:Episodic) WHERE e.group_id = $group AND e.content CONTAINS 'again' "
            "RETURN e.created_at"
        )
    ]
    assert [moment.to_native() for moment in created] == [second.episodes[0].recorded_at]
    assert to_datetime(second.assertion.recorded_at) == second.episodes[0].recorded_at


def test_an_episode_is_kept_with_its_source_and_times(told: Graph, ana: Tenant) -> None:
    (rome,) = [fact for fact in ana.history("Ana", "LIVES_IN") if fact.text == ROME]
    (evidence,) = ana.why(rome).support
    (episode,) = evidence.episodes
    assert episode.id in told.edges()[ROME].episodes
    assert episode.text == "Ana: In June I went on to Rome. I like tea."
    assert episode.metadata["graphiti"]["source"] == "message"
    assert episode.metadata["graphiti"]["source_description"] == "chat"
    assert ana.as_of("Ana", "LIVES_IN", valid_at="2024-07-01")[0].answer == "Rome"


def test_what_ended_a_fact_is_told_by_the_episode_that_graphiti_ended_it_by(
    told: Graph, memory: Memory, ana: Tenant
) -> None:
    (moved,) = told.edges()[LONDON].episodes
    with memory._store.read(ana.name) as reader:
        ids = reader.evidenced_by([moved], (ana.stats().last_tx or 0))[moved]
        denied = [a for a in reader.assertions(ids).values() if a.polarity == "-"]
    assert [(a.text, a.valid.from_, a.valid.to) for a in denied] == [
        (f"no longer: {PARIS}", at("2024-03-01"), None)
    ]
    assert to_datetime(denied[0].recorded_at) == told.edges()[PARIS].expired_at


def test_groups_are_tenants_that_do_not_see_each_other(told: Graph, memory: Memory) -> None:
    ana, bo = memory.tenant(told.group), memory.tenant(told.other)
    assert texts(bo, "2024-04-01") == [ACME]
    assert texts(bo, "2024-06-01") == [BETA]
    assert ana.history("Bo") == []
    assert bo.history("Ana") == []


def test_recall_finds_facts_and_turns(ana: Tenant) -> None:
    found = ana.recall("Where does Ana live?", valid_at="2024-02-01").items
    assert PARIS in [item.text for item in found if item.kind == "fact"]
    assert LONDON not in [item.text for item in found if item.kind == "fact"]
    assert "Ana: I have lived in Paris since January." in [item.text for item in found]


def test_importing_again_changes_nothing(told: Graph, memory: Memory) -> None:
    tenant = told.tenant(memory)
    before = list(tenant.export())
    done = told.take(memory)
    assert (done.episodes, done.facts, done.changed, done.entities) == (0, 0, 0, 0)
    assert done.unchanged == 4
    assert list(tenant.export()) == before


def test_a_later_import_adds_only_what_is_new(graph: Graph) -> None:
    first, second = "Bo: I have been at Acme since 2020.", "Bo: I left Acme for Beta in May."
    graph.run(lambda one: add(one, graph.group, first, "2024-02-01"))
    with Memory.open(":memory:") as memory:
        graph.take(memory)
        tenant = graph.tenant(memory)
        known = tenant.stats().last_tx
        graph.run(lambda one: add(one, graph.group, second, "2024-05-20"))
        done = graph.take(memory)
        assert (done.episodes, done.facts, done.changed, done.unchanged) == (1, 1, 1, 0)
        assert done.late == 0
        edge = graph.edges()[ACME]
        assert edge.expired_at is not None
        assert texts(tenant, "2024-06-01", known_at=edge.expired_at - TICK) == [ACME, BETA]
        assert texts(tenant, "2024-06-01", known_at=edge.expired_at) == [BETA]
        assert known is not None
        assert known < (tenant.stats().last_tx or 0)
        with Memory.open(":memory:") as fresh:
            graph.take(fresh)
            assert [(f.text, f.valid, f.believed) for f in tenant.history("Bo", versions=True)] == [
                (f.text, f.valid, f.believed)
                for f in graph.tenant(fresh).history("Bo", versions=True)
            ]


def test_an_import_that_broke_off_is_finished_by_the_next(told: Graph) -> None:
    class StoppedError(Exception):
        pass

    with Memory.open(":memory:") as whole, Memory.open(":memory:") as broken:
        told.take(whole)
        commits = 0
        write = broken._store.write

        def failing(*arguments: object) -> object:
            nonlocal commits
            commits += 1
            if commits == 4:
                raise StoppedError
            return write(*arguments)  # type: ignore[arg-type]

        broken._store.write = failing  # type: ignore[method-assign, assignment]
        with pytest.raises(StoppedError):
            told.take(broken)
        done = told.take(broken)
        assert done.late == 0
        assert list(told.tenant(broken).export()) == list(told.tenant(whole).export())
