"""Vectors in the file: int8 codes, read into memory once per tenant and scanned there.

Vectors follow what they are of in transactions of their own. `unembedded` says what still lacks
one: each commit adds to it for every space of the tenant, and each vector takes away from it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Any

import apsw
import numpy as np

from bitempo.engine.embedding import Vector, assertion_passage, turn_passage
from bitempo.engine.late import Late, LoadedTokens, TokenCorpus, TokenQuestion
from bitempo.engine.model import EpisodeKind
from bitempo.engine.names import digest
from bitempo.engine.store import rows
from bitempo.engine.store.port import Corpus
from bitempo.engine.store.sqlite import columns
from bitempo.engine.store.sqlite.asof import believed
from bitempo.engine.store.sqlite.connection import Connections
from bitempo.engine.store.sqlite.vector_spaces import (
    COMING,
    USED,
    count_in,
    drop_space,
    space_number,
    spaces_of,
    tenant_number,
)
from bitempo.engine.store.tokens import best, rows_of
from bitempo.engine.store.vector_port import Embedded, Near, Passage, VectorSpace
from bitempo.engine.store.vectors import Corpus as Held
from bitempo.engine.store.vectors import (
    Loaded,
    VectorCache,
    believed_first,
    check_vector,
    decode,
    quantise,
)
from bitempo.engine.time import Instant

_IN = "IN (SELECT value FROM json_each(?))"
_PART = 10_000
"""Rows that are read into memory at a time."""

_TABLES = {Corpus.ASSERTIONS: "assertion", Corpus.TURNS: "episode"}


class SqliteVectors:
    """Implements `Vectors`; each call is one transaction."""

    def __init__(self, connections: Connections, tenant: str) -> None:
        self._connections = connections
        self._tenant = tenant

    def space(self) -> VectorSpace | None:
        return self._space(USED)

    def coming(self) -> VectorSpace | None:
        return self._space(COMING)

    def begin(self, space: VectorSpace, *, replacing: bool = False) -> None:
        with self._connections.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO tenant (name) VALUES (?)", (self._tenant,))
            tenant = tenant_number(connection, self._tenant)
            spaces = spaces_of(connection, tenant)
            if replacing and COMING in spaces and spaces[COMING][1] != space:
                drop_space(connection, spaces.pop(COMING)[0])
            known = space in (found for _, found in spaces.values())
            if known or (USED in spaces and not replacing):
                return
            state = COMING if USED in spaces else USED
            connection.execute(
                "INSERT INTO vector_space (tenant, state, identity, dimension) VALUES (?, ?, ?, ?)",
                (tenant, state, space.identity, space.dimension),
            )
            number = connection.last_insert_rowid()
            connection.execute(
                "INSERT INTO unembedded (space, corpus, item) SELECT ?, ?, seq FROM episode "
                f"WHERE tenant = ? AND kind <> '{EpisodeKind.STATEMENT}'",
                (number, Corpus.TURNS, tenant),
            )
            connection.execute(
                "INSERT INTO unembedded (space, corpus, item) SELECT ?, ?, seq FROM assertion "
                "WHERE tenant = ?",
                (number, Corpus.ASSERTIONS, tenant),
            )

    def missing(self, space: VectorSpace, limit: int) -> list[Passage]:
        with self._connections.reading() as connection:
            tenant = tenant_number(connection, self._tenant)
            number = space_number(connection, tenant, space)
            found = _turns(connection, number, limit)
            return found + _assertions(connection, tenant, number, limit - len(found))

    def count_missing(self, space: VectorSpace) -> int:
        with self._connections.reading() as connection:
            number = space_number(connection, tenant_number(connection, self._tenant), space)
            return count_in(connection, "unembedded", number)

    def known(self, space: VectorSpace, texts: Collection[str]) -> dict[str, Embedded]:
        hashes = {digest(text): text for text in texts}
        with self._connections.reading() as connection:
            number = space_number(connection, tenant_number(connection, self._tenant), space)
            found = connection.execute(
                "SELECT text_hash, scale, codes, tokens FROM vector "
                f"WHERE space = ? AND text_hash {_IN} GROUP BY text_hash",
                (number, columns.json_list(hashes)),
            )
            return {
                hashes[hash]: Embedded(decode(codes, scale), tokens)
                for hash, scale, codes, tokens in columns.stream(found)
            }

    def put(
        self, space: VectorSpace, passages: Sequence[Passage], embedded: Sequence[Embedded]
    ) -> None:
        codes, scales = quantise(np.array([one.vector for one in embedded], np.float32))
        with self._connections.writing() as connection:
            tenant = tenant_number(connection, self._tenant)
            number = space_number(connection, tenant, space)
            for place, passage in enumerate(passages):
                item = connection.execute(
                    f"SELECT seq FROM {_TABLES[passage.corpus]} WHERE tenant = ? AND id = ?",
                    (tenant, passage.id),
                ).get
                connection.execute(
                    "DELETE FROM unembedded WHERE space = ? AND corpus = ? AND item = ?",
                    (number, passage.corpus, item),
                )
                # Another process may have been faster, or have given the space up.
                if connection.changes() == 1:
                    connection.execute(
                        "INSERT INTO vector "
                        "(space, corpus, item, text_hash, scale, codes, tokens) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?)",
                        (
                            number,
                            passage.corpus,
                            item,
                            digest(passage.text),
                            float(scales[place]),
                            codes[place].tobytes(),
                            embedded[place].tokens,
                        ),
                    )

    def finish(self, space: VectorSpace) -> bool:
        with self._connections.writing() as connection:
            tenant = tenant_number(connection, self._tenant)
            spaces = spaces_of(connection, tenant)
            if USED in spaces and spaces[USED][1] == space:
                return True
            number = space_number(connection, tenant, space)
            if number < 0 or count_in(connection, "unembedded", number):
                return False
            drop_space(connection, spaces[USED][0])
            connection.execute("UPDATE vector_space SET state = ? WHERE id = ?", (USED, number))
            return True

    def _space(self, state: str) -> VectorSpace | None:
        with self._connections.reading() as connection:
            found = spaces_of(connection, tenant_number(connection, self._tenant)).get(state)
            return None if found is None else found[1]


def nearest(
    connection: apsw.Connection,
    cache: VectorCache,
    tenant: int,
    corpus: Corpus,
    vector: Vector,
    known_at: Instant,
    limit: int,
) -> list[Near]:
    """What is believed at `known_at` and most like the vector, best first."""
    found = spaces_of(connection, tenant).get(USED)
    if found is None:
        return []
    number, space = found
    check_vector(vector, space)
    ids = _believed(connection, tenant, corpus, known_at, "seq")
    held, count = _held(connection, cache, number, space, corpus)
    return believed_first(held.nearest_first(vector, count, known_at), ids, limit)


def late(
    connection: apsw.Connection,
    cache: VectorCache,
    tenant: int,
    corpus: Corpus,
    question: TokenQuestion,
    known_at: Instant,
    limit: int,
    among: Collection[str],
) -> Late:
    """What is believed at `known_at` and meets the question's tokens best."""
    found = spaces_of(connection, tenant).get(USED)
    if found is None:
        return Late((), {}, np.zeros(len(question.ids), np.float32))
    held, count = _held_tokens(connection, cache, found[0], corpus, question)
    return best(
        held,
        count,
        question,
        known_at=known_at,
        believed=_believed(connection, tenant, corpus, known_at, "id"),
        limit=limit,
        among=among,
        item=str,
    )


def token_maxima(
    connection: apsw.Connection,
    cache: VectorCache,
    tenant: int,
    corpus: Corpus,
    question: TokenQuestion,
    ids: Collection[str],
) -> dict[str, Vector]:
    """How these texts meet the question's tokens."""
    found = spaces_of(connection, tenant).get(USED)
    if found is None:
        return {}
    held, _ = _held_tokens(connection, cache, found[0], corpus, question)
    return rows_of(held, question, ids, str)


def _believed(
    connection: apsw.Connection, tenant: int, corpus: Corpus, known_at: Instant, item: str
) -> Callable[[list[Any]], dict[Any, str]]:
    """Says which of some rows are believed at `known_at`, with the id of each.

    Args:
        item: the column, `seq` or `id`, that the rows are named by.
    """
    condition, parameters = believed("d", known_at)

    def ids(items: list[Any]) -> dict[Any, str]:
        rows = connection.execute(
            f"SELECT d.{item}, d.id FROM {_TABLES[corpus]} d WHERE d.tenant = :tenant "
            f"AND {condition} AND d.{item} IN (SELECT value FROM json_each(:items))",
            {**parameters, "tenant": tenant, "items": columns.json_list(items)},
        )
        return dict(columns.stream(rows))

    return ids


def _held(
    connection: apsw.Connection,
    cache: VectorCache,
    number: int,
    space: VectorSpace,
    corpus: Corpus,
) -> tuple[Held[int], int]:
    """The corpus in memory as this transaction sees it, and how many vectors it then has."""

    def load(held: Held[int]) -> None:
        for part in _rows(connection, number, corpus, held.last, "v.item", "v.scale, v.codes"):
            numbers, items, recorded, scales, codes = zip(*part, strict=True)
            held.extend(Loaded(numbers, items, recorded, scales, b"".join(codes)))

    key = (number, corpus, "vectors")
    last = _last(connection, number, corpus)
    return cache.up_to_date(key, last, lambda: Held(space.dimension), load)


def _held_tokens(
    connection: apsw.Connection,
    cache: VectorCache,
    number: int,
    corpus: Corpus,
    question: TokenQuestion,
) -> tuple[TokenCorpus[str], int]:
    # By their ids, so that a text is found by its id without asking the file.
    def load(held: TokenCorpus[str]) -> None:
        for part in _rows(connection, number, corpus, held.last, "d.id", "coalesce(v.tokens, x'')"):
            held.extend(LoadedTokens(*zip(*part, strict=True)))

    key = (number, corpus, "tokens", question.kept_dimension)
    last = _last(connection, number, corpus)
    return cache.up_to_date(key, last, lambda: TokenCorpus(question.kept_dimension), load)


def _last(connection: apsw.Connection, number: int, corpus: Corpus) -> int:
    last = connection.execute(
        "SELECT max(number) FROM vector WHERE space = ? AND corpus = ?", (number, corpus)
    ).get
    return -1 if last is None else int(last)


def _rows(
    connection: apsw.Connection, number: int, corpus: Corpus, after: int, item: str, wanted: str
) -> Iterator[list[tuple[Any, ...]]]:
    found = connection.cursor().execute(
        f"SELECT v.number, {item}, d.tx_from, {wanted} FROM vector v "
        f"CROSS JOIN {_TABLES[corpus]} d ON d.seq = v.item "
        "WHERE v.space = ? AND v.corpus = ? AND v.number > ? ORDER BY v.number",
        (number, corpus, after),
    )
    while part := list(islice(columns.stream(found), _PART)):
        yield part


def _turns(connection: apsw.Connection, space: int, limit: int) -> list[Passage]:
    found = connection.execute(
        f"SELECT {columns.EPISODE} FROM unembedded u JOIN episode e ON e.seq = u.item "
        "WHERE u.space = ? AND u.corpus = ? ORDER BY u.item LIMIT ?",
        (space, Corpus.TURNS, limit),
    )
    episodes = [rows.episode(row) for row in columns.stream(found)]
    return [Passage(Corpus.TURNS, episode.id, turn_passage(episode)) for episode in episodes]


def _assertions(connection: apsw.Connection, tenant: int, space: int, limit: int) -> list[Passage]:
    found = connection.execute(
        f"SELECT {columns.ASSERTION} FROM unembedded u JOIN assertion a ON a.seq = u.item "
        "WHERE u.space = ? AND u.corpus = ? ORDER BY u.item LIMIT ?",
        (space, Corpus.ASSERTIONS, limit),
    )
    assertions = [rows.placed_assertion(row).assertion for row in columns.stream(found)]
    ids = {item.subject for item in assertions} | {i.object for i in assertions if i.object}
    named = connection.execute(
        f"SELECT id, name FROM entity WHERE tenant = ? AND id {_IN}",
        (tenant, columns.json_list(ids)),
    )
    names: dict[str, str] = dict(columns.stream(named))
    return [
        Passage(Corpus.ASSERTIONS, item.id, assertion_passage(item, names)) for item in assertions
    ]
