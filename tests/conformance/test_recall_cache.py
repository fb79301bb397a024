"""A handle that keeps what it read answers as one that reads everything anew, on every store."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import cast

from bitempo import Memory, Recall, Statement, Tenant
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.telling import unused

QUESTIONS = ("Where does Ana live?", "What did Bo say about the harbour?")


def said(name: str, text: str) -> dict[str, object]:
    return {"role": "user", "name": name, "content": text}


WRITES: tuple[Callable[[Tenant], object], ...] = (
    lambda t: t.ingest(
        [said("Ana", "I live in Lima."), said("Bo", "By the harbour?")],
        session="s",
        started_at="2024-01-01",
    ),
    lambda t: t.append("s", said("Ana", "It is full of boats.")),
    lambda t: t.assert_fact("Ana", "LIVES_IN", "Oslo", valid_from="2025", episode="oslo"),
    lambda t: t.assert_facts([Statement("Bo", "PLAYS", value="harbour songs")], episode="songs"),
    lambda t: t.retract(episode="oslo"),
    lambda t: t.merge("Bo", into="Ana"),
)


def seen(tenant: Tenant, question: str, known_at: str | None) -> tuple[object, ...]:
    recall: Recall = tenant.recall(question, known_at=known_at)
    return recall.receipt.to_json(), [(repr(one), one.explain()) for one in recall.items]


def test_a_handle_that_asked_before_answers_as_one_that_did_not(
    open_memory: Opener, location: str
) -> None:
    clock = FixedClock("2030-01-01")
    writing, asking, anew = (open_memory(location, clock=clock) for _ in range(3))
    name = unused()
    for write in WRITES:
        write(writing.tenant(name))
        for known_at in (None, "2029-12-31", "2030-01-01T00:00:00.000002Z"):
            for question in QUESTIONS:
                anew.recall_cache.forget()
                expected = seen(anew.tenant(name), question, known_at)
                assert seen(asking.tenant(name), question, known_at) == expected


def test_what_a_caller_changes_in_an_answer_is_not_in_the_next(memory: Memory) -> None:
    tenant = memory.tenant(unused())
    tenant.ingest([said("Ana", "I live in Lima.")], session="s", started_at="2024-01-01")
    for _ in range(2):
        items = tenant.recall(QUESTIONS[0]).items
        given = [span.episode.metadata for item in items for span in item.spans]
        given += [item.episode.metadata for item in items if item.episode is not None]
        assert given
        assert not any("mine" in metadata for metadata in given)
        for metadata in given:
            cast(MutableMapping[str, object], metadata)["mine"] = True
