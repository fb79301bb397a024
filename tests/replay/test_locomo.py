"""Four long conversations ingest whole, with hardly any good claim taken for a bad one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.conftest import Opener, Places
from tests.replay.recorded import Replayed, locomo_replay, locomo_sessions, replaying

pytestmark = pytest.mark.timeout(1800)

CONVERSATIONS = ("conv-26", "conv-30", "conv-41", "conv-42")
MOST_REJECTED = 0.01
"""The recorded claims were checked by script: next to none is to be refused."""


@pytest.fixture(scope="module")
def whole(open_memory: Opener, store: Places) -> Iterator[Replayed]:
    """The conversations; a store where each costs much is told one of them."""
    names = store.some(CONVERSATIONS, at_least=1)
    with replaying(open_memory, locomo_replay(*names)) as replayed:
        for name in names:
            replayed.ingest(name, locomo_sessions()[name])
        yield replayed


def test_every_turn_and_every_claim_comes_in(whole: Replayed) -> None:
    for name in whole.tenants:
        stats = whole.memory.tenant(whole.tenants[name]).stats()
        turns = sum(len(session.turns) for session in locomo_sessions()[name])
        assert (stats.sessions, stats.episodes) == (len(locomo_sessions()[name]), turns)
        assert set(stats.inbox) == {"applied"}
    assert set(whole.replay.given.values()) == {1}
    assert whole.replay.given.keys() == whole.replay.assertions


def test_hardly_any_is_rejected(whole: Replayed) -> None:
    recorded = len(whole.replay.assertions)
    assert len(whole.rejected) <= MOST_REJECTED * recorded, whole.rejected


def test_the_same_again_costs_nothing(whole: Replayed) -> None:
    before = {name: whole.memory.tenant(id).stats() for name, id in whole.tenants.items()}
    whole.model.forget_calls()
    for name in whole.tenants:
        assert whole.ingest(name, locomo_sessions()[name]) == 0
    assert whole.model.calls == []
    assert {name: whole.memory.tenant(id).stats() for name, id in whole.tenants.items()} == before
