"""The workload of the durability tests on a Neo4j server, and processes that work on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bitempo import Memory
from bitempo.engine.store.neo4j import Neo4jStore
from bitempo.testing import FixedClock
from tests.durability.workload import NOW, Homes

ROOT = Path(__file__).parent.parent.parent
LOCATION = "BITEMPO_TEST_LOCATION"


def open_memory(
    location: str, extractor: Homes | None = None, now: str = NOW, **options: Any
) -> Memory:
    """A memory whose clock stands still; options are those of the store."""
    return Memory(
        Neo4jStore(location, **options), clock=FixedClock(now), extractor=extractor or Homes()
    )


def start(location: str, module: str, *arguments: object) -> subprocess.Popen[str]:
    """A module of this folder as a process; the location goes by the environment.

    A command line can be read by everybody, and the location holds a password.
    """
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.neo4j.{module}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, LOCATION: location},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def given_location() -> str:
    """In such a process: where to open the memory."""
    return os.environ[LOCATION]
