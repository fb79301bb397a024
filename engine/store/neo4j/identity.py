"""Which entities are one, and which names share words."""

from __future__ import annotations

from collections.abc import Collection

from bitempo.engine.model import Entity
from bitempo.engine.names import name_words
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j import columns
from bitempo.engine.store.neo4j.asof import believed
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import by_keys, met_by_now
from bitempo.engine.store.neo4j.nodes import quoted
from bitempo.engine.store.neo4j.times import start, until
from bitempo.engine.store.port import OneWith
from bitempo.engine.time import FOREVER, Instant, Interval

_MOST_OF_A_WORD = 20
"""So many times the limit is how many entities of one word are looked at."""


def identities(
    graph: Graph, entities: Collection[str] | None, known_at: Instant = FOREVER
) -> dict[str, str]:
    """Of every entity that is one with another and with any of these, the canonical one."""
    condition, parameters = believed("s", known_at)
    if entities is None:
        found = graph.rows(
            "MATCH (m:BitempoEntity)-[s:SAME_AS]->(c:BitempoEntity) USING INDEX s:SAME_AS(tenant) "
            f"WHERE s.tenant = $tenant AND {condition} RETURN m.id, c.id",
            **parameters,
        )
    else:
        found = graph.rows(
            f"{by_keys('n:BitempoEntity')} "
            f"OPTIONAL MATCH (n)-[s:SAME_AS]->(c:BitempoEntity) WHERE {condition} "
            "WITH DISTINCT coalesce(c, n) AS c "
            f"MATCH (m:BitempoEntity)-[s:SAME_AS]->(c) WHERE {condition} RETURN m.id, c.id",
            keys=graph.keys(entities),
            **parameters,
        )
    canonical: dict[str, str] = {row[0]: row[1] for row in found}
    return canonical | {one: one for one in canonical.values()}


def stood_for(graph: Graph, entities: Collection[str]) -> list[OneWith]:
    """Which other entities ever stood for these, and when."""
    found = graph.rows(
        "MATCH (n:BitempoEntity)-[s:SAME_AS]->(c:BitempoEntity) USING INDEX n:BitempoEntity(key) "
        "WHERE n.key IN $keys AND s.tx_from <= $state "
        f"RETURN n.id, c.id, {start('s.tx_from')}, {until('s.tx_to')} ORDER BY s.tx_from, n.id",
        keys=graph.keys(entities),
    )
    return [OneWith(entity, one, Interval(*ends)) for entity, one, *ends in found]


def sharing(graph: Graph, words: Collection[str], limit: int) -> list[Entity]:
    """Entities that have any of the words in a name: most shared first, then the oldest."""
    wanted = frozenset(words)
    found = graph.gather(
        "UNWIND $words AS word "
        "CALL (word) { CALL db.index.fulltext.queryNodes('bitempo_entity_terms', word, "
        "{limit: $most}) YIELD node RETURN node AS n } "
        f"WITH n, count(*) AS hits WHERE {met_by_now('n')} "
        "WITH n ORDER BY hits DESC, n.created_at, n.id LIMIT $most",
        columns.ENTITY,
        words=[quoted(graph.tenant, word) for word in sorted(wanted)],
        most=_MOST_OF_A_WORD * limit,
    )
    entities = [rows.entity(row, graph.state) for row in found]

    def shared(entity: Entity) -> int:
        names = (entity.name, *entity.aliases)
        return len(wanted & frozenset[str]().union(*map(name_words, names)))

    return sorted(entities, key=lambda one: (-shared(one), one.created_at, one.id))[:limit]
