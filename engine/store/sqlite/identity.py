"""Which entities are one, and which names share words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import apsw

from bitempo.engine.model import Entity
from bitempo.engine.store import rows
from bitempo.engine.store.port import OneWith
from bitempo.engine.store.sqlite import columns
from bitempo.engine.store.sqlite.asof import believed
from bitempo.engine.time import FOREVER, Instant, Interval

_MOST_OF_A_WORD = 20
"""So many times the limit is how many entities of one word are looked at: the oldest."""


def identities(
    connection: apsw.Connection,
    tenant: int,
    entities: Collection[str] | None,
    known_at: Instant = FOREVER - 1,
) -> dict[str, str]:
    """Of every entity that is one with another and with any of these, the canonical one."""
    condition, parameters = believed("i", known_at)
    group = ""
    if entities is not None:
        if not entities:
            return {}
        group = (
            "AND i.canonical IN (SELECT value FROM json_each(:entities) UNION "
            "SELECT i.canonical FROM identity i WHERE i.tenant = :tenant "
            f"AND i.entity IN (SELECT value FROM json_each(:entities)) AND {condition})"
        )
        parameters["entities"] = columns.json_list(entities)  # type: ignore[assignment]
    found = connection.execute(
        f"SELECT i.entity, i.canonical FROM identity i WHERE i.tenant = :tenant {group} "
        f"AND {condition}",
        {**parameters, "tenant": tenant},
    )
    canonical: dict[str, str] = dict(columns.stream(found))
    return canonical | {one: one for one in canonical.values()}


def stood_for(connection: apsw.Connection, tenant: int, entities: Collection[str]) -> list[OneWith]:
    """Which other entities ever stood for these, and when."""
    found = connection.execute(
        "SELECT entity, canonical, tx_from, tx_to FROM identity WHERE tenant = ? "
        "AND entity IN (SELECT value FROM json_each(?)) ORDER BY tx_from, entity",
        (tenant, columns.json_list(entities)),
    )
    return [OneWith(row[0], row[1], Interval(row[2], row[3])) for row in columns.stream(found)]


def sharing(
    connection: apsw.Connection, tenant: int, words: Collection[str], limit: int
) -> list[Entity]:
    """Entities that have any of the words in a name: most shared first, then the oldest."""
    most = _MOST_OF_A_WORD * limit
    shared: Counter[int] = Counter()
    frequent = []
    for word in sorted(set(words)):
        found = connection.execute(
            "SELECT entity FROM entity_word WHERE tenant = ? AND word = ? ORDER BY entity LIMIT ?",
            (tenant, word, most),
        )
        counted = {row[0] for row in columns.stream(found)}
        shared.update(counted)
        if len(counted) == most:
            frequent.append((word, counted))
    for word, counted in frequent:
        others = [str(entity) for entity in shared if entity not in counted]
        found = connection.execute(
            "SELECT entity FROM entity_word WHERE tenant = ? AND word = ? "
            "AND entity IN (SELECT CAST(value AS INTEGER) FROM json_each(?))",
            (tenant, word, columns.json_list(others)),
        )
        shared.update(row[0] for row in columns.stream(found))
    best = sorted(shared, key=lambda entity: (-shared[entity], entity))[:limit]
    records = connection.execute(
        f"SELECT {columns.ENTITY}, n.seq FROM entity n "
        "WHERE n.seq IN (SELECT CAST(value AS INTEGER) FROM json_each(?)) AND n.tenant = ?",
        (columns.json_list([str(entity) for entity in best]), tenant),
    )
    by_seq = {row[-1]: rows.entity(row) for row in columns.stream(records)}
    return [by_seq[entity] for entity in best]
