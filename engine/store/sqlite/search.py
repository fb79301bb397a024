"""Full text: FTS5 finds candidates, and says how common a term is in one tenant.

FTS5's own ranking scores every row that matches, with statistics over all tenants. Here the
rows of each term are read instead, which costs a fifth, and a row is as good a candidate as the
sum of the idf of its terms within the tenant. Terms are looked up rarest first, and only as many
as keep the rows within a budget; what is left out is told, so that ranking can still count it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import apsw

from bitempo.engine.lexical import terms
from bitempo.engine.store.port import Corpus, Matches
from bitempo.engine.store.sqlite import columns
from bitempo.engine.store.sqlite.asof import believed
from bitempo.engine.time import Instant

ROW_BUDGET = 8_000
"""How many rows a search may read. Of a term that has more all by itself the newest are read."""

FEW = 2_000
"""Up to so many documents, to read all rows of a term costs less than to count them first."""


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
    if documents <= min(FEW, ROW_BUDGET):
        all_rows = _rows(connection, tenant, table, wanted, last)
        frequencies = {term: len(numbers) for term, numbers in all_rows.items() if numbers}
        kept, dropped = _within_budget(frequencies)
        found = {term: all_rows[term] for term in kept}
    else:
        frequencies = _frequencies(connection, tenant, table, wanted, last)
        kept, dropped = _within_budget(frequencies)
        found = _rows(connection, tenant, table, kept, last)
    ids = _believed(connection, table, _best_first(found, frequencies, documents), known_at, limit)
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
    newest = connection.execute(
        f"SELECT {table.counts[2]} FROM tx WHERE tenant = ? ORDER BY tx DESC LIMIT 1", (tenant,)
    ).get
    frequencies: dict[str, int] = {}
    for term, marked in zip(wanted, _marked(tenant, wanted), strict=True):
        frequency = _frequency(connection, table, marked, last, newest or 0)
        if frequency:
            frequencies[term] = frequency
    return frequencies


def _frequency(
    connection: apsw.Connection, table: _Table, marked: str, last: int, newest: int
) -> int:
    """The vocabulary counts all rows; the fewer of those up to `last` or after it are counted."""

    def count(condition: str) -> int:
        found = connection.execute(
            f"SELECT count(*) FROM {table.text} WHERE {table.text} MATCH ? AND rowid {condition} ?",
            (f'"{marked}"', last),
        )
        return int(found.get)

    if newest - last > last:
        return count("<=")
    total = connection.execute(f"SELECT doc FROM {table.vocabulary} WHERE term = ?", (marked,)).get
    if not total or newest <= last:
        return int(total or 0)
    return int(total) - count(">")


def _within_budget(frequencies: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """The terms to look up, rarest first, and those that are not, or not in all their rows."""
    kept: list[str] = []
    dropped: list[str] = []
    cost = 0
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term)):
        cost += frequencies[term]
        if cost > ROW_BUDGET:
            dropped.append(term)
        if not kept or cost <= ROW_BUDGET:
            kept.append(term)
    return kept, dropped


def _rows(
    connection: apsw.Connection,
    tenant: int,
    table: _Table,
    kept: Sequence[str],
    last: int,
) -> dict[str, list[int]]:
    """The rows of each term, newest first."""
    return {
        term: [
            row[0]
            for row in columns.stream(
                connection.execute(
                    f"SELECT rowid FROM {table.text} WHERE {table.text} MATCH ? AND rowid <= ? "
                    "ORDER BY rowid DESC LIMIT ?",
                    (f'"{marked}"', last, ROW_BUDGET),
                )
            )
        ]
        for term, marked in zip(kept, _marked(tenant, kept), strict=True)
    }


def _best_first(
    found: Mapping[str, list[int]], frequencies: Mapping[str, int], documents: int
) -> Iterator[list[int]]:
    """The rows by the sum of the idf of their terms, each group of equals newest first."""
    sums: dict[int, float] = {}
    for term, numbers in found.items():
        idf = math.log(
            1 + (max(documents - frequencies[term], 0) + 0.5) / (frequencies[term] + 0.5)
        )
        for number in numbers:
            sums[number] = sums.get(number, 0.0) + idf
    # Rows share few sums: one for each set of terms. To sort groups costs less than to sort rows.
    groups: dict[float, list[int]] = {}
    for number, total in sums.items():
        groups.setdefault(total, []).append(number)
    for total in sorted(groups, reverse=True):
        yield sorted(groups[total], reverse=True)


def _believed(
    connection: apsw.Connection,
    table: _Table,
    groups: Iterable[list[int]],
    known_at: Instant,
    limit: int,
) -> list[str]:
    """The ids of the first `limit` rows that are believed then, in the order given."""
    condition, parameters = believed("d", known_at)
    numbers = chain.from_iterable(groups)
    ids: list[str] = []
    while len(ids) < limit and (part := list(islice(numbers, limit))):
        found = connection.execute(
            f"SELECT d.seq, d.id FROM {table.rows} d WHERE {condition} "
            "AND d.seq IN (SELECT value FROM json_each(:rows))",
            {**parameters, "rows": json.dumps(part)},
        )
        by_number: dict[int, str] = dict(columns.stream(found))
        ids.extend(by_number[number] for number in part if number in by_number)
    return ids[:limit]


def _marked(tenant: int, found: Iterable[str]) -> list[str]:
    return [f"{tenant}_{term}" for term in found]
