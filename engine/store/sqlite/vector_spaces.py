"""Which spaces a tenant has vectors of, and what still lacks one: what every commit has to know.

It needs no arrays, so that a memory without an embedder never loads what they need.
"""

from __future__ import annotations

import apsw

from bitempo.engine.store.port import Corpus
from bitempo.engine.store.sqlite import columns
from bitempo.engine.store.vector_port import VectorSpace

USED = "used"
COMING = "coming"


class Queue:
    """What a commit adds that will need vectors; nothing, for a tenant without a space."""

    def __init__(self, connection: apsw.Connection, tenant: int) -> None:
        self._db = connection
        self._tenant = tenant
        self._numbers: list[int] | None = None

    def add(self, corpus: Corpus, item: int) -> None:
        """Note an item that was just written."""
        if self._numbers is None:
            self._numbers = [number for number, _ in spaces_of(self._db, self._tenant).values()]
        for number in self._numbers:
            self._db.execute(
                "INSERT INTO unembedded (space, corpus, item) VALUES (?, ?, ?)",
                (number, corpus, item),
            )


def spaces_of(connection: apsw.Connection, tenant: int) -> dict[str, tuple[int, VectorSpace]]:
    """The tenant's spaces by their state, each with its number."""
    found = connection.execute(
        "SELECT state, id, identity, dimension FROM vector_space "
        f"WHERE tenant = ? AND state IN ('{USED}', '{COMING}')",
        (tenant,),
    )
    return {
        state: (number, VectorSpace(identity, dimension))
        for state, number, identity, dimension in columns.stream(found)
    }


def space_number(connection: apsw.Connection, tenant: int, space: VectorSpace) -> int:
    """The number of the tenant's space; -1, which none has, when it is not on record."""
    for number, found in spaces_of(connection, tenant).values():
        if found == space:
            return number
    return -1


def tenant_number(connection: apsw.Connection, tenant: str) -> int:
    """The tenant's number; -1, which none has, when it was never written to."""
    found = connection.execute("SELECT id FROM tenant WHERE name = ?", (tenant,)).get
    return -1 if found is None else int(found)


def count_in(connection: apsw.Connection, table: str, space: int) -> int:
    """How many rows the space has in `vector` or `unembedded`."""
    return int(connection.execute(f"SELECT count(*) FROM {table} WHERE space = ?", (space,)).get)


def drop_space(connection: apsw.Connection, space: int) -> None:
    """Forget the space with all its vectors."""
    for table in ("vector", "unembedded"):
        connection.execute(f"DELETE FROM {table} WHERE space = ?", (space,))
    connection.execute("DELETE FROM vector_space WHERE id = ?", (space,))
