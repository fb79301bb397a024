"""An embedder finds what else a model is asked about, and merges nothing by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest

from bitempo import EntityRef, Memory, ModelError
from bitempo.engine.embedding import Matrix, normalised
from bitempo.engine.model import AssertionDraft, Episode
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.ingest.extraction import Extraction, Window
from bitempo.ingest.metering import Meter
from bitempo.ingest.resolution import EntityMatcher
from bitempo.ingest.resolution.model import Question
from tests.ingest.model_double import told

TOPICS = {"club": 0, "circle": 0, "lathe": 1, "workshop": 1}
"""Words by what they mean; whatever has none of them is like nothing else."""


class Topics:
    """An embedder that knows what the words above have in common."""

    identity = "topics/1"
    dimension = 64

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.down = False

    def embed(self, texts: Sequence[str]) -> Matrix:
        if self.down:
            raise ModelError("no answer")
        self.embedded += texts
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            known = [TOPICS[word] for word in text.split() if word in TOPICS]
            row[known[0] if known else 2 + sum(text.encode()) % 60] = 1.0
        return normalised(rows)


class Says:
    """A decider that says the same to everything, and keeps what it was asked."""

    name = "says/1"

    def __init__(self, *, same: bool) -> None:
        self.same_ = same
        self.asked: list[tuple[str, str]] = []

    def same(self, questions: Sequence[Question], meter: Meter) -> Mapping[int, str]:
        del meter
        self.asked += [(question.new.name, question.known.name) for question in questions]
        return dict.fromkeys(range(len(questions)), "so it says") if self.same_ else {}


class Names:
    """An extractor that finds one thing in each turn: what the turn says."""

    name = "names/1"

    def extract(self, window: Window) -> Extraction:
        return Extraction(self.name, tuple(map(_named, window.episodes)))


def _named(episode: Episode) -> AssertionDraft:
    return AssertionDraft(
        subject=EntityRef(episode.text, "group"),
        predicate="MENTIONED",
        value=True,
        text="It is mentioned.",
        evidence=(episode.id,),
        key="0",
    )


@pytest.fixture
def embedder() -> Topics:
    return Topics()


@pytest.fixture
def decider(request: pytest.FixtureRequest) -> Says:
    return Says(same=getattr(request, "param", True))


@pytest.fixture
def memory(embedder: Topics, decider: Says) -> Iterator[Memory]:
    resolver = EntityMatcher(decider, embedder)
    store = SqliteStore(":memory:")
    with Memory(store, extractor=Names(), resolver=resolver) as opened:
        yield opened


def test_names_without_a_word_in_common_are_asked_about_and_merged_if_so_said(
    memory: Memory, decider: Says
) -> None:
    tenant = memory.tenant("acme")
    tenant.ingest(told("s1", "writing club"))
    tenant.ingest(told("s2", "poetry circle"))
    assert decider.asked == [("poetry circle", "writing club")]
    assert [merge.reason for merge in tenant.merges()] == [
        "poetry circle is the same as writing club: so it says"
    ]


@pytest.mark.parametrize("decider", [False], indirect=True)
def test_likeness_alone_merges_nothing(memory: Memory, decider: Says) -> None:
    tenant = memory.tenant("acme")
    for number, name in enumerate(("writing club", "poetry circle", "the writing club")):
        tenant.ingest(told(f"s{number}", name))
    assert ("poetry circle", "writing club") in decider.asked
    assert all("circle" not in merge.reason for merge in tenant.merges())


def test_what_is_like_nothing_is_not_asked_about(memory: Memory, decider: Says) -> None:
    tenant = memory.tenant("acme")
    tenant.ingest(told("s1", "writing club"))
    tenant.ingest(told("s2", "lathe"))
    assert decider.asked == []


def test_another_tenants_names_are_never_candidates(memory: Memory, decider: Says) -> None:
    memory.tenant("theirs").ingest(told("s1", "writing club"))
    memory.tenant("ours").ingest(told("s1", "poetry circle"))
    assert decider.asked == []


def test_each_name_is_embedded_once(memory: Memory, embedder: Topics) -> None:
    tenant = memory.tenant("acme")
    for number, name in enumerate(("writing club", "poetry circle", "lathe", "lathe")):
        tenant.ingest(told(f"s{number}", name))
    assert len(embedder.embedded) == len(set(embedder.embedded)) > 0


def test_an_embedder_that_fails_is_noted_and_holds_up_nothing(
    memory: Memory, embedder: Topics, decider: Says
) -> None:
    tenant = memory.tenant("acme")
    tenant.ingest(told("s1", "writing club"))
    embedder.down = True
    report = tenant.ingest(told("s2", "poetry circle"))
    assert (report.windows, decider.asked) == (1, [])
    assert [note.remark for note in report.notes] == ["likeness of names was left out: no answer"]


def test_without_a_model_nothing_is_embedded(embedder: Topics) -> None:
    resolver = EntityMatcher(None, embedder)
    with Memory(SqliteStore(":memory:"), extractor=Names(), resolver=resolver) as memory:
        tenant = memory.tenant("acme")
        tenant.ingest(told("s1", "writing club"))
        tenant.ingest(told("s2", "poetry circle"))
    assert embedder.embedded == []
