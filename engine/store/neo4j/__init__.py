"""The server store: a bitemporal graph in Neo4j. Needs the extra `bitempo[neo4j]`."""

from bitempo.engine.store.neo4j.address import Options
from bitempo.engine.store.neo4j.store import Neo4jStore

__all__ = ["Neo4jStore", "Options"]
