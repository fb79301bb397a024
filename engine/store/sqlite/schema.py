"""The schema of the file, and how an older one is brought forward.

Instants are microseconds since the epoch; `+/-2^62` stand for unbounded. Every table begins
with the tenant, so that no index lookup can leave it. Full text is a contentless FTS5 table per
corpus whose terms carry the tenant's number (`7_lisbon`): one tenant's words are looked up,
counted and ranked without touching another's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from bitempo.engine.errors import SchemaVersionError, StoreCorruptError
from bitempo.engine.names import name_words
from bitempo.engine.store.sqlite.schema_claims import CLAIMS
from bitempo.engine.store.sqlite.schema_identity import IDENTITY
from bitempo.engine.store.sqlite.schema_usage import USAGE
from bitempo.engine.store.sqlite.schema_vectors import VECTORS

APPLICATION_ID = 0x62697465
"""The letters `bite`: marks the file as ours (PRAGMA application_id)."""

_VERSION_1 = """
CREATE TABLE tenant (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last_tx INTEGER,
    assertions INTEGER NOT NULL DEFAULT 0,
    assertion_terms INTEGER NOT NULL DEFAULT 0,
    turns INTEGER NOT NULL DEFAULT 0,
    turn_terms INTEGER NOT NULL DEFAULT 0
);
-- one row a commit; the running totals say how large the corpora were as known then
CREATE TABLE tx (
    tenant INTEGER NOT NULL REFERENCES tenant (id),
    tx INTEGER NOT NULL,
    assertions INTEGER NOT NULL,
    assertion_terms INTEGER NOT NULL,
    assertion_seq INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    turn_terms INTEGER NOT NULL,
    turn_seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, tx)
) WITHOUT ROWID;
CREATE TABLE predicate (
    tenant INTEGER NOT NULL,
    name TEXT NOT NULL,
    cardinality TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
CREATE TABLE session (
    tenant INTEGER NOT NULL,
    id TEXT NOT NULL,
    actor TEXT,
    started_at INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE TABLE episode (
    seq INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL,
    id TEXT NOT NULL,
    session TEXT,
    position INTEGER,
    actor TEXT,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    tx_from INTEGER NOT NULL,
    tx_to INTEGER NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX episode_session ON episode (tenant, session, position);
CREATE TABLE entity (
    seq INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (tenant, id)
);
CREATE TABLE entity_name (
    tenant INTEGER NOT NULL,
    normal TEXT NOT NULL,
    entity TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (tenant, normal, entity)
) WITHOUT ROWID;
CREATE INDEX entity_name_entity ON entity_name (tenant, entity);
CREATE TABLE assertion (
    seq INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL,
    id TEXT NOT NULL,
    slot TEXT NOT NULL,
    family TEXT NOT NULL,
    cardinality TEXT NOT NULL,
    value_key TEXT,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT,
    value TEXT,
    polarity TEXT NOT NULL,
    modality TEXT NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER NOT NULL,
    tx_from INTEGER NOT NULL,
    tx_to INTEGER NOT NULL,
    granularity TEXT NOT NULL,
    from_inferred INTEGER NOT NULL,
    time_text TEXT,
    due_from INTEGER,
    due_to INTEGER,
    importance INTEGER NOT NULL,
    confidence REAL NOT NULL,
    trust INTEGER NOT NULL,
    inferred INTEGER NOT NULL,
    text TEXT NOT NULL,
    quote TEXT,
    corrects TEXT,
    mentions TEXT NOT NULL,
    extractor TEXT NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX assertion_slot ON assertion (tenant, slot);
CREATE INDEX assertion_family ON assertion (tenant, family);
CREATE INDEX assertion_corrects ON assertion (tenant, corrects) WHERE corrects IS NOT NULL;
CREATE TABLE evidence (
    tenant INTEGER NOT NULL,
    assertion TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    episode TEXT NOT NULL,
    PRIMARY KEY (tenant, assertion, ordinal)
) WITHOUT ROWID;
CREATE INDEX evidence_episode ON evidence (tenant, episode);
CREATE TABLE fact (
    seq INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL,
    id TEXT NOT NULL,
    slot TEXT NOT NULL,
    value_key TEXT NOT NULL,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT,
    value TEXT,
    modality TEXT NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER NOT NULL,
    tx_from INTEGER NOT NULL,
    tx_to INTEGER NOT NULL,
    granularity TEXT NOT NULL,
    from_inferred INTEGER NOT NULL,
    due_from INTEGER,
    due_to INTEGER,
    importance INTEGER NOT NULL,
    confidence REAL NOT NULL,
    trust INTEGER NOT NULL,
    inferred INTEGER NOT NULL,
    text TEXT NOT NULL,
    lead TEXT NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX fact_slot ON fact (tenant, slot, tx_to);
CREATE INDEX fact_subject ON fact (tenant, subject, predicate, tx_to);
CREATE INDEX fact_object ON fact (tenant, object, tx_to) WHERE object IS NOT NULL;
CREATE INDEX fact_opened ON fact (tenant, tx_from);
CREATE INDEX fact_closed ON fact (tenant, tx_to);
CREATE TABLE fact_assertion (
    tenant INTEGER NOT NULL,
    fact TEXT NOT NULL,
    assertion TEXT NOT NULL,
    role TEXT NOT NULL,
    tx_from INTEGER NOT NULL,
    tx_to INTEGER NOT NULL,
    PRIMARY KEY (tenant, fact, assertion, role, tx_from)
) WITHOUT ROWID;
CREATE INDEX fact_assertion_assertion ON fact_assertion (tenant, assertion);
CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL,
    id TEXT NOT NULL,
    session TEXT NOT NULL,
    state TEXT NOT NULL,
    payload TEXT NOT NULL,
    extraction TEXT,
    error TEXT,
    attempts INTEGER NOT NULL,
    rejected TEXT,
    received_at INTEGER NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX inbox_pending ON inbox (tenant, seq) WHERE state <> 'applied';
CREATE VIRTUAL TABLE assertion_text USING fts5 (
    terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE turn_text USING fts5 (
    terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE assertion_terms USING fts5vocab ('assertion_text', 'row');
CREATE VIRTUAL TABLE turn_terms USING fts5vocab ('turn_text', 'row');
-- Rows in the table, then rows that agree in the first column of the index, in the first two, and
-- so on. Declared, not measured: left to guess, SQLite takes a tenant for a handful of rows, and
-- walks through all of them where it could look one up.
ANALYZE;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('tx', 'tx', '100000 50000 1'),
    ('predicate', 'predicate', '1000 500 1'),
    ('session', 'session', '20000 10000 1'),
    ('episode', 'sqlite_autoindex_episode_1', '1000000 500000 1'),
    ('episode', 'episode_session', '1000000 500000 50 1'),
    ('entity', 'sqlite_autoindex_entity_1', '100000 50000 1'),
    ('entity_name', 'entity_name', '100000 50000 2 1'),
    ('entity_name', 'entity_name_entity', '100000 50000 2 1'),
    ('assertion', 'sqlite_autoindex_assertion_1', '1000000 500000 1'),
    ('assertion', 'assertion_slot', '1000000 500000 3'),
    ('assertion', 'assertion_family', '1000000 500000 10'),
    ('assertion', 'assertion_corrects', '10000 5000 1'),
    ('evidence', 'evidence', '1000000 500000 1 1'),
    ('evidence', 'evidence_episode', '1000000 500000 2 1 1'),
    ('fact', 'sqlite_autoindex_fact_1', '1000000 500000 1'),
    ('fact', 'fact_slot', '1000000 500000 3 2'),
    ('fact', 'fact_subject', '1000000 500000 20 4 3'),
    ('fact', 'fact_object', '800000 400000 10 5'),
    ('fact', 'fact_opened', '1000000 500000 3'),
    ('fact', 'fact_closed', '1000000 500000 250000'),
    ('fact_assertion', 'fact_assertion', '1500000 750000 2 1 1 1'),
    ('fact_assertion', 'fact_assertion_assertion', '1500000 750000 2 1 1 1'),
    ('inbox', 'sqlite_autoindex_inbox_1', '50000 25000 1'),
    ('inbox', 'inbox_pending', '20 10 1');
ANALYZE sqlite_schema;
"""

MIGRATIONS: Sequence[str] = (_VERSION_1, VECTORS, USAGE, IDENTITY, CLAIMS)
"""Script number n brings a file from version n to version n + 1."""


def refuse_unknown(connection: apsw.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Check that the file is new, or of a version that is known; nothing is written.

    Raises:
        SchemaVersionError: a newer bitempo wrote the file.
        StoreCorruptError: the file is a database of something else.
    """
    connection.execute("BEGIN")
    try:
        _check(connection, len(migrations))
    finally:
        connection.execute("ROLLBACK")


def migrate(connection: apsw.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Bring the file to the newest version: all steps in one transaction, or none.

    Safe when several processes open a new file at once: whoever comes second finds it done.

    Raises:
        SchemaVersionError, StoreCorruptError: as `refuse_unknown`.
    """
    if _version(connection) == len(migrations) and _is_ours(connection):
        return
    connection.create_scalar_function("name_words", _name_words, 1, deterministic=True)
    connection.execute("BEGIN IMMEDIATE")
    try:
        _check(connection, len(migrations))
        for script in migrations[_version(connection) :]:
            connection.execute(script)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _name_words(*name: apsw.SQLiteValue) -> str:
    return json.dumps(sorted(name_words(str(name[0]))))


def _check(connection: apsw.Connection, known: int) -> None:
    if not _is_ours(connection):
        if _is_empty(connection):
            return
        raise StoreCorruptError(
            "the file is an SQLite database, but not one of bitempo's; name another file"
        )
    version = _version(connection)
    if version > known:
        raise SchemaVersionError(
            f"the database has schema version {version}, and this bitempo knows up to {known}; "
            "upgrade bitempo to open it"
        )


def _version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


def _is_ours(connection: apsw.Connection) -> bool:
    return int(connection.pragma("application_id")) == APPLICATION_ID


def _is_empty(connection: apsw.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_schema").get
