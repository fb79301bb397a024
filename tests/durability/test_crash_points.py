"""A process killed at any point leaves whole commits only, and the next one finishes its work."""

from __future__ import annotations

import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from bitempo import Tenant
from tests.durability.processes import start
from tests.durability.workload import (
    TENANT,
    Homes,
    Uninterrupted,
    check_file,
    graph,
    lines,
    reopened,
    tell,
    uninterrupted,
)

POINTS = [
    (point, nth)
    for nth in (1, 3)
    for point in (
        "before put",
        "put",
        "extract",
        "before store_extraction",
        "store_extraction",
        "add_episodes",
        "add_assertions",
        "close_facts",
        "open_facts",
        "finish_window",
        "before commit",
        "commit",
    )
]
STATEMENTS = [
    ("retract_episodes", 5),
    ("retract_episodes", 6),
    ("retract_assertions", 6),
    ("close_facts", 7),
    ("change_links", 7),
    ("commit", 7),
]
"""After the sessions come two writes and a retraction: the 5th to 7th commits."""


@pytest.fixture(scope="module")
def expected() -> Uninterrupted:
    return uninterrupted()


def resume_first(tenant: Tenant) -> None:
    tenant.resume()
    tell(tenant)


@pytest.mark.parametrize(("point", "nth"), POINTS + STATEMENTS)
def test_a_kill_leaves_whole_commits_and_the_next_run_ends_as_if_there_had_been_none(
    tmp_path: Path, expected: Uninterrupted, point: str, nth: int
) -> None:
    left = tmp_path / "left"
    left.mkdir()
    (left / "calls").touch()
    process = start("killing", left / "memory.db", left / "calls", point, nth)
    complaint = process.communicate()[1]
    assert process.returncode == -signal.SIGKILL, f"{point} was never reached: {complaint}"
    repeated = 1 if point in ("extract", "before store_extraction") else 0
    for go_on in (tell, resume_first):
        folder = tmp_path / go_on.__name__
        shutil.copytree(left, folder)
        check_goes_on(folder, go_on, expected, repeated)


def check_goes_on(
    folder: Path, go_on: Callable[[Tenant], None], expected: Uninterrupted, repeated: int
) -> None:
    path, calls = folder / "memory.db", folder / "calls"
    with reopened(path) as memory:
        assert graph(lines(memory.tenant(TENANT))) in expected.graphs
    check_file(path)
    with reopened(path, Homes(calls)) as memory:
        tenant = memory.tenant(TENANT)
        go_on(tenant)
        assert lines(tenant) == expected.end
        assert set(tenant.stats().inbox) == {"applied"}
    check_file(path)
    counted = Counter(calls.read_text().split())
    windows = sum('"record": "window"' in line for line in expected.end)
    assert len(counted) == windows
    assert sum(counted.values()) == windows + repeated


def test_the_uninterrupted_run_has_a_state_for_every_commit(expected: Uninterrupted) -> None:
    # Four windows, two writes and a retraction, and nothing before them.
    assert len(expected.graphs) == 8
    assert expected.graphs[-1] == graph(expected.end)
