"""A process that ingests a recorded conversation, and may kill itself at a chosen point.

    python -m tests.replay.ingesting FILE URL [POINT NTH]

Points are those of `tests.durability.killing`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from bitempo import LLMExtractor, Memory, SourceSession, Tenant
from bitempo.engine.store.sqlite import SqliteStore
from bitempo.testing import FixedClock
from tests.durability.killing import Killer, WatchedStore
from tests.replay.recorded import locomo_sessions

CONVERSATION = "conv-30"
SESSIONS = 4


def told() -> list[SourceSession]:
    """What is ingested: the first sessions of the conversation."""
    return locomo_sessions()[CONVERSATION][:SESSIONS]


def memory_on(store: Any, url: str) -> Memory:
    """A memory on the store, whose model is at the URL."""
    extractor = LLMExtractor("scripted", base_url=url, api_key="test", max_retries=0)
    return Memory(store, clock=FixedClock("2030-01-01"), extractor=extractor)


def beliefs(tenant: Tenant) -> list[tuple[str, ...]]:
    """All that is believed, whatever the transaction times."""
    return sorted(
        (fact.subject.name, fact.predicate, str(fact.answer), str(fact.modality), str(fact.valid))
        for fact in tenant.as_of(valid_at="2023-07-01", modality=None)
    )


def main(file: str, url: str, point: str = "", nth: str = "0") -> None:
    store: Any = SqliteStore(Path(file))
    if point:
        store = WatchedStore(store, Killer(point, int(nth)), wrap=("inbox",))
    with memory_on(store, url) as memory:
        memory.tenant("acme").ingest(told())


if __name__ == "__main__":
    main(*sys.argv[1:])
