"""The rules read nothing that another extractor began, unless they were chosen."""

from __future__ import annotations

import pytest

from bitempo import Budget, ConflictError, Memory, RulesExtractor, StoreError, Tenant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import unused
from tests.conformance.test_tenants import everything
from tests.ingest.model_double import PaidModel, told

FIRST, SECOND = told("s1", "I live in Lima.", actor="Ana"), told("s2", "I like tea.", actor="Ana")


@pytest.fixture
def name() -> str:
    """The name of a tenant that several memories open on one store."""
    return unused()


@pytest.fixture
def by_model(open_memory: Opener, clock: FixedClock, location: str, name: str) -> Tenant:
    return open_memory(location, clock=clock, extractor=PaidModel()).tenant(name)


@pytest.fixture
def unchosen(open_memory: Opener, clock: FixedClock, location: str, name: str) -> Tenant:
    """The same tenant, in a memory that was opened without an extractor."""
    return open_memory(location, clock=clock).tenant(name)


def test_what_waits_for_a_model_is_refused_or_left_and_read_where_the_rules_are_chosen(
    open_memory: Opener,
    clock: FixedClock,
    location: str,
    name: str,
    by_model: Tenant,
    unchosen: Tenant,
) -> None:
    by_model.ingest(FIRST, budget=Budget(max_calls=0))
    before = everything(by_model)
    for refused in (unchosen.resume, unchosen.reextract, unchosen.preview_reextract):
        with pytest.raises(ConflictError, match="1 window of this tenant wait"):
            refused()
    assert unchosen.preview(FIRST).windows == []
    assert unchosen.ingest(FIRST).windows == 0
    assert everything(by_model) == before
    # What is new is read, and what waits is not.
    assert unchosen.ingest(SECOND).windows == 1
    assert unchosen.append("s1", {"content": "I like jazz.", "role": "user"}).windows == 1
    assert unchosen.stats().inbox == {"applied": 2, "received": 1}
    assert unchosen.as_of("Ana", "LIVES_IN") == []
    chosen = open_memory(location, clock=clock, extractor=RulesExtractor()).tenant(name)
    assert chosen.resume().windows == 1
    assert [fact.answer for fact in chosen.as_of("Ana", "LIVES_IN")] == ["Lima"]


def test_what_a_model_has_read_is_not_read_again_by_rules_that_nobody_chose(
    by_model: Tenant, unchosen: Tenant
) -> None:
    by_model.ingest(FIRST)
    before = everything(by_model)
    with pytest.raises(ConflictError, match=r"(was|were) read by model/1"):
        unchosen.reextract("s1")
    assert unchosen.resume().windows == 0
    assert everything(by_model) == before


def test_a_reply_that_is_kept_needs_no_model(
    by_model: Tenant, unchosen: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StoreError("the disk has gone")

    with monkeypatch.context() as patch:
        patch.setattr(by_model._store, "write", broken)
        with pytest.raises(StoreError):
            by_model.ingest(FIRST)
    report = unchosen.resume()
    assert (report.windows, report.cached) == (1, 1)
    assert len(unchosen.as_of("Ana", "LIKES")) == 1


def test_a_memory_says_whether_its_extractor_was_chosen(memory: Memory) -> None:
    assert not memory.extractor_chosen
    assert memory.extractor.name.startswith("rules")
    assert not memory.extractor_chosen
