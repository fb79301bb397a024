"""What windows cost, and who read which turns: columns that the inbox got later."""

from __future__ import annotations

USAGE = """
ALTER TABLE inbox ADD COLUMN usage TEXT;
ALTER TABLE inbox ADD COLUMN extractor TEXT;
ALTER TABLE inbox ADD COLUMN first_turn INTEGER;
ALTER TABLE inbox ADD COLUMN last_turn INTEGER;
CREATE INDEX inbox_paid ON inbox (tenant, seq) WHERE usage IS NOT NULL;
CREATE INDEX inbox_session ON inbox (tenant, session, seq) WHERE state = 'applied';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('inbox', 'inbox_paid', '50000 25000 1'),
    ('inbox', 'inbox_session', '50000 25000 10 1');
ANALYZE sqlite_schema;
"""
"""`usage` is a JSON list of texts, one for each attempt that cost something."""
