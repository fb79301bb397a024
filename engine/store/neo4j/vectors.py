"""Vectors on the nodes: how they get there, and how one space takes the place of another.

What lacks a vector is found without a list of it: everything of the tenant that was recorded up to
a time noted on its node (`turns_to_...`, `assertions_to_...`) has one, so only what came later is
looked through.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from bitempo.engine.embedding import assertion_passage, turn_passage
from bitempo.engine.names import digest
from bitempo.engine.store import rows
from bitempo.engine.store.neo4j import columns, spaces
from bitempo.engine.store.neo4j.graph import Graph
from bitempo.engine.store.neo4j.lookup import anything, by, by_key, by_keys
from bitempo.engine.store.neo4j.spaces import LABELS, Names, Recorded
from bitempo.engine.store.neo4j.tenants import lock_to_write
from bitempo.engine.store.neo4j.times import asked, moment, stored
from bitempo.engine.store.port import Corpus
from bitempo.engine.store.vector_port import Embedded, Passage, VectorSpace
from bitempo.engine.store.vectors import decode, quantise
from bitempo.engine.time import BEGINNING, Instant

Run = Callable[[Callable[[Graph], Any]], Any]
"""Runs a function of the graph in one transaction of its own."""

_BATCH = 2_000


class Neo4jVectors:
    """Implements `Vectors`; each call is one durable transaction, or several that may be cut off.

    Args:
        write, read: run a function of the graph.
        make_indexes: makes the indexes of a space, where they are not there yet.
    """

    def __init__(self, write: Run, read: Run, make_indexes: Callable[[VectorSpace], None]) -> None:
        self._write = write
        self._read = read
        self._make_indexes = make_indexes
        self._complete: dict[VectorSpace, dict[Corpus, Instant]] = {}

    def space(self) -> VectorSpace | None:
        used = self._spaces().used
        return None if used is None else used.space

    def coming(self) -> VectorSpace | None:
        coming = self._spaces().coming
        return None if coming is None else coming.space

    def begin(self, space: VectorSpace, *, replacing: bool = False) -> None:
        self._make_indexes(space)
        while not self._write(partial(_record, space=space, replacing=replacing)):
            # What was dropped has to be gone first, or its vectors would be taken for new ones.
            self._sweep_dropped()

    def missing(self, space: VectorSpace, limit: int) -> list[Passage]:
        found, complete = self._read(partial(_missing, space=space, limit=limit))
        self._complete[space] = complete
        return list(found)

    def count_missing(self, space: VectorSpace) -> int:
        found: int = self._read(partial(_count_missing, space=space))
        return found

    def known(self, space: VectorSpace, texts: Collection[str]) -> dict[str, Embedded]:
        return dict(self._read(partial(_known, names=Names.of(space), texts=texts)))

    def put(
        self, space: VectorSpace, passages: Sequence[Passage], embedded: Sequence[Embedded]
    ) -> None:
        self._write(
            partial(
                _put,
                space=space,
                passages=passages,
                embedded=embedded,
                complete=self._complete.get(space, {}),
            )
        )

    def finish(self, space: VectorSpace) -> bool:
        if not self._write(partial(_switch, space=space)):
            return False
        self._sweep_dropped()
        return True

    def _spaces(self) -> spaces.Spaces:
        found: spaces.Spaces = self._read(spaces.read)
        return found

    def _sweep_dropped(self) -> None:
        for mark in self._spaces().dropped:
            self._sweep(Names(mark))

    def _sweep(self, names: Names) -> None:
        """Remove the vectors of a space that was dropped, a batch at a time."""
        for label in LABELS.values():
            while self._write(partial(_remove, names=names, label=label)):
                pass
        self._write(partial(_forget, names=names))


def _record(graph: Graph, space: VectorSpace, replacing: bool) -> bool:
    """Put the space on record if it is to be; False when what was dropped is in the way."""
    lock_to_write(graph)
    found, names = spaces.read(graph), Names.of(space)
    if replacing and found.coming is not None and found.coming.space != space:
        graph.change(
            f"{by_key('t:BitempoTenant', '$key')} SET t.spaces_dropped = "
            "coalesce(t.spaces_dropped, []) + t.space_coming, t.space_coming = null",
            key=graph.key(""),
        )
        found = spaces.read(graph)
    if found.find(space) is not None or (found.used is not None and not replacing):
        return True
    if names.mark in found.dropped:
        return False
    place = "space_used" if found.used is None else "space_coming"
    graph.change(
        f"{by_key('t:BitempoTenant', '$key')} SET t.{place} = $mark, "
        "t.spaces_begun = coalesce(t.spaces_begun, 0) + 1, "
        f"t.{names.identity} = $identity, t.{names.dimension} = $dimension, t.{names.count} = 0 "
        f"SET t.{names.generation} = t.spaces_begun",
        key=graph.key(""),
        mark=names.mark,
        identity=space.identity,
        dimension=space.dimension,
    )
    return True


def _missing(
    graph: Graph, space: VectorSpace, limit: int
) -> tuple[list[Passage], dict[Corpus, Instant]]:
    """What lacks a vector, and the times up to which nothing recorded does."""
    state = spaces.read(graph)
    recorded = state.find(space)
    if state.last_tx is None or recorded is None:
        return [], {}
    passages: list[Passage] = []
    complete: dict[Corpus, Instant] = {}
    for corpus, read in ((Corpus.TURNS, _turns), (Corpus.ASSERTIONS, _assertions)):
        if len(passages) >= limit:
            break
        match, parameters = _lacking(recorded, corpus)
        n = _variable(corpus)
        found = read(
            graph,
            f"{match} WITH {n} ORDER BY {n}.tx_from, {n}.number LIMIT $limit",
            {**parameters, "limit": limit - len(passages)},
        )
        complete[corpus] = found[0][0] - 1 if found else state.last_tx
        passages += [passage for _, passage in found]
    return passages, complete


def _lacking(recorded: Recorded, corpus: Corpus) -> tuple[str, dict[str, Any]]:
    """The pattern of what has no vector of the space, and its parameters."""
    n = _variable(corpus)
    match = (
        f"{by(f'{n}:{LABELS[corpus]}', 'tenant', 'tx_from')} WHERE {n}.tenant = $tenant "
        f"AND {n}.tx_from > $complete AND {n}.{recorded.names.number} IS NULL "
        f"AND {anything(f'{n}.terms')}"
    )
    return match, {"complete": asked(recorded.complete[corpus])}


def _count_missing(graph: Graph, space: VectorSpace) -> int:
    state = spaces.read(graph)
    recorded = state.find(space)
    if state.last_tx is None or recorded is None:
        return 0
    return sum(_count_of(graph, recorded, corpus) for corpus in Corpus)


def _count_of(graph: Graph, recorded: Recorded, corpus: Corpus) -> int:
    match, parameters = _lacking(recorded, corpus)
    found: int = graph.one(f"{match} RETURN count({_variable(corpus)})", **parameters)
    return found


def _turns(graph: Graph, match: str, parameters: dict[str, Any]) -> list[tuple[Instant, Passage]]:
    found = graph.gather(match, columns.EPISODE, **parameters)
    episodes = [rows.episode(row) for row in found]
    return [
        (
            BEGINNING if episode.believed is None else episode.believed.start,
            Passage(Corpus.TURNS, episode.id, turn_passage(episode)),
        )
        for episode in episodes
    ]


def _assertions(
    graph: Graph, match: str, parameters: dict[str, Any]
) -> list[tuple[Instant, Passage]]:
    found = graph.gather(
        f"{match} WITH a, [(a)-[:SUBJECT|OBJECT]->(n:BitempoEntity) | [n.id, n.name]] AS names",
        f"[{columns.assertion(rows.ASSERTION_COLUMNS)}, names]",
        **parameters,
    )
    passages = []
    for row, names in found:
        assertion = rows.placed_assertion(tuple(row)).assertion
        text = assertion_passage(assertion, dict(names))
        passages.append((assertion.recorded_at, Passage(Corpus.ASSERTIONS, assertion.id, text)))
    return passages


def _known(graph: Graph, names: Names, texts: Collection[str]) -> list[tuple[str, Embedded]]:
    by_text = {_text_key(graph, text): text for text in texts}
    matched = " UNION ".join(
        f"{by(f'n:{label}', names.text)} WHERE n.{names.text} IN $texts "
        f"RETURN n.{names.text} AS text, n.{names.scale} AS scale, n.{names.codes} AS codes, "
        f"n.{names.tokens} AS tokens"
        for label in LABELS.values()
    )
    found = graph.rows(matched, texts=list(by_text))
    return [
        (by_text[key], Embedded(decode(codes, scale), tokens))
        for key, scale, codes, tokens in found
    ]


def _put(
    graph: Graph,
    space: VectorSpace,
    passages: Sequence[Passage],
    embedded: Sequence[Embedded],
    complete: dict[Corpus, Instant],
) -> None:
    lock_to_write(graph)
    found = spaces.read(graph).find(space)
    if found is None:
        return
    codes, scales = quantise(np.array([one.vector for one in embedded], np.float32))
    count = found.count
    for corpus, label in LABELS.items():
        places = {
            graph.key(passage.id): place
            for place, passage in enumerate(passages)
            if passage.corpus is corpus
        }
        if not places:
            continue
        # Another process may have been faster.
        lacking = graph.firsts(
            f"{by_keys(f'n:{label}')} AND n.{found.names.number} IS NULL RETURN n.key",
            keys=list(places),
        )
        graph.change_each(
            _putting(found.names, label),
            [
                [
                    key,
                    count + number,
                    embedded[places[key]].vector.tolist(),
                    codes[places[key]].tobytes(),
                    float(scales[places[key]]),
                    _text_key(graph, passages[places[key]].text),
                    embedded[places[key]].tokens,
                ]
                for number, key in enumerate(lacking)
            ],
        )
        count += len(lacking)
    _note(graph, found, count, complete)


def _putting(names: Names, label: str) -> str:
    return (
        f"{by_key(f'n:{label}', 'row[0]')} SET n.{names.number} = row[1], "
        f"n.{names.vector} = row[2], n.{names.codes} = row[3], n.{names.scale} = row[4], "
        f"n.{names.text} = row[5], n.{names.tokens} = row[6]"
    )


def _note(graph: Graph, found: Recorded, count: int, complete: dict[Corpus, Instant]) -> None:
    """Note how many vectors there are now, and up to when everything has had one before."""
    times = "".join(
        f", t.{found.names.up_to(corpus)} = {stored(f'row[2][{place}]')}"
        for place, corpus in enumerate(complete)
    )
    # With the vectors, in one statement.
    graph.change_each(
        f"{by_key('t:BitempoTenant', 'row[0]')} SET t.{found.names.count} = row[1]{times}",
        [[graph.key(""), count, [moment(at) for at in complete.values()]]],
    )


def _switch(graph: Graph, space: VectorSpace) -> bool:
    lock_to_write(graph)
    found = spaces.read(graph)
    if found.used is not None and found.used.space == space:
        return True
    if found.coming is None or found.coming.space != space or _count_missing(graph, space):
        return False
    graph.change(
        f"{by_key('t:BitempoTenant', '$key')} SET "
        "t.spaces_dropped = coalesce(t.spaces_dropped, []) + t.space_used, "
        "t.space_used = t.space_coming, t.space_coming = null",
        key=graph.key(""),
    )
    return True


def _remove(graph: Graph, names: Names, label: str) -> int:
    if names.mark not in spaces.read(graph).dropped:
        return 0
    listed = ", ".join(f"n.{name}" for name in names.of_nodes)
    found: int = graph.one(
        f"{by(f'n:{label}', 'tenant', names.number)} WHERE n.tenant = $tenant "
        f"AND {anything(f'n.{names.number}')} WITH n LIMIT $batch REMOVE {listed} RETURN count(n)",
        batch=_BATCH,
    )
    return found


def _forget(graph: Graph, names: Names) -> None:
    listed = ", ".join(f"t.{name}" for name in names.of_tenant)
    lock_to_write(graph)
    if names.mark in spaces.read(graph).dropped:
        graph.change(
            f"{by_key('t:BitempoTenant', '$key')} "
            f"SET t.spaces_dropped = [mark IN t.spaces_dropped WHERE mark <> $mark] "
            f"REMOVE {listed}",
            key=graph.key(""),
            mark=names.mark,
        )


def _variable(corpus: Corpus) -> str:
    """The name that the columns of the corpus's records are written with."""
    return "e" if corpus is Corpus.TURNS else "a"


def _text_key(graph: Graph, text: str) -> str:
    return graph.key("text\x1f" + digest(text))
