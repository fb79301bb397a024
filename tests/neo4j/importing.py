"""A process that imports what an uninterrupted run of the workload holds.

python -m tests.neo4j.importing TENANT
"""

from __future__ import annotations

import sys

from tests.durability.workload import uninterrupted
from tests.neo4j.workload import given_location, open_memory


def main(tenant: str) -> None:
    with open_memory(given_location()) as memory:
        memory.tenant(tenant).import_(uninterrupted().end)


if __name__ == "__main__":
    main(*sys.argv[1:])
