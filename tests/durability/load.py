"""A process that writes without end, or so many times, and says each time what is durable.

    python -m tests.durability.load FILE NAME FIRST [TIMES]

Prints "ready" once the file is open, waits for a line on standard input, then writes: one
ingested turn and one statement about an entity that all such processes name. Prints the number
of the round after each.
"""

from __future__ import annotations

import itertools
import sys

from bitempo import SourceSession, Statement, Turn
from bitempo.engine.store.sqlite import SqliteStore
from tests.durability.workload import CITIES, DAY, START, TENANT, open_memory


def main(file: str, name: str, first: str, times: str = "") -> None:
    tenant = open_memory(SqliteStore(file, busy_timeout=120)).tenant(TENANT)
    print("ready", flush=True)
    sys.stdin.readline()
    rounds = range(int(times)) if times else itertools.count()
    for number in map(int(first).__add__, rounds):
        at = START + number * DAY
        turn = Turn(f"I live in {CITIES[number % 4]}", name, at, id=f"{name}-{number}")
        tenant.ingest(SourceSession(f"{name}-{number}", at, (turn,)))
        tenant.assert_facts(
            [Statement("everybody", "KNOWS", name), Statement(name, "SAW", f"round {number}")],
            episode=f"{name}-said-{number}",
        )
        print(number, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
