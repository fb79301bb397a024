"""A process that tells the whole workload, or only opens the file, when it is told to start.

    python -m tests.durability.telling FILE [NAME]

Prints "ready" before it opens the file. With a name it asserts one fact only.
"""

from __future__ import annotations

import sys

from bitempo.engine.store.sqlite import SqliteStore
from tests.durability.workload import TENANT, open_memory, tell


def main(file: str, name: str = "") -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    with open_memory(SqliteStore(file)) as memory:
        tenant = memory.tenant(TENANT)
        if name:
            tenant.assert_fact("everybody", "KNOWS", name, episode=name)
        else:
            tell(tenant)


if __name__ == "__main__":
    main(*sys.argv[1:])
