"""Whatever is handed in: it is kept exactly, or refused in words with nothing written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bitempo import (
    EpisodeConflictError,
    Interval,
    InvalidInputError,
    Memory,
    SourceSession,
    Statement,
    Tenant,
    Turn,
)
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.engine.time import from_datetime, parse_instant
from bitempo.ingest.windows import episodes_of, session_of, windows_of
from bitempo.testing import FixedClock
from tests.store.telling import MINUTE, START, Scripted, each_says, session

NASTY = [
    "'; DROP TABLE episode; --",
    '" OR 1=1 --',
    "%_*?[a]",
    "NEAR(a b) AND NOT c:*",
    "\\\x7f\x1b[31m",
    "😀👩‍👩‍👧‍👦🏳️‍🌈",
    "שלום עולם",
    "\u202eright to left\u202c",
    "東京タワー と ｶﾀｶﾅ",
    "e\u0301 and é",
    "\ufeffbyte order",
    "line\u2028separator\u2029and\x85next",
    "zero\u200bwidth",
    "{}[]:,\"'`",
    "\U0010ffff",
]

HUGE = 10**5000
"""More digits than Python writes out."""


def short(value: object) -> str:
    return type(value).__name__


@pytest.fixture
def memory() -> Iterator[Memory]:
    store = SqliteStore(":memory:")
    with Memory(store, clock=FixedClock("2024-06-01"), extractor=Scripted(each_says)) as opened:
        yield opened


@pytest.fixture
def tenant(memory: Memory) -> Tenant:
    return memory.tenant("acme")


def answers(tenant: Tenant, subject: str = "Ana") -> list[object]:
    return sorted((fact.answer for fact in tenant.as_of(subject)), key=repr)


def turns(tenant: Tenant, session: str = "s") -> list[str]:
    with tenant._store.read(tenant.name) as reader:
        return [episode.text for episode in reader.turns(session)]


def untouched(tenant: Tenant) -> bool:
    stats = tenant.stats()
    return (stats.episodes, stats.assertions, stats.transactions, dict(stats.inbox)) == (
        0,
        0,
        0,
        {},
    )


def test_text_of_all_kinds_comes_back_as_it_went_in(tenant: Tenant) -> None:
    tenant.ingest(session(NASTY))
    assert turns(tenant) == NASTY
    assert len(tenant.as_of("Ana", "SAID")) == len(NASTY)


@pytest.mark.parametrize(
    "source",
    [
        {"role": "user", "content": "a message without its list"},
        "text",
        [{"role": "user", "content": "fine"}, "no message"],
        session(["a session that is parsed already"]),
        [session(["a session that is parsed already"])],
        7,
    ],
    ids=short,
)
def test_what_is_no_list_of_messages_is_refused_and_nothing_of_it_lost(
    tenant: Tenant, source: Any
) -> None:
    with pytest.raises(InvalidInputError, match="role and content"):
        tenant.ingest(source, session="s", started_at="2024-05-01")
    assert untouched(tenant)


def test_an_empty_turn_and_one_of_a_megabyte_are_kept(tenant: Tenant) -> None:
    long = "I live in Lima. " * 65_536
    tenant.ingest(session(["", long, "   "]))
    assert turns(tenant) == ["", long, "   "]
    assert tenant.recall("Lima").items


def test_nul_and_lone_surrogates_are_replaced_and_all_else_stays(tenant: Tenant) -> None:
    bad = session(["a\0b", "c\ud800d", "\udfff"], actor="An\0a", metadata={"k\0": ["v\ud800"]})
    tenant.ingest(bad)
    tenant.ingest(bad)
    assert turns(tenant) == ["a\ufffdb", "c\ufffdd", "\ufffd"]
    tenant.assert_fact("Bo\0", "SAID", value="x\ud800y", text="t\0", episode="E1")
    assert answers(tenant, "Bo\ufffd") == ["x\ufffdy"]
    copy = tenant._memory.tenant("copy")
    copy.import_(tenant.export())
    assert list(copy.export()) == list(tenant.export())


@pytest.mark.parametrize("id", ["a\0b", "\ud800", "a\nb", " ", "a\rb"])
def test_an_id_that_cannot_be_kept_is_refused(tenant: Tenant, id: str) -> None:
    ordinary = session(["hello"])
    for bad in (
        replace(ordinary, turns=(replace(ordinary.turns[0], id=id),)),
        replace(ordinary, id=id),
    ):
        with pytest.raises(InvalidInputError, match="cannot be the id of"):
            tenant.ingest(bad)
        with pytest.raises(InvalidInputError, match="cannot be the id of"):
            tenant.append(bad.id, bad.turns)
    assert untouched(tenant)


@pytest.mark.parametrize("name", [*NASTY[:5], "x" * 200, "a/../b", "0", "None", "a#b"])
def test_ids_and_names_are_values_and_nothing_else(memory: Memory, name: str) -> None:
    if name.isprintable():
        tenant, other = memory.tenant(name), memory.tenant(f"{name}2"[-200:])
    else:
        with pytest.raises(InvalidInputError):
            memory.tenant(name)
        tenant, other = memory.tenant("acme"), memory.tenant("other")
    tenant.ingest(session(["hello"], name))
    tenant.ingest(session(["hello"], name))
    written = tenant.assert_fact(name, "KNOWS", f"{name} too", episode=name)
    assert answers(tenant, name) == [f"{name} too"]
    assert tenant.stats().episodes == 2
    assert tenant.recall(name) is not None
    assert tenant.entities(name)
    tenant.retract(written.assertion_id)
    assert answers(tenant, name) == []
    assert untouched(other)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\0b", "\ud800", "x" * 201, 7, None])
def test_what_is_no_name_of_a_tenant_is_refused(memory: Memory, name: Any) -> None:
    with pytest.raises(InvalidInputError, match="tenant"):
        memory.tenant(name)


def test_tenants_whose_names_look_alike_stay_apart(memory: Memory) -> None:
    names = ["acme", "ACME", "acme ", "ácme", "a\u0301cme", "1", "10", "1_0", "％", "%"]
    for name in names:
        memory.tenant(name).assert_fact("Ana", "IS", value=name)
    assert [answers(memory.tenant(name)) for name in names] == [[name] for name in names]


def test_values_that_only_look_alike_stay_apart_and_keep_their_type(tenant: Tenant) -> None:
    values: list[Any] = [1, 1.0, "1", True, "true", 0, 0.0, False, "", "null", 2**63 - 1, -1.5e300]
    for value in values:
        tenant.assert_fact("Ana", "IS", value=value)
    found = answers(tenant)
    assert sorted((type(v).__name__, v) for v in found) == sorted(
        (type(v).__name__, v) for v in values
    )


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**63, HUGE, [1], b"x", {}], ids=short
)
def test_values_that_cannot_be_kept_are_refused(tenant: Tenant, value: Any) -> None:
    with pytest.raises(InvalidInputError):
        tenant.assert_fact("Ana", "IS", value=value)
    assert untouched(tenant)


@pytest.mark.parametrize(
    "metadata",
    [
        {"k": object()},
        {"k": {1, 2}},
        {"k": datetime(2024, 1, 1, tzinfo=UTC)},
        {"k": b"x"},
        {"k": float("nan")},
        {"k": float("inf")},
        {("a", "b"): 1},
        {"k": HUGE},
        7,
    ],
    ids=short,
)
def test_metadata_that_is_no_json_is_refused(tenant: Tenant, metadata: Any) -> None:
    good = session(["fine"])
    for bad in (
        session(["fine", "bad"], metadata=metadata),
        replace(good, metadata=metadata),
    ):
        with pytest.raises(InvalidInputError, match="metadata"):
            tenant.ingest(bad)
    assert untouched(tenant)


def test_metadata_comes_back_as_it_went_in(tenant: Tenant) -> None:
    metadata = {"a": [1, 1.5, True, None, "x", {"from": None, "to": None}], "tx": "2024"}
    tenant.ingest(session(["hello"], metadata=metadata))
    with tenant._store.read("acme") as reader:
        assert reader.episodes(["s-0"])["s-0"].metadata == metadata
    lines = list(tenant.export())
    copy = tenant._memory.tenant("copy")
    copy.import_(lines)
    assert list(copy.export()) == lines


@pytest.mark.parametrize(
    "change",
    [
        {"text": None},
        {"text": 7},
        {"actor": None},
        {"id": 7},
        {"occurred_at": None},
        {"occurred_at": "2024-01-01"},
        {"occurred_at": datetime(2024, 1, 1, tzinfo=UTC)},
        {"occurred_at": 2**62},
        {"occurred_at": -(2**62)},
        {"occurred_at": 1.5},
        {"occurred_at": True},
    ],
    ids=repr,
)
def test_a_turn_of_wrong_types_is_refused_and_named(tenant: Tenant, change: dict[str, Any]) -> None:
    bad = replace(session(["a", "b"]).turns[1], **change)
    with pytest.raises(InvalidInputError, match="turn 1 of session 's'"):
        tenant.ingest(replace(session([]), turns=(bad,)))
    assert untouched(tenant)


@pytest.mark.parametrize("year", [1, 1000, 1969, 2024, 9999])
def test_any_year_of_the_calendar_is_a_time(tenant: Tenant, year: int) -> None:
    at = from_datetime(datetime(year, 1, 1, tzinfo=UTC))
    turn = Turn("I was there", "Ana", at, "t")
    tenant.ingest(SourceSession("s", at, (turn,)))
    start = datetime(year, 1, 1, tzinfo=UTC)
    (fact,) = tenant.as_of("Ana", valid_at=start)
    assert fact.valid_from == start
    tenant.assert_fact("Bo", "LIVES_IN", "Lima", valid_from=f"{year:04d}", valid_to="9999-12-31")
    assert answers(tenant, "Bo") == (["Lima"] if year <= 2024 else [])
    assert tenant.recall("there", valid_at=start).items


def test_a_turn_from_the_future_is_kept_and_holds_when_its_time_comes(tenant: Tenant) -> None:
    turn = Turn("I will be there", "Ana", parse_instant("2050-01-01"), "t")
    tenant.ingest(SourceSession("s", turn.occurred_at, (turn,)))
    assert answers(tenant) == []
    (fact,) = tenant.as_of("Ana", valid_at="2050-01-02")
    assert fact.valid == Interval(turn.occurred_at)
    assert fact.tx_from == datetime(2024, 6, 1, tzinfo=UTC)


def test_ten_thousand_turns_go_in_and_going_on_costs_no_look_at_all_of_them(
    memory: Memory, tmp_path: Path
) -> None:
    tenant = memory.tenant("acme")
    report = tenant.ingest(session((f"turn {n}" for n in range(10_000)), ids=False))
    assert (report.turns, report.new_turns, report.failed) == (10_000, 10_000, {})
    assert tenant.ingest(session((f"turn {n}" for n in range(10_000)), ids=False)).new_turns == 0
    tenant.append("s", Turn("turn 10000", "Ana", START))
    found = turns(tenant)
    assert found == [f"turn {n}" for n in range(10_001)]
    assert tenant.export(tmp_path / "all.jsonl") > 20_000  # type: ignore[operator]


@pytest.mark.parametrize("ids", [True, False])
def test_a_session_may_come_again_longer_shorter_or_the_same(tenant: Tenant, ids: bool) -> None:
    texts = [f"turn {n}" for n in range(45)]
    for count in (5, 30, 12, 45, 45, 1, 0):
        tenant.ingest(session(texts[:count], ids=ids))
    assert turns(tenant) == texts
    assert len(tenant.as_of("Ana")) == 45


def test_a_session_that_comes_again_reordered_adds_nothing_when_turns_have_ids(
    tenant: Tenant,
) -> None:
    original = session(["one", "two", "three"])
    tenant.ingest(original)
    report = tenant.ingest(replace(original, turns=original.turns[::-1]))
    assert report.new_turns == 0
    assert turns(tenant) == ["one", "two", "three"]


def test_without_ids_a_turn_is_its_place_and_content(tenant: Tenant) -> None:
    original = session(["one", "two"], ids=False)
    tenant.ingest(original)
    tenant.ingest(replace(original, turns=original.turns[::-1]))
    assert sorted(turns(tenant)) == ["one", "one", "two", "two"]
    assert answers(tenant) == ["one", "two"]


def test_the_same_turn_twice_in_one_call_is_one(tenant: Tenant) -> None:
    turn = session(["one"]).turns[0]
    report = tenant.ingest(replace(session([]), turns=(turn, turn, turn)))
    assert report.new_turns == 1
    assert turns(tenant) == ["one"]


@pytest.mark.parametrize("change", [{"text": "other"}, {"actor": "Bo"}, {"occurred_at": 7}])
def test_two_turns_of_one_id_in_one_call_are_refused(
    tenant: Tenant, change: dict[str, Any]
) -> None:
    turn = session(["one"]).turns[0]
    with pytest.raises(EpisodeConflictError, match="s-0"):
        tenant.ingest(replace(session([]), turns=(turn, replace(turn, **change))))
    assert untouched(tenant)


def test_a_turn_that_waits_in_the_inbox_is_as_immutable_as_one_that_is_stored() -> None:
    def fail(_: object) -> list[Any]:
        raise TimeoutError

    extractor = Scripted(fail)
    tenant = Memory(SqliteStore(":memory:"), extractor=extractor).tenant("acme")
    assert tenant.ingest(session(["one", "two"])).failed
    for again in (session(["one", "other"]), session(["other"])):
        with pytest.raises(EpisodeConflictError, match="exists with other content"):
            tenant.ingest(again)
    assert tenant.ingest(session(["one", "two", "three"])).failed
    assert tenant.append("s", Turn("four", "Ana", START + 9 * MINUTE)).failed
    extractor.of = each_says
    extractor.windows.clear()
    assert tenant.resume().failed == {}
    assert turns(tenant) == ["one", "two", "three", "four"]
    assert [len(window.episodes) for window in extractor.windows] == [2, 1, 1]


def test_appended_turns_are_extracted_with_what_was_said_before(tenant: Tenant) -> None:
    extractor = tenant._memory.extractor
    assert isinstance(extractor, Scripted)
    for n in range(7):
        tenant.append("s", Turn(f"turn {n}", "Ana", START + n * MINUTE))
    assert [[e.text for e in window.context] for window in extractor.windows][-1] == [
        f"turn {n}" for n in range(2, 6)
    ]
    assert turns(tenant) == [f"turn {n}" for n in range(7)]
    tenant.ingest(session([*(f"turn {n}" for n in range(30))], "t"))
    tenant.ingest(session([*(f"turn {n}" for n in range(31))], "t"))
    last = extractor.windows[-1]
    assert [episode.text for episode in last.episodes] == ["turn 30"]
    assert [episode.text for episode in last.context] == [f"turn {n}" for n in range(26, 30)]


@pytest.mark.parametrize(
    "ask",
    [
        lambda tenant, text: tenant.recall(text),
        lambda tenant, text: tenant.as_of(text),
        lambda tenant, text: tenant.history(text),
        lambda tenant, text: tenant.entities(text),
    ],
)
@pytest.mark.parametrize("text", [*NASTY, "a\0b", "\ud800", "x" * 100_000, "?" * 1000])
def test_any_text_can_be_asked(
    tenant: Tenant, ask: Callable[[Tenant, str], object], text: str
) -> None:
    tenant.ingest(session(["hello"]))
    ask(tenant, text)


def test_huge_ids_and_names_are_kept(tenant: Tenant) -> None:
    long = "x" * 100_000
    tenant.ingest(session(["hello"], long))
    tenant.assert_facts([Statement(long, "KNOWS", long + "y")], episode=long)
    assert answers(tenant, long) == [long + "y"]
    tenant.retract(episode=long)
    assert answers(tenant, long) == []


def test_windows_of_the_same_ids_and_other_content_do_not_take_each_others_place() -> None:
    """Two processes may put them into the inbox at the same moment; neither must vanish."""
    ids = set()
    for text in ("one", "other"):
        source = session([text])
        episodes = episodes_of("acme", source.id, source.turns)
        (window,) = windows_of(session_of(source), episodes, {"s-0"})
        ids.add(window.id)
    assert len(ids) == 2
