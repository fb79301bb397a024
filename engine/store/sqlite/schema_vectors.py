"""The step of the schema that brings vectors.

`vector` holds them, numbered as they were made; a number is never used again, so that what is in
memory can be brought up to date by the last one. `unembedded` is what still lacks one, per space.
"""

VECTORS = """
CREATE TABLE vector_space (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant INTEGER NOT NULL,
    state TEXT NOT NULL,
    identity TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    UNIQUE (tenant, state)
);
CREATE TABLE vector (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL,
    corpus TEXT NOT NULL,
    item INTEGER NOT NULL,
    text_hash TEXT NOT NULL,
    scale REAL NOT NULL,
    codes BLOB NOT NULL,
    tokens BLOB
);
CREATE INDEX vector_corpus ON vector (space, corpus);
CREATE INDEX vector_text ON vector (space, text_hash);
CREATE INDEX vector_item ON vector (space, corpus, item);
CREATE TABLE unembedded (
    space INTEGER NOT NULL,
    corpus TEXT NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (space, corpus, item)
) WITHOUT ROWID;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('vector_space', 'sqlite_autoindex_vector_space_1', '100 2 1'),
    ('vector', 'vector_corpus', '1000000 500000 250000'),
    ('vector', 'vector_text', '1000000 500000 1'),
    ('vector', 'vector_item', '1000000 500000 250000 1'),
    ('unembedded', 'unembedded', '10000 5000 2500 1');
ANALYZE sqlite_schema;
"""
