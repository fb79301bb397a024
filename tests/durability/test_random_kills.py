"""Kills in the middle of a write to the file, and from outside while the process is at work."""

from __future__ import annotations

import random
import signal
from pathlib import Path

from bitempo.engine.store.sqlite import SqliteStore
from tests.durability.processes import finish, go, start
from tests.durability.workload import (
    TENANT,
    check_file,
    graph,
    lines,
    open_memory,
    reopened,
    uninterrupted,
)

KILLS = 12


def test_torn_writes_leave_whole_commits_that_the_next_run_goes_on_from(
    tmp_path: Path,
) -> None:
    expected = uninterrupted()
    chosen = random.Random(3)
    kills = 0
    for number in range(KILLS):
        path, reached = tmp_path / f"{number}.db", 0
        while True:
            process = start("torn", path, chosen.randint(1, 200))
            complaint = process.communicate()[1]
            if process.returncode == 0:
                break
            assert process.returncode == -signal.SIGKILL, complaint
            kills += 1
            with reopened(path) as memory:
                left = graph(lines(memory.tenant(TENANT)))
            check_file(path)
            assert left in expected.graphs[reached:]
            reached = expected.graphs.index(left)
        with reopened(path) as memory:
            assert lines(memory.tenant(TENANT)) == expected.end
        if kills >= KILLS:
            break
    assert kills >= KILLS


def test_kills_under_load_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    chosen = random.Random(4)
    acknowledged: list[int] = []
    for _ in range(KILLS):
        process = start("load", path, "Ana", len(acknowledged))
        go(process)
        assert process.stdout is not None
        seen = [int(process.stdout.readline()) for _ in range(chosen.randint(1, 4))]
        process.kill()
        seen += map(int, process.communicate()[0].split())
        assert process.returncode == -signal.SIGKILL
        acknowledged += seen
        check_file(path)
    assert acknowledged == list(range(len(acknowledged)))
    with open_memory(SqliteStore(path)) as memory:
        tenant = memory.tenant(TENANT)
        tenant.resume()
        saw = {fact.answer for fact in tenant.as_of("Ana", "SAW")}
        assert saw >= {f"round {number}" for number in acknowledged}
        # The kill may have come between the last commit and its acknowledgement.
        assert len(saw) - len(acknowledged) in (0, 1)
        stats = tenant.stats()
        assert set(stats.inbox) == {"applied"}
        assert stats.episodes == stats.sessions + len(saw)


def test_killing_one_writer_does_not_disturb_the_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    survivor = start("load", path, "Bo", 0, 20)
    go(survivor)
    for number in range(5):
        victim = start("load", path, f"victim {number}", 0)
        go(victim)
        assert victim.stdout is not None
        victim.stdout.readline()
        victim.kill()
        victim.communicate()
    assert finish(survivor).split() == [str(number) for number in range(20)]
    check_file(path)
