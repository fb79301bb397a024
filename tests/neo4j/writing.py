"""A process that writes so many times, by a clock of its own.

    python -m tests.neo4j.writing TENANT NAME NOW TIMES

Opens the store, prints "ready", waits for a line on standard input, and then asserts about an
entity that all such processes name. Prints the transaction time of each commit.
"""

from __future__ import annotations

import sys

from bitempo import Statement
from tests.conformance.telling import instant
from tests.neo4j.workload import given_location, open_memory


def main(tenant: str, name: str, now: str, times: str) -> None:
    with open_memory(given_location(), now=now) as memory:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(int(times)):
            written = memory.tenant(tenant).assert_facts(
                [
                    Statement("everybody", "KNOWS", name, valid_from="2024-01-01"),
                    Statement(name, "SAW", f"round {number}", valid_from="2024-01-01"),
                ],
                episode=f"{name}-{number}",
            )
            print(instant(written.tx), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
