"""What SQLite's planner is told about the tables, so that it plans for the tenants that matter.

Without statistics the planner takes `tenant = ?` to leave ten rows, and reads a whole tenant
where an index on its ids would do: recall at 100,000 facts took four times as long. Statistics
gathered from a file while it is small say the same. So a new file is given those of one tenant
with 100,000 facts, as `ANALYZE` found them there; a tenant that is smaller is fast whatever the
plan. Plans then do not change as a file grows.
"""

from __future__ import annotations

_SHAPES = (
    ("assertion", "sqlite_autoindex_assertion_1", "100000 100000 1"),
    ("assertion", "assertion_slot", "100000 100000 2"),
    ("assertion", "assertion_family", "100000 100000 5"),
    ("assertion", "assertion_corrects", "1000 1000 1"),
    ("entity", "sqlite_autoindex_entity_1", "10000 10000 1"),
    ("entity_name", "entity_name", "12000 12000 2 1"),
    ("entity_name", "entity_name_entity", "12000 12000 2"),
    ("episode", "sqlite_autoindex_episode_1", "50000 50000 1"),
    ("episode", "episode_session", "50000 50000 20 1"),
    ("evidence", "evidence", "100000 100000 1 1"),
    ("evidence", "evidence_episode", "100000 100000 2"),
    ("fact", "sqlite_autoindex_fact_1", "100000 100000 1"),
    ("fact", "fact_slot", "100000 100000 2 2"),
    ("fact", "fact_subject", "100000 100000 50 5 5"),
    ("fact", "fact_object", "50000 50000 5 5"),
    ("fact", "fact_opened", "100000 100000 5000"),
    ("fact", "fact_closed", "100000 100000 50000"),
    ("fact_assertion", "fact_assertion", "100000 100000 1 1 1 1"),
    ("fact_assertion", "fact_assertion_assertion", "100000 100000 1"),
    ("inbox", "sqlite_autoindex_inbox_1", "5000 5000 1"),
    ("inbox", "inbox_pending", "100 100 1"),
    ("predicate", "predicate", "200 200 1"),
    ("session", "session", "2500 2500 1"),
    ("tenant", "sqlite_autoindex_tenant_1", "50 1"),
    ("tx", "tx", "5000 5000 1"),
)
"""Table, index and, in the form of sqlite_stat1, its rows and the rows of one value of its
first column, of its first two, and so on."""

STATISTICS = (
    "ANALYZE tenant;\nDELETE FROM sqlite_stat1;\n"
    + "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES\n"
    + ",\n".join(f"    ('{table}', '{index}', '{shape}')" for table, index, shape in _SHAPES)
    + ";\nANALYZE sqlite_schema;\n"
)
"""The script that puts them into a file whose tables are there."""
