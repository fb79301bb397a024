"""Constraints and indexes, and the versions of the server that have them.

Every node has `key`, a digest of tenant and id, which is unique: community-edition constraints
cover one property each well, and a digest has one length whatever the id's, where an index takes
8,000 bytes at most. So other ids that are looked up (`subject_key`, ...) are digests too. A key
holds the tenant, so an index on keys alone does not mix tenants either. The labels begin
with `Bitempo`, so that a graph of ours can share a database with another's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from neo4j import exceptions

from bitempo.engine.errors import SchemaVersionError, StoreError
from bitempo.engine.store.neo4j.lookup import by, by_key
from bitempo.engine.store.neo4j.nodes import entity_terms

SCHEMA_VERSION = 3
"""Version 3 has claims on windows, which an older bitempo would not heed."""
OLDEST_SERVER = (5, 26)
"""The oldest release that is tested: 5.26 LTS. All statements are Cypher 5."""

_TRIES = 20
"""How often what others make at the same time is tried: each try takes as long as theirs."""

LABELS = (
    "BitempoSchema",
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

RANGE_INDEXES = {
    "bitempo_fact_slot": ("BitempoFact", "tenant", "slot", "tx_to"),
    "bitempo_fact_about": ("BitempoFact", "subject_key", "predicate_key"),
    "bitempo_fact_toward": ("BitempoFact", "object_key"),
    "bitempo_fact_opened": ("BitempoFact", "tenant", "tx_from"),
    "bitempo_fact_closed": ("BitempoFact", "tenant", "tx_to"),
    "bitempo_assertion_slot": ("BitempoAssertion", "tenant", "slot", "tx_to"),
    "bitempo_assertion_family": ("BitempoAssertion", "tenant", "family"),
    "bitempo_assertion_saying": ("BitempoAssertion", "predicate_key"),
    "bitempo_assertion_correcting": ("BitempoAssertion", "corrects_key"),
    "bitempo_assertion_recorded": ("BitempoAssertion", "tenant", "tx_from"),
    "bitempo_episode_turn": ("BitempoEpisode", "session_key", "position"),
    "bitempo_episode_recorded": ("BitempoEpisode", "tenant", "tx_from"),
    "bitempo_entity_page": ("BitempoEntity", "tenant", "id_start"),
    "bitempo_predicate_tenant": ("BitempoPredicate", "tenant"),
    "bitempo_session_tenant": ("BitempoSession", "tenant"),
    "bitempo_transaction_tx": ("BitempoTransaction", "tenant", "tx"),
    "bitempo_window_state": ("BitempoWindow", "tenant", "state"),
}
TEXT_INDEXES = {
    "bitempo_assertion_terms": "BitempoAssertion",
    "bitempo_episode_terms": "BitempoEpisode",
    "bitempo_entity_terms": "BitempoEntity",
}
MERGES = "bitempo_same_as_tenant"
"""The index of the relationships that say which entity stands for which."""


class Run(Protocol):
    """Runs a statement in a transaction of its own; gives its records."""

    def __call__(self, statement: str, **parameters: object) -> Iterable[Mapping[str, Any]]: ...


Version = tuple[int, ...]
"""The first two numbers of a server's version."""


def prepare(run: Run, index_timeout: float, make: Run | None = None) -> Version:
    """Check the server and the graph, and make what is missing; waits until indexes are usable.

    Gives the version of the server, by which its syntax is chosen.

    Args:
        index_timeout: seconds to wait for indexes that are still being filled.
        make: how what is missing is made, if not by `run`.

    Raises:
        StoreError: the server is too old, or an index is not ready in time or failed.
        SchemaVersionError: a newer bitempo wrote the graph.
    """
    server = _check_server(run)
    version = _version(run)
    if version is not None and version > SCHEMA_VERSION:
        raise SchemaVersionError(
            f"the graph has schema version {version}, and this bitempo knows up to "
            f"{SCHEMA_VERSION}; upgrade bitempo to open it"
        )
    states = _states(run)
    missing = {name: made for name, made in statements().items() if name not in states}
    for statement in missing.values():
        create(make or run, statement)
    if missing or any(states[name] != "ONLINE" for name in statements()):
        _await_indexes(run, index_timeout)
    if version == 1:
        _index_names(run)
    if version != SCHEMA_VERSION:
        # Last, so that a graph with a version has everything that belongs to it.
        list(
            run(
                "CYPHER 5 MERGE (n:BitempoSchema {key: 'schema'}) SET n.version = $version",
                version=SCHEMA_VERSION,
            )
        )
    return server


def statements() -> dict[str, str]:
    """By the name of its index, the statement that makes each constraint and index."""
    made = {
        f"{_snake(label)}_key": f"CONSTRAINT {_snake(label)}_key IF NOT EXISTS FOR (n:{label}) "
        "REQUIRE n.key IS UNIQUE"
        for label in LABELS
    }
    for name, (label, *properties) in RANGE_INDEXES.items():
        listed = ", ".join(f"n.{property}" for property in properties)
        made[name] = f"INDEX {name} IF NOT EXISTS FOR (n:{label}) ON ({listed})"
    for name, label in TEXT_INDEXES.items():
        made[name] = (
            f"FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON EACH [n.terms] "
            "OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}"
        )
    made[MERGES] = f"INDEX {MERGES} IF NOT EXISTS FOR ()-[s:SAME_AS]-() ON (s.tenant)"
    return {name: f"CYPHER 5 CREATE {statement}" for name, statement in made.items()}


def _index_names(run: Run) -> None:
    """Give the entities of a graph of version 1 the words by which they are found."""
    last = ""
    while found := list(
        run(
            f"CYPHER 5 {by('n:BitempoEntity', 'key')} WHERE n.key > $last "
            "RETURN n.key AS key, n.tenant AS tenant, n.names AS names ORDER BY n.key LIMIT 1000",
            last=last,
        )
    ):
        last = found[-1]["key"]
        terms = [[row["key"], entity_terms(row["tenant"], row["names"])] for row in found]
        list(
            run(
                f"CYPHER 5 UNWIND $rows AS row {by_key('n:BitempoEntity', 'row[0]')} "
                "SET n.terms = row[1]",
                rows=terms,
            )
        )


def _check_server(run: Run) -> Version:
    # No dialect is named here: an older server than we support may not know that it can be.
    [found] = run(
        "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' "
        "RETURN versions[0] AS version"
    )
    version: str = found["version"]
    numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2])
    if numbers < OLDEST_SERVER:
        oldest = ".".join(map(str, OLDEST_SERVER))
        raise StoreError(
            f"the server is Neo4j {version}, and bitempo needs {oldest} or newer; upgrade it"
        )
    return numbers


def _version(run: Run) -> int | None:
    [found] = run("CYPHER 5 MATCH (n:BitempoSchema) RETURN max(n.version) AS version")
    version: int | None = found["version"]
    return version


def _states(run: Run) -> dict[str, str]:
    found = run("CYPHER 5 SHOW INDEXES YIELD name, state")
    return {record["name"]: record["state"] for record in found}


def create(run: Run, statement: str) -> None:
    """Make one of them, also where other processes are making it at the same time.

    They lock each other out now and then, whatever the time is that a write may be tried again.
    """
    for tries in range(_TRIES):
        try:
            list(run(statement))
            return
        except exceptions.Neo4jError as error:
            if error.code == "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists":
                return
            if not error.is_retryable() or tries + 1 == _TRIES:
                raise


def _await_indexes(run: Run, timeout: float) -> None:
    try:
        list(run("CYPHER 5 CALL db.awaitIndexes($seconds)", seconds=max(1, int(timeout))))
    except exceptions.Neo4jError as error:
        waiting = [f"{name} ({state})" for name, state in _states(run).items() if _unusable(state)]
        raise StoreError(
            f"not ready after {timeout:g} s: {', '.join(waiting) or error.message}. An index that "
            "is POPULATING needs more time: wait and open it again, or give a longer "
            "index_timeout. Drop one that is FAILED, and it is made anew"
        ) from error


def _unusable(state: str) -> bool:
    return state != "ONLINE"


def _snake(label: str) -> str:
    return "bitempo_" + label.removeprefix("Bitempo").lower()
