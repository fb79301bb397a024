"""The statements that write nodes and relationships, each over `row` of an `UNWIND`."""

from __future__ import annotations

from bitempo.engine.store.port import Role

RELATIONSHIPS = {
    Role.SUPPORTS: "SUPPORTED_BY",
    Role.CONTESTS: "CONTESTED_BY",
    Role.CONFLICTS: "CONFLICTS_WITH",
}
"""How an assertion stands to a fact, as a relationship from the fact to the assertion."""

ROLES = {relationship: str(role) for role, relationship in RELATIONSHIPS.items()}
ANY_LINK = "|".join(RELATIONSHIPS.values())

# Setting a property takes the node's lock, so that writers of one tenant queue here.
TENANT = (
    "MERGE (t:BitempoTenant {key: $key}) ON CREATE SET t.name = $tenant, t.assertions = 0, "
    "t.assertion_terms = 0, t.turns = 0, t.turn_terms = 0, t.windows = 0, t.writes = 0 "
    "SET t.writes = t.writes + 1"
)
PREDICATE = "CREATE (p:BitempoPredicate) SET p = row"
SESSION = "MERGE (s:BitempoSession {key: row.key}) ON CREATE SET s = row"
ENTITY = "CREATE (n:BitempoEntity) SET n = row"
NAME = (
    "MATCH (n:BitempoEntity {key: row.entity}) "
    "MERGE (m:BitempoName {key: row.key}) "
    "ON CREATE SET m.tenant = $tenant, m.name = row.normal "
    "MERGE (n)-[c:CALLED]->(m) ON CREATE SET c.name = row.name "
    "WITH n, row WHERE NOT row.name IN n.names SET n.names = n.names + row.name"
)
EPISODE = (
    "CREATE (e:BitempoEpisode) SET e = row.properties "
    "WITH e, row WHERE row.session IS NOT NULL "
    "MATCH (s:BitempoSession {key: row.session}) CREATE (e)-[:IN_SESSION]->(s)"
)
# A correction may arrive before what it corrects, so both sides look for the other.
ASSERTION = (
    "CREATE (a:BitempoAssertion) SET a = row.properties WITH a, row "
    "CALL (a, row) { MATCH (n:BitempoEntity {key: row.subject}) CREATE (a)-[:SUBJECT]->(n) } "
    "CALL (a, row) { MATCH (n:BitempoEntity {key: row.object}) CREATE (a)-[:OBJECT]->(n) } "
    "CALL (a, row) { UNWIND row.mentions AS key MATCH (n:BitempoEntity {key: key}) "
    "CREATE (a)-[:MENTIONS]->(n) } "
    "CALL (a, row) { UNWIND row.evidence AS key MATCH (e:BitempoEpisode {key: key}) "
    "CREATE (a)-[:SUPPORTED_BY]->(e) } "
    "CALL (a, row) { MATCH (c:BitempoAssertion {key: row.corrects}) MERGE (a)-[:CORRECTS]->(c) } "
    "CALL (a) { MATCH (c:BitempoAssertion) WHERE c.tenant = $tenant AND c.corrects = a.id "
    "MERGE (c)-[:CORRECTS]->(a) }"
)
FACT = (
    "CREATE (f:BitempoFact) SET f = row.properties WITH f, row "
    "CALL (f, row) { MATCH (n:BitempoEntity {key: row.subject}) CREATE (f)-[:SUBJECT]->(n) } "
    "CALL (f, row) { MATCH (n:BitempoEntity {key: row.object}) CREATE (f)-[:OBJECT]->(n) }"
)
# A version supersedes those of its slot that were closed when it was opened; row is its key.
SUPERSEDES = (
    "MATCH (f:BitempoFact {key: row}) MATCH (old:BitempoFact) WHERE old.tenant = $tenant "
    "AND old.slot = f.slot AND old.tx_to = f.tx_from CREATE (f)-[:SUPERSEDES]->(old)"
)
# Rows of [fact key, assertion key, believed from, believed to].
LINKS = {
    role: "MATCH (f:BitempoFact {key: row[0]}) MATCH (a:BitempoAssertion {key: row[1]}) "
    f"CREATE (f)-[:{relationship} {{tx_from: row[2], tx_to: row[3]}}]->(a)"
    for role, relationship in RELATIONSHIPS.items()
}
# Rows of [fact key, assertion key].
UNLINKS = {
    role: f"MATCH (:BitempoFact {{key: row[0]}})-[n:{relationship}]->"
    "(:BitempoAssertion {key: row[1]})"
    for role, relationship in RELATIONSHIPS.items()
}
