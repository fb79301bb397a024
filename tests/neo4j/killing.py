"""A process that tells the workload and kills itself, by SIGKILL, before its n-th statement.

    python -m tests.neo4j.killing TENANT CALLS NTH

Statements are counted from the first of the workload on. With 0 it is not killed, and prints how
many there were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from tests.durability.workload import Homes, tell
from tests.neo4j.workload import given_location, open_memory


class Killer:
    """Kills its process before the n-th statement that it is told of."""

    def __init__(self, nth: int) -> None:
        self.nth = nth
        self.seen = 0

    def __call__(self, statement: str, parameters: object) -> None:  # noqa: ARG002
        self.seen += 1
        if self.seen == self.nth:
            os.kill(os.getpid(), signal.SIGKILL)


def main(tenant: str, calls: str, nth: str) -> None:
    killer = Killer(int(nth))
    memory = open_memory(given_location(), Homes(Path(calls)), observer=killer)
    tell(memory.tenant(tenant))
    print(killer.seen)


if __name__ == "__main__":
    main(*sys.argv[1:])
