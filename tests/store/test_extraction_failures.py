"""Extractors that fail or return what they must not: the rest is applied, nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bitempo import Cardinality, EntityRef, Memory, PredicatePolicy, StoreError, Tenant
from bitempo.engine.model import AssertionDraft, Correction
from bitempo.engine.store.port import InboxWindow
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.engine.time import FOREVER
from bitempo.ingest.extraction import Extraction, Rejection, Window
from bitempo.ingest.windows import episodes_of, session_of, to_inbox, windows_of
from tests.store.telling import Scripted, each_says, says, session


def tenant_with(extractor: Scripted) -> Tenant:
    return Memory(SqliteStore(":memory:"), extractor=extractor).tenant("acme")


def said(tenant: Tenant, actor: str = "Ana") -> set[object]:
    return {fact.answer for fact in tenant.as_of(actor, "SAID")}


MALFORMED: dict[str, dict[str, Any]] = {
    "no subject": {"subject": None},
    "subject is text": {"subject": "Ana"},
    "subject without a name": {"subject": EntityRef("  ")},
    "no predicate": {"predicate": ""},
    "predicate is a number": {"predicate": 7},
    "no value": {"value": None},
    "both": {"object": EntityRef("Lima")},
    "a list as value": {"value": ["a"]},
    "not a number": {"value": float("nan")},
    "infinite": {"value": float("inf")},
    "a huge number": {"value": 10**400},
    "no evidence": {"evidence": ()},
    "unknown evidence": {"evidence": ("nobody said this",)},
    "unknown evidence besides": {"evidence": ("s-0", "nobody said this")},
    "evidence is text": {"evidence": "s-0"},
    "evidence is a number": {"evidence": (7,)},
    "no key": {"key": ""},
    "key with a mark": {"key": "0#1"},
    "key is a number": {"key": 7},
    "no text": {"text": None},
    "a lone surrogate": {"text": "\ud800"},
    "ends before it starts": {"valid_from": 20, "valid_to": 10},
    "starts after the calendar": {"valid_from": FOREVER - 1},
    "ends before the calendar": {"valid_to": -FOREVER + 1},
    "time is text": {"valid_from": "2024"},
    "importance 0": {"importance": 0},
    "importance is text": {"importance": "high"},
    "trust 11": {"trust": 11},
    "confidence 2": {"confidence": 2.0},
    "confidence is not a number": {"confidence": float("nan")},
    "polarity unknown": {"polarity": "maybe"},
    "corrects nobody": {"corrects": "no such assertion"},
    "corrects itself": {"corrects": "s-0#0"},
    "mentions nothing": {"mentions": (EntityRef(""),)},
    "mentions text": {"mentions": ("Lima",)},
    "deadline is a number": {"due": 7},
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_draft_is_rejected_alone_and_recorded(kind: str) -> None:
    def extract(window: Window) -> list[AssertionDraft]:
        good = each_says(window)
        return [replace(good[0], **MALFORMED[kind]), *good[1:]]

    tenant = tenant_with(Scripted(extract))
    report = tenant.ingest(session(["bad", "good", "better"]))
    assert said(tenant) == {"good", "better"}
    assert report.failed == {}
    assert [type(rejection) for rejection in report.rejections] == [Rejection]
    assert report.rejections[0].reason
    assert tenant.stats().inbox == {"applied": 1}
    assert tenant.stats().episodes == 3
    recorded = [line for line in tenant.export() if '"rejected": "[{' in line]
    assert len(recorded) == 1


@pytest.mark.parametrize("junk", [None, 7, "text", {"subject": "Ana"}, object()])
def test_what_is_no_draft_at_all_is_rejected_alone(junk: object) -> None:
    tenant = tenant_with(Scripted(lambda window: [junk, *each_says(window)]))
    report = tenant.ingest(session(["good"]))
    assert said(tenant) == {"good"}
    assert len(report.rejections) == 1


@pytest.mark.parametrize("returned", [None, 7, {"drafts": []}, "[]", Extraction("x", 7)])  # type: ignore[arg-type]
def test_what_is_no_extraction_fails_the_window_and_can_be_resumed(returned: object) -> None:
    extractor = Scripted(lambda _: returned)
    tenant = tenant_with(extractor)
    report = tenant.ingest(session(["good"]))
    assert len(report.failed) == 1
    assert tenant.stats().inbox == {"failed": 1}
    assert tenant.stats().episodes == 1
    extractor.of = each_says
    assert tenant.resume().windows == 1
    assert said(tenant) == {"good"}


def test_two_different_drafts_with_one_key_do_not_replace_each_other() -> None:
    def extract(window: Window) -> list[AssertionDraft]:
        first = says(window.episodes[0])
        return [first, replace(first, value="other", text="other"), first]

    tenant = tenant_with(Scripted(extract))
    report = tenant.ingest(session(["first"]))
    assert said(tenant) == {"first"}
    assert [rejection.item for rejection in report.rejections] == ["other"]


def test_a_later_window_cannot_take_the_key_of_an_earlier_assertion() -> None:
    def extract(window: Window) -> list[AssertionDraft]:
        if window.context:
            return [says(window.episodes[0], evidence=(window.context[0].id,))]
        return each_says(window)

    tenant = tenant_with(Scripted(extract))
    tenant.ingest(session(["first"]))
    report = tenant.ingest(session(["first", "second"]))
    assert said(tenant) == {"first"}
    assert [rejection.item for rejection in report.rejections] == ["second"]


def test_ids_with_the_mark_that_parts_ids_and_keys_do_not_collide() -> None:
    def extract(window: Window) -> list[AssertionDraft]:
        return [says(episode, key="0") for episode in window.episodes]

    tenant = tenant_with(Scripted(extract))
    turns = session(["one", "two", "three"]).turns
    ids = ("a", "a#0", "a#0#0")
    named = tuple(replace(turn, id=id) for turn, id in zip(turns, ids, strict=True))
    tenant.ingest(replace(session([]), turns=named))
    assert said(tenant) == {"one", "two", "three"}
    assert tenant.stats().assertions == 3


def test_what_corrects_a_rejected_draft_is_rejected_too() -> None:
    def extract(window: Window) -> list[AssertionDraft]:
        first, second, third = window.episodes
        return [
            says(third, corrects=f"{second.id}#0"),
            says(second, corrects=f"{first.id}#0"),
            says(first, trust=99),
        ]

    tenant = tenant_with(Scripted(extract))
    report = tenant.ingest(session(["first", "second", "third"]))
    assert said(tenant) == set()
    assert len(report.rejections) == 3
    assert tenant.stats().episodes == 3


def test_a_correction_of_nothing_on_record_is_no_correction() -> None:
    tenant = tenant_with(
        Scripted(lambda window: [says(window.episodes[0], corrects=Correction("never said"))])
    )
    tenant.ingest(session(["first"]))
    assert said(tenant) == {"first"}


def test_an_extractor_that_fails_once_is_asked_again_and_only_for_what_failed() -> None:
    failing = {"s1"}

    def extract(window: Window) -> list[AssertionDraft]:
        if window.session in failing:
            raise TimeoutError("the model did not answer \ud800")
        return each_says(window)

    extractor = Scripted(extract)
    tenant = tenant_with(extractor)
    report = tenant.ingest([session([f"turn {n}"], f"s{n}") for n in range(3)])
    assert said(tenant) == {"turn 0", "turn 2"}
    assert ["TimeoutError" in reason for reason in report.failed.values()] == [True]
    assert tenant.ingest([]).failed == {}
    failing.clear()
    extractor.windows.clear()
    report = tenant.resume()
    assert (report.new_turns, report.assertions, report.failed) == (0, 1, {})
    assert said(tenant) == {"turn 0", "turn 1", "turn 2"}
    assert [window.session for window in extractor.windows] == ["s1"]
    assert tenant.stats().inbox == {"applied": 3}


@pytest.mark.parametrize(
    "error", [ValueError, KeyError, RecursionError, MemoryError, OSError, StoreError]
)
def test_one_poisoned_window_holds_up_nothing_that_comes_after(error: type[Exception]) -> None:
    def extract(window: Window) -> list[AssertionDraft]:
        if any(episode.text == "poison" for episode in window.episodes):
            raise error("poisoned")
        return each_says(window)

    tenant = tenant_with(Scripted(extract))
    texts = ["fine"] * 20 + ["poison"] + ["fine"] * 19 + ["last"] * 5
    for _ in range(2):
        report = tenant.ingest([session(texts, "s0"), session(["after"], "s1")])
        assert len(report.failed) == 1
    assert said(tenant) == {"fine", "last", "after"}
    assert tenant.append("s0", session(["appended"], "x").turns).failed == {}
    assert said(tenant) == {"fine", "last", "after", "appended"}
    assert len(tenant.resume().failed) == 1
    assert tenant.stats().inbox == {"applied": 4, "failed": 1}


def test_an_extractor_that_is_interrupted_leaves_the_window_waiting() -> None:
    def extract(_: Window) -> list[AssertionDraft]:
        raise KeyboardInterrupt

    extractor = Scripted(extract)
    tenant = tenant_with(extractor)
    with pytest.raises(KeyboardInterrupt):
        tenant.ingest(session(["first"]))
    assert tenant.stats().inbox == {"received": 1}
    extractor.of = each_says
    tenant.ingest([])
    assert said(tenant) == {"first"}


def test_rejections_of_an_extractor_are_kept_whatever_they_hold() -> None:
    rejections = (Rejection("\ud800" * 3, "bad\0"), Rejection("x" * 100_000, "long"), "nonsense")
    tenant = tenant_with(
        Scripted(lambda window: Extraction("x/1", tuple(each_says(window)), rejections))  # type: ignore[arg-type]
    )
    report = tenant.ingest(session(["first"]))
    assert said(tenant) == {"first"}
    assert len(report.rejections) == 3


def test_a_window_that_another_applied_while_it_was_extracted_is_not_applied_again() -> None:
    store = SqliteStore(":memory:")
    other = Memory(
        store,
        extractor=Scripted(lambda window: [says(e, key="other") for e in window.episodes]),
    ).tenant("acme")

    def overtaken(window: Window) -> list[AssertionDraft]:
        assert other.ingest([]).new_turns == 1
        return [says(episode, key="mine", text="mine") for episode in window.episodes]

    tenant = Memory(store, extractor=Scripted(overtaken)).tenant("acme")
    report = tenant.ingest(session(["first"]))
    assert (report.new_turns, report.assertions, report.failed) == (0, 0, {})
    (fact,) = tenant.as_of("Ana")
    assert fact.support == ("s-0#other",)
    assert tenant.stats().transactions == 1
    assert tenant.stats().inbox == {"applied": 1}


def test_what_another_has_extracted_already_is_not_extracted_again() -> None:
    store = SqliteStore(":memory:")
    extractor = Scripted(each_says)
    tenant = Memory(store, extractor=extractor).tenant("acme")

    def overtaken(_: Window) -> list[AssertionDraft]:
        assert tenant.ingest([]).new_turns == 3
        raise TimeoutError

    slow = Memory(store, extractor=Scripted(overtaken)).tenant("acme")
    assert slow.ingest(session(["x" * 5_000, "y" * 5_000, "z" * 5_000])).failed == {}
    assert len(extractor.windows) == 3
    assert tenant.stats().inbox == {"applied": 3}


class Breaking(PredicatePolicy):
    """A policy with a mistake in it."""

    broken = True

    def cardinality(self, predicate: str) -> Cardinality | None:
        if self.broken and predicate == "BOOM":
            raise ZeroDivisionError("a mistake")
        return super().cardinality(predicate)


def test_a_window_that_cannot_be_applied_holds_up_nothing_either() -> None:
    def extract(window: Window) -> list[AssertionDraft]:
        first = window.episodes[0]
        return [says(first, predicate="BOOM" if first.text == "poison" else "SAID")]

    extractor = Scripted(extract)
    policy = Breaking()
    tenant = Memory(SqliteStore(":memory:"), extractor=extractor, policy=policy).tenant("acme")
    report = tenant.ingest([session([text], text) for text in ("fine", "poison", "after")])
    assert ["a mistake" in reason for reason in report.failed.values()] == [True]
    assert said(tenant) == {"fine", "after"}
    assert tenant.ingest(session(["later"], "later")).failed == {}
    Breaking.broken = False
    assert tenant.resume().windows == 1
    assert len(extractor.windows) == 4


def test_an_extraction_that_cannot_be_read_any_more_is_made_again() -> None:
    store = SqliteStore(":memory:")
    extractor = Scripted(each_says)
    tenant = Memory(store, extractor=extractor).tenant("acme")
    source = session(["hello"])
    episodes = episodes_of("acme", source.id, source.turns)
    (window,) = windows_of(session_of(source), episodes, {"s-0"})
    inbox = store.inbox("acme")
    inbox.put([to_inbox(session_of(source), window, 0)])
    inbox.store_extraction(window.id, '{"of": "another version"}')
    inbox.put([InboxWindow("unreadable", "t", '{"of": "another version"}', 0)])
    report = tenant.ingest(session(["later"], "later"))
    assert report.failed.keys() == {"unreadable"}
    assert said(tenant) == {"hello", "later"}
