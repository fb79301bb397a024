"""The Neo4j server that a benchmark is given."""

from __future__ import annotations

import os
from dataclasses import replace

from bitempo.engine.store.neo4j.address import Address, Options, read_location
from bitempo.engine.store.neo4j.connection import connect


def address_of(location: str) -> Address:
    """The server at `bolt://user:password@host:7687`.

    What the location leaves out comes from BITEMPO_NEO4J_USER and BITEMPO_NEO4J_PASSWORD.
    """
    address, _ = read_location(location, Options())
    return replace(
        address,
        user=address.user or os.environ.get("BITEMPO_NEO4J_USER", "neo4j"),
        password=address.password or os.environ.get("BITEMPO_NEO4J_PASSWORD"),
    )


def version_of(address: Address) -> str:
    """The version of Neo4j that runs there.

    Raises:
        StoreError: it cannot be reached.
    """
    with connect(address, Options()) as driver:
        return driver.get_server_info().agent.removeprefix("Neo4j/")
