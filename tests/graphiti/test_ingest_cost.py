"""The benchmark of what ingest costs: all get the same facts, what they ask is counted."""

from __future__ import annotations

import asyncio
import json
from itertools import permutations

import pytest

from benchmarks import ingest_cost
from benchmarks.episodes import EpisodeSet, episode_sets, script_of
from benchmarks.ingest_cost import Cost, ratios, rows, run
from benchmarks.script import reply_to
from bitempo.testing import Call
from tests.servers.running import Neo4jServer

SETS = {one.name: one for one in episode_sets()}
ONE = SETS["one fact, dated"]
UPDATE = SETS["an update that ends an earlier fact"]
AGAIN = SETS["the same five facts again"]


def costs(server: str | None, without: set[str], *sets: EpisodeSet) -> dict[tuple[str, str], Cost]:
    found = asyncio.run(run(server, without, sets, 1))
    assert len(rows(found)) == len(found)
    return {(cost.system, cost.episodes): cost for cost in found}


def test_the_episodes_tell_what_their_names_say() -> None:
    assert [one.facts for one in SETS.values()] == [1, 5, 30, 1, 5, 30, 1, 5]
    assert all(sum(len(said.facts) for said in one.known) == 5 for one in SETS.values())
    texts = list(script_of(list(SETS.values())).episodes)
    # Else the model would find in one turn what another tells.
    assert not any(one in other for one, other in permutations(texts, 2))
    dated = [one for name, one in SETS.items() if name.endswith(" dated")]
    assert all(told.valid_at for one in dated for said in one.told for told in said.facts)


def test_bitempo_asks_once_for_an_episode_and_never_for_the_same_again() -> None:
    found = costs(None, {"mem0", "neo4j", "graphiti"}, UPDATE, AGAIN)
    update, again = found.values()
    assert (update.asked["calls"], update.facts, update.ended) == (1, 1, 1)
    assert update.asked["prompt_tokens"] > update.asked["schema_tokens"] > 0
    assert update.asked["completion_tokens"] > 0
    assert (again.asked["calls"], again.tokens, again.facts, again.ended) == (0, 0, 0, 0)
    assert [ratio["calls"] for ratio in ratios([update, again])] == [1, None]


def test_graphiti_and_bitempo_keep_the_same_on_a_server_and_leave_nothing(
    server: Neo4jServer,
) -> None:
    before = nodes(server)
    found = costs(server.location, {"mem0"}, ONE, UPDATE)
    kept = {(cost.facts, cost.ended) for (_, name), cost in found.items() if name == ONE.name}
    assert kept == {(1, 0)}
    kept = {(cost.facts, cost.ended) for (_, name), cost in found.items() if name == UPDATE.name}
    assert kept == {(1, 1)}
    calls = {system: cost.asked["calls"] for (system, _), cost in found.items()}
    assert calls == {"bitempo, SQLite": 1, "bitempo, Neo4j": 1, "Graphiti, Neo4j": 3}
    assert nodes(server) == before


def nodes(server: Neo4jServer) -> int:
    """How many nodes there are of owners that the benchmark made."""
    with server.driver() as driver:
        found = driver.execute_query(
            "MATCH (n) WHERE any(owner IN [n.tenant, n.group_id, n.name] "
            "WHERE owner STARTS WITH 'cost-') RETURN count(n)"
        )
    return int(found.records[0][0])


def test_mem0_is_told_what_it_does_not_show_as_known() -> None:
    known = [{"id": "0", "text": "Ana lives in Lima (since 02 January 2024)"}]
    turns = "".join(f"user: {said.text}\n" for said in AGAIN.told)
    prompt = (
        f"## Summary\n\n\n## Existing Memories\n{json.dumps(known)}\n\n## New Messages\n{turns}"
        "\n\n## Observation Date\n2024-06-01"
    )
    call = Call(1, "/v1", {}, {"messages": [{"role": "user", "content": prompt}]})
    reply = reply_to(call, script_of([AGAIN]))
    assert isinstance(reply, dict)
    assert [memory["text"].partition(" (")[0] for memory in reply["memory"]] == [
        "Ana works at Acme",
        "Ana likes sushi",
        "Ana likes rain",
        "Ana likes tea",
    ]


def test_what_is_not_installed_is_named_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ingest_cost, "find_spec", lambda name: None if name == "mem0" else name)
    with pytest.raises(SystemExit):
        ingest_cost.main([])
    said = " ".join(capsys.readouterr().err.split())
    assert (
        "mem0 is not installed: pip install 'bitempo[compare]', or leave it out by --without mem0"
        in said
    )
