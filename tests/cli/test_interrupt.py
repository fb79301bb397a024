"""Ctrl-C in the middle of a long ingest: what was taken in stays, and the rest follows."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bitempo import Memory
from tests.cli.runner import Run

SESSIONS = 60
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
                    "content": f"I walked {session} miles with {turn} friends.",
                    "timestamp": f"{day}T10:{turn:02d}:00Z",
                }
                for turn in range(TURNS)
            ]
            file.write(json.dumps({"id": f"s{session}", "messages": turns}) + "\n")


# A test run in the background may have been started with Ctrl-C ignored, which children inherit.
LISTENING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from bitempo.cli import main
sys.exit(main(sys.argv[1:]))
"""


def interrupt_midway(command: list[str]) -> tuple[int, str, str]:
    """Run the command in a process of its own with a terminal, and press Ctrl-C midway.

    Midway is when its progress bar says that some sessions are done. Returns the exit code, what
    was written to standard output, and what was written to the terminal.
    """
    terminal, its_end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENING, *command],
        stdout=subprocess.PIPE,
        stderr=its_end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        text=True,
    )
    os.close(its_end)
    seen = b""
    interrupted = False
    while more := read(terminal):
        seen += more
        if not interrupted and re.search(rb"[1-9]\d?/(60|\?)", seen):
            process.send_signal(signal.SIGINT)
            interrupted = True
    os.close(terminal)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out, seen.decode()


def read(terminal: int) -> bytes:
    """What comes next from the terminal; nothing once its other end is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def turns_in(store: Path) -> int:
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
    code, out, shown = interrupt_midway([*where, *command])
    assert (code, out) == (130, "")
    again = " ".join(["bitempo ingest", str(source)] + (["--replay"] if how == "--replay" else []))
    assert shown.rstrip().endswith(f"with the same store and tenant: {again}")
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
