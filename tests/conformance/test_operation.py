"""What extraction by a model costs is counted, bounded, kept, and never paid twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bitempo import (
    Budget,
    BudgetExceededError,
    EntityRef,
    IngestError,
    InvalidInputError,
    Memory,
    Meter,
    ModelError,
    NotFoundError,
    SourceSession,
    StoreError,
    Tenant,
    Usage,
)
from bitempo.engine.store.port import InboxWindow, Reading
from bitempo.engine.time import to_datetime
from bitempo.ingest.extraction import Extraction, Window
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh, unused
from tests.conformance.test_tenants import everything
from tests.ingest.model_double import CALL, PaidModel, told


def times(number: int) -> Usage:
    """What so many calls take."""
    return sum((CALL for _ in range(number)), Usage())


@pytest.fixture
def model() -> PaidModel:
    return PaidModel()


@pytest.fixture
def memory(open_memory: Opener, clock: FixedClock, model: PaidModel) -> Memory:
    """A memory that is filled by the model."""
    return open_memory(clock=clock, extractor=model)


def likes(tenant: Tenant, who: str = "Ana") -> set[str]:
    return {str(fact.answer) for fact in tenant.as_of(who, "LIKES")}


SESSIONS = (told("s1", "tea", actor="Ana"), told("s2", "go", actor="Bo"), told("s3", "rice"))


def test_usage_is_counted_in_the_report_and_kept_by_actor_session_and_extractor(
    tenant: Tenant,
) -> None:
    report = tenant.ingest(SESSIONS)
    assert (report.usage, report.cached, report.stopped) == (times(3), 0, None)
    assert report.usage_by_actor == {"Ana": CALL, "Bo": CALL, None: CALL}
    assert tenant.ingest(told("s4", "jazz", actor="Bo")).usage == CALL
    assert tenant.usage() == {"Bo": times(2), "Ana": CALL, None: CALL}
    assert tenant.usage(by="session") == dict.fromkeys(("s1", "s2", "s3", "s4"), CALL)
    assert tenant.usage(by="extractor") == {"model/1": times(4)}
    with pytest.raises(InvalidInputError, match="'actor', 'session', 'extractor'"):
        tenant.usage(by="day")


def test_the_same_sessions_again_cost_nothing(tenant: Tenant, model: PaidModel) -> None:
    tenant.ingest(SESSIONS)
    before = everything(tenant)
    again = tenant.ingest(SESSIONS)
    assert (again.usage, len(model.read)) == (Usage(), 3)
    assert everything(tenant) == before


def test_what_a_window_cost_comes_back_with_an_export(memory: Memory) -> None:
    original, copy = fresh(memory), fresh(memory)
    original.ingest(SESSIONS)
    copy.import_(everything(original))
    assert copy.usage() == original.usage()
    assert everything(copy) == everything(original)


def test_one_tenant_does_not_see_what_another_spent(memory: Memory) -> None:
    ours, theirs = fresh(memory), fresh(memory)
    ours.ingest(SESSIONS)
    assert theirs.usage() == {}


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize(
    ("budget", "limit"),
    [
        (Budget(max_calls=2), "max_calls=2"),
        (Budget(max_tokens=220), "max_tokens=220"),
        (Budget(max_cost=1.0), "max_cost=1.0"),
    ],
)
def test_a_budget_stops_cleanly_and_the_rest_can_be_resumed(
    tenant: Tenant, model: PaidModel, budget: Budget, limit: str, concurrency: int
) -> None:
    texts = [f"dish {number}" for number in range(6)]
    source = [told(f"s{number}", text) for number, text in enumerate(texts)]
    report = tenant.ingest(source, budget=budget, concurrency=concurrency)
    assert report.stopped is not None
    assert limit in report.stopped
    assert not report.finished
    assert report.failed == {}
    assert (report.usage, len(model.read)) == (times(2), 2)
    waiting = tenant.stats().inbox
    assert waiting["applied"] == 2
    assert waiting["received"] >= 1
    assert "failed" not in waiting
    tenant.resume()
    done = tenant.ingest(source)
    assert done.finished
    assert likes(tenant) == {f"{text} (model/1)" for text in texts}
    assert len(model.read) == len(texts)
    assert tenant.usage() == {None: times(6)}


def test_after_a_stop_no_more_of_the_source_is_read(tenant: Tenant) -> None:
    given: list[int] = []

    def source() -> Iterator[SourceSession]:
        for number in range(1_000):
            given.append(number)
            yield told(f"s{number}", f"dish {number}")

    report = tenant.ingest(source(), budget=Budget(max_calls=1), concurrency=1)
    assert report.stopped is not None
    assert len(given) == report.sessions == 2


def test_an_attempt_that_came_to_nothing_is_paid_for_and_counted(
    tenant: Tenant, model: PaidModel
) -> None:
    def unusable(_: Window) -> None:
        raise ModelError("nothing usable")

    model.before = unusable
    report = tenant.ingest(SESSIONS[0])
    assert list(report.failed.values()) == ["nothing usable"]
    assert report.usage == CALL
    model.before = lambda _: None
    assert tenant.resume().usage == CALL
    assert tenant.usage() == {"Ana": times(2)}


def test_a_call_paid_for_just_before_the_budget_ran_out_is_counted_too(
    tenant: Tenant, model: PaidModel
) -> None:
    def again(_: Window) -> None:
        raise BudgetExceededError("the budget of max_calls=1 is used up")

    model.before = again
    report = tenant.ingest(SESSIONS[0])
    assert (report.usage, report.failed) == (CALL, {})
    assert tenant.stats().inbox == {"received": 1}
    assert tenant.usage() == {"Ana": CALL}


def test_a_reply_that_is_kept_is_not_paid_for_again(
    tenant: Tenant, memory: Memory, model: PaidModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StoreError("the disk has gone")

    with monkeypatch.context() as patch:
        patch.setattr(memory._store, "write", broken)
        with pytest.raises(StoreError):
            tenant.ingest(SESSIONS[0])
    assert tenant.stats().inbox == {"extracted": 1}
    report = tenant.resume()
    assert (report.cached, report.usage, report.windows) == (1, Usage(), 1)
    assert len(model.read) == 1
    assert tenant.usage() == {"Ana": CALL}


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_endpoint_that_is_down_stops_the_run(
    tenant: Tenant, model: PaidModel, concurrency: int
) -> None:
    def down(_: Window) -> None:
        raise ModelError("no answer")

    model.before = down
    source = [told(f"s{number}", "tea", actor=f"actor {number}") for number in range(12)]
    report = tenant.ingest(source, concurrency=concurrency)
    assert report.stopped is not None
    assert "3 windows in a row" in report.stopped
    assert 3 <= len(report.failed) < 3 + concurrency
    assert len(model.read) == len(report.failed)
    model.before = lambda _: None
    assert tenant.resume().finished
    assert tenant.ingest(source).finished
    assert tenant.stats().episodes == 12


def test_windows_that_fail_again_and_again_do_not_hold_up_a_resume_for_ever(
    tenant: Tenant, model: PaidModel
) -> None:
    def poisoned(window: Window) -> None:
        if "poison" in window.episodes[0].text:
            raise ModelError("refused")

    model.before = poisoned
    source = [told(f"s{n}", "poison" if n < 4 else "tea", actor=f"a{n}") for n in range(8)]
    for _ in range(6):
        tenant.ingest(source, concurrency=1)
        tenant.resume(concurrency=1)
    assert tenant.stats().inbox == {"applied": 4, "failed": 4}


def test_other_errors_of_single_windows_stop_nothing(tenant: Tenant, model: PaidModel) -> None:
    def broken(_: Window) -> None:
        raise IngestError("this window is broken")

    model.before = broken
    report = tenant.ingest([told(f"s{number}", "tea") for number in range(6)])
    assert (len(report.failed), report.stopped) == (6, None)


def test_append_takes_turns_in_also_when_the_budget_is_used_up(tenant: Tenant) -> None:
    turn = {"id": "m1", "role": "user", "content": "tea"}
    report = tenant.append("chat", turn, actor="Ana", budget=Budget(max_calls=0))
    assert report.stopped is not None
    assert (report.new_turns, tenant.stats().inbox) == (1, {"received": 1})
    again = tenant.append("chat", turn, actor="Ana")
    assert (again.new_turns, again.windows) == (0, 1)
    assert likes(tenant) == {"tea (model/1)"}


def test_a_preview_says_what_would_be_sent_and_changes_nothing(
    tenant: Tenant, model: PaidModel
) -> None:
    tenant.ingest(SESSIONS[0])
    model.read.clear()
    before = everything(tenant)
    found = tenant.preview(SESSIONS)
    assert [(one.session, one.actor, one.turns) for one in found.windows] == [
        ("s2", "Bo", 1),
        ("s3", None, 1),
    ]
    assert [request.messages[1] for request in found.requests] == [("user", "go"), ("user", "rice")]
    assert (found.sessions, found.new_turns, found.extractor) == (3, 2, "model/1")
    assert found.usage == Usage(2, 200, 0, 0.8)
    assert everything(tenant) == before
    assert model.read == []


def test_a_preview_shows_what_waits_as_well(tenant: Tenant, model: PaidModel) -> None:
    tenant.ingest(SESSIONS, budget=Budget(max_calls=0), concurrency=1)
    assert tenant.stats().inbox == {"received": 1}
    assert [one.session for one in tenant.preview([]).windows] == ["s1"]
    assert [one.session for one in tenant.preview(SESSIONS).windows] == ["s1", "s2", "s3"]
    assert model.read == []


# Reading turns again


@pytest.fixture
def name() -> str:
    """The name of a tenant that two memories open on one store."""
    return unused()


def reread(
    open_memory: Opener, clock: FixedClock, location: str, name: str, model: PaidModel
) -> Tenant:
    return open_memory(location, clock=clock, extractor=model).tenant(name)


def test_turns_that_another_version_read_are_read_again_and_the_past_stays(
    open_memory: Opener, clock: FixedClock, location: str, name: str
) -> None:
    old = reread(open_memory, clock, location, name, PaidModel())
    first = old.ingest(SESSIONS)
    clock.advance(timedelta(days=1))
    model = PaidModel("model/2", key="m2-0")
    tenant = reread(open_memory, clock, location, name, model)
    report = tenant.reextract()
    assert (report.sessions, report.windows, report.assertions, report.retracted) == (3, 3, 3, 3)
    assert (report.usage, report.new_turns) == (times(3), 0)
    assert likes(tenant) == {"tea (model/2)", "rice (model/2)"}
    assert first.last_tx is not None
    known = tenant.as_of("Ana", "LIKES", known_at=to_datetime(first.last_tx))
    assert {str(fact.answer) for fact in known} == {"tea (model/1)", "rice (model/1)"}
    before = everything(tenant)
    again = tenant.reextract()
    assert (again.sessions, again.windows, again.usage) == (0, 0, Usage())
    assert len(model.read) == 3
    assert everything(tenant) == before


def test_going_back_to_an_earlier_version_reads_again_under_new_keys(
    open_memory: Opener, clock: FixedClock, location: str, name: str
) -> None:
    source = told("s1", "tea", "rice")
    for number, version in enumerate(("model/1", "model/2", "model/1", "model/2")):
        model = PaidModel(version)
        tenant = reread(open_memory, clock, location, name, model)
        tenant.ingest(source)
        report = tenant.reextract()
        assert (report.rejections, report.windows) == ([], min(number, 1))
        assert likes(tenant) == {f"tea ({version})", f"rice ({version})"}
        assert len(model.read) == 1
    [fact, _] = sorted(tenant.as_of("Ana", "LIKES"), key=lambda fact: fact.support)
    assert fact.support == ("s1-0#m1-0~4",)
    assert (tenant.stats().assertions, tenant.stats().retracted) == (8, 6)


def test_what_was_asserted_by_hand_stays(
    open_memory: Opener, clock: FixedClock, location: str, name: str
) -> None:
    old = reread(open_memory, clock, location, name, PaidModel())
    old.ingest(SESSIONS[0])
    old.assert_fact("Ana", "LIKES", value="silence", cardinality="many")
    tenant = reread(open_memory, clock, location, name, PaidModel("model/2", key="x"))
    tenant.reextract("s1")
    assert likes(tenant) == {"tea (model/2)", "silence"}


class Merging(PaidModel):
    """Takes whoever speaks for Ana Maria as well."""

    def extract_metered(self, window: Window, meter: Meter) -> Extraction:
        made = super().extract_metered(window, meter)
        one, other = EntityRef("Ana"), EntityRef("Ana Maria")
        same = replace(
            made.drafts[0], subject=one, predicate="SAME_AS", value=None, object=other, key="same"
        )
        return replace(made, drafts=(*made.drafts, same))


def test_who_is_one_with_whom_is_not_decided_again(
    open_memory: Opener, clock: FixedClock, location: str, name: str
) -> None:
    reread(open_memory, clock, location, name, Merging()).ingest(SESSIONS[0])
    tenant = reread(open_memory, clock, location, name, PaidModel("model/2", key="x"))
    assert tenant.reextract().retracted == 1
    assert likes(tenant, "Ana Maria") == {"tea (model/2)"}


def test_turns_that_made_no_claim_are_read_again_and_those_taken_back_are_not(
    open_memory: Opener, clock: FixedClock, location: str, name: str
) -> None:
    with_rules = open_memory(location, clock=clock).tenant(name)
    with_rules.ingest(told("s1", "good morning", "whatever", "well well"))
    assert with_rules.stats().assertions == 0
    with_rules.retract(episode="s1-1")
    model = PaidModel()
    reread(open_memory, clock, location, name, model).reextract()
    assert model.texts == ["good morning well well"]


def test_only_turns_of_another_reader_are_read_again(
    open_memory: Opener, clock: FixedClock, location: str, name: str
) -> None:
    reread(open_memory, clock, location, name, PaidModel()).ingest(told("s1", "tea", "rice"))
    model = PaidModel("model/2", key="x")
    tenant = reread(open_memory, clock, location, name, model)
    tenant.ingest(told("s1", "tea", "rice", "jazz"))
    model.read.clear()
    tenant.reextract()
    assert model.texts == ["tea rice"]
    assert likes(tenant) == {f"{what} (model/2)" for what in ("tea", "rice", "jazz")}


def test_reading_again_is_bounded_by_a_budget_and_goes_on_where_it_stopped(
    open_memory: Opener, clock: FixedClock, location: str, name: str
) -> None:
    reread(open_memory, clock, location, name, PaidModel()).ingest(SESSIONS)
    model = PaidModel("model/2", key="x")
    tenant = reread(open_memory, clock, location, name, model)
    stopped = tenant.reextract(budget=Budget(max_calls=2), concurrency=1)
    assert stopped.stopped is not None
    assert tenant.reextract().finished
    assert sorted(model.texts) == ["go", "rice", "tea"]
    assert likes(tenant) | likes(tenant, "Bo") == {
        "tea (model/2)",
        "rice (model/2)",
        "go (model/2)",
    }


def test_what_would_be_read_again_can_be_seen_before(
    open_memory: Opener, clock: FixedClock, location: str, name: str
) -> None:
    reread(open_memory, clock, location, name, PaidModel()).ingest(SESSIONS)
    model = PaidModel("model/2", key="x")
    tenant = reread(open_memory, clock, location, name, model)
    before = everything(tenant)
    assert tenant.preview_reextract().usage.calls == 3
    assert [one.session for one in tenant.preview_reextract("s2").windows] == ["s2"]
    assert everything(tenant) == before
    assert model.read == []
    tenant.reextract()
    assert tenant.preview_reextract().windows == []
    for ask in (tenant.preview_reextract, tenant.reextract):
        with pytest.raises(NotFoundError, match="'nowhere'"):
            ask("nowhere")


# The inbox


def test_the_inbox_keeps_each_attempt_once_and_who_read_what(memory: Memory) -> None:
    tenant = fresh(memory)
    inbox = memory._store.inbox(tenant.name)
    inbox.put([InboxWindow("w", "s", "{}", 5, turns=(3, 7)), InboxWindow("v", "s", "{}", 5)])
    inbox.add_usage("w", "[1]")
    inbox.fail("w", "reason", usage="[2]")
    inbox.store_extraction("w", "{}", extractor="model/1", usage="[2]")
    stored = inbox.get(["w"])["w"]
    assert (stored.usage, stored.extractor, stored.turns) == (
        ("[1]", "[2]", "[2]"),
        "model/1",
        (3, 7),
    )
    assert (stored.state, stored.attempts) == ("extracted", 1)
    assert inbox.usage() == [("s", "[1]"), ("s", "[2]"), ("s", "[2]")]
    assert inbox.readings() == []


def test_what_was_paid_for_a_window_that_another_applied_is_kept(
    tenant: Tenant, memory: Memory
) -> None:
    tenant.ingest(SESSIONS[0])
    inbox = memory._store.inbox(tenant.name)
    assert inbox.readings() == inbox.readings("s1") == [Reading("s1", "model/1", (0, 0))]
    assert inbox.readings("s2") == []
    [line] = [line for line in tenant.export() if '"record": "window"' in line]
    id = line.split('"id": "')[1].split('"')[0]
    inbox.fail(id, "too late", usage='{"extractor": "model/1", "actor": "Ana", "usage": {}}')
    assert inbox.get([id])[id].state == "applied"
    assert tenant.usage() == {"Ana": CALL}
    assert len(inbox.usage()) == 2


def test_sessions_are_read_by_their_ids(tenant: Tenant, memory: Memory) -> None:
    tenant.ingest(SESSIONS)
    with memory._store.read(tenant.name) as reader:
        found = reader.sessions(["s1", "s3", "nowhere"])
    assert {id: (one.id, one.actor, one.started_at) for id, one in found.items()} == {
        "s1": ("s1", "Ana", SESSIONS[0].started_at),
        "s3": ("s3", None, SESSIONS[2].started_at),
    }
