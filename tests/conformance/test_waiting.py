"""Turns that cannot be extracted now are on record and found; their claims follow."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bitempo import Budget, Memory, ModelError, Tenant, Usage
from bitempo.engine.time import to_datetime
from bitempo.ingest.extraction import Window
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh
from tests.conformance.test_tenants import everything
from tests.ingest.model_double import CALL, PaidModel, told

SAID = told("s1", "tea from Assam", "rice from Uji", actor="Ana")


def down(_: Window) -> None:
    raise ModelError("no answer")


@pytest.fixture
def model() -> PaidModel:
    return PaidModel()


@pytest.fixture
def memory(open_memory: Opener, clock: FixedClock, model: PaidModel) -> Memory:
    return open_memory(clock=clock, extractor=model)


@pytest.fixture(params=["failed", "budget"])
def waiting(tenant: Tenant, model: PaidModel, request: pytest.FixtureRequest) -> Tenant:
    """A tenant whose only window waits, since it failed or for a budget."""
    if request.param == "failed":
        model.before = down
        report = tenant.ingest(SAID)
        model.before = lambda _: None
        assert report.failed
    else:
        report = tenant.ingest(SAID, budget=Budget(max_calls=0))
        assert report.stopped is not None
    assert (report.new_turns, report.assertions, report.windows) == (2, 0, 0)
    model.read.clear()
    return tenant


def found(tenant: Tenant, question: str, **options: object) -> list[str]:
    items = tenant.recall(question, **options).items  # type: ignore[arg-type]
    return [item.text for item in items if item.kind == "turn"]


def test_recall_finds_turns_that_wait(waiting: Tenant) -> None:
    assert found(waiting, "Assam")[0] == "tea from Assam"
    stats = waiting.stats()
    assert (stats.episodes, stats.assertions, sum(stats.inbox.values())) == (2, 0, 1)


def test_their_claims_follow_and_each_is_known_from_its_own_commit(
    waiting: Tenant, clock: FixedClock
) -> None:
    first = waiting.stats().last_tx
    assert first is not None
    clock.advance(timedelta(days=1))
    report = waiting.resume()
    assert (report.windows, report.new_turns, report.assertions) == (1, 0, 2)
    then = to_datetime(first)
    assert len(waiting.as_of("Ana", "LIKES")) == 2
    assert waiting.as_of("Ana", "LIKES", known_at=then) == []
    assert found(waiting, "Assam", known_at=then)[0] == "tea from Assam"
    before = then - timedelta(microseconds=1)
    assert found(waiting, "Assam", known_at=before) == []


@pytest.mark.parametrize("way", ["resume", "the same source"])
def test_done_again_there_is_nothing_to_do_and_nothing_to_pay(
    waiting: Tenant, model: PaidModel, way: str
) -> None:
    again = waiting.resume() if way == "resume" else waiting.ingest(SAID)
    assert (again.windows, again.usage, len(model.read)) == (1, CALL, 1)
    before = everything(waiting)
    for report in (waiting.ingest(SAID), waiting.resume(), waiting.ingest(SAID)):
        assert (report.windows, report.new_turns, report.usage) == (0, 0, Usage())
    assert everything(waiting) == before


def test_a_window_that_waits_again_changes_nothing(waiting: Tenant, model: PaidModel) -> None:
    transactions = waiting.stats().transactions
    model.before = down
    assert waiting.ingest(SAID).new_turns == 0
    assert waiting.resume(budget=Budget(max_calls=0)).new_turns == 0
    assert waiting.stats().transactions == transactions


def test_more_turns_of_the_session_can_come_meanwhile(waiting: Tenant, model: PaidModel) -> None:
    longer = told("s1", "tea from Assam", "rice from Uji", "jazz", actor="Ana")
    report = waiting.ingest(longer)
    assert (report.windows, report.new_turns) == (2, 1)
    assert model.texts == ["tea from Assam rice from Uji", "jazz"]
    assert len(waiting.as_of("Ana", "LIKES")) == 3


def test_a_turn_that_was_taken_back_meanwhile_is_not_read(
    waiting: Tenant, model: PaidModel
) -> None:
    waiting.retract(episode="s1-0")
    assert waiting.resume().finished
    assert model.texts == ["rice from Uji"]
    assert len(waiting.as_of("Ana", "LIKES")) == 1
    assert found(waiting, "Assam") == []


def test_no_call_is_made_for_a_window_of_which_no_turn_stands(
    waiting: Tenant, model: PaidModel
) -> None:
    waiting.retract(episode="s1-0")
    waiting.retract(episode="s1-1")
    report = waiting.resume()
    assert (report.windows, report.finished, model.read) == (1, True, [])


def test_what_a_reply_says_of_a_turn_that_was_taken_back_is_not_claimed(
    tenant: Tenant, model: PaidModel
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # The reply is kept, and the window not applied.
        patch.setattr("bitempo.ingest.applying.commit", _refuse)
        assert tenant.ingest(SAID).failed
    tenant.retract(episode="s1-0")
    report = tenant.resume()
    assert (report.cached, report.assertions, len(model.read)) == (1, 1, 1)
    assert len(tenant.as_of("Ana", "LIKES")) == 1


def test_the_turns_of_all_windows_that_were_not_begun_are_on_record(
    memory: Memory, model: PaidModel
) -> None:
    tenant = fresh(memory)
    model.before = down
    report = tenant.ingest([told(f"s{n}", f"dish {n}") for n in range(12)], concurrency=2)
    assert report.stopped is not None
    assert tenant.stats().episodes == sum(tenant.stats().inbox.values()) == report.new_turns


def _refuse(*_: object) -> None:
    raise ModelError("not now")
