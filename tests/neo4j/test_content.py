"""Whatever text, names, times and sizes come: they are kept as they are, and found again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import neo4j
import pytest

from bitempo import EntityRef, Memory, SourceSession, Statement, Tenant, Turn
from bitempo.engine.store.port import Corpus
from bitempo.engine.time import parse_instant
from tests.conformance.telling import fresh
from tests.conformance.test_tenants import everything
from tests.servers.running import Neo4jServer

START = parse_instant("2024-01-01")
MINUTE = 60_000_000
TURNS = 5_000
"""More than two batches of what is sent at once."""


def conversation(id: str, *said: str) -> SourceSession:
    turns = [
        Turn(text, ("Ana", "Bo")[n % 2], START + n * MINUTE, id=f"{id}-{n}")
        for n, text in enumerate(said)
    ]
    return SourceSession(id, START, tuple(turns))


def turns_found(tenant: Tenant, question: str) -> set[str]:
    return {item.id for item in tenant.recall(question).items if item.kind == "turn"}


@pytest.mark.parametrize(
    "question",
    [
        "lighthouse",
        "where? is! the (lighthouse)",
        'the "lighthouse" AND',
        "lighthouse OR NOT",
        "+lighthouse -harbour",
        "lighthouse^9 ~harbour~2",
        "text:lighthouse [a TO b] {c}",
        "lighthouse\\",
        '\\lighthouse && || / "',
        "lighthouse*",
        "_lighthouse_",
        "LIGHTHOUSE\n\t\0",
        "lighthouse " + "and so on " * 400,
    ],
)
def test_no_character_of_a_question_is_read_as_an_operator(tenant: Tenant, question: str) -> None:
    tenant.ingest(conversation("s", "The lighthouse stands by the sea", "We went to the harbour"))
    assert "s-0" in turns_found(tenant, question)


@pytest.mark.parametrize("question", ["", "???", '"', "\\", "AND", "* OR *", "\0", "''"])
def test_a_question_of_marks_alone_finds_nothing_and_is_no_error(
    tenant: Tenant, question: str
) -> None:
    tenant.ingest(conversation("s", "The lighthouse stands by the sea"))
    assert turns_found(tenant, question) == set()


def test_another_tenants_words_are_neither_found_nor_counted(memory: Memory) -> None:
    ours, theirs = fresh(memory), fresh(memory)
    ours.ingest(conversation("s", "The lighthouse stands by the sea"))
    theirs.ingest(conversation("s", "The lighthouse was sold", "The lighthouse was lit"))
    theirs.ingest(conversation("s2", "harbour"))
    with memory._store.read(ours.name) as reader:
        matches = reader.search(Corpus.TURNS, ["lighthous", "harbour"], known_at=2**60, limit=10)
    assert (list(matches.ids), dict(matches.frequencies)) == (["s-0"], {"lighthous": 1})
    assert matches.documents == 1
    mark = next(iter(ours.recall("lighthouse").items)).id
    assert mark == "s-0"
    # Not even by the mark that stands before another tenant's words.
    assert turns_found(ours, f"{theirs.name} harbour") == set()


def test_a_turn_of_a_megabyte_is_kept_and_found_by_any_word_of_it(tenant: Tenant) -> None:
    text = " ".join(f"word{number}x" for number in range(95_000)) + " lighthouse"
    assert len(text) > 1_000_000
    tenant.ingest(conversation("s", text, "short"))
    assert turns_found(tenant, "lighthouse") >= {"s-0"}
    assert turns_found(tenant, "word45678x") >= {"s-0"}
    [item] = [i for i in tenant.recall("lighthouse").items if i.id == "s-0"]
    assert item.text == text


def test_a_word_longer_than_lucene_takes_is_kept_and_found_by_its_beginning(
    tenant: Tenant,
) -> None:
    word = "x" * 200_000
    tenant.ingest(conversation("s", f"it said {word}", f"and {'y' * 40_000} then"))
    assert turns_found(tenant, word) >= {"s-0"}
    tenant.assert_fact("Ana", "SAID", value=word, text=word)
    [fact] = tenant.as_of("Ana", "SAID")
    assert (fact.value, fact.text) == (word, word)


def test_a_session_of_thousands_of_turns_goes_in_and_on(tenant: Tenant) -> None:
    said = [f"turn number {number}" for number in range(TURNS)]
    report = tenant.ingest(conversation("s", *said))
    assert (report.new_turns, tenant.stats().episodes) == (TURNS, TURNS)
    assert f"s-{TURNS - 2}" in turns_found(tenant, str(TURNS - 2))
    tenant.append("s", Turn("the last one", "Ana", START + 20_000 * MINUTE, id="last"))
    with tenant._store.read(tenant.name) as reader:
        last = reader.turns("s", 2)
        assert [turn.id for turn in last] == [f"s-{TURNS - 1}", "last"]
        near = reader.neighbours(["s-2000"], 1)
    assert sorted(near) == ["s-1999", "s-2000", "s-2001"]
    assert tenant.ingest(conversation("s", *said)).new_turns == 0


@pytest.mark.parametrize(
    "name",
    [
        "x" * 5_000,
        "\u6771\u4eac\u30bf\u30ef\u30fc" * 1_000,
        "\U0001f469\u200d\U0001f469\u200d\U0001f467 family",
        "\u0645\u0631\u064a\u0645 \u202e",
        "a\0b",
        "\ud800x",
        "`n`}) DETACH DELETE n //",
        "$tenant",
        "' OR 1=1 //",
    ],
    ids=["long", "cjk", "emoji", "rtl", "nul", "surrogate", "cypher", "parameter", "quote"],
)
def test_any_name_is_kept_and_found(tenant: Tenant, name: str) -> None:
    tenant.assert_fact(name, "LIVES_IN", name, valid_from="2024-01-01", text=name)
    [fact] = tenant.as_of(name, "LIVES_IN")
    assert fact.subject.name == fact.answer
    assert fact.subject.name == name.replace("\0", "\ufffd").replace("\ud800", "\ufffd")
    assert len(tenant.history(name, "LIVES_IN")) == 1
    assert everything(tenant)


def test_huge_ids_and_predicates_are_kept_and_found(tenant: Tenant) -> None:
    long, predicate = "\u6771" * 30_000, "P" * 30_000
    tenant.ingest(conversation(long, "hello", "again"))
    told = Statement(EntityRef("Ana", id=long), predicate, EntityRef("Bo", id=long + "y"))
    [first] = tenant.assert_facts([told], episode=long).assertion_ids
    tenant.assert_facts([replace(told, corrects=first)], episode=long + "2")
    [fact] = tenant.as_of("Ana", predicate)
    assert (fact.subject.id, fact.answer, fact.predicate) == (long, "Bo", predicate)
    [corrected] = tenant.why(fact).corrected
    assert corrected.assertion.id == first
    assert [entity.id for entity in tenant.entities()] == [long, long + "y"]
    with tenant._store.read(tenant.name) as reader:
        assert [entity.id for entity in reader.list_entities(long, None)] == [long + "y"]
        assert [turn.text for turn in reader.turns(long)] == ["hello", "again"]
    tenant.set_cardinality(predicate, "one")
    tenant.retract(episode=long + "2")
    [fact] = tenant.as_of("Ana", predicate)
    assert fact.support == (first,)


def test_a_tenant_name_of_any_kind_is_kept_apart(memory: Memory) -> None:
    names = [fresh(memory).name + tail for tail in ("", "'", "`", "}", "\u6771\u4eac", " ")]
    for name in names:
        memory.tenant(name).assert_fact("Ana", "CALLED", value=name)
    for name in names:
        [fact] = memory.tenant(name).as_of("Ana")
        assert fact.value == name


EDGES: list[dict[str, Any]] = [
    {"valid_from": "0001-01-01"},
    {"valid_from": None},
    {"valid_from": None, "valid_to": "0001-01-01T00:00:00.000001Z"},
    {"valid_from": "9999-12-31T23:59:59.999998Z", "valid_to": "9999-12-31T23:59:59.999999Z"},
    {"valid_from": "1969-12-31T23:59:59.999999Z", "valid_to": "1970-01-01"},
    {"valid_from": "2024-02-29T12:34:56.123456+05:30"},
]


@pytest.mark.parametrize("edge", EDGES, ids=str)
def test_the_edges_of_time_come_back_as_they_went_in(
    memory: Memory, tenant: Tenant, edge: dict[str, Any]
) -> None:
    with Memory.open(":memory:", clock=memory.clock) as embedded:
        beside = embedded.tenant("beside")
        for told in (tenant, beside):
            told.assert_fact("Ana", "HOLDS", "it", episode="E1", due="2025-01", **edge)
        [ours], [theirs] = tenant.history("Ana"), beside.history("Ana")
        assert ours == theirs
        assert sorted(everything(tenant)) == sorted(everything(beside))


def test_times_in_the_graph_are_native_and_keep_their_microseconds(
    server: Neo4jServer, tenant: Tenant
) -> None:
    tenant.assert_facts(
        [
            Statement(
                "Ana",
                "LIVES_IN",
                "Lima",
                valid_from="2024-02-29T12:34:56.123456Z",
                valid_to="2025-01-01",
                due="2024-05-06",
            ),
            Statement("Bo", "LIVES_IN", "Lima", valid_from=None),
        ],
        occurred_at="2024-03-01T00:00:00.000007Z",
        episode="E1",
    )
    tenant.ingest(conversation("s", "hello"))
    names = {
        "BitempoFact": ("valid_from", "valid_to", "tx_from", "tx_to", "due_from", "due_to"),
        "BitempoAssertion": ("valid_from", "valid_to", "tx_from", "tx_to", "due_from", "due_to"),
        "BitempoEpisode": ("occurred_at", "tx_from", "tx_to"),
        "BitempoSession": ("started_at", "tx_from"),
        "BitempoEntity": ("created_at",),
        "BitempoTransaction": ("tx",),
        "BitempoTenant": ("last_tx",),
        "BitempoWindow": ("received_at",),
    }
    with server.driver() as driver:
        for label, properties in names.items():
            for name in properties:
                kinds = driver.execute_query(
                    f"MATCH (n:{label}) WHERE coalesce(n.tenant, n.name) = $tenant "
                    f"AND n.{name} IS NOT NULL RETURN DISTINCT valueType(n.{name}) AS kind",
                    tenant=tenant.name,
                ).records
                assert [record["kind"] for record in kinds] == ["ZONED DATETIME NOT NULL"], name
        [fact] = driver.execute_query(
            "MATCH (f:BitempoFact {tenant: $tenant})-[:SUBJECT]->({name: 'Ana'}) RETURN f",
            tenant=tenant.name,
        ).records
        start = fact["f"]["valid_from"]
        assert isinstance(start, neo4j.time.DateTime)
        assert start.to_native() == datetime(2024, 2, 29, 12, 34, 56, 123456, UTC)
        [episode] = driver.execute_query(
            "MATCH (e:BitempoEpisode {tenant: $tenant, id: 'E1'}) RETURN e.occurred_at.microsecond",
            tenant=tenant.name,
        ).records
        assert episode[0] == 7
