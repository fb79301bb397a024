"""Full text: FTS5 finds candidates, and says how common a term is in one tenant.

FTS5 has no early termination: it scores every row that matches. Terms are therefore looked up
rarest first, and only as many as keep the rows to be scored within a budget; what is left out
is told, so that ranking can still count it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from bitempo.engine.lexical import terms
from bitempo.engine.store.port import Corpus, Matches
from bitempo.engine.store.sqlite import rows
from bitempo.engine.store.sqlite.asof import believed
from bitempo.engine.time import Instant

ROW_BUDGET = 6_000
"""How many rows a search may score. The rarest term is always looked up, whatever it costs."""


@dataclass(frozen=True, slots=True)
class _Table:
    text: str
    vocabulary: str
    rows: str
    counts: tuple[str, str, str]


_TABLES = {
    Corpus.ASSERTIONS: _Table(
        "assertion_text",
        "assertion_terms",
        "assertion",
        ("assertions", "assertion_terms", "assertion_seq"),
    ),
    Corpus.TURNS: _Table("turn_text", "turn_terms", "episode", ("turns", "turn_terms", "turn_seq")),
}


class Totals:
    """Indexes new documents, and keeps count of documents and terms per corpus."""

    def __init__(self, connection: apsw.Connection, tenant: int) -> None:
        self._db = connection
        self._tenant = tenant
        self._added = {corpus: [0, 0, 0] for corpus in Corpus}

    def add_assertion(self, seq: int, text: str) -> None:
        self._add(Corpus.ASSERTIONS, seq, text)

    def add_turn(self, seq: int, text: str) -> None:
        self._add(Corpus.TURNS, seq, text)

    def write(self, tx: Instant) -> None:
        """Add to the tenant's running totals, and note them under the transaction time."""
        (a, at, aseq), (t, tt, tseq) = self._added[Corpus.ASSERTIONS], self._added[Corpus.TURNS]
        self._db.execute(
            "UPDATE tenant SET last_tx = ?, assertions = assertions + ?, "
            "assertion_terms = assertion_terms + ?, turns = turns + ?, "
            "turn_terms = turn_terms + ? WHERE id = ?",
            (tx, a, at, t, tt, self._tenant),
        )
        last = self._db.execute(
            "SELECT assertion_seq, turn_seq FROM tx WHERE tenant = ? ORDER BY tx DESC LIMIT 1",
            (self._tenant,),
        ).fetchone() or (0, 0)
        self._db.execute(
            "INSERT INTO tx (tenant, tx, assertions, assertion_terms, assertion_seq, turns, "
            "turn_terms, turn_seq) SELECT id, ?, assertions, assertion_terms, ?, turns, "
            "turn_terms, ? FROM tenant WHERE id = ?",
            (tx, aseq or last[0], tseq or last[1], self._tenant),
        )

    def _add(self, corpus: Corpus, seq: int, text: str) -> None:
        found = terms(text)
        self._db.execute(
            f"INSERT INTO {_TABLES[corpus].text} (rowid, terms) VALUES (?, ?)",
            (seq, " ".join(_marked(self._tenant, found))),
        )
        added = self._added[corpus]
        added[0] += 1
        added[1] += len(found)
        added[2] = seq


def search(
    connection: apsw.Connection,
    tenant: int,
    corpus: Corpus,
    wanted: Sequence[str],
    *,
    known_at: Instant,
    limit: int,
) -> Matches:
    """The documents believed at `known_at` that hold any of the terms, best first."""
    table = _TABLES[corpus]
    documents, total, last = _totals(connection, tenant, table, known_at)
    mean = total / documents if documents else 0.0
    frequencies = _frequencies(connection, tenant, table, wanted, last)
    kept, dropped = _within_budget(frequencies)
    if not kept:
        return Matches((), frequencies, documents, mean)
    condition, parameters = believed("d", known_at)
    found = connection.execute(
        f"SELECT d.id FROM {table.text} x CROSS JOIN {table.rows} d ON d.seq = x.rowid "
        f"WHERE x.{table.text} MATCH :terms AND x.rowid <= :last AND {condition} "
        "ORDER BY x.rank LIMIT :limit",
        {
            **parameters,
            "terms": " OR ".join(f'"{term}"' for term in _marked(tenant, kept)),
            "last": last,
            "limit": limit,
        },
    )
    ids = [row[0] for row in rows.stream(found)]
    return Matches(ids, frequencies, documents, mean, tuple(dropped))


def _totals(
    connection: apsw.Connection, tenant: int, table: _Table, known_at: Instant
) -> tuple[int, int, int]:
    """Documents, terms and the last row number of the corpus as known then."""
    found = connection.execute(
        f"SELECT {', '.join(table.counts)} FROM tx WHERE tenant = ? AND tx <= ? "
        "ORDER BY tx DESC LIMIT 1",
        (tenant, known_at),
    ).fetchone()
    return found or (0, 0, 0)


def _frequencies(
    connection: apsw.Connection, tenant: int, table: _Table, wanted: Sequence[str], last: int
) -> dict[str, int]:
    """In how many documents each term stands, as known at the row `last`."""
    newest = connection.execute(f"SELECT max(rowid) FROM {table.text}").get
    frequencies: dict[str, int] = {}
    for term, marked in zip(wanted, _marked(tenant, wanted), strict=True):
        if newest is not None and newest <= last:
            found = connection.execute(
                f"SELECT doc FROM {table.vocabulary} WHERE term = ?", (marked,)
            ).fetchone()
        else:
            found = connection.execute(
                f"SELECT count(*) FROM {table.text} WHERE {table.text} MATCH ? AND rowid <= ?",
                (f'"{marked}"', last),
            ).fetchone()
        if found and found[0]:
            frequencies[term] = found[0]
    return frequencies


def _within_budget(frequencies: dict[str, int]) -> tuple[list[str], list[str]]:
    kept: list[str] = []
    dropped: list[str] = []
    cost = 0
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term)):
        cost += frequencies[term]
        (kept if not kept or cost <= ROW_BUDGET else dropped).append(term)
    return kept, dropped


def _marked(tenant: int, found: Iterable[str]) -> list[str]:
    return [f"{tenant}_{term}" for term in found]
