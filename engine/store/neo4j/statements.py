"""The statements that write nodes and relationships, each over `row` of an `UNWIND`."""

from __future__ import annotations

from bitempo.engine.store.neo4j.lookup import by, by_key
from bitempo.engine.store.neo4j.times import setting, stored
from bitempo.engine.store.port import Role

RELATIONSHIPS = {
    Role.SUPPORTS: "SUPPORTED_BY",
    Role.CONTESTS: "CONTESTED_BY",
    Role.CONFLICTS: "CONFLICTS_WITH",
}
"""How an assertion stands to a fact, as a relationship from the fact to the assertion."""

ROLES = {relationship: str(role) for role, relationship in RELATIONSHIPS.items()}
ANY_LINK = "|".join(RELATIONSHIPS.values())

EPISODE_TIMES = ("occurred_at", "tx_from", "tx_to")
ASSERTION_TIMES = FACT_TIMES = (
    "valid_from", "valid_to", "tx_from", "tx_to", "due_from", "due_to"
)  # fmt: skip

# Setting a property takes the node's lock, so that writers of one tenant queue here.
TENANT = (
    "MERGE (t:BitempoTenant {key: $key}) ON CREATE SET t.name = $tenant, t.assertions = 0, "
    "t.assertion_terms = 0, t.turns = 0, t.turn_terms = 0, t.windows = 0, t.writes = 0, "
    "t.recasts = 0 SET t.writes = t.writes + 1"
)
PREDICATE = (
    f"CREATE (p:BitempoPredicate) SET p = row.properties {setting('p', 'row.times', ('tx_from',))}"
)
SESSION = (
    "MERGE (s:BitempoSession {key: row.properties.key}) ON CREATE SET s = row.properties "
    f"WITH s, row WHERE s.started_at IS NULL {setting('s', 'row.times', ('started_at', 'tx_from'))}"
)
_LEARNT = "[moment IN row.learnt | datetime.fromepoch(moment[0], moment[1])]"
ENTITY = (
    "CREATE (n:BitempoEntity) SET n = row.properties "
    f"{setting('n', 'row.times', ('created_at', 'tx_from'))}, n.learnt = {_LEARNT}"
)
NAME = (
    f"{by_key('n:BitempoEntity', 'row.entity')} "
    "MERGE (m:BitempoName {key: row.key}) "
    "ON CREATE SET m.tenant = $tenant, m.name = row.normal "
    f"MERGE (n)-[c:CALLED]->(m) ON CREATE SET c.name = row.name, "
    f"c.tx_from = {stored('row.learnt')} "
    # An older graph does not say when names were learnt: with the entity.
    "WITH n, row WHERE NOT row.name IN n.names SET "
    "n.learnt = coalesce(n.learnt, [name IN n.names | n.created_at]) "
    f"+ {stored('row.learnt')}, "
    "n.names = n.names + row.name, n.terms = n.terms + ' ' + row.terms"
)
# Rows of [entity key, canonical key, believed from, believed to].
ONE_WITH = (
    f"{by_key('n:BitempoEntity', 'row[0]')} {by_key('c:BitempoEntity', 'row[1]')} "
    f"CREATE (n)-[:SAME_AS {{tenant: $tenant, tx_from: {stored('row[2]')}, "
    f"tx_to: {stored('row[3]')}}}]->(c)"
)
EPISODE = (
    "CREATE (e:BitempoEpisode) SET e = row.properties "
    f"{setting('e', 'row.times', EPISODE_TIMES)} "
    "WITH e, row WHERE row.session IS NOT NULL "
    f"{by_key('s:BitempoSession', 'row.session')} CREATE (e)-[:IN_SESSION]->(s)"
)
# A correction may arrive before what it corrects, so both sides look for the other.
ASSERTION = (
    "CREATE (a:BitempoAssertion) SET a = row.properties "
    f"{setting('a', 'row.times', ASSERTION_TIMES)} WITH a, row "
    f"CALL (a, row) {{ {by_key('n:BitempoEntity', 'row.subject')} CREATE (a)-[:SUBJECT]->(n) }} "
    f"CALL (a, row) {{ {by_key('n:BitempoEntity', 'row.object')} CREATE (a)-[:OBJECT]->(n) }} "
    f"CALL (a, row) {{ UNWIND row.mentions AS key {by_key('n:BitempoEntity', 'key')} "
    "CREATE (a)-[:MENTIONS]->(n) } "
    f"CALL (a, row) {{ UNWIND row.evidence AS key {by_key('e:BitempoEpisode', 'key')} "
    "CREATE (a)-[:SUPPORTED_BY]->(e) } "
    f"CALL (a, row) {{ {by_key('c:BitempoAssertion', 'row.corrects')} "
    "MERGE (a)-[:CORRECTS]->(c) } "
    f"CALL (a) {{ {by('c:BitempoAssertion', 'corrects_key')} "
    "WHERE c.corrects_key = a.key MERGE (c)-[:CORRECTS]->(a) }"
)
FACT = (
    "CREATE (f:BitempoFact) SET f = row.properties "
    f"{setting('f', 'row.times', FACT_TIMES)} WITH f, row "
    f"CALL (f, row) {{ {by_key('n:BitempoEntity', 'row.subject')} CREATE (f)-[:SUBJECT]->(n) }} "
    f"CALL (f, row) {{ {by_key('n:BitempoEntity', 'row.object')} CREATE (f)-[:OBJECT]->(n) }}"
)
# A version supersedes those of its slot that were closed when it was opened; row is its key.
SUPERSEDES = (
    f"{by_key('f:BitempoFact', 'row')} {by('old:BitempoFact', 'tenant', 'slot', 'tx_to')} "
    "WHERE old.tenant = $tenant AND old.slot = f.slot AND old.tx_to = f.tx_from "
    "CREATE (f)-[:SUPERSEDES]->(old)"
)
# Rows of [fact key, assertion key, believed from, believed to].
LINKS = {
    role: f"{by_key('f:BitempoFact', 'row[0]')} {by_key('a:BitempoAssertion', 'row[1]')} "
    f"CREATE (f)-[:{relationship} {{tx_from: {stored('row[2]')}, tx_to: {stored('row[3]')}}}]->(a)"
    for role, relationship in RELATIONSHIPS.items()
}
# Rows of [fact key, assertion key]; the relationship is `n`.
UNLINKS = {
    role: f"MATCH (f:BitempoFact)-[n:{relationship}]->(a:BitempoAssertion) "
    "USING INDEX f:BitempoFact(key) WHERE f.key = row[0] AND a.key = row[1]"
    for role, relationship in RELATIONSHIPS.items()
}
TRANSACTION = (
    f"CREATE (x:BitempoTransaction) SET x = row.properties {setting('x', 'row.times', ('tx',))}"
)
TOTALS = (
    f"{by_key('t:BitempoTenant', 'row.key')} {setting('t', 'row.times', ('last_tx',))}, "
    "t += row.counts"
)
