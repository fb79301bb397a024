"""What is recorded later takes nothing from a search of the past, however small its budget."""

from __future__ import annotations

import pytest

from bitempo import Statement, Tenant
from bitempo.engine.store.neo4j import search
from bitempo.engine.store.port import Corpus, Matches


def test_later_documents_do_not_push_earlier_ones_out_of_the_budget(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "ROW_BUDGET", 6)
    long = "plays the violin every evening by the harbour of Lima"
    tenant.assert_facts([Statement(f"P{n}", "PLAYS", "violin", text=long) for n in range(4)])
    last = tenant.stats().last_tx
    assert last is not None

    def found() -> Matches:
        with tenant._store.read(tenant.name) as reader:
            return reader.search(Corpus.ASSERTIONS, ["violin"], known_at=last, limit=9)

    before = found()
    assert before.frequencies == {"violin": 4}
    tenant.assert_facts([Statement(f"Q{n}", "PLAYS", "violin", text="violin") for n in range(30)])
    assert found() == before
