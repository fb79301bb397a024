"""Vectors follow what is written, are searched at one point in time, and never mix."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bitempo import (
    EmbedderMismatchError,
    InvalidInputError,
    Memory,
    ModelError,
    Tenant,
)
from bitempo.engine.embedding import Matrix
from bitempo.engine.store.port import Corpus
from bitempo.engine.store.vector_port import Embedded, Passage, VectorSpace
from bitempo.engine.time import Instant
from bitempo.testing import FixedClock, HashingEmbedder
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh, unused

NOW = 2**60
SIZE = 128


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder(SIZE)


@pytest.fixture
def embedding(open_memory: Opener, location: str, embedder: HashingEmbedder) -> Memory:
    """A memory with the embedder, on a store whose content stays."""
    return open_memory(location, clock=FixedClock("2030-01-01"), embedder=embedder)


@pytest.fixture
def tenant(embedding: Memory) -> Tenant:
    return fresh(embedding)


def say(tenant: Tenant, *lines: str, session: str = "s") -> None:
    messages = [{"role": "user", "name": "Ana", "content": line} for line in lines]
    report = tenant.ingest(messages, session=session, started_at="2024-01-01T00:00:00Z")
    assert report.failed == {}


def near(
    tenant: Tenant,
    embedder: HashingEmbedder,
    text: str,
    corpus: Corpus = Corpus.TURNS,
    known_at: Instant = NOW,
    limit: int = 3,
) -> list[str]:
    """The texts of what is nearest."""
    vector = HashingEmbedder(embedder.dimension).embed([text])[0]
    with tenant._store.read(tenant.name) as reader:
        ids = [i.id for i in reader.nearest(corpus, vector, known_at=known_at, limit=limit)]
        found = reader.episodes(ids) if corpus is Corpus.TURNS else reader.assertions(ids)
        return [found[id].text for id in ids]


def space_of(embedder: HashingEmbedder) -> VectorSpace:
    return VectorSpace(embedder.identity, embedder.dimension)


def embedded(embedder: HashingEmbedder, passages: Sequence[Passage]) -> list[Embedded]:
    return [Embedded(vector) for vector in embedder.embed([passage.text for passage in passages])]


def test_what_is_written_is_embedded_and_found(tenant: Tenant, embedder: HashingEmbedder) -> None:
    say(tenant, "the harbour was full of boats", "my sister plays the violin")
    written = tenant.assert_fact("Ana", "LIVES_IN", "Lima")
    assert written.embedding_error is None
    assert near(tenant, embedder, "Ana: a violin for my sister", limit=1) == [
        "my sister plays the violin"
    ]
    assert near(tenant, embedder, "lives in Lima", Corpus.ASSERTIONS, limit=1) == [
        "Ana lives in Lima"
    ]
    stats = tenant.stats()
    assert stats.embedder == embedder.identity
    assert stats.unembedded == 0
    assert stats.vectors == stats.assertions + 2


def test_nearest_is_exact_and_ordered(tenant: Tenant, embedder: HashingEmbedder) -> None:
    lines = [f"word{number} word{number % 7} word{number % 3}" for number in range(40)]
    say(tenant, *lines)
    question = embedder.embed(["word1 word4 word0"])[0]
    passages = [f"Ana: {line}" for line in lines]
    similarities = HashingEmbedder(SIZE).embed(passages) @ question
    with tenant._store.read(tenant.name) as reader:
        found = reader.nearest(Corpus.TURNS, question, known_at=NOW, limit=10)
        everything = reader.nearest(Corpus.TURNS, question, known_at=NOW, limit=1_000)
    assert [item.similarity for item in found] == sorted(
        (item.similarity for item in found), reverse=True
    )
    assert np.allclose([i.similarity for i in found], np.sort(similarities)[::-1][:10], atol=0.01)
    assert len({item.id for item in everything}) == 40
    assert np.allclose([i.similarity for i in everything], np.sort(similarities)[::-1], atol=0.01)


def test_a_limit_beyond_what_there_is_gives_what_there_is(
    tenant: Tenant, embedder: HashingEmbedder
) -> None:
    say(tenant, "one", "two")
    assert len(near(tenant, embedder, "one", limit=1000)) == 2
    assert near(tenant, embedder, "one", limit=0) == []


def test_a_search_sees_what_was_known_then(tenant: Tenant, embedder: HashingEmbedder) -> None:
    first = tenant.assert_fact("Ana", "LIVES_IN", "Lima", episode="E1")
    before = tenant.stats().last_tx or 0
    tenant.assert_fact("Bo", "LIVES_IN", "Lima", episode="E2")
    between = tenant.stats().last_tx or 0
    tenant.retract(first.assertion_id)
    question = "lives in Lima"

    def known(at: Instant) -> list[str]:
        return sorted(near(tenant, embedder, question, Corpus.ASSERTIONS, at))

    assert known(before - 1) == []
    assert known(before) == ["Ana lives in Lima"]
    assert known(between) == ["Ana lives in Lima", "Bo lives in Lima"]
    assert known(NOW) == ["Bo lives in Lima"]


def test_a_tenant_finds_nothing_of_another(embedding: Memory, embedder: HashingEmbedder) -> None:
    ours, theirs, nobody = (fresh(embedding) for _ in range(3))
    say(ours, "the harbour was full of boats")
    say(theirs, "the harbour was full of boats", "boats in the harbour")
    assert len(near(ours, embedder, "boats", limit=10)) == 1
    assert len(near(theirs, embedder, "boats", limit=10)) == 2
    assert near(nobody, embedder, "boats", limit=10) == []
    assert ours.stats().vectors < theirs.stats().vectors
    assert nobody.stats().embedder is None


def test_a_text_is_embedded_once(tenant: Tenant, embedder: HashingEmbedder) -> None:
    say(tenant, "hello", "hello")
    say(tenant, "hello", session="another")
    said = tenant.assert_fact("Ana", "LIVES_IN", "Lima")
    tenant.retract(said.assertion_id)
    tenant.assert_fact("Ana", "LIVES_IN", "Lima")
    say(tenant, "hello", "hello")
    assert len(embedder.texts) == len(set(embedder.texts))
    assert tenant.stats().unembedded == 0
    assert len(near(tenant, embedder, "Ana: hello", limit=9)) == 3


def test_calls_are_batched(tenant: Tenant, embedder: HashingEmbedder) -> None:
    calls: list[int] = []
    whole = embedder.embed

    def counted(texts: Sequence[str]) -> Matrix:
        calls.append(len(texts))
        return whole(texts)

    embedder.embed = counted  # type: ignore[method-assign]
    say(tenant, *(f"the sky of day {number} was grey" for number in range(60)))
    assert len(calls) == 1
    assert calls[0] >= 60


def test_a_restart_finds_the_same(
    open_memory: Opener, location: str, tenant: Tenant, embedder: HashingEmbedder
) -> None:
    say(tenant, "the harbour was full of boats", "my sister plays the violin", "hello")
    before = near(tenant, embedder, "boats and a violin")
    again = open_memory(location, embedder=HashingEmbedder(SIZE)).tenant(tenant.name)
    assert near(again, embedder, "boats and a violin") == before
    assert again.embed_missing() == 0


def test_what_was_written_without_an_embedder_is_embedded_with_the_next_write(
    open_memory: Opener, location: str, embedder: HashingEmbedder
) -> None:
    name = unused()
    without = open_memory(location).tenant(name)
    say(without, "the harbour was full of boats")
    assert without.stats().unembedded > 0
    assert near(without, embedder, "boats") == []
    with_one = open_memory(location, embedder=embedder).tenant(name)
    with_one.assert_fact("Bo", "LIVES_IN", "Lima")
    assert with_one.stats().unembedded == 0
    without.assert_fact("Bo", "LIVES_IN", "Oslo")
    assert without.stats().unembedded == 1
    assert with_one.embed_missing() == 1


def test_an_embedder_that_fails_costs_no_write_and_is_made_up_for(
    tenant: Tenant, embedder: HashingEmbedder
) -> None:
    for failure in (ModelError("the endpoint is down"), RuntimeError("odd")):
        embedder.failing = failure
        written = tenant.assert_fact("Ana", "LIVES_IN", "Lima", episode=f"E-{failure}")
        assert written.tx is not None
        assert str(failure) in (written.embedding_error or "")
        with pytest.raises(ModelError, match=str(failure)):
            tenant.embed_missing()
        assert tenant.stats().unembedded == tenant.stats().assertions
    embedder.failing = None
    tenant.append("s", {"role": "user", "content": "hello"})
    assert tenant.stats().unembedded == 0


class Stopped(BaseException):
    """What is not an error and not caught: as if the process had ended here."""


def test_a_stop_between_commit_and_vectors_loses_nothing(
    open_memory: Opener, location: str, tenant: Tenant, embedder: HashingEmbedder
) -> None:
    embedder.failing = Stopped()  # type: ignore[assignment]
    with pytest.raises(Stopped):
        say(tenant, "the harbour was full of boats")
    again = open_memory(location, embedder=HashingEmbedder(SIZE)).tenant(tenant.name)
    assert again.stats().unembedded == again.stats().assertions + 1
    assert again.embed_missing() == again.stats().vectors
    assert again.stats().unembedded == 0
    assert near(again, embedder, "boats in the harbour", limit=1) == [
        "the harbour was full of boats"
    ]


def test_another_embedder_is_refused_before_anything_is_written(
    open_memory: Opener, location: str, tenant: Tenant
) -> None:
    say(tenant, "hello")
    before = list(tenant.export())
    for other in (HashingEmbedder(SIZE, name="other"), HashingEmbedder(SIZE // 2)):
        theirs = open_memory(location, embedder=other).tenant(tenant.name)
        for write in (
            lambda t: t.assert_fact("Ana", "LIVES_IN", "Oslo"),
            lambda t: say(t, "new", session="new"),
            lambda t: t.append("s", {"role": "user", "content": "more"}),
            lambda t: t.embed_missing(),
        ):
            with pytest.raises(EmbedderMismatchError, match="bitempo reembed"):
                write(theirs)
        assert [fact.answer for fact in theirs.as_of()] == [f.answer for f in tenant.as_of()]
    assert list(tenant.export()) == before


def test_reembed_replaces_all_vectors_at_once(
    open_memory: Opener, location: str, tenant: Tenant, embedder: HashingEmbedder
) -> None:
    say(tenant, "the harbour was full of boats", "my sister plays the violin")
    vectors = tenant.stats().vectors
    other = HashingEmbedder(SIZE // 2, name="other")
    theirs = open_memory(location, embedder=other).tenant(tenant.name)
    seen: list[tuple[int, int]] = []
    assert theirs.reembed(lambda done, total: seen.append((done, total))) == vectors
    assert seen == [(vectors, vectors)]
    assert theirs.stats().embedder == other.identity
    assert theirs.stats().vectors == vectors
    assert theirs.stats().unembedded == 0
    assert near(theirs, other, "a violin", limit=1) == ["my sister plays the violin"]
    with pytest.raises(EmbedderMismatchError):
        tenant.assert_fact("Bo", "LIVES_IN", "Lima")
    assert theirs.reembed() == 0
    assert tenant.reembed() == vectors
    assert near(tenant, embedder, "a violin", limit=1) == ["my sister plays the violin"]


def test_a_reembed_that_was_stopped_leaves_the_old_vectors_in_use_and_goes_on(
    open_memory: Opener, location: str, tenant: Tenant, embedder: HashingEmbedder
) -> None:
    lines = [f"the boat of day {number} was grey" for number in range(5)]
    say(tenant, *lines)
    other = HashingEmbedder(SIZE, name="other")
    theirs = open_memory(location, embedder=other).tenant(tenant.name)
    vectors = theirs._store.vectors(tenant.name)
    space = space_of(other)
    vectors.begin(space, replacing=True)
    some = vectors.missing(space, 2)
    vectors.put(space, some, embedded(other, some))
    # The old ones answer, and whatever is written meanwhile gets vectors of both kinds.
    assert len(near(tenant, embedder, "boat", limit=9)) == 5
    assert tenant.stats().embedder == embedder.identity
    say(tenant, "a late boat", session="late")
    assert tenant.stats().unembedded == 0
    assert not vectors.finish(space)
    with pytest.raises(EmbedderMismatchError):
        theirs.embed_missing()
    other.texts.clear()
    again = open_memory(location, embedder=other).tenant(tenant.name)
    again.reembed()
    assert set(other.texts).isdisjoint(passage.text for passage in some)
    assert len(near(again, other, "boat", limit=9)) == 6
    assert again.stats().unembedded == 0


def test_a_reembed_given_up_for_another_starts_anew(
    open_memory: Opener, location: str, tenant: Tenant
) -> None:
    say(tenant, "the harbour was full of boats", "my sister plays the violin")
    vectors = tenant._store.vectors(tenant.name)
    second, third = (HashingEmbedder(SIZE, name=name) for name in ("second", "third"))
    for given_up in (second, third):
        space = space_of(given_up)
        vectors.begin(space, replacing=True)
        some = vectors.missing(space, 1)
        vectors.put(space, some, embedded(given_up, some))
        assert vectors.coming() == space
    theirs = open_memory(location, embedder=second).tenant(tenant.name)
    assert theirs.reembed() == theirs.stats().vectors
    assert theirs.stats().unembedded == 0
    assert vectors.coming() is None


def test_many_that_embed_at_once_make_each_vector_once(open_memory: Opener, location: str) -> None:
    name = unused()
    plain = open_memory(location).tenant(name)
    say(plain, *(f"the boat of day {number} was grey" for number in range(30)))
    embedders = [HashingEmbedder(SIZE) for _ in range(4)]
    tenants = [open_memory(location, embedder=each).tenant(name) for each in embedders]
    start = threading.Barrier(len(tenants))

    def work(tenant: Tenant) -> None:
        start.wait()
        tenant.embed_missing()

    with ThreadPoolExecutor(len(tenants)) as pool:
        list(pool.map(work, tenants))
    stats = plain.stats()
    assert stats.unembedded == 0
    assert stats.vectors == stats.assertions + 30
    assert len(near(tenants[0], embedders[0], "boat", limit=100)) == 30


def test_of_two_embedders_that_begin_at_once_one_is_refused(
    open_memory: Opener, location: str
) -> None:
    name = unused()
    say(open_memory(location).tenant(name), "hello", "world")
    tenants = [
        open_memory(location, embedder=HashingEmbedder(SIZE, name=kind)).tenant(name)
        for kind in ("one", "two")
    ]
    start = threading.Barrier(2)

    def work(tenant: Tenant) -> str:
        start.wait()
        try:
            tenant.embed_missing()
        except EmbedderMismatchError:
            return "refused"
        return "done"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(work, tenants)) == ["done", "refused"]
    assert tenants[0].stats().unembedded == 0


def test_vectors_are_not_exported_and_are_made_again_after_an_import(
    tenant: Tenant, embedding: Memory, embedder: HashingEmbedder
) -> None:
    say(tenant, "the harbour was full of boats", "my sister plays the violin")
    lines = list(tenant.export())
    copy = fresh(embedding)
    copy.import_(lines)
    assert copy.stats().unembedded == tenant.stats().vectors
    assert near(copy, embedder, "boats") == []
    assert copy.embed_missing() == tenant.stats().vectors
    assert near(copy, embedder, "boats") == near(tenant, embedder, "boats")
    assert list(copy.export()) == lines


def test_a_vector_of_another_dimension_is_refused(tenant: Tenant) -> None:
    say(tenant, "hello")
    with (
        pytest.raises(InvalidInputError, match="128 numbers"),
        tenant._store.read(tenant.name) as reader,
    ):
        reader.nearest(Corpus.TURNS, np.zeros(3, np.float32), known_at=NOW, limit=1)


def test_an_embedder_of_ones_own_that_gives_something_else_is_told_so(
    open_memory: Opener,
) -> None:
    class Odd(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Matrix:
            return super().embed(texts)[:, :3]

    tenant = fresh(open_memory(embedder=Odd(SIZE)))
    written = tenant.assert_fact("Ana", "LIVES_IN", "Lima")
    assert "shape (3,)" in (written.embedding_error or "")


def test_numbers_that_are_not_finite_are_no_vector(open_memory: Opener) -> None:
    class Broken(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Matrix:
            return super().embed(texts) * np.float32(np.nan)

    tenant = fresh(open_memory(embedder=Broken(SIZE)))
    written = tenant.assert_fact("Ana", "LIVES_IN", "Lima")
    assert "not finite" in (written.embedding_error or "")
    with pytest.raises(ModelError, match="not finite"):
        tenant.embed_missing()


def test_a_memory_without_an_embedder_says_how_to_get_one(open_memory: Opener) -> None:
    tenant = fresh(open_memory())
    for verb in (tenant.embed_missing, tenant.reembed):
        with pytest.raises(InvalidInputError, match='embedder="static"'):
            verb()


def test_nothing_to_embed_is_nothing_to_do(tenant: Tenant, embedder: HashingEmbedder) -> None:
    assert tenant.embed_missing() == 0
    assert tenant.reembed() == 0
    assert tenant.stats().embedder is None
    assert embedder.texts == []
