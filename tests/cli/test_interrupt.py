"""Ctrl-C in the middle of a long ingest: what was taken in stays, and the rest follows."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bitempo import Memory
from tests.cli.runner import Run

SESSIONS = 30
TURNS = 25


def write_long(path: Path) -> None:
    """Many sessions, one a day, of sentences that the rules have work with."""
    with path.open("w", encoding="utf-8") as file:
        for session in range(SESSIONS):
            day = f"2024-{session // 28 + 1:02d}-{session % 28 + 1:02d}"
            turns = [
                {
                    "role": "user",
                    "name": "Ana",
                    "content": f"I have a friend called Bo{session}. I live in Porto.",
                    "timestamp": f"{day}T10:{turn:02d}:00Z",
                }
                for turn in range(TURNS)
            ]
            file.write(json.dumps({"id": f"s{session}", "messages": turns}) + "\n")


def interrupt_midway(store: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, and interrupt it once it has written a part."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bitempo.cli", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and turns_in(store) < 2 * TURNS:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def turns_in(store: Path) -> int:
    if not store.exists():
        return 0
    with Memory.open(store) as memory:
        return memory.tenant("acme").stats().episodes


@pytest.mark.parametrize("how", ["--replay", "--as-recorded"])
def test_an_interrupted_ingest_is_finished_by_the_same_command(
    bitempo: Run, tmp_path: Path, how: str
) -> None:
    source, store = tmp_path / "long.jsonl", tmp_path / "long.db"
    write_long(source)
    where = ["--store", str(store), "--tenant", "acme"]
    command = ["ingest", str(source), how]
    stopped = interrupt_midway(store, [*where, *command])
    assert (stopped.returncode, stopped.stdout) == (130, "")
    (line,) = stopped.stderr.splitlines()
    shown = " ".join(["bitempo ingest", str(source)] + (["--replay"] if how == "--replay" else []))
    assert line.endswith(shown)
    assert 0 < turns_in(store) < SESSIONS * TURNS

    assert bitempo(*where, *command).code == 0

    whole = ["--store", str(tmp_path / "whole.db"), "--tenant", "acme"]
    assert bitempo(*whole, *command).code == 0
    assert held(bitempo, where) == held(bitempo, whole)
    if how == "--replay":
        assert records(bitempo, where) == records(bitempo, whole)


def held(bitempo: Run, where: list[str]) -> tuple[object, ...]:
    """What is in the store, without what says when it came there."""
    facts = bitempo(*where, "as-of", "--json").json["facts"]
    stats = bitempo(*where, "stats", "--json").json
    values = [(f["subject"]["name"], f["text"], f["valid_from"], f["valid_to"]) for f in facts]
    return sorted(values, key=str), [stats[name] for name in ("episodes", "assertions", "facts")]


def records(bitempo: Run, where: list[str]) -> list[str]:
    """The whole export, times and all, but the inbox, in which attempts differ."""
    lines = bitempo(*where, "export").out.splitlines()
    return sorted(line for line in lines if '"record": "window"' not in line)
