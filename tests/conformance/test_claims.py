"""Of several processes that want one window, one works on it, and a killed one keeps nothing."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bitempo import Budget, Memory, ModelError, NotFoundError, Tenant
from bitempo.engine.store.port import Claimed, Inbox, InboxWindow
from bitempo.ingest import claims
from bitempo.ingest.extraction import Extraction, Window
from bitempo.testing import Call, ScriptedModel, ScriptedReply, read_prompt
from tests.conformance.claiming import line, sessions, start
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh, unused
from tests.ingest.model_double import PaidModel, told

LONG = 1_000.0
ELSEWHERE = "another-machine/1/0"


@pytest.fixture
def inbox(memory: Memory) -> Inbox:
    """An inbox with one window."""
    found = memory._store.inbox(fresh(memory).name)
    found.put([InboxWindow("w", "s", "{}", 5, turns=(3, 7))])
    return found


def test_a_window_is_held_by_one_until_it_is_released(inbox: Inbox) -> None:
    before = inbox.get(["w"])["w"]
    first = inbox.claim("w", "one", LONG)
    assert (first.window, first.owner) == (before, "one")
    assert inbox.claim("w", "other", LONG).owner == "one"
    assert inbox.claim("w", "one", LONG).owner == "one"
    inbox.release("w", "other")
    assert inbox.claim("w", "other", LONG).owner == "one"
    inbox.release("w", "one")
    assert inbox.claim("w", "other", LONG).owner == "other"
    assert inbox.get(["w"])["w"] == before


def test_a_claim_ends_by_itself_and_can_be_renewed(inbox: Inbox) -> None:
    assert inbox.claim("w", "one", 0).owner == "one"
    assert inbox.claim("w", "other", 0).owner == "other"
    inbox.claim("w", "other", LONG)
    assert inbox.claim("w", "one", LONG).owner == "other"


def test_a_claim_gives_the_window_as_it_is_and_needs_one(inbox: Inbox) -> None:
    inbox.store_extraction("w", "{}", extractor="model/1")
    assert inbox.claim("w", "one", LONG).window.extraction == "{}"
    with pytest.raises(NotFoundError, match="'nothing'"):
        inbox.claim("nothing", "one", LONG)


def test_what_is_applied_is_nobodys(open_memory: Opener) -> None:
    memory = open_memory(extractor=PaidModel())
    tenant = fresh(memory)
    tenant.ingest(told("s1", "tea"))
    [window] = [line for line in tenant.export() if '"record": "window"' in line]
    id = window.split('"id": "')[1].split('"')[0]
    claim = memory._store.inbox(tenant.name).claim(id, "one", LONG)
    assert (claim.owner, claim.window.state) == (None, "applied")


class Waiting(logging.Handler):
    """Does something once a window is waited for."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__()
        self.waited = 0
        self._then = then

    def emit(self, record: logging.LogRecord) -> None:
        if "waits for another process" in record.getMessage():
            self.waited += 1
            self._then()


@contextmanager
def once_waiting(then: Callable[[], object]) -> Iterator[Waiting]:
    """While the block lasts, do it whenever a window is waited for."""
    logger = logging.getLogger("bitempo.ingest")
    level, handler = logger.level, Waiting(then)
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield handler
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


@pytest.fixture
def model() -> PaidModel:
    return PaidModel()


@pytest.fixture
def tenant(open_memory: Opener, model: PaidModel) -> Tenant:
    """A tenant with one window that waits."""
    tenant = fresh(open_memory(extractor=model))
    tenant.ingest(told("s1", "tea"), budget=Budget(max_calls=0), concurrency=1)
    return tenant


def waiting_in(tenant: Tenant) -> tuple[Inbox, str]:
    inbox = tenant._store.inbox(tenant.name)
    [window] = inbox.pending()
    return inbox, window.id


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_window_that_another_works_on_is_waited_for(
    tenant: Tenant, model: PaidModel, concurrency: int
) -> None:
    inbox, id = waiting_in(tenant)
    inbox.claim(id, ELSEWHERE, LONG)
    with once_waiting(lambda: inbox.release(id, ELSEWHERE)) as waiting:
        report = tenant.resume(concurrency=concurrency)
    assert (waiting.waited, report.windows, len(model.read)) == (1, 1, 1)
    # It holds nothing any more.
    assert inbox.claim(id, ELSEWHERE, LONG).owner is None


def test_a_reply_that_another_kept_meanwhile_is_not_paid_again(
    tenant: Tenant, model: PaidModel
) -> None:
    inbox, id = waiting_in(tenant)
    inbox.claim(id, ELSEWHERE, LONG)

    def keep() -> None:
        inbox.store_extraction(id, Extraction("model/1").to_json(), extractor="model/1")
        inbox.release(id, ELSEWHERE)

    with once_waiting(keep):
        report = tenant.resume(concurrency=1)
    assert (report.windows, report.cached, model.read) == (1, 1, [])


def test_what_failed_is_free_for_others(tenant: Tenant, model: PaidModel) -> None:
    def down(_: Window) -> None:
        raise ModelError("no answer")

    model.before = down
    assert len(tenant.resume().failed) == 1
    inbox, id = waiting_in(tenant)
    assert inbox.claim(id, ELSEWHERE, LONG).owner == ELSEWHERE


def test_a_model_that_ingests_itself_does_not_wait_for_its_own_window(
    tenant: Tenant, model: PaidModel
) -> None:
    def ingests(_: Window) -> None:
        model.before = lambda _: None
        assert tenant.ingest([], concurrency=1).windows == 1

    model.before = ingests
    assert tenant.resume(concurrency=1).failed == {}
    assert tenant.stats().inbox == {"applied": 1}


def test_a_claim_is_renewed_while_the_model_is_asked(
    tenant: Tenant, model: PaidModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox, _ = waiting_in(tenant)
    renewed = threading.Semaphore(0)

    def claim(self: Any, window: str, owner: str, _: float) -> Claimed:
        renewed.release()
        return usual(self, window, owner, LONG)

    usual = type(inbox).claim
    monkeypatch.setattr(type(inbox), "claim", claim)
    monkeypatch.setattr(claims, "LEASE_SECONDS", 0)

    def long_call(_: Window) -> None:
        for _ in range(3):
            assert renewed.acquire(timeout=60)

    model.before = long_call
    report = tenant.resume()
    assert (report.failed, report.windows) == ({}, 1)


def test_only_of_a_process_of_this_machine_is_it_known_that_it_has_gone() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    machine, _, _ = claims._process().partition("/")
    assert claims._has_ended(f"{machine}/{gone.pid}/0")
    assert not claims._has_ended(f"{claims._process()}/0")
    assert not claims._has_ended(f"elsewhere/{gone.pid}/0")
    assert not claims._has_ended(machine)


# Processes


def test_two_processes_ask_for_each_window_once(location: str) -> None:
    tenant, first_call, go_on = unused(), threading.Event(), threading.Event()

    def script(call: Call) -> ScriptedReply:
        if call.number == 1:
            first_call.set()
            assert go_on.wait(120)
        return finds_nothing(call)

    with ScriptedModel(script) as model:
        first = start(location, tenant, model.url)
        assert first_call.wait(120)
        second = start(location, tenant, model.url)
        assert line(second) == "waits"
        go_on.set()
        calls = [ended(process) for process in (first, second)]
        assert asked(model.calls) == dict.fromkeys(spoken(), 1)
    assert sum(calls) == len(spoken())


def test_what_a_killed_process_worked_on_is_taken_over_and_asked_once_more(
    location: str,
) -> None:
    tenant, doomed = unused(), list[subprocess.Popen[str]]()

    def script(call: Call) -> ScriptedReply:
        if call.number == 2:
            # While it waits for this very reply.
            doomed[0].kill()
            doomed[0].wait()
        return finds_nothing(call)

    with ScriptedModel(script) as model:
        doomed.append(start(location, tenant, model.url))
        doomed[0].communicate()
        assert asked(model.calls) == dict.fromkeys(spoken()[:2], 1)
        assert ended(start(location, tenant, model.url)) == len(spoken()) - 1
        first, lost, last = spoken()
        assert asked(model.calls) == {first: 1, lost: 2, last: 1}


def finds_nothing(_: Call) -> ScriptedReply:
    return {"entities": [], "assertions": []}


def ended(process: subprocess.Popen[str]) -> int:
    """How many calls the process made; it has to have ended well."""
    printed, complaint = process.communicate()
    assert process.returncode == 0, complaint
    calls, _, failed = printed.split("\n")[-2].split()
    assert failed == "0"
    return int(calls)


def asked(calls: list[Call]) -> Counter[str]:
    """How often each turn was sent."""
    return Counter(turn.text for call in calls for turn in read_prompt(call).turns)


def spoken() -> list[str]:
    return [turn.text for session in sessions() for turn in session.turns]
