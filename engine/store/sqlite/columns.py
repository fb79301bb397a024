"""What is selected for each kind of record, and lists as parameters."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import cast

import apsw

from bitempo.engine.store.rows import ASSERTION_COLUMNS, FACT_COLUMNS, Row

EPISODE = (
    "e.id, e.text, e.occurred_at, e.kind, e.session, e.position, e.actor, e.metadata, "
    "e.tx_from, e.tx_to"
)
ENTITY = (
    "n.id, n.name, n.type, n.created_at, "
    "(SELECT json_group_array(json_array(a.name, a.tx_from)) FROM entity_name a "
    "WHERE a.tenant = n.tenant AND a.entity = n.id)"
)
ASSERTION = ", ".join(f"a.{name}" for name in ASSERTION_COLUMNS) + (
    ", (SELECT json_group_array(v.episode) FROM (SELECT episode FROM evidence "
    "WHERE tenant = a.tenant AND assertion = a.id ORDER BY ordinal) v)"
)
FACT = ", ".join(f"f.{name}" for name in FACT_COLUMNS)


def json_list(values: Collection[str]) -> str:
    """A bound parameter for `IN (SELECT value FROM json_each(?))`: any number of values."""
    # Escaped, so that text which no row can hold is looked for in vain rather than refused.
    return json.dumps(list(values))


def stream(cursor: apsw.Cursor) -> Iterator[Row]:
    """The rows of a cursor, typed."""
    return cast(Iterator[Row], cursor)
