"""Names that know when they were learnt, the words in them, and which entities are one."""

from __future__ import annotations

IDENTITY = """
ALTER TABLE entity_name ADD COLUMN tx_from INTEGER NOT NULL DEFAULT 0;
-- when an older file learnt an alias it did not write down
UPDATE entity_name SET tx_from = (
    SELECT created_at FROM entity n WHERE n.tenant = entity_name.tenant AND n.id = entity
);
-- by the sequence of the entity, so that the oldest come first
CREATE TABLE entity_word (
    tenant INTEGER NOT NULL,
    word TEXT NOT NULL,
    entity INTEGER NOT NULL REFERENCES entity (seq),
    PRIMARY KEY (tenant, word, entity)
) WITHOUT ROWID;
INSERT OR IGNORE INTO entity_word (tenant, word, entity)
SELECT m.tenant, w.value, n.seq
FROM entity_name m
JOIN entity n ON n.tenant = m.tenant AND n.id = m.entity
JOIN json_each(name_words(m.normal)) w;
-- a row for an entity and the time over which another stood for it
CREATE TABLE identity (
    tenant INTEGER NOT NULL,
    entity TEXT NOT NULL,
    canonical TEXT NOT NULL,
    tx_from INTEGER NOT NULL,
    tx_to INTEGER NOT NULL,
    PRIMARY KEY (tenant, entity, tx_from)
) WITHOUT ROWID;
CREATE INDEX identity_canonical ON identity (tenant, canonical);
CREATE INDEX assertion_subject ON assertion (tenant, subject);
CREATE INDEX assertion_object ON assertion (tenant, object) WHERE object IS NOT NULL;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('entity_word', 'entity_word', '300000 150000 3 1'),
    ('identity', 'identity', '2000 1000 1 1'),
    ('identity', 'identity_canonical', '2000 1000 2 1 1'),
    ('assertion', 'assertion_subject', '1000000 500000 20'),
    ('assertion', 'assertion_object', '800000 400000 10');
ANALYZE sqlite_schema;
"""
"""The SQL function `name_words` gives the words of a name, as JSON."""
