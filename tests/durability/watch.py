"""A process that reads until a file appears, and checks that every state it sees is whole.

    python -m tests.durability.watch FILE STOP

Prints "ready", waits for a line, and at the end prints how many rounds of `load` it saw done.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bitempo.engine.store.port import FactQuery, Point, Reader
from bitempo.engine.store.sqlite import SqliteStore
from tests.durability.workload import TENANT


def whole(reader: Reader) -> int:
    """How many rounds are done; fails when a commit of `load` is there in part."""
    stats = reader.stats()
    if stats.last_tx is None:
        assert stats.episodes == stats.assertions == stats.facts == 0
        return 0
    facts = reader.facts(FactQuery(Point(stats.last_tx)))
    saw = sum(fact.predicate == "SAW" for fact in facts)
    assert stats.episodes == stats.transactions == stats.sessions + saw
    assert stats.assertions == stats.sessions + 2 * saw
    assert len(facts) == stats.facts
    assert all(fact.support for fact in facts)
    assert reader.stats() == stats
    return saw


def main(file: str, stop: str) -> None:
    store = SqliteStore(file)
    print("ready", flush=True)
    sys.stdin.readline()
    before = 0
    while True:
        stopped = Path(stop).exists()
        with store.read(TENANT) as reader:
            saw = whole(reader)
        assert saw >= before
        before = saw
        if stopped:
            print(saw)
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
