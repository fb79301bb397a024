"""kill -9 in the middle of an ingest: what is resumed pays for no turn twice, and loses none."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bitempo.engine.store.sqlite import SqliteStore
from bitempo.testing import Call, ScriptedModel, read_prompt
from bitempo.testing import ScriptedReply as Reply
from tests.durability.processes import ROOT
from tests.replay.ingesting import CONVERSATION, beliefs, memory_on, told
from tests.replay.recorded import locomo_replay

pytestmark = pytest.mark.timeout(1200)

Belief = tuple[str, ...]
Turn = tuple[int, str]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> list[Belief]:
    file = tmp_path_factory.mktemp("uninterrupted") / "memory.db"
    with ScriptedModel(locomo_replay(CONVERSATION)) as model:
        return ingested(file, model)


@pytest.mark.parametrize(
    ("point", "nth"),
    [
        ("put", 3),
        ("store_extraction", 2),
        ("before commit", 2),
        ("commit", 3),
    ],
)
def test_what_was_paid_for_is_not_paid_again(
    tmp_path: Path, uninterrupted: list[Belief], point: str, nth: int
) -> None:
    file = tmp_path / "memory.db"
    with ScriptedModel(locomo_replay(CONVERSATION)) as model:
        process = start(file, model.url, point, str(nth))
        assert process.wait() == -signal.SIGKILL
        assert ingested(file, model) == uninterrupted
        assert asked(model.calls) == Counter(spoken())


@pytest.mark.parametrize("nth", [1, 3])
def test_only_the_call_that_was_in_flight_is_made_again(
    tmp_path: Path, uninterrupted: list[Belief], nth: int
) -> None:
    file = tmp_path / "memory.db"
    process: list[subprocess.Popen[bytes]] = []
    replay = locomo_replay(CONVERSATION)

    def script(call: Call) -> Reply:
        if call.number == nth:
            # While it waits for this very reply.
            process[0].kill()
            process[0].wait()
        return replay(call)

    with ScriptedModel(script) as model:
        process.append(start(file, model.url))
        assert process[0].wait() == -signal.SIGKILL
        lost = model.calls[-1]
        assert len(model.calls) == nth
        assert ingested(file, model) == uninterrupted
        assert asked(model.calls) == Counter(spoken()) + asked([lost])


def test_the_model_is_not_asked_again_when_all_is_there(
    tmp_path: Path, uninterrupted: list[Belief]
) -> None:
    file = tmp_path / "memory.db"
    with ScriptedModel(locomo_replay(CONVERSATION)) as model:
        ingested(file, model)
        model.forget_calls()
        assert ingested(file, model) == uninterrupted
        assert model.calls == []


def start(file: Path, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.replay.ingesting", str(file), *arguments]
    return subprocess.Popen(command, cwd=ROOT)


def ingested(file: Path, model: ScriptedModel) -> list[Belief]:
    """What is believed once all has been ingested, from wherever an earlier run stopped."""
    with memory_on(SqliteStore(file), model.url) as memory:
        tenant = memory.tenant("acme")
        report = tenant.ingest(told())
        assert not report.failed, report.failed
        return beliefs(tenant)


def asked(calls: list[Call]) -> Counter[Turn]:
    """How often each turn was sent to be extracted."""
    turns = (turn for call in calls for turn in read_prompt(call).turns)
    return Counter((turn.occurred_at or 0, turn.text) for turn in turns)


def spoken() -> list[Turn]:
    minute = 60_000_000
    turns = (turn for session in told() for turn in session.turns)
    return [(turn.occurred_at // minute * minute, turn.text) for turn in turns]
