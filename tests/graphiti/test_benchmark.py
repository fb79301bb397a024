"""The benchmark beside Graphiti gives both sides the same to do, counts it all, and cleans up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from benchmarks.sides import Measured, Sides
from benchmarks.told import conversation, ended, questions
from bitempo.engine.store.neo4j.address import Options, read_location
from tests.servers.running import Neo4jServer

EPISODES = 6


def test_a_conversation_is_the_same_in_every_run_and_ends_what_it_says() -> None:
    said = conversation(25, 5, dated=True)
    assert said == conversation(25, 5, dated=True)
    assert [len(one.facts) for one in said] == [5] * 25
    # Five people with five visits each: all but the first visit ends two facts.
    assert ended(said) == 5 * 4 * 2
    told = [fact.fact for one in said for fact in one.facts]
    assert all(fact.contradicts[0] in told for one in said[5:] for fact in one.facts[:2])
    assert len({one.text for one in said}) == 25


def test_both_keep_the_same_facts_and_nothing_of_them_stays(server: Neo4jServer) -> None:
    address, _ = read_location(server.location, Options())
    said = conversation(EPISODES, 1, dated=True)
    assert ended(said) == 2

    async def work() -> tuple[str, tuple[Mapping[str, int], Mapping[str, int]]]:
        sides = Sides(address, said)
        try:
            await sides.open()
            adding, asking = (Measured(), Measured()), (Measured(), Measured())
            for number, one in enumerate(said):
                await sides.add(adding, one, number)
            found = await sides.ask(asking, questions(said)[0])
            assert min(found) > 0
            kept = await sides.kept()
        finally:
            await sides.close()
        assert [count.model for count in adding[1].counts] == [1] * EPISODES
        assert all(count.model >= 2 for count in adding[0].counts)
        assert all(count.statements > 0 for side in (*adding, *asking) for count in side.counts)
        return sides.name, kept

    name, kept = asyncio.run(work())
    assert kept == ({"facts": EPISODES, "ended": 2}, {"facts": EPISODES, "ended": 2})
    with server.driver() as driver:
        left = driver.execute_query(
            "MATCH (n) WHERE n.tenant = $name OR n.group_id = $name OR n.name = $name "
            "RETURN count(n)",
            name=name,
        )
    assert left.records[0][0] == 0
