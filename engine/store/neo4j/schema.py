"""Constraints and indexes, and the versions of the server that have them.

Every node has `key`, a digest of tenant and id, which is unique: community-edition constraints
cover one property each well, and a digest has one length whatever the id's. The labels begin
with `Bitempo`, so that a graph of ours can share a database with another's.
"""

from __future__ import annotations

from typing import Any

import neo4j

from bitempo.engine.errors import SchemaVersionError, StoreError

SCHEMA_VERSION = 1
OLDEST_SERVER = (5, 26)
"""The oldest release that is tested: 5.26 LTS. All statements are Cypher 5."""

LABELS = (
    "BitempoTenant",
    "BitempoTransaction",
    "BitempoPredicate",
    "BitempoSession",
    "BitempoEpisode",
    "BitempoEntity",
    "BitempoName",
    "BitempoAssertion",
    "BitempoFact",
    "BitempoWindow",
)

_INDEXES = (
    "INDEX bitempo_fact_slot IF NOT EXISTS FOR (n:BitempoFact) ON (n.tenant, n.slot, n.tx_to)",
    "INDEX bitempo_fact_subject IF NOT EXISTS "
    "FOR (n:BitempoFact) ON (n.tenant, n.subject, n.predicate)",
    "INDEX bitempo_fact_object IF NOT EXISTS FOR (n:BitempoFact) ON (n.tenant, n.object)",
    "INDEX bitempo_fact_opened IF NOT EXISTS FOR (n:BitempoFact) ON (n.tenant, n.tx_from)",
    "INDEX bitempo_fact_closed IF NOT EXISTS FOR (n:BitempoFact) ON (n.tenant, n.tx_to)",
    "INDEX bitempo_assertion_slot IF NOT EXISTS "
    "FOR (n:BitempoAssertion) ON (n.tenant, n.slot, n.tx_to)",
    "INDEX bitempo_assertion_family IF NOT EXISTS FOR (n:BitempoAssertion) ON (n.tenant, n.family)",
    "INDEX bitempo_assertion_predicate IF NOT EXISTS "
    "FOR (n:BitempoAssertion) ON (n.tenant, n.predicate)",
    "INDEX bitempo_assertion_corrects IF NOT EXISTS "
    "FOR (n:BitempoAssertion) ON (n.tenant, n.corrects)",
    "INDEX bitempo_assertion_recorded IF NOT EXISTS "
    "FOR (n:BitempoAssertion) ON (n.tenant, n.tx_from)",
    "INDEX bitempo_episode_session IF NOT EXISTS "
    "FOR (n:BitempoEpisode) ON (n.tenant, n.session, n.position)",
    "INDEX bitempo_episode_recorded IF NOT EXISTS FOR (n:BitempoEpisode) ON (n.tenant, n.tx_from)",
    "INDEX bitempo_entity_id IF NOT EXISTS FOR (n:BitempoEntity) ON (n.tenant, n.id)",
    "INDEX bitempo_predicate_tenant IF NOT EXISTS FOR (n:BitempoPredicate) ON (n.tenant)",
    "INDEX bitempo_session_tenant IF NOT EXISTS FOR (n:BitempoSession) ON (n.tenant)",
    "INDEX bitempo_transaction_tx IF NOT EXISTS FOR (n:BitempoTransaction) ON (n.tenant, n.tx)",
    "INDEX bitempo_window_state IF NOT EXISTS FOR (n:BitempoWindow) ON (n.tenant, n.state)",
    "FULLTEXT INDEX bitempo_assertion_terms IF NOT EXISTS FOR (n:BitempoAssertion) ON EACH "
    "[n.terms] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}",
    "FULLTEXT INDEX bitempo_episode_terms IF NOT EXISTS FOR (n:BitempoEpisode) ON EACH "
    "[n.terms] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}",
)


def prepare(driver: neo4j.Driver, database: str | None, index_timeout: float) -> None:
    """Check the server, and make what is missing; waits until every index can be used.

    Args:
        index_timeout: seconds to wait for indexes that are still being filled.

    Raises:
        StoreError: the server is too old, or an index is not ready in time.
        SchemaVersionError: a newer bitempo wrote the graph.
    """
    with driver.session(database=database) as session:
        _check_server(session)
        for label in LABELS:
            session.run(
                f"CREATE CONSTRAINT {_snake(label)}_key IF NOT EXISTS "
                f"FOR (n:{label}) REQUIRE n.key IS UNIQUE"
            ).consume()
        for index in _INDEXES:
            session.run(f"CREATE {index}").consume()
        _check_schema(session)
        _await_indexes(session, index_timeout)


def _check_server(session: neo4j.Session) -> None:
    record = session.run(
        "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' "
        "RETURN versions[0] AS version"
    ).single(strict=True)
    version: str = record["version"]
    numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2])
    if numbers < OLDEST_SERVER:
        oldest = ".".join(map(str, OLDEST_SERVER))
        raise StoreError(
            f"the server is Neo4j {version}, and bitempo needs {oldest} or newer; upgrade it"
        )


def _check_schema(session: neo4j.Session) -> None:
    found: Any = session.run(
        "MERGE (n:BitempoSchema) ON CREATE SET n.version = $version RETURN max(n.version)",
        version=SCHEMA_VERSION,
    ).single(strict=True)[0]
    if found > SCHEMA_VERSION:
        raise SchemaVersionError(
            f"the graph has schema version {found}, and this bitempo knows up to "
            f"{SCHEMA_VERSION}; upgrade bitempo to open it"
        )


def _await_indexes(session: neo4j.Session, timeout: float) -> None:
    try:
        session.run("CALL db.awaitIndexes($seconds)", seconds=max(1, int(timeout))).consume()
    except neo4j.exceptions.Neo4jError as error:
        raise StoreError(
            f"an index is still being filled after {timeout:g} s ({error.message}); wait and "
            "open it again, or give a longer index_timeout"
        ) from error


def _snake(label: str) -> str:
    return "bitempo_" + label.removeprefix("Bitempo").lower()
