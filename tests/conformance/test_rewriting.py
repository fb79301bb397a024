"""What a rewritten question found is found again from its receipt, and no model is asked."""

from __future__ import annotations

from bitempo import Memory, ModelError
from bitempo.query.receipts import Rewriting
from bitempo.testing import FixedClock, HashingEmbedder, ScriptedRewriter
from tests.conformance.conftest import Opener
from tests.conformance.telling import fresh

ASKED = "And where did she live then?"
MEANT = "Where did Ana live in 2021?"


def test_a_receipt_replays_to_the_byte_without_the_rewriter(open_memory: Opener) -> None:
    clock, rewriter = FixedClock("2030-01-01"), ScriptedRewriter({ASKED: MEANT})
    tenant = fresh(open_memory(clock=clock, rewriter=rewriter, embedder=HashingEmbedder()))
    tenant.assert_fact("Ana", "LIVES_IN", "Porto", valid_from="2020", valid_to="2022")
    tenant.assert_fact("Ana", "LIVES_IN", "Faro", valid_from="2022")
    found = tenant.recall(ASKED, limit=3)
    assert found.items[0].fact is not None
    assert found.items[0].fact.answer == "Porto"
    assert found.receipt.question == ASKED
    assert found.receipt.rewriting == Rewriting(MEANT, "scripted")
    assert found.explain().startswith(f"rewritten by scripted: {MEANT}\n")

    tenant.assert_fact("Ana", "LIVES_IN", "Lisbon", valid_from="2021", valid_to="2022")
    rewriter.failing = ModelError("a replay asks no model")
    receipt = found.receipt.to_json()
    without = Memory(tenant._store, clock=clock, embedder=HashingEmbedder()).tenant(tenant.name)
    for face in (tenant, without):
        again = face.replay(receipt)
        assert again.same, again.difference
        assert again.recall.receipt.to_json() == receipt
        assert again.recall.explain() == found.explain()
    assert len(rewriter.asked) == 1
