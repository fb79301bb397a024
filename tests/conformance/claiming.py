"""A process that ingests, with a model at a URL; told what it does, line by line.

    python -m tests.conformance.claiming TENANT URL

The location is in the environment, since it may hold a password. Prints when it waits for a window
of another process, and in the end how many calls it made and how many windows it applied.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

from bitempo import LLMExtractor, Memory, SourceSession
from bitempo.testing import FixedClock
from tests.ingest.model_double import told

ROOT = Path(__file__).parent.parent.parent
LOCATION = "BITEMPO_TEST_LOCATION"


def sessions() -> list[SourceSession]:
    """What every such process ingests: a window each."""
    return [told(f"s{number}", f"I like dish {number}.", actor="Ana") for number in range(3)]


def start(location: str, tenant: str, url: str) -> subprocess.Popen[str]:
    """This module as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.conformance.claiming", tenant, url],
        cwd=ROOT,
        env={**os.environ, LOCATION: location},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line(process: subprocess.Popen[str]) -> str:
    """The next line that it prints; waits for it."""
    assert process.stdout is not None
    printed = process.stdout.readline()
    if not printed:
        raise AssertionError(process.communicate()[1])
    return printed.rstrip("\n")


class Waits(logging.Handler):
    """Prints that a window is waited for."""

    def emit(self, record: logging.LogRecord) -> None:
        if "waits for another process" in record.getMessage():
            print("waits", flush=True)


def main(tenant: str, url: str) -> None:
    logging.getLogger("bitempo.ingest").setLevel(logging.INFO)
    logging.getLogger("bitempo.ingest").addHandler(Waits())
    extractor = LLMExtractor("scripted", base_url=url, api_key="test", max_retries=0)
    clock = FixedClock("2030-01-01")
    with Memory.open(os.environ[LOCATION], clock=clock, extractor=extractor) as memory:
        report = memory.tenant(tenant).ingest(sessions())
    print(report.usage.calls, report.windows, len(report.failed), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
