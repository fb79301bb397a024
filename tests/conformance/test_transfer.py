"""An export holds everything: what is restored from it answers, and goes on, like the original."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo import (
    InvalidInputError,
    InvalidRecordError,
    Memory,
    Statement,
    Tenant,
    TenantNotEmptyError,
)
from bitempo.testing import FixedClock
from tests.conformance.conftest import Opener
from tests.conformance.model import Told
from tests.conformance.telling import SLOTS, batches, fresh, grid, instant, moment, runs, tell
from tests.conformance.test_history import told_over_time
from tests.conformance.test_tenants import everything


@settings(max_examples=15, deadline=None)
@given(told=st.lists(batches(3), min_size=2, max_size=4))
def test_an_import_answers_like_the_original_at_every_point(
    open_memory: Opener, told: list[list[Told]]
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        original, copy = fresh(memory), fresh(memory)
        times = told_over_time(original, clock, told)
        lines = everything(original)
        assert copy.import_(lines) == len(lines) - 2
        assert everything(copy) == lines
        assert copy.stats() == original.stats()
        assert copy.entities() == original.entities()
        assert grid(copy, (None, times[0])) == grid(original, (None, times[0]))
        for slot in SLOTS:
            for known in open_memory.places.some([k - step for k in times for step in (0, 1)]):
                at = moment(known)
                assert runs(copy.history(*slot, known_at=at)) == runs(
                    original.history(*slot, known_at=at)
                )


@settings(max_examples=15, deadline=None)
@given(told=st.lists(batches(3), min_size=2, max_size=3), more=batches(3))
def test_an_import_goes_on_like_the_original(
    open_memory: Opener, told: list[list[Told]], more: list[Told]
) -> None:
    clock = FixedClock("2030-01-01")
    with open_memory(clock=clock) as memory:
        original, copy = fresh(memory), fresh(memory)
        told_over_time(original, clock, told)
        copy.import_(everything(original))
        clock.advance(-timedelta(days=1))
        for tenant in (original, copy):
            tell(tenant, "more", more)
            tenant.retract(episode="E1")
        assert everything(copy) == everything(original)


@pytest.fixture
def lines(tenant: Tenant) -> list[str]:
    """The export of a tenant with a bit of everything."""
    first = tenant.assert_facts(
        [
            Statement("Ana", "LIVES_IN", "Lima", valid_from=None, text="Ana lives in Lima 👍"),
            Statement("Ana", "HEIGHT", value=1.71, valid_from="2024"),
            Statement("Ana", "IS_TALL", value=True, valid_from="2024-05", trust=8),
            Statement("Ana", "AGE", value=30, valid_from="2024-05-06T07:08:09.000001+02:00"),
            Statement("Ana", "SAID", value="1", valid_to="2031-01-01"),
            Statement("Ana", "PLANS", "a move", modality="planned", due="2032-01-01"),
        ],
        episode="E1",
    )
    tenant.assert_fact("Ana", "LIVES_IN", "Oslo", corrects=first.assertion_ids[0])
    tenant.assert_fact("Bo", "PLAYS", "go", episode="E3")
    tenant.retract(episode="E3")
    return everything(tenant)


def test_every_kind_of_value_time_and_mark_comes_back(memory: Memory, lines: list[str]) -> None:
    copy = fresh(memory)
    copy.import_(lines)
    assert everything(copy) == lines
    answers = {str(f.predicate): f.answer for f in copy.as_of("Ana", valid_at="2030-06-01")}
    assert answers == {"LIVES_IN": "Oslo", "HEIGHT": 1.71, "IS_TALL": True, "AGE": 30, "SAID": "1"}
    assert answers["IS_TALL"] is True


def test_an_export_is_json_lines_with_times_to_read(lines: list[str]) -> None:
    records = [json.loads(line) for line in lines]
    assert records[0]["format"] == "bitempo-export"
    assert any("2024-05-06T05:08:09.000001Z" in line for line in lines)
    assert all("\n" not in line for line in lines)


def test_a_file_is_written_whole_and_read_back(
    memory: Memory, tenant: Tenant, lines: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "export.jsonl"
    assert tenant.export(path) == len(lines) - 2
    assert path.read_text(encoding="utf-8").splitlines() == lines
    assert [other.name for other in tmp_path.iterdir()] == ["export.jsonl"]
    copy = fresh(memory)
    assert copy.import_(path) == len(lines) - 2
    assert everything(copy) == lines


def test_a_tenant_that_holds_something_is_not_imported_into(
    memory: Memory, lines: list[str]
) -> None:
    used = fresh(memory)
    used.assert_fact("Cy", "PLAYS", "go")
    before = everything(used)
    with pytest.raises(TenantNotEmptyError):
        used.import_(lines)
    assert everything(used) == before


@pytest.mark.parametrize(
    "bad",
    ["{", "[]", "1", '{"record": "wish"}', '{"record": "episode"}', "{}", "\ud800"],
)
def test_a_malformed_line_is_named_and_nothing_is_written(
    memory: Memory, lines: list[str], bad: str
) -> None:
    copy = fresh(memory)
    for at in (0, 1, len(lines) // 2, len(lines)):
        with pytest.raises(InvalidRecordError, match=f"line {at + 1}"):
            copy.import_([*lines[:at], bad, *lines[at:]])
        assert copy.stats().episodes == copy.stats().assertions == copy.stats().entities == 0
    assert copy.import_(lines) == len(lines) - 2


def test_what_is_no_export_is_refused(memory: Memory, tmp_path: Path) -> None:
    copy = fresh(memory)
    with pytest.raises(InvalidRecordError):
        copy.import_([])
    with pytest.raises(InvalidRecordError):
        copy.import_(['{"format": "bitempo-export", "version": 999}'])
    with pytest.raises(InvalidInputError, match="cannot be read"):
        copy.import_(tmp_path / "absent.jsonl")


def test_an_import_keeps_the_times_of_the_original(
    memory: Memory, tenant: Tenant, lines: list[str], clock: FixedClock
) -> None:
    copy = fresh(memory)
    clock.set("2029-01-01")
    copy.import_(lines)
    last = tenant.stats().last_tx
    assert last is not None
    assert copy.stats().last_tx == last
    assert instant(copy.assert_fact("Ana", "PLAYS", "go").tx) == last + 1
